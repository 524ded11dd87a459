//! The pages of the rules are complete, and docs/rule-hits.md lists what the rules find on shipped switches.
//!
//! `HARRIER_WRITE_DOCS=1 cargo test -p harrier-buffer-config --test docs` writes docs/rule-hits.md.

#![allow(clippy::disallowed_methods, reason = "the test reads and writes the docs")]

mod support;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};

use buffer_config::finding::Severity;
use buffer_config::rules::{self, Options, pages};
use buffer_config::source::SourceText;
use buffer_config::{input, schema};
use support::verdicts::{Kind, verdict};

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

fn wants_writing() -> bool {
    std::env::var_os("HARRIER_WRITE_DOCS").is_some()
}

fn same(path: &Path, expected: &str, wrong: &mut Vec<String>) {
    if wants_writing() {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("docs can be written");
        std::fs::write(path, expected).expect("docs can be written");
    } else if std::fs::read_to_string(path).unwrap_or_default() != expected {
        wrong.push(path.display().to_string());
    }
}

#[test]
fn every_rule_has_a_complete_page_and_is_in_the_index() {
    let index = pages::index();
    let (mut codes, mut names) = (BTreeSet::new(), BTreeSet::new());
    for rule in rules::all() {
        let m = rule.meta;
        assert!(codes.insert(m.code), "two rules have the code {}", m.code);
        assert!(names.insert(m.name), "two rules have the name {}", m.name);
        assert!(index.contains(&format!("| [{0}]({0}.md) | {1} |", m.code, m.name)), "{}", m.code);
        assert!(rule.page().starts_with(&format!("# {} {}\n", m.code, m.name)), "{}", m.code);
        assert!(!rule.summary().is_empty(), "{} has no summary", m.code);
        for heading in ["Why it matters", "Example", "Fix", "Source"] {
            assert!(!rule.section(heading).is_empty(), "{} has no `{heading}`", m.code);
        }
        for line in rule.page().lines().filter(|line| line.starts_with("Severity:")) {
            assert!(line.contains(m.severity.name()), "{}: {line}", m.code);
        }
    }
    assert_eq!(index.lines().filter(|line| line.starts_with("| [")).count(), codes.len());
}

#[test]
fn every_code_of_the_schema_has_a_rule() {
    let text = r#"{"BUFFER_POOL": {"p": {"type": "x", "mode": "x", "size": "x", "xoff": "x", "percentage": "x", "y": "z"}},
        "PORT": {"E": {"speed": "x", "autoneg": "x", "pfc_asym": "x", "role": "x"}},
        "SCHEDULER": {"s": {"weight": "0", "pir": "1"}}, "WRED_PROFILE": {"w": {"ecn": "x", "green_drop_probability": "101"}},
        "PFC_WD": {"E": {"detection_time": "1", "action": "x", "pfc_stat_history": "x"}, "q": {}},
        "PORT_QOS_MAP": {"E": {"pfc_enable": "x", "dscp_to_tc_map": "x"}}, "QUEUE": {"E|0": {"scheduler": "x"}}}"#;
    let db = input::load(text);
    let violations = schema::validate(&db);
    assert!(violations.len() >= 20, "{violations:#?}");
    for violation in violations {
        assert!(rules::find(violation.code).is_some(), "no rule reports {}", violation.code);
    }
}

/// Hits of one rule on one ASIC with one worst severity.
#[derive(Default)]
struct Group {
    files: Vec<String>,
}

#[test]
fn hits_on_shipped_switches_are_up_to_date() {
    let Some(folder) = support::data("switches") else { return };
    let mut groups: BTreeMap<(&'static str, String, Reverse<Severity>), Group> = BTreeMap::new();
    let files = support::files(&folder, ".json");
    for path in &files {
        let text = support::read(path);
        let checked = rules::check_file(SourceText { name: "x", text: &text }, None, &Options::default());
        let asic = checked.switches.iter().find_map(|s| s.asic).unwrap_or("unknown");
        let mut worst: BTreeMap<&'static str, Severity> = BTreeMap::new();
        for f in checked.findings {
            let entry = worst.entry(f.code).or_insert(f.severity);
            *entry = (*entry).max(f.severity);
        }
        // vendor__platform__sku__role.json
        let stem = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let name: Vec<&str> = stem.split("__").skip(2).collect();
        for (code, severity) in worst {
            let group = groups.entry((code, asic.to_string(), Reverse(severity))).or_default();
            group.files.push(name.join(" "));
        }
    }
    let mut text = format!(
        "# What the rules find on shipped switches\n\nOn how many of the {} distinct configurations that vendors ship (`../shared/data/sonic/switches`) each rule fires, by ASIC and by the worst severity in the file, and what the\nhits are: a **defect**, an accepted **idiom** of that ASIC (the severity is adapted to it), **unknown** where the file does not tell, or a mere **report** of a figure. Rules that are\nnot listed fire on none. Files with errors and warnings are named by SKU and role. Written by `HARRIER_WRITE_DOCS=1 cargo test -p harrier-buffer-config --test docs`, which also\nfails for a hit that nobody has looked at (`buffer-config/tests/support/verdicts.rs`).\n",
        files.len()
    );
    let mut sums: BTreeMap<(Kind, Reverse<Severity>), usize> = BTreeMap::new();
    let (mut body, mut last) = (String::new(), "");
    for ((code, asic, Reverse(severity)), group) in &groups {
        let (kind, why) = verdict(code, asic, *severity)
            .unwrap_or_else(|| panic!("{code} on {asic} as {severity:?} has no verdict: {:?}", group.files));
        *sums.entry((kind, Reverse(*severity))).or_default() += group.files.len();
        if *code != last {
            let name = rules::find(code).expect("a rule").meta.name;
            write!(
                body,
                "\n## {code} {name}\n\n| ASIC | files | severity | what they are | why |\n|---|---|---|---|---|\n"
            )
            .expect("a String");
            last = code;
        }
        let named = match severity {
            Severity::Info => String::new(),
            _ => format!(": {}", group.files.join(", ")),
        };
        let count = group.files.len();
        writeln!(body, "| {asic} | {count} | {} | {kind:?} | {why}{named} |", severity.name())
            .expect("a String");
    }
    text.push_str("\n| what they are | errors | warnings | notes |\n|---|---|---|---|\n");
    for kind in [Kind::Defect, Kind::Idiom, Kind::Unknown, Kind::Report] {
        let of = |severity| sums.get(&(kind, Reverse(severity))).copied().unwrap_or(0);
        let (errors, warnings, notes) = (of(Severity::Error), of(Severity::Warning), of(Severity::Info));
        writeln!(text, "| {kind:?} | {errors} | {warnings} | {notes} |").expect("a String");
    }
    // An idiom is no error, and what is an error is no idiom and not unknown.
    assert!(
        sums.keys().all(|(kind, severity)| *kind == Kind::Defect || severity.0 < Severity::Error),
        "{sums:?}"
    );
    text.push_str(&body);
    let mut wrong = Vec::new();
    same(&docs().join("rule-hits.md"), &text, &mut wrong);
    assert!(wrong.is_empty(), "write it with HARRIER_WRITE_DOCS=1: {wrong:?}");
}
