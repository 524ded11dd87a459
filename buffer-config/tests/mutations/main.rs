//! The mutation suite: operators inject a defect into every configuration where they apply, and the check must find it.
//!
//! The bases are two built-in configurations, all shipped switches (`../shared/data/sonic/switches`) and the output of
//! the minigraph parser (`minigraph`). Without these, the suite prints SKIPPED and runs on the built-in ones only; with
//! `HARRIER_REQUIRE_DATA=1` it fails. The result is the page docs/check-mutations.md, which
//! `HARRIER_WRITE_DOCS=1 cargo test -p harrier-buffer-config --test mutations` writes.

#![allow(clippy::disallowed_methods, reason = "the test reads the shipped files and writes the docs")]

#[path = "../support/mod.rs"]
mod support;

mod config;
mod fleet;
mod operators;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::PathBuf;

use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::resolved::ResolvedSwitch;
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{ResolveOptions, input, resolve};
use serde_json::{Value, json};

use config::Config;
use operators::Expect;

/// The outcome of an operator on one base.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Error,
    Warning,
    Missed,
    Unchanged,
}

/// The outcomes of one operator, and the names of the bases with an unexpected one.
#[derive(Clone, Debug, Default)]
struct Row {
    counts: BTreeMap<Outcome, usize>,
    unexpected: Vec<String>,
}

fn check(text: &str) -> Vec<Finding> {
    let source = SourceText { name: "base.json", text };
    let mut found = rules::check_file(source, None, &Options::default()).findings;
    rules::one_per_defect(&mut found);
    found.retain(|f| f.severity > Severity::Info);
    found
}

fn resolved(switch: &Config) -> ResolvedSwitch {
    resolve(&input::load(&switch.text()), ResolveOptions::default())
}

fn check_fleet(switches: &[ResolvedSwitch]) -> Vec<Finding> {
    let mut fleet = Fleet::default();
    for (i, switch) in switches.iter().enumerate() {
        fleet.add(&format!("{i}.json"), switch);
    }
    let mut found = fleet.check();
    rules::one_per_defect(&mut found);
    found
}

/// The outcome of a change, from the findings before and after it.
fn outcome(before: &[Finding], after: &[Finding], expect: Expect) -> (Outcome, bool) {
    let is_new = |f: &&Finding| {
        !before.iter().any(|b| (b.code, b.severity, &b.message) == (f.code, f.severity, &f.message))
    };
    match expect {
        Expect::Harmless => {
            // Messages may name another number of ports.
            let count = |all: &[Finding], code, severity| {
                all.iter().filter(|f| f.code == code && f.severity == severity).count()
            };
            let worse = after
                .iter()
                .filter(|f| count(after, f.code, f.severity) > count(before, f.code, f.severity))
                .map(|f| f.severity)
                .max();
            match worse {
                Some(Severity::Error) => (Outcome::Error, false),
                Some(Severity::Warning) => (Outcome::Warning, false),
                _ => (Outcome::Unchanged, true),
            }
        }
        Expect::Error(codes) | Expect::Warning(codes) => {
            let worst =
                after.iter().filter(is_new).filter(|f| codes.contains(&f.code)).map(|f| f.severity).max();
            match worst {
                Some(Severity::Error) => (Outcome::Error, true),
                Some(Severity::Warning) => (Outcome::Warning, matches!(expect, Expect::Warning(_))),
                _ => (Outcome::Missed, false),
            }
        }
    }
}

