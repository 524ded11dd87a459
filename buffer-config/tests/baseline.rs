//! Baselines: known findings stay known when keys are reordered, another working directory is used, or numbers change;
//! a new port, a worse severity and another object are new.

use std::collections::BTreeSet;
use std::path::Path;

use buffer_config::baseline::{Baseline, FindingFilter, Root, Suppressions};
use buffer_config::finding::Finding;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use serde_json::Value;

use crate::support::switch::{TD2, switch};

fn findings(name: &str, text: &str) -> Vec<Finding> {
    rules::check_file(SourceText { name, text }, None, &Options::default()).findings
}

fn baseline(name: &str, text: &str) -> Baseline {
    let mut baseline = Baseline::default();
    baseline.add_of_text(&findings(name, text), Some(text), &Root::default());
    Baseline::parse(&baseline.to_text()).expect("what was written can be read")
}

/// The findings that are not in the baseline, and the entries of the baseline without a finding.
fn new_and_stale(baseline: Baseline, name: &str, text: &str) -> (Vec<Finding>, Vec<String>) {
    let mut filter = FindingFilter::new(Suppressions::default(), baseline, "2026-01-01");
    let mut left = findings(name, text);
    filter.apply_to_text(&mut left, Some(text));
    (left, filter.stale([name].into_iter(), |_| true))
}

/// Checks that `after` has exactly the new findings (code and message) and stale entries that are expected.
#[track_caller]
fn check(before: &str, after: &str, new: &[(&str, &str)], stale: &[&str]) {
    let (left, old) = new_and_stale(baseline("a.json", before), "a.json", after);
    let found: Vec<(&str, &str)> = left.iter().map(|f| (f.code, f.message.as_str())).collect();
    assert_eq!(found.len(), new.len(), "{found:#?}");
    for ((code, message), (wanted, part)) in found.iter().zip(new) {
        assert!(code == wanted && message.contains(part), "{found:#?}");
    }
    assert_eq!(old, stale);
}

/// A switch whose ports `bad` enable PFC without headroom.
fn ports(bad: &[&str]) -> String {
    let all = ["Ethernet0", "Ethernet4", "Ethernet8", "Ethernet12"];
    let rows = |of: &dyn Fn(&str) -> String, names: &[&str]| {
        names.iter().map(|name| format!("\"{name}\": {}", of(name))).collect::<Vec<_>>().join(",\n")
    };
    let speed = |name: &str| {
        format!(
            "{{\"lanes\": \"{}\", \"speed\": \"40000\", \"mtu\": \"9100\", \"admin_status\": \"up\"}}",
            &name[8..]
        )
    };
    format!(
        "{{\"PORT\": {{{}}},\n\"PORT_QOS_MAP\": {{{}}}}}",
        rows(&speed, &all),
        rows(&|_| "{\"pfc_enable\": \"3\"}".to_string(), bad)
    )
}

#[test]
fn a_known_defect_of_another_port_is_new_for_that_port_only() {
    let two = ports(&["Ethernet0", "Ethernet4"]);
    let of = |text: &str| {
        findings("a.json", text).into_iter().map(|f| (f.code, f.ports.len())).collect::<Vec<_>>()
    };
    assert!(of(&two).contains(&("WD013", 2)), "{:?}", of(&two));
    let (left, stale) =
        new_and_stale(baseline("a.json", &two), "a.json", &ports(&["Ethernet12", "Ethernet4", "Ethernet0"]));
    let watchdogs: Vec<&Finding> = left.iter().filter(|f| f.code == "WD013").collect();
    let [finding] = watchdogs.as_slice() else { panic!("{left:#?}") };
    assert_eq!(finding.ports, ["Ethernet12"]);
    assert!(finding.message.starts_with("Ethernet12: "), "{}", finding.message);
    assert!(left.iter().all(|f| f.ports == ["Ethernet12"]), "{left:#?}");
    // The new port has a map now.
    assert_eq!(stale, ["a.json PFC010 /PORT/* (Ethernet12)"]);
    // The port that was repaired is named.
    let (left, stale) = new_and_stale(baseline("a.json", &two), "a.json", &ports(&["Ethernet4"]));
    let codes: Vec<&str> = left.iter().map(|f| f.code).collect();
    assert_eq!(codes, ["PFC010"], "without a map");
    assert!(
        stale.iter().any(|entry| entry.starts_with("a.json WD013 ") && entry.ends_with(" (Ethernet0)")),
        "{stale:#?}"
    );
}

