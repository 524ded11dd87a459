//! Accepted findings, with reason and expiry.

use serde::Deserialize;

use crate::finding::{Finding, Severity};
use crate::source::{Position, Span, position};

/// A file with suppressions (TOML).
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppressions {
    /// The suppressions.
    #[serde(default, rename = "suppress")]
    pub entries: Vec<Suppression>,
}

/// One suppression.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suppression {
    /// The rule's code or name.
    pub code: toml::Spanned<String>,
    /// The position of the code.
    #[serde(skip, default = "first")]
    position: Position,
    /// A file pattern with `*` for any characters, matched against the end of the path.
    pub file: String,
    /// The JSON pointer or a prefix of it; matches any pointer if absent.
    #[serde(default)]
    pub pointer: String,
    /// Why the finding is accepted.
    pub reason: String,
    /// The last day on which it applies, `YYYY-MM-DD`.
    pub until: Option<String>,
}

/// The first position of a file.
fn first() -> Position {
    Position { line: 1, column: 1 }
}

impl Suppression {
    pub(super) fn matches(&self, finding: &Finding) -> bool {
        let code = self.code.get_ref();
        let is_rule = code.eq_ignore_ascii_case(finding.code) || code == finding.rule;
        let starts = |rest: &str| rest.is_empty() || rest.starts_with('/') || self.pointer.is_empty();
        is_rule
            && glob_end(&self.file, &finding.file)
            && finding.pointer.strip_prefix(self.pointer.as_str()).is_some_and(starts)
    }
}

/// Whether a path, or its end after a slash, matches a pattern with `*`.
pub(crate) fn glob_end(pattern: &str, path: &str) -> bool {
    let starts = path.match_indices('/').map(|(i, _)| i + 1);
    std::iter::once(0).chain(starts).any(|from| path.get(from..).is_some_and(|rest| glob(pattern, rest)))
}

fn glob(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else { return false };
    let parts: Vec<&str> = parts.collect();
    let Some((last, middle)) = parts.split_last() else { return rest.is_empty() };
    for part in middle {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

impl Suppressions {
    /// Parses a suppressions file.
    ///
    /// # Errors
    /// If the text is not a valid suppressions file, with line and column.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut all: Self = toml::from_str(text).map_err(|e| e.to_string())?;
        for (i, entry) in all.entries.iter_mut().enumerate() {
            entry.position = position(text, entry.code.span().start as u32);
            let code = entry.code.get_ref();
            if entry.reason.trim().is_empty() {
                return Err(format!("{}: suppression {} ({code}) has no reason", entry.position, i + 1));
            }
            if entry.until.as_deref().is_some_and(|d| !is_date(d)) {
                return Err(format!(
                    "{}: suppression {} ({code}): `until` must be YYYY-MM-DD",
                    entry.position,
                    i + 1
                ));
            }
        }
        Ok(all)
    }

    /// Expired and unused suppressions, as findings in `file`.
    pub(super) fn remarks(&self, used: &[bool], file: &str, today: &str) -> Vec<Finding> {
        let mut findings = Vec::new();
        for (i, (entry, used)) in self.entries.iter().zip(used).enumerate() {
            let expired = entry.until.as_deref().is_some_and(|until| today > until);
            let code = entry.code.get_ref();
            let is_rule = crate::rules::find(code).is_some();
            let what = match (used, expired) {
                (false, _) if !is_rule => {
                    ("SRC012", "unused-suppression", "is not a rule (see harrier check --list-rules)")
                }
                (false, _) => ("SRC012", "unused-suppression", "matches no finding"),
                (true, true) => ("SRC013", "expired-suppression", "has expired"),
                (true, false) => continue,
            };
            findings.push(Finding {
                code: what.0,
                rule: what.1,
                severity: Severity::Warning,
                message: format!("suppression {} of {code} in {} {}", i + 1, entry.file, what.2),
                file: file.to_string(),
                span: Span::default(),
                position: entry.position,
                pointer: format!("/suppress/{i}"),
                ports: Vec::new(),
                deviation: None,
                patch: Vec::new(),
                commands: Vec::new(),
                causes: Vec::new(),
            });
        }
        findings
    }
}

fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let digits = |s: &str, n: usize| s.len() == n && s.bytes().all(|b| b.is_ascii_digit());
    matches!(parts.as_slice(), [y, m, d] if digits(y, 4) && digits(m, 2) && digits(d, 2))
}
