//! Every example on a rule's page violates the rule.
//!
//! A JSON example is checked alone, and with its entries replacing those of a correct switch. A lookup table is checked
//! with a correct switch, two revisions as a change, several switches as a fleet, TOML as a host or suppressions file.

mod support;

use std::collections::BTreeSet;

use buffer_config::baseline::{Baseline, FindingFilter, Suppressions};
use buffer_config::fleet::Fleet;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, device, diff, hosts, input, lookup, resolve};
use serde_json::Value;
use support::switch::{TD2, switch};

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