#[test]
fn changed_numbers_are_known_and_other_objects_are_new() {
    let pool = |name: &str, kind: &str, size: &str| {
        format!(
            "{{\"BUFFER_POOL\": {{\"{name}\": {{\"type\": \"{kind}\", \"mode\": \"dynamic\", \"size\": \"{size}\"}}}}}}"
        )
    };
    let before = pool("p", "in", "1000000");
    check(&before, &before, &[], &[]);
    check(&before, &format!("\n\n{before}"), &[], &[]);
    check(&before, &pool("p", "ingres", "2000000"), &[], &[]);
    check(&before, &pool("q", "in", "1000000"), &[("BUF001", "q")], &["a.json BUF001 /BUFFER_POOL/p/type"]);
    check(&before, &pool("p", "ingress", "1000000"), &[], &["a.json BUF001 /BUFFER_POOL/p/type"]);
}

#[test]
fn a_finding_that_became_worse_is_new() {
    let before = baseline("a.json", &ports(&["Ethernet0"]));
    let mut worse = findings("a.json", &ports(&["Ethernet0"]));
    let known = worse.len();
    let mut filter = FindingFilter::new(Suppressions::default(), before, "2026-01-01");
    for finding in &mut worse {
        finding.severity = buffer_config::finding::Severity::Error;
    }
    let was_error = findings("a.json", &ports(&["Ethernet0"]));
    let errors = was_error.iter().filter(|f| f.severity == buffer_config::finding::Severity::Error).count();
    assert!(errors > 0 && errors < known, "{was_error:#?}");
    filter.apply(&mut worse);
    assert_eq!(worse.len(), known - errors);
}

#[test]
fn elements_of_arrays_are_known_by_their_keys() {
    let list = |rows: [&str; 2]| {
        let rows = rows.map(|name| format!("{{\"BUFFER_POOL_TABLE:{name}\": {{\"type\": \"{name}\", \"mode\": \"dynamic\", \"size\": \"1\"}}, \"OP\": \"SET\"}}"));
        format!("[{}]", rows.join(",\n"))
    };
    check(&list(["in", "out"]), &list(["out", "in"]), &[], &[]);
    let yang = |rows: [&str; 2]| {
        let rows = rows.map(|name| {
            format!("{{\"name\": \"{name}\", \"type\": \"{name}\", \"mode\": \"dynamic\", \"size\": \"1\"}}")
        });
        format!(
            "{{\"sonic-buffer-pool:sonic-buffer-pool\": {{\"sonic-buffer-pool:BUFFER_POOL\": {{\"BUFFER_POOL_LIST\": [{}]}}}}}}",
            rows.join(",")
        )
    };
    check(&yang(["in", "out"]), &yang(["out", "in"]), &[], &[]);
    check(
        &yang(["in", "out"]),
        &yang(["off", "in"]),
        &[("BUF001", "off")],
        &[
            "a.json BUF001 /sonic-buffer-pool:sonic-buffer-pool/sonic-buffer-pool:BUFFER_POOL/BUFFER_POOL_LIST/out/type",
        ],
    );
}

#[test]
fn names_are_relative_to_the_baseline() {
    let name = |working: &str, folder: &str, file: &str| {
        Root::new(Path::new(working), Path::new(folder)).name_of(file)
    };
    assert_eq!(name("/r", "", "switches/a.json"), "switches/a.json");
    assert_eq!(name("/r/switches", "..", "a.json"), "switches/a.json");
    assert_eq!(name("/r/switches", "/r", "./b/../a.json"), "switches/a.json");
    assert_eq!(name("/r", "known", "switches/a.json"), "../switches/a.json");
    assert_eq!(name("/", "/r", "/r/switches/a.json"), "switches/a.json");
    assert_eq!(name("/r", "", "-"), "-");
    assert_eq!(name("/r", "", "redis://10.0.0.1/4"), "redis://10.0.0.1/4");
}