/// A correct switch with eight ports, and the same for Spectrum.
fn built_in() -> Vec<(String, Config)> {
    let base = |platform: &str| {
        let mut all: Value = serde_json::from_str(&support::switch::switch(platform, &[])).expect("JSON");
        for number in (8..32).step_by(4) {
            let name = format!("Ethernet{number}");
            for table in ["PORT", "PORT_QOS_MAP", "PFC_WD", "BUFFER_PG", "BUFFER_QUEUE", "QUEUE"] {
                let entries = all[table].as_object_mut().expect("a table");
                let copies: Vec<(String, Value)> = entries
                    .iter()
                    .filter(|(key, _)| key.split('|').next() == Some("Ethernet4"))
                    .map(|(key, value)| (key.replacen("Ethernet4", &name, 1), value.clone()))
                    .collect();
                entries.extend(copies);
            }
            let lanes: Vec<String> = (1..5).map(|lane| (number + lane).to_string()).collect();
            all["PORT"][name.as_str()]["lanes"] = json!(lanes.join(","));
            all["CABLE_LENGTH"]["AZURE"][name.as_str()] = json!("40m");
        }
        all["DEVICE_METADATA"]["localhost"]["default_pfcwd_status"] = json!("enable");
        all["DSCP_TO_TC_MAP"]["AZURE"]["8"] = json!("0");
        all
    };
    let broadcom = base(support::switch::TD2);
    let mut spectrum = base("x86_64-mlnx_msn2700-r0");
    spectrum["BUFFER_PROFILE"]["ingress_lossless_profile"] =
        json!({"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "7"});
    let ports: Vec<String> = spectrum["PORT"].as_object().expect("ports").keys().cloned().collect();
    for port in ports {
        spectrum["BUFFER_PORT_INGRESS_PROFILE_LIST"][port.as_str()] =
            json!({"profile_list": "ingress_lossless_profile,ingress_lossy_profile"});
        spectrum["BUFFER_PORT_EGRESS_PROFILE_LIST"][port.as_str()] =
            json!({"profile_list": "egress_lossless_profile,egress_lossy_profile"});
        spectrum["PORT_QOS_MAP"][port.as_str()]["pfc_to_pg_map"] = json!("AZURE");
    }
    spectrum["PFC_PRIORITY_TO_PRIORITY_GROUP_MAP"] = json!({"AZURE": {"3": "3", "4": "4"}});
    vec![
        ("built-in trident-2".to_string(), Config::new(broadcom)),
        ("built-in spectrum".to_string(), Config::new(spectrum)),
    ]
}

fn shipped() -> Vec<(String, Config)> {
    let Some(folder) = support::data("switches") else {
        eprintln!("SKIPPED: the mutation suite runs on the built-in configurations only");
        return Vec::new();
    };
    let read = |path: &PathBuf| {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let short = name.splitn(3, "__").nth(2).unwrap_or(&name).to_string();
        (short, Config::new(serde_json::from_str(&support::read(path)).expect("JSON")))
    };
    let mut files = support::files(&folder, ".json");
    files.extend(support::data("minigraph").iter().flat_map(|folder| support::files(folder, ".json")));
    files.iter().map(read).collect()
}

/// The rows of both tables, for one base.
fn rows_of(name: &str, base: &Config) -> Vec<(usize, Row)> {
    let mut rows = Vec::new();
    let mut add = |index: usize, (outcome, is_expected): (Outcome, bool)| {
        let unexpected = if is_expected { Vec::new() } else { vec![format!("{name} ({outcome:?})")] };
        rows.push((index, Row { counts: BTreeMap::from([(outcome, 1)]), unexpected }));
    };
    let before = check(&base.text());
    for (index, (_, _, expect, change)) in operators::OPERATORS.iter().enumerate() {
        let mut changed = base.clone();
        if change(&mut changed).is_some() {
            add(index, outcome(&before, &check(&changed.text()), *expect));
        }
    }
    let Some(ring) = fleet::ring(base) else { return rows };
    let mut switches = [resolved(&ring[0]), resolved(&ring[1]), resolved(&ring[2])];
    let before = check_fleet(&switches);
    for (index, (_, expect, change)) in fleet::OPERATORS.iter().enumerate() {
        let mut changed = ring[1].clone();
        if change(&mut changed).is_some() {
            switches[1] = resolved(&changed);
            add(operators::OPERATORS.len() + index, outcome(&before, &check_fleet(&switches), *expect));
        }
    }
    rows
}

/// The rows of all bases, merged, on all cores.
fn run(bases: &[(String, Config)]) -> Vec<Row> {
    let count = operators::OPERATORS.len() + fleet::OPERATORS.len();
    let mut rows = vec![Row::default(); count];
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let parts: Vec<Vec<(usize, Row)>> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads)
            .map(|thread| {
                scope.spawn(move || {
                    let own = bases.iter().skip(thread).step_by(threads);
                    own.flat_map(|(name, base)| rows_of(name, base)).collect::<Vec<_>>()
                })
            })
            .collect();
        all.into_iter().map(|thread| thread.join().expect("no thread panics")).collect()
    });
    for (index, row) in parts.into_iter().flatten() {
        for (outcome, count) in row.counts {
            *rows[index].counts.entry(outcome).or_default() += count;
        }
        rows[index].unexpected.extend(row.unexpected);
    }
    for row in &mut rows {
        row.unexpected.sort();
    }
    rows
}

