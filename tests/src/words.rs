//! The list of words that are not used (`docs/words.toml`), and the search for them in a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;

use crate::prose::{self, Word};

/// Marks a line that needs a listed word, followed by the reason.
const MARKER: &str = "words: allow";

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListFile {
    skip: Vec<Skip>,
    entry: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Skip {
    path: String,
    reason: String,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    words: Vec<String>,
    #[serde(rename = "use")]
    replacement: String,
}

/// One listed phrase.
struct Phrase {
    words: Vec<String>,
    replacement: String,
}

/// The list, by the first word of each phrase.
pub struct List {
    skipped: BTreeSet<String>,
    phrases: BTreeMap<String, Vec<Phrase>>,
}

/// A listed phrase in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hit {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// The phrase as the list has it.
    pub phrase: String,
    /// What to write instead.
    pub replacement: String,
}

impl List {
    /// Reads the list.
    ///
    /// # Errors
    ///
    /// Malformed TOML, an unknown key, an empty phrase, replacement or reason, or a phrase listed twice.
    pub fn parse(text: &str) -> Result<Self, String> {
        let file: ListFile = toml::from_str(text).map_err(|error| error.to_string())?;
        if let Some(skip) = file.skip.iter().find(|skip| skip.reason.trim().is_empty()) {
            return Err(format!("no reason why `{}` is skipped", skip.path));
        }
        let mut phrases: BTreeMap<String, Vec<Phrase>> = BTreeMap::new();
        let mut seen = BTreeSet::new();
        for entry in file.entry {
            for phrase in entry.words {
                let words: Vec<String> = phrase.split_whitespace().map(str::to_lowercase).collect();
                let Some(first) = words.first().cloned() else {
                    return Err("an empty phrase".to_string());
                };
                if entry.replacement.trim().is_empty() {
                    return Err(format!("no replacement for `{phrase}`"));
                }
                if !seen.insert(words.clone()) {
                    return Err(format!("`{phrase}` is listed twice"));
                }
                phrases
                    .entry(first)
                    .or_default()
                    .push(Phrase { words, replacement: entry.replacement.clone() });
            }
        }
        for alternatives in phrases.values_mut() {
            alternatives.sort_by_key(|phrase| std::cmp::Reverse(phrase.words.len()));
        }
        Ok(Self { skipped: file.skip.into_iter().map(|skip| skip.path).collect(), phrases })
    }

    /// The files that the list skips.
    pub fn skipped(&self) -> impl Iterator<Item = &str> {
        self.skipped.iter().map(String::as_str)
    }

    /// The listed phrases in a file; the longest where several start at one word.
    #[must_use]
    pub fn search(&self, path: &str, text: &str) -> Vec<Hit> {
        if self.skipped.contains(path) {
            return Vec::new();
        }
        let allowed = allowed_lines(text);
        let words = prose::words(path, text);
        let mut hits = Vec::new();
        for (index, word) in words.iter().enumerate() {
            let Some(phrases) = self.phrases.get(&word.text) else { continue };
            let found = phrases.iter().find(|phrase| starts_with(&words[index..], &phrase.words));
            if let Some(phrase) = found.filter(|_| !allowed.contains(&word.line)) {
                hits.push(Hit {
                    line: word.line,
                    column: word.column,
                    phrase: phrase.words.join(" "),
                    replacement: phrase.replacement.clone(),
                });
            }
        }
        hits
    }
}

fn starts_with(words: &[Word], phrase: &[String]) -> bool {
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, wanted)| word.text == *wanted)
}

/// The lines with a marker and a reason, and the line below each.
fn allowed_lines(text: &str) -> BTreeSet<usize> {
    let has_reason = |line: &str| {
        line.split_once(MARKER)
            .is_some_and(|(_, reason)| reason.trim_matches(['-', '>', '*', '/', ' ']).len() > 3)
    };
    (1..)
        .zip(text.lines())
        .filter(|(_, line)| has_reason(line))
        .flat_map(|(number, _)| [number, number + 1])
        .collect()
}

#[cfg(test)]
mod tests {
    use super::List;

    const LIST: &str = "
        skip = [{ path = 'skipped.md', reason = 'a test' }]
        [[entry]]
        words = ['bad', 'bad phrase', 'is bad']
        use = 'good'
    ";

    fn check(path: &str, text: &str, expected: &[(usize, usize, &str)]) {
        let list = List::parse(LIST).expect("the list is well-formed");
        let hits = list.search(path, text);
        let found: Vec<_> = hits.iter().map(|hit| (hit.line, hit.column, hit.phrase.as_str())).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn phrases_are_found_in_any_case_and_over_line_breaks() {
        check("a.md", "A Bad one, a bad\nphrase, badly.", &[(1, 3, "bad"), (1, 14, "bad phrase")]);
        check("a.rs", "//! bad\n//! phrase", &[(1, 5, "bad phrase")]);
    }

    #[test]
    fn phrases_do_not_match_across_a_stop() {
        check("a.md", "This is. Badly | phrase", &[]);
        check("a.md", "bad. Phrase", &[(1, 1, "bad")]);
    }

    #[test]
    fn a_marker_with_a_reason_allows_a_line() {
        check("a.rs", "// bad, words: allow a quotation", &[]);
        check("a.md", "<!-- words: allow a quotation -->\nbad\nbad", &[(3, 1, "bad")]);
        check("a.rs", "// bad, words: allow", &[(1, 4, "bad")]);
        check("skipped.md", "bad", &[]);
    }

    #[test]
    fn a_malformed_list_is_rejected() {
        for (text, message) in [
            ("skip = []\n[[entry]]\nwords = ['a']\nuse = ''", "no replacement for `a`"),
            ("skip = []\n[[entry]]\nwords = ['a', 'A']\nuse = 'b'", "`A` is listed twice"),
            ("entry = []\n[[skip]]\npath = 'a'\nreason = ' '", "no reason why `a` is skipped"),
        ] {
            assert_eq!(List::parse(text).err().as_deref(), Some(message));
        }
    }
}
