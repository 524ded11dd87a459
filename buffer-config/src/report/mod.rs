//! Report formats, written file by file so that a large fleet is never in memory at once.

mod catalogue;
mod full;
mod gitlab;
mod machine;
mod sarif;
mod summary;

pub use catalogue::{Catalogue, RuleText};
pub use summary::Summary;

use serde::Serialize;

use crate::finding::{Finding, Severity};
use crate::secrets::Secrets;

/// The format of a report.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// With source line, caret, reason and fix.
    Full {
        /// Whether to use ANSI colours.
        is_coloured: bool,
    },
    /// One line per finding.
    Concise,
    /// JSON as described in docs/check.schema.json.
    Json,
    /// SARIF 2.1.0 (OASIS), for code scanning services.
    Sarif,
    /// JUnit XML: one suite per file, one failed test case per error. Written at the end, because it starts with the
    /// totals.
    Junit,
    /// GitHub workflow commands.
    Github,
    /// GitLab's Code Quality report.
    Gitlab,
}

impl Format {
    /// Whether people read the report line by line, so that notes distract from warnings and errors.
    pub fn is_for_people(self) -> bool {
        match self {
            Self::Full { .. } | Self::Concise | Self::Github | Self::Gitlab => true,
            Self::Json | Self::Sarif | Self::Junit => false,
        }
    }
}

/// An input that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Unread {
    /// The name of the file, or the address of the live switch without its password.
    pub file: String,
    /// Why it could not be read.
    pub reason: String,
}

/// Returns a finding as in a report in the format [`Format::Json`].
pub fn json(finding: &Finding) -> serde_json::Value {
    machine::json(finding, Catalogue::of_switches())
}

/// Writes a report in pieces: [`Writer::begin`], [`Writer::file`] for each file, [`Writer::end`].
#[derive(Debug)]
pub struct Writer {
    format: Format,
    catalogue: &'static Catalogue,
    /// The number of findings so far.
    count: usize,
    /// The rule of the first finding.
    first: Option<&'static str>,
    /// The number of annotations so far.
    annotations: machine::Annotations,
    /// The JUnit suites, written at the end.
    suites: machine::Suites,
    /// The inputs that were not checked.
    unread: Vec<Unread>,
    fingerprints: gitlab::Fingerprints,
    has_notes: bool,
}

impl Writer {
    /// A writer for findings of the rules of this crate, with all findings.
    pub fn new(format: Format) -> Self {
        Self::of(format, Catalogue::of_switches())
    }

    /// A writer for findings of the rules of `catalogue`.
    pub fn of(format: Format, catalogue: &'static Catalogue) -> Self {
        Self {
            format,
            catalogue,
            count: 0,
            first: None,
            annotations: Default::default(),
            suites: machine::Suites::new(catalogue.command),
            unread: Vec::new(),
            fingerprints: Default::default(),
            has_notes: true,
        }
    }

    /// The same writer, which leaves notes out.
    #[must_use]
    pub fn without_notes(self) -> Self {
        Self { has_notes: false, ..self }
    }

    /// The text before all findings.
    pub fn begin(&self) -> String {
        match self.format {
            Format::Json => "{\n  \"findings\": [".to_string(),
            Format::Sarif => sarif::head(self.catalogue),
            Format::Gitlab => "[".to_string(),
            Format::Full { .. } | Format::Concise | Format::Github | Format::Junit => String::new(),
        }
    }

    /// The findings of one file. The text is needed for excerpts only.
    pub fn file(&mut self, name: &str, text: Option<&str>, findings: &[Finding]) -> String {
        let mut out = String::new();
        let is_shown = |finding: &&Finding| self.has_notes || finding.severity > Severity::Info;
        let shown: Vec<&Finding> = findings.iter().filter(is_shown).collect();
        if self.format == Format::Junit {
            self.suites.add(name, &shown);
        }
        // The other formats contain no line of the file.
        let is_full = matches!(self.format, Format::Full { .. }) && !shown.is_empty();
        let secrets = text.filter(|_| is_full).map(Secrets::of);
        for finding in shown {
            self.first = self.first.or(Some(finding.code));
            match self.format {
                Format::Full { is_coloured } => {
                    full::one(&mut out, finding, self.catalogue, is_coloured, text.zip(secrets.as_ref()))
                }
                Format::Concise => full::line(&mut out, finding),
                Format::Json => {
                    separated(&mut out, self.count, "    ", &machine::json(finding, self.catalogue))
                }
                Format::Sarif => {
                    separated(&mut out, self.count, "        ", &sarif::result(finding, self.catalogue))
                }
                Format::Github => self.annotations.add(&mut out, finding),
                Format::Gitlab => {
                    separated(&mut out, self.count, "  ", &gitlab::issue(&mut self.fingerprints, finding))
                }
                Format::Junit => {}
            }
            self.count += 1;
        }
        out
    }

    /// An input that could not be read. Some formats list it at once, others in [`Writer::end`].
    pub fn unread(&mut self, unread: Unread) -> String {
        let mut out = String::new();
        match self.format {
            Format::Full { is_coloured } => full::unread(&mut out, is_coloured, &unread),
            Format::Concise => full::unread(&mut out, false, &unread),
            Format::Github => self.annotations.unread(&mut out, &unread),
            Format::Gitlab => {
                separated(&mut out, self.count, "  ", &gitlab::unread(&mut self.fingerprints, &unread));
                self.count += 1;
            }
            Format::Junit => self.suites.unread(&unread),
            Format::Json | Format::Sarif => {}
        }
        self.unread.push(unread);
        out
    }

    /// The text after all findings.
    pub fn end(&self, summary: &Summary) -> String {
        let close = if self.count == 0 { "" } else { "\n" };
        match self.format {
            Format::Json => {
                let summary = indented(&summary.json(), "  ");
                let unread = indented(&serde_json::json!(self.unread), "  ");
                let indent = if self.count == 0 { "" } else { "  " };
                format!("{close}{indent}],\n  \"unread\": {unread},\n  \"summary\": {summary}\n}}\n")
            }
            Format::Sarif => {
                let invocation = indented(&sarif::invocation(&self.unread), "        ");
                format!(
                    "{close}      ],\n      \"invocations\": [\n        {invocation}\n      ]\n    }}\n  ]\n}}\n"
                )
            }
            Format::Gitlab => format!("{close}]\n"),
            Format::Junit => self.suites.report(),
            Format::Github => self.annotations.rest(summary, self.catalogue.command),
            Format::Full { .. } => self.first.map_or(String::new(), |code| {
                let command = self.catalogue.command;
                format!("{command} --explain {code} prints the page of a rule: an example, its fix and its source\n")
            }),
            Format::Concise => String::new(),
        }
    }
}

/// Appends an element of an array on separate lines.
fn separated(out: &mut String, before: usize, indent: &str, value: &serde_json::Value) {
    out.push_str(if before == 0 { "\n" } else { ",\n" });
    out.push_str(indent);
    out.push_str(&indented(value, indent));
}

/// JSON with all lines except the first indented.
fn indented(value: &serde_json::Value, indent: &str) -> String {
    serde_json::to_string_pretty(value).unwrap_or_default().replace('\n', &format!("\n{indent}"))
}

/// The report of one file.
pub fn of_file(format: Format, name: &str, text: &str, findings: &[Finding]) -> String {
    let mut writer = Writer::new(format);
    let mut summary = Summary::default();
    summary.add(name, name, findings);
    writer.begin() + &writer.file(name, Some(text), findings) + &writer.end(&summary)
}
