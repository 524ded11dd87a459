//! Reads one file for all chips of a switch: `{"localhost": {TABLE: ...}, "asic0": {TABLE: ...}}`.
//!
//! SONiC's `config save` and `config load` use this format on switches with several chips. `localhost` is the host's
//! database, which has no ports (sonic-utilities config/main.py, HOST_NAMESPACE). Paths of `config apply-patch` start
//! with the name.

use super::{Namespace, load};
use crate::db::{ConfigDb, escape};
use crate::json::{self, Value};
use crate::source::Span;

/// Whether a name is a namespace: the host's or a chip's.
pub(crate) fn is_namespace(name: &str) -> bool {
    let digits = name.strip_prefix("asic").unwrap_or_default();
    name == "localhost" || !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether the first name in the text is a namespace; no table has such a name.
fn begins_with_one(text: &str) -> bool {
    let inside = text.trim_start_matches('\u{feff}').trim_start().strip_prefix('{').map(str::trim_start);
    let name = inside.and_then(|rest| rest.strip_prefix('"')).and_then(|rest| rest.split_once('"'));
    name.is_some_and(|(name, _)| is_namespace(name))
}

/// Splits a file into the databases of its chips; `None` for any other file.
pub(super) fn split(text: &str) -> Option<Vec<Namespace<'_>>> {
    if !begins_with_one(text) {
        return None;
    }
    let json = json::parse(text);
    let root = json.root.as_ref()?;
    let mut all: Vec<Namespace<'_>> = Vec::new();
    let mut odd = Vec::new();
    for member in json.children(&root.value) {
        let range = member.span.start as usize..member.span.end as usize;
        match (&member.value, text.get(range)) {
            (Value::Object(_), Some(part)) if is_namespace(&member.key) => {
                let mut db = load(part);
                db.shift(member.span.start, &format!("/{}", escape(&member.key)));
                all.push(Namespace { name: member.key.to_string(), db });
            }
            _ => odd.push((member.key_span, member.key.to_string())),
        }
    }
    let first = all.first_mut()?;
    // Problems inside a database are in its own list.
    let outside = |span: Span| {
        !json.children(&root.value).iter().any(|m| m.span.start <= span.start && span.start < m.span.end)
    };
    for problem in json.problems.iter().filter(|p| outside(p.span)) {
        first.db.problem(problem.span, problem.message.clone());
    }
    for (span, key) in odd {
        first.db.problem(
            span,
            format!("`{key}` is not a namespace: expected `localhost`, or `asic` and a number"),
        );
    }
    Some(all)
}

impl ConfigDb<'_> {
    /// Moves all spans by `offset`, and prepends `prefix` to all pointers.
    fn shift(&mut self, offset: u32, prefix: &str) {
        let moved = |span: &mut Span| {
            span.start += offset;
            span.end += offset;
        };
        self.prefix = prefix.into();
        self.tables.iter_mut().for_each(|t| moved(&mut t.span));
        for entry in &mut self.entries {
            moved(&mut entry.key_span);
            moved(&mut entry.span);
        }
        for field in &mut self.fields {
            moved(&mut field.name_span);
            moved(&mut field.span);
        }
        self.written =
            std::mem::take(&mut self.written).into_iter().map(|(at, steps)| (at + offset, steps)).collect();
        self.problems.iter_mut().for_each(|p| moved(&mut p.span));
        self.duplicates.iter_mut().for_each(|(span, _)| moved(span));
    }
}
