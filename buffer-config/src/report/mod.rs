//! Report formats, written file by file so that a large fleet is never in memory at once.

mod full;
mod machine;
mod sarif;
mod summary;

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
    machine::json(finding)
}

/// Writes a report in pieces: [`Writer::begin`], [`Writer::file`] for each file, [`Writer::end`].
#[derive(Debug)]
pub struct Writer {
    format: Format,
    /// The number of findings so far.
    count: usize,
    /// The number of annotations so far.
    annotations: machine::Annotations,
    /// The JUnit suites, written at the end.
    suites: machine::Suites,
}

impl Writer {
    /// A writer for the given format.
    pub fn new(format: Format) -> Self {
        Self { format, count: 0, annotations: Default::default(), suites: Default::default() }
    }

    /// The text before all findings.
    pub fn begin(&self) -> String {
        match self.format {
            Format::Json => "{\n  \"findings\": [".to_string(),
            Format::Sarif => sarif::head(),
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
                Format::Full { is_coloured } => full::one(&mut out, finding, is_coloured, text),
                Format::Concise => full::line(&mut out, finding),
                Format::Json => separated(&mut out, self.count, "    ", &machine::json(finding)),
                Format::Sarif => separated(&mut out, self.count, "        ", &sarif::result(finding)),
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
            Format::Github => self.annotations.rest(summary),
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

/// Why a finding matters and how to fix it, from its rule's page.
fn advice(finding: &Finding) -> (String, String) {
    match crate::rules::find(finding.code) {
        Some(rule) => (rule.section("Why it matters"), rule.section("Fix")),
        None => (String::new(), String::new()),
    }
}
