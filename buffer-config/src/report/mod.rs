//! Report formats, written file by file so that a large fleet is never in memory at once.

mod catalogue;
mod full;
mod machine;
mod sarif;
mod summary;

pub use catalogue::{Catalogue, RuleText};
pub use summary::Summary;

use crate::finding::Finding;

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
    /// The number of annotations so far.
    annotations: machine::Annotations,
    /// The JUnit suites, written at the end.
    suites: machine::Suites,
}

impl Writer {
    /// A writer for findings of the rules of this crate.
    pub fn new(format: Format) -> Self {
        Self::of(format, Catalogue::of_switches())
    }

    /// A writer for findings of the rules of `catalogue`.
    pub fn of(format: Format, catalogue: &'static Catalogue) -> Self {
        let (annotations, suites) = (Default::default(), machine::Suites::new(catalogue.command));
        Self { format, catalogue, count: 0, annotations, suites }
    }

    /// The text before all findings.
    pub fn begin(&self) -> String {
        match self.format {
            Format::Json => "{\n  \"findings\": [".to_string(),
            Format::Sarif => sarif::head(self.catalogue),
            Format::Full { .. } | Format::Concise | Format::Github | Format::Junit => String::new(),
        }
    }

    /// The findings of one file. The text is needed for excerpts only.
    pub fn file(&mut self, name: &str, text: Option<&str>, findings: &[Finding]) -> String {
        let mut out = String::new();
        if self.format == Format::Junit {
            self.suites.add(name, findings);
        }
        for finding in findings {
            match self.format {
                Format::Full { is_coloured } => {
                    full::one(&mut out, finding, self.catalogue, is_coloured, text)
                }
                Format::Concise => full::line(&mut out, finding),
                Format::Json => {
                    separated(&mut out, self.count, "    ", &machine::json(finding, self.catalogue))
                }
                Format::Sarif => {
                    separated(&mut out, self.count, "        ", &sarif::result(finding, self.catalogue))
                }
                Format::Github => self.annotations.add(&mut out, finding),
                Format::Junit => {}
            }
            self.count += 1;
        }
        out
    }

    /// The text after all findings.
    pub fn end(&self, summary: &Summary) -> String {
        let close = if self.count == 0 { "" } else { "\n" };
        match self.format {
            Format::Json => {
                let summary = indented(&summary.json(), "  ");
                format!(
                    "{close}{}],\n  \"summary\": {summary}\n}}\n",
                    if self.count == 0 { "" } else { "  " }
                )
            }
            Format::Sarif => format!("{close}      ]\n    }}\n  ]\n}}\n"),
            Format::Junit => self.suites.report(),
            Format::Github => self.annotations.rest(summary, self.catalogue.command),
            Format::Full { .. } | Format::Concise => String::new(),
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
