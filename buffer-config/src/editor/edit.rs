//! The repair of one finding as an edit of the text. Every repair is checked: it removes its finding and causes no other
//! warning or error.

use crate::finding::Finding;
use crate::fix_patch;
use crate::lookup::Lookup;
use crate::rules::Options;
use crate::source::{SourceText, Span};

/// A replaced part of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The bytes that are replaced.
    pub span: Span,
    /// The new text.
    pub text: String,
}

/// The edit that repairs a finding; `None` if there is no safe one.
pub fn repair(
    source: SourceText<'_>,
    finding: &Finding,
    lookup: Option<&Lookup>,
    options: &Options,
) -> Option<Edit> {
    let plan = fix_patch::plan(source, std::slice::from_ref(finding), lookup, options).ok()?;
    difference(source.text, &plan.text)
}

/// The part in which two texts differ; `None` if they are equal.
fn difference(old: &str, new: &str) -> Option<Edit> {
    if old == new {
        return None;
    }
    let same = old.char_indices().zip(new.chars()).find(|((_, a), b)| a != b);
    let start = same.map_or(old.len().min(new.len()), |((at, _), _)| at);
    let (old_rest, new_rest) = (old.get(start..)?, new.get(start..)?);
    let mut end = 0;
    for (a, b) in old_rest.chars().rev().zip(new_rest.chars().rev()) {
        if a != b {
            break;
        }
        end += a.len_utf8();
    }
    let text = new_rest.get(..new_rest.len() - end)?.to_string();
    Some(Edit { span: Span::new(start, old.len() - end), text })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_difference_turns_the_old_text_into_the_new_one() {
        for (old, new) in [("abc", "abxc"), ("aaa", "aa"), ("", "x"), ("ä€b", "ä€€b"), ("one two", "one")]
        {
            let edit = difference(old, new).expect("a difference");
            let (start, end) = (edit.span.start as usize, edit.span.end as usize);
            assert_eq!(format!("{}{}{}", &old[..start], edit.text, &old[end..]), new);
        }
        assert_eq!(difference("a", "a"), None);
    }
}
