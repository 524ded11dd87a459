//! The example on a rule's page shows the defect of the rule and no other. `cli/tests/check_examples.rs` shows that it has this
//! finding.

use std::collections::BTreeSet;

use crate::support::switch::{TD2, switch};
use buffer_config::finding::Severity;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use serde_json::Value;

/// The code blocks of a page's example: language and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let example = page.split("## Example\n").nth(1).unwrap_or_default();
    let example = example.split("\n## ").next().unwrap_or_default();
    let mut parts = example.split("```");
    parts.next();
    let mut found = Vec::new();
    while let Some(block) = parts.next() {
        let (language, text) = block.split_once('\n').expect("a language and a text");
        found.push((language.to_string(), text.trim_end().to_string()));
        parts.next();
    }
    found
}

/// The warnings and errors of a text, one for each defect.
fn defects(text: &str) -> BTreeSet<&'static str> {
    let source = SourceText { name: "a.json", text };
    let mut found = rules::check_file(source, None, &Options::default()).findings;
    rules::one_per_defect(&mut found);
    found.retain(|finding| finding.severity > Severity::Info);
    found.into_iter().map(|f| f.code).collect()
}

/// Findings that an example also shows: consequences of its defect that a fix of it removes, or new ports without the rest
/// of their entries.
const ALSO: &[(&str, &[&str])] = &[
    ("BUF006", &["BUF047", "BUF056"]),
    ("BUF023", &["BUF025"]),
    ("BUF024", &["BUF027"]),
    ("BUF036", &["BUF023", "BUF024", "BUF026"]),
    ("BUF037", &["LINK001", "MAP004", "WD013"]),
    ("BUF042", &["ECN009"]),
    ("BUF043", &["BUF027", "BUF036", "ECN009", "PG012", "PG028"]),
    ("BUF049", &["LINK001", "MAP004", "WD013"]),
    ("BUF051", &["BUF056"]),
    ("BUF054", &["LINK001", "WD013"]),
    ("BUF055", &["BUF022"]),
    ("PG004", &["PG006"]),
    ("PG015", &["PG025"]),
    ("PG020", &["LINK005"]),
    ("PG024", &["PG020"]),
    ("PG028", &["BUF027", "BUF036", "ECN009"]),
    ("PG029", &["PG020"]),
    ("PG033", &["ECN007", "PFC005", "SCHED004", "WD013"]),
    ("PFC011", &["MAP009", "PFC002", "PFC006", "PFC008", "WD013"]),
    ("PFC013", &["PFC002"]),
    ("ECN014", &["BUF026"]),
    ("ECN018", &["ECN009"]),
    ("ECN019", &["LINK001", "PFC005", "SCHED004", "WD013"]),
    ("WD012", &["PFC003"]),
    ("WD019", &["WD001"]),
    ("WD024", &["WD012"]),
    ("MAP014", &["ECN007", "LINK001", "PFC005", "SCHED004", "WD013"]),
    ("LINK005", &["PG020"]),
];

/// Findings of the correct switch on another platform, for which its pools were not computed.
const OF_OTHER_PLATFORM: [&str; 5] = ["BUF036", "BUF050", "BUF052", "PG016", "PG031"];

#[test]
fn an_example_shows_its_defect_only() {
    let before = defects(&switch(TD2, &[]));
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let code = rule.meta.code;
        let blocks = blocks(&rule.page());
        let [(_, text)] = blocks.as_slice() else { continue };
        if serde_json::from_str::<Value>(text).is_err() {
            continue;
        }
        let also = ALSO.iter().find(|row| row.0 == code).map_or(&[][..], |row| row.1);
        let is_other_platform = text.contains("\"platform\"");
        let example = rule.example();
        let [(_, complete)] = example.files.as_slice() else { continue };
        let found = defects(complete);
        let is_extra = |other: &&str| {
            *other != code
                && !also.contains(other)
                && !(is_other_platform && OF_OTHER_PLATFORM.contains(other))
        };
        let other: Vec<&str> = found.difference(&before).copied().filter(is_extra).collect();
        if !other.is_empty() {
            wrong.push(format!("    (\"{code}\", &{other:?}),"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
