//! Every example on a rule's page violates the rule.
//!
//! A JSON example is checked alone, and with its entries replacing those of a correct switch. A lookup table is checked
//! with a correct switch, two revisions as a change, several switches as a fleet, TOML as a host or suppressions file.

use std::collections::BTreeSet;

use crate::support::switch::{TD2, switch};
use buffer_config::baseline::{Baseline, FindingFilter, Suppressions};
use buffer_config::finding::Severity;
use buffer_config::fleet::Fleet;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, device, diff, hosts, input, lookup, resolve};
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

/// The correct switch with its entries replaced by those of `text`.
fn merged(text: &str, hostname: &str) -> String {
    let healthy = switch(TD2, &[("\"s1\", \"type\"", &format!("\"{hostname}\", \"type\""))]);
    let mut all: Value = serde_json::from_str(&healthy).expect("JSON");
    let example: Value = serde_json::from_str(text).expect("JSON");
    for (table, entries) in example.as_object().expect("tables") {
        for (key, fields) in entries.as_object().into_iter().flatten() {
            let mut fields = fields.clone();
            if let (Some(known), Some(new), "DEVICE_METADATA") =
                (all[table][key].as_object(), fields.as_object_mut(), table.as_str())
            {
                for (name, value) in known {
                    new.entry(name).or_insert(value.clone());
                }
            }
            all[table][key] = fields;
        }
    }
    all.to_string()
}

fn codes(text: &str, table: Option<&str>) -> BTreeSet<&'static str> {
    let table = table.map(lookup::parse);
    let source = SourceText { name: "a.json", text };
    let found = rules::check_file(source, table.as_ref(), &Options::default()).findings;
    found.into_iter().map(|f| f.code).collect()
}

fn of_toml(code: &str, text: &str) -> BTreeSet<&'static str> {
    let healthy = merged("{}", "s1");
    if code.starts_with("SRC") {
        let all = Suppressions::parse(text).expect("suppressions");
        let mut holder = FindingFilter::new(all, Baseline::default(), "2026-01-01");
        let source = SourceText { name: "a.json", text: &healthy };
        holder.apply(&mut rules::check_file(source, None, &Options::default()).findings);
        return holder.remarks("side.toml").into_iter().map(|f| f.code).collect();
    }
    let all = hosts::parse(text).expect("a host file");
    let switch = resolve(&input::load(&healthy), ResolveOptions::default());
    hosts::check(&all, "a.json", &switch).into_iter().map(|f| f.code).collect()
}

fn of_fleet(switches: &[String]) -> BTreeSet<&'static str> {
    let mut fleet = Fleet::default();
    for (name, text) in ["a", "b", "c"].iter().zip(switches) {
        let source = SourceText { name, text };
        match device::system_of(text) {
            Some(system) => fleet.add_device(source, &device::read(system, text)),
            None => fleet.add(name, &resolve(&input::load(&merged(text, name)), ResolveOptions::default())),
        }
    }
    fleet.check().into_iter().map(|f| f.code).collect()
}

fn of_change(old: &str, new: &str) -> BTreeSet<&'static str> {
    let (old, new) = (merged(old, "s1"), merged(new, "s1"));
    let revision = |name, text| diff::Revision { name, text, lookup: None };
    let all = diff::compare(revision("old.json", &old), revision("new.json", &new), &Options::default());
    all.findings.into_iter().map(|f| f.code).collect()
}

#[test]
fn every_example_violates_its_rule() {
    let mut wrong = Vec::new();
    for rule in rules::all() {
        let code = rule.meta.code;
        let blocks = blocks(&rule.page());
        let texts: Vec<String> = blocks.iter().map(|(_, text)| text.clone()).collect();
        let found = match (blocks.as_slice(), code.get(..3)) {
            ([], _) => BTreeSet::new(),
            ([_, ..], Some("FLE")) => of_fleet(&texts),
            ([(_, old), (_, new)], Some("CHG")) => of_change(old, new),
            ([(language, text)], _) if language == "toml" => of_toml(code, text),
            ([(language, text)], _) if language == "text" && code == "SRC001" => codes(text, None),
            ([(language, text)], _) if language == "text" => codes(&merged("{}", "s1"), Some(text)),
            ([(_, text)], _) if serde_json::from_str::<Value>(text).is_err() => codes(text, None),
            ([(_, text)], _) => {
                let mut found = codes(text, None);
                found.extend(codes(&merged(text, "s1"), None));
                found
            }
            _ => BTreeSet::new(),
        };
        if !found.contains(code) {
            wrong.push(format!("{code} {}: {} blocks, found {found:?}", rule.meta.name, blocks.len()));
        }
    }
    assert!(wrong.is_empty(), "{} examples do not violate their rule:\n{}", wrong.len(), wrong.join("\n"));
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
    ("BUF042", &["ECN009"]),
    ("BUF043", &["BUF027", "BUF036", "ECN009", "PG012", "PG028"]),
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
    let before = defects(&merged("{}", "s1"));
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
        let found = defects(&merged(text, "s1"));
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
