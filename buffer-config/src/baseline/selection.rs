//! The rules whose findings are reported.

/// The rules whose findings are reported. Words are codes, names or prefixes of codes (`BUF`, `PG0`).
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Only these rules; all if empty.
    pub select: Vec<String>,
    /// Not these rules.
    pub ignore: Vec<String>,
}

impl Selection {
    /// Whether findings of a rule are reported. The longest matching word decides.
    pub fn wants(&self, code: &str, name: &str) -> bool {
        let longest = |words: &[String]| {
            let matches =
                |w: &&String| *w == name || code.get(..w.len()).is_some_and(|c| c.eq_ignore_ascii_case(w));
            words.iter().filter(matches).map(|w| if w == name { code.len() } else { w.len() }).max()
        };
        let selected = if self.select.is_empty() { Some(0) } else { longest(&self.select) };
        match (selected, longest(&self.ignore)) {
            (None, _) => false,
            (Some(_), None) => true,
            (Some(s), Some(i)) => s > i,
        }
    }

    /// Words that match no rule.
    pub fn unknown(&self) -> Vec<&str> {
        let known = |word: &str| {
            crate::rules::all().any(|r| {
                r.meta.name == word
                    || r.meta.code.get(..word.len()).is_some_and(|c| c.eq_ignore_ascii_case(word))
            })
        };
        self.select
            .iter()
            .chain(&self.ignore)
            .map(String::as_str)
            .filter(|w| w.is_empty() || !known(w))
            .collect()
    }
}
