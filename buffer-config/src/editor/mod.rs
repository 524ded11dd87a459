//! What an editor shows of a configuration: which findings to list while it is being written, the text at a position, and
//! the edits that repair a finding.

mod edit;
mod place;

pub use edit::{Edit, repair};
pub use place::{Place, offset_of, place_of};

use crate::finding::{Finding, Severity};
use crate::source::{Position, SourceText, Span};
use crate::{input, rules};

/// The rules that are shown for a text that is not judged as a whole: its syntax errors.
const SYNTAX: [&str; 2] = ["SRC001", "SRC003"];

/// The findings to show. Findings about half of a text would be misleading while a bracket is missing, so that only its
/// syntax errors remain, or the reason why it is not judged.
pub fn shown(source: SourceText<'_>, mut findings: Vec<Finding>) -> Vec<Finding> {
    let is_doubtful = findings.iter().any(|f| matches!(f.code, "SRC001" | "SRC014"));
    let Some(reason) = is_doubtful.then(|| input::refusal(source.text)).flatten() else { return findings };
    findings.retain(|finding| SYNTAX.contains(&finding.code));
    if findings.is_empty() {
        findings.push(not_checked(source.name, &reason));
    }
    findings
}

/// A finding that states why a text is not checked.
pub fn not_checked(file: &str, reason: &str) -> Finding {
    Finding {
        position: Position { line: 1, column: 1 },
        span: Span::default(),
        ..rules::finding("SRC001", Severity::Error, file, "", format!("not checked: {reason}"))
    }
}

/// The explanation of a finding as Markdown: what it reports, why it matters, and how to fix it.
pub fn explanation(finding: &Finding) -> String {
    let mut text = format!(
        "**{} {}** ({})\n\n{}\n",
        finding.code,
        finding.rule,
        finding.severity.name(),
        finding.message
    );
    let rule = rules::find(finding.code);
    let mut section = |heading: &str, body: &str| {
        if !body.is_empty() {
            text.push_str(&format!("\n**{heading}.** {body}\n"));
        }
    };
    if let Some(rule) = rule {
        section("Why it matters", &rule.section("Why it matters"));
        section("Fix", &rule.section("Fix"));
        section("Source", &rule.section("Source"));
    }
    if !finding.commands.is_empty() {
        text.push_str(&format!("\n```text\n{}\n```\n", finding.commands.join("\n")));
    }
    text
}