#[test]
fn old_and_broken_baselines_say_what_to_do() {
    let error = |text: &str| Baseline::parse(text).expect_err("an error");
    assert!(error("{\"fingerprints\": {}}").contains("--write-baseline"));
    assert!(error("{\"version\": 9, \"findings\": []}").contains("version 9"));
    assert!(error("{\"version\": 2, \"findings\": [{\"file\": 1}]}").contains("line 1"));
}

/// The text with the members of all objects in reverse order.
fn reversed(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members = members
                .iter()
                .rev()
                .map(|(key, value)| format!("{}: {}", Value::from(key.as_str()), reversed(value)));
            format!("{{{}}}", members.collect::<Vec<_>>().join(",\n"))
        }
        other => other.to_string(),
    }
}

#[test]
fn shipped_switches_have_no_new_findings_after_reordering() {
    let Some(folder) = crate::support::data("switches") else { return };
    let mut known = 0;
    let mut different = BTreeSet::new();
    for path in crate::support::files(&folder, ".json") {
        let text = crate::support::read(&path);
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let (left, stale) = new_and_stale(baseline("a.json", &text), "a.json", &reversed(&value));
        known += findings("a.json", &text).len();
        different.extend(left.iter().map(|f| format!("{} {}: {}", f.code, f.pointer, f.message)));
        different.extend(stale);
    }
    assert!(different.is_empty(), "{different:#?}");
    assert!(known > 100, "only {known}");
}

#[test]
fn fingerprints_do_not_depend_on_order_or_numbers() {
    let Some(folder) = crate::support::data("switches") else { return };
    let sorted = |text: &str| {
        let mut all: Vec<(&str, String)> =
            findings("a.json", text).iter().map(|f| (f.code, f.fingerprint())).collect();
        all.sort();
        all
    };
    let (mut equal, mut all) = (0, 0);
    for path in crate::support::files(&folder, ".json") {
        let text = crate::support::read(&path);
        let Ok(value) = serde_json::from_str::<Value>(&text) else { continue };
        let (before, after) = (sorted(&text), sorted(&reversed(&value)));
        all += before.len();
        equal += before.iter().filter(|one| after.contains(one)).count();
    }
    assert!(equal * 100 >= all * 99, "{equal} of {all}");
}

/// PG020 (a profile for another cable) ranks before PG005 (less headroom than the bytes on the wire).
#[test]
fn a_known_finding_leaves_out_no_new_one_about_the_same_ports() {
    let of_other_cable = [("\"Ethernet4\": \"40m\"", "\"Ethernet4\": \"30m\"")];
    let before = switch(TD2, &of_other_cable);
    let after = before.replace("\"xoff\": \"100000\"", "\"xoff\": \"1000\"");
    let codes = |text: &str| {
        let mut all = findings("a.json", text);
        rules::one_per_defect(&mut all);
        all.into_iter().map(|finding| finding.code).collect::<BTreeSet<_>>()
    };
    assert!(codes(&before).contains("PG020") && !codes(&before).contains("PG005"));
    let (left, _) = new_and_stale(baseline("a.json", &before), "a.json", &after);
    let of_port_4 =
        left.iter().any(|finding| finding.code == "PG005" && finding.ports.contains(&"Ethernet4".into()));
    assert!(of_port_4, "{left:#?}");
    let (left, stale) = new_and_stale(baseline("a.json", &before), "a.json", &before);
    assert!(left.is_empty() && stale.is_empty(), "{left:#?}\n{stale:#?}");
}

/// Files of version 2 have what was reported: one finding for each defect.
#[test]
fn baselines_of_version_2_hold_back_what_they_did() {
    let text = switch(TD2, &[("\"Ethernet4\": \"40m\"", "\"Ethernet4\": \"30m\"")])
        .replace("\"xoff\": \"100000\"", "\"xoff\": \"1000\"");
    let mut reported = findings("a.json", &text);
    let all = reported.len();
    rules::one_per_defect(&mut reported);
    assert!(reported.len() < all);
    let mut written = Baseline::default();
    written.add_of_text(&reported, Some(&text), &Root::default());
    let old = written.to_text().replace("\"version\": 3", "\"version\": 2");
    let old = Baseline::parse(&old).expect("version 2 can be read");
    assert!(old.to_text().contains("\"version\": 2"));
    let (left, stale) = new_and_stale(old, "a.json", &text);
    assert!(left.is_empty() && stale.is_empty(), "{left:#?}\n{stale:#?}");
}
