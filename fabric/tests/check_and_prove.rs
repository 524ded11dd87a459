//! `harrier check` and `harrier check --prove` do not contradict each other: on correct switches and on mutants of the
//! mutation suite (`buffer-config/tests/mutations`), a configuration that drops lossless packets in the simulation has a
//! new error, and an error about too little headroom drops packets. Every shipped switch that drops packets has an error.

#![allow(clippy::disallowed_methods, reason = "the test reads the shipped files")]

use buffer_config::finding::{Finding, Severity};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use fabric::prove::{Assumed, Outcome, Verdict, prove};

use crate::config::Config;

/// One of so many shipped files is used: the simulation of all mutants of all files would take minutes.
const SAMPLE: usize = 12;

/// Rules whose errors state that packets are dropped before the pause takes effect.
const TOO_SMALL: [&str; 2] = ["PG005", "PG006"];

/// The warnings and errors of a file with one switch, the verdict of the simulation, and why a packet was dropped.
fn judged(text: &str) -> Option<(Vec<Finding>, Verdict, String)> {
    let source = SourceText { name: "base.json", text };
    let checked = rules::check_file(source, None, &Options::default());
    let [switch] = checked.switches.as_slice() else { return None };
    let report = prove(switch, Assumed { frame_bytes: Options::default().lossless_mtu }).ok()?;
    let failed = report.proofs.iter().find(|proof| proof.outcome != Outcome::Fits);
    let mut findings = checked.findings;
    findings.retain(|finding| finding.severity > Severity::Info);
    Some((findings, report.verdict, failed.map_or(String::new(), |proof| format!("{proof:?}"))))
}

fn bases() -> Vec<(String, Config)> {
    let built_in = |platform: &str| {
        let text = crate::support::switch::switch(platform, &[]);
        (platform.to_string(), Config::new(serde_json::from_str(&text).expect("JSON")))
    };
    let mut all = vec![built_in(crate::support::switch::TD2)];
    let Some(folder) = crate::support::data("switches") else { return all };
    for path in crate::support::files(&folder, ".json").iter().step_by(SAMPLE) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        all.push((name, Config::new(serde_json::from_str(&crate::support::read(path)).expect("JSON"))));
    }
    all
}

#[test]
fn shipped_switches_that_drop_packets_in_the_simulation_have_an_error() {
    let Some(folder) = crate::support::data("switches") else { return };
    let mut failing = 0;
    let mut wrong = Vec::new();
    for path in crate::support::files(&folder, ".json") {
        let Some((findings, Verdict::Fails, why)) = judged(&crate::support::read(&path)) else { continue };
        failing += 1;
        if !findings.iter().any(|finding| finding.severity == Severity::Error) {
            wrong.push(format!("{}: {why}", path.display()));
        }
    }
    assert!(wrong.is_empty(), "{} of {failing} switches:\n{}", wrong.len(), wrong.join("\n"));
    assert!(failing > 5, "{failing} fail in the simulation");
}

/// What the two contradict each other in, if they do.
fn contradiction(before: &[Finding], after: &[Finding], verdict: Verdict, why: &str) -> Option<String> {
    let is_new = |f: &&Finding| !before.iter().any(|b| (b.code, &b.message) == (f.code, &f.message));
    let is_reported = after.iter().any(|f| is_new(&f) && f.severity == Severity::Error);
    if verdict == Verdict::Fails && !is_reported {
        return Some(format!("the simulation drops packets, but no error is reported: {why}"));
    }
    let too_small =
        after.iter().filter(is_new).find(|f| f.severity == Severity::Error && TOO_SMALL.contains(&f.code));
    match too_small {
        Some(finding) if verdict == Verdict::Holds => {
            Some(format!("{} is reported, but the simulation holds: {}", finding.code, finding.message))
        }
        _ => None,
    }
}

#[test]
fn defects_that_drop_packets_in_the_simulation_are_reported_and_the_reverse() {
    let (mut mutants, mut failing) = (0, 0);
    let mut wrong = Vec::new();
    for (name, base) in bases() {
        let Some((before, Verdict::Holds, _)) = judged(&base.text()) else { continue };
        for (kind, change, _, apply) in crate::operators::OPERATORS.iter() {
            let mut changed = base.clone();
            if apply(&mut changed).is_none() {
                continue;
            }
            let Some((after, verdict, why)) = judged(&changed.text()) else { continue };
            mutants += 1;
            failing += usize::from(verdict == Verdict::Fails);
            if let Some(what) = contradiction(&before, &after, verdict, &why) {
                wrong.push(format!("{name}, {kind}: {change}: {what}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {mutants} mutants:\n{}", wrong.len(), wrong.join("\n"));
    // Otherwise the test would show nothing.
    assert!(mutants > 100 && failing > 5, "{mutants} mutants, {failing} fail in the simulation");
}