/// The operator and description of a row, and its expectation.
fn title(index: usize) -> (&'static str, &'static str, Expect) {
    match operators::OPERATORS.get(index) {
        Some((kind, text, expect, _)) => (kind, text, *expect),
        None => {
            let (text, expect, _) = fleet::OPERATORS[index - operators::OPERATORS.len()];
            ("contradict between switches", text, expect)
        }
    }
}

fn failures(rows: &[Row]) -> Vec<String> {
    let of = |(index, row): (usize, &Row)| {
        let (kind, text, expect) = title(index);
        let first: Vec<&str> = row.unexpected.iter().take(4).map(String::as_str).collect();
        let total: usize = row.counts.values().sum();
        (!row.unexpected.is_empty()).then(|| {
            format!(
                "{kind}: {text}: {expect:?} expected, not for {} of {total}: {}",
                row.unexpected.len(),
                first.join(", ")
            )
        })
    };
    rows.iter().enumerate().filter_map(of).collect()
}

#[test]
fn defects_in_the_built_in_switches_are_found() {
    let rows = run(&built_in());
    assert!(
        rows.iter().filter(|row| !row.counts.is_empty()).count() * 5 > rows.len() * 4,
        "most operators apply"
    );
    let failures = failures(&rows);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_page_of_the_caught_table_is_up_to_date() {
    let shipped = shipped();
    if shipped.is_empty() {
        return;
    }
    let mut bases = built_in();
    bases.extend(shipped);
    let rows = run(&bases);
    let text = page(&rows, bases.len());
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs/check-mutations.md");
    if std::env::var_os("HARRIER_WRITE_DOCS").is_some() {
        std::fs::write(&path, &text).expect("docs can be written");
    }
    let failures = failures(&rows);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
    assert!(support::read(&path) == text, "write {} with HARRIER_WRITE_DOCS=1", path.display());
}

/// The page as Markdown.
fn page(rows: &[Row], bases: usize) -> String {
    let mut kinds = [0usize; 2];
    let mut mutants = [0usize; 2];
    let mut body = String::new();
    for (index, row) in rows.iter().enumerate().filter(|(_, row)| !row.counts.is_empty()) {
        let (kind, text, expect) = title(index);
        let count = |outcome: Outcome| row.counts.get(&outcome).copied().unwrap_or(0);
        let total: usize = row.counts.values().sum();
        let expected = match expect {
            Expect::Error(codes) => format!("error {}", codes.join(", ")),
            Expect::Warning(codes) => format!("warning {}", codes.join(", ")),
            Expect::Harmless => "harmless".to_string(),
        };
        if !matches!(expect, Expect::Harmless) {
            kinds[usize::from(count(Outcome::Missed) == 0)] += 1;
            mutants[0] += count(Outcome::Missed);
            mutants[1] += total - count(Outcome::Missed);
        }
        let (errors, warnings, missed) =
            (count(Outcome::Error), count(Outcome::Warning), count(Outcome::Missed));
        writeln!(body, "| {kind} | {text} | {expected} | {total} | {errors} | {warnings} | {missed} |")
            .expect("a String");
    }
    format!(
        "# Injected defects\n\n\
         <!-- Generated by `HARRIER_WRITE_DOCS=1 cargo test -p harrier-buffer-config --test mutations`. -->\n\n\
         Operators inject one defect each into every configuration where they apply: {bases} configurations, two built-in\n\
         ones, those that vendors ship (`../shared/data/sonic/switches`), and the output of the minigraph parser\n\
         (`minigraph`). A defect counts as found if the check reports a new finding with one of the expected codes. Harmless\n\
         changes must cause no new error and no new warning.\n\n\
         Of {} kinds of defects, {} are found in every configuration; of {} changed configurations, {} are found.\n\n\
         | operator | change | expected | configurations | error | warning | missed |\n|---|---|---|---|---|---|---|\n{body}",
        kinds[0] + kinds[1],
        kinds[1],
        mutants[0] + mutants[1],
        mutants[1],
    )
}

/// Defects of which two objects have a part each, or that are seen in two independent ways.
const TWO_FINDINGS: &[&str] = &[
    // The entry for a port that does not exist, and the port without an entry.
    "port of a BUFFER_PG key",
    "port of a PFC_WD key",
    // The port channel, and the member whose headroom is for another speed.
    "port channel members with two speeds",
    // Two lists, each with two profiles.
    "lists of a port exchanged (Spectrum)",
    // The copy that SONiC ignores, and what the copy that counts lacks.
    "a second, empty BUFFER_PG",
    "a second DSCP map with all traffic in class 0",
    "a second WRED_PROFILE with ecn_none",
    // Packets of many kinds in one class, and none in the other.
    "all DSCPs in one lossless class",
    // The entry for a port that does not exist, and the port without an entry.
    "misspelt port of a PORT_QOS_MAP entry",
    "port of a PORT_QOS_MAP entry in lower case",
    "port of a PORT_QOS_MAP entry",
    // The table that no daemon reads, and what the switch lacks without it.
    "misspelt table PORT_QOS_MAP",
    "table PORT_QOS_MAP in lower case",
    "misspelt table BUFFER_PG",
    "misspelt table BUFFER_QUEUE",
    "misspelt table QUEUE",
    "misspelt table PFC_WD",
    "misspelt table WRED_PROFILE",
    "misspelt table DSCP_TO_TC_MAP",
    "misspelt table CABLE_LENGTH",
    // The threshold differs from that of other ports, and is below that of ECN.
    "alpha of one of two lossless profiles / 8",
];

#[test]
fn one_defect_between_switches_is_one_finding() {
    let mut wrong = Vec::new();
    for (name, base) in built_in() {
        let ring = fleet::ring(&base).expect("three switches");
        let mut switches = [resolved(&ring[0]), resolved(&ring[1]), resolved(&ring[2])];
        let before = check_fleet(&switches);
        for (text, _, change) in fleet::OPERATORS {
            let mut changed = ring[1].clone();
            if change(&mut changed).is_none() {
                continue;
            }
            switches[1] = resolved(&changed);
            let mut new = check_fleet(&switches);
            new.retain(|f| !before.iter().any(|b| (b.code, &b.message) == (f.code, &f.message)));
            new.retain(|f| f.severity > Severity::Info);
            if new.len() > 1 {
                let found: Vec<String> = new.iter().map(|f| format!("  {} {}", f.code, f.message)).collect();
                wrong.push(format!("{name}: {text}:\n{}", found.join("\n")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn one_defect_is_one_finding() {
    let mut wrong = Vec::new();
    for (name, base) in built_in() {
        let before = check(&base.text());
        for (kind, text, _, change) in
            operators::OPERATORS.iter().filter(|row| !TWO_FINDINGS.contains(&row.1))
        {
            let mut changed = base.clone();
            if change(&mut changed).is_none() {
                continue;
            }
            let mut new = check(&changed.text());
            new.retain(|f| !before.iter().any(|b| (b.code, b.severity) == (f.code, f.severity)));
            if new.len() > 1 {
                let found: Vec<String> = new.iter().map(|f| format!("  {} {}", f.code, f.message)).collect();
                wrong.push(format!("{name}: {kind}: {text}:\n{}", found.join("\n")));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
