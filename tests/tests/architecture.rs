//! The crate edges that ARCHITECTURE.md allows, checked against `cargo metadata`, and the stages of the analyzer,
//! checked against its source.

#![allow(clippy::disallowed_methods, reason = "a test of the workspace runs cargo and reads files")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The table of ARCHITECTURE.md: a crate and what it may depend on. Development dependencies count too.
const ALLOWED: &[(&str, &[&str])] = &[
    ("harrier-model", &[]),
    ("p4-lang", &[]),
    ("p4-switch", &["harrier-model", "p4-lang"]),
    ("p4runtime-rs", &["harrier-model", "p4-lang", "p4-switch"]),
    ("harrier-host-agent", &["harrier-model", "harrier-net"]),
    ("harrier-analyzer", &["harrier-model"]),
    ("harrier-buffer-config", &["harrier-model"]),
    ("harrier-host-diagnosis", &["harrier-model"]),
    ("harrier-counters", &["harrier-model"]),
    ("harrier-gnmi", &[]),
    ("harrier-store", &["harrier-model"]),
    ("harrier-controller", &["harrier-model", "p4runtime-rs"]),
    ("harrier-scenario", &["harrier-model", "p4-switch", "harrier-buffer-config", "harrier-controller"]),
    (
        "harrier-fabric",
        &[
            "harrier-model",
            "p4-lang",
            "p4-switch",
            "harrier-buffer-config",
            "harrier-host-agent",
            "harrier-controller",
            "harrier-scenario",
        ],
    ),
    ("harrier-eval", &["harrier-model", "harrier-scenario", "harrier-fabric"]),
    ("harrier-web", &["harrier-model", "harrier-store"]),
    ("harrier-proto", &["harrier-model"]),
    ("harrier-net", &["harrier-model"]),
    ("harrier-rdma", &[]),
    ("harrier-nic", &["harrier-model", "p4-switch", "harrier-scenario", "harrier-fabric"]),
];

/// Edges that only tests have: a core's conservation test runs the real switch.
const ALLOWED_IN_TESTS: &[(&str, &[&str])] = &[
    ("harrier-controller", &["p4-lang", "p4-switch"]),
    ("harrier-eval", &["p4-switch"]),
    // The reports of simulated hosts are judged as those of real ones.
    ("harrier-fabric", &["harrier-host-diagnosis"]),
    ("harrier-gnmi", &["harrier-counters"]),
];

/// Crates on top, which may use everything.
const TOP: &[&str] = &["harrier-cli", "harrier-tests", "harrier-fuzz"];

fn metadata() -> Value {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--no-deps", "--offline"])
        .current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))
        .output()
        .expect("cargo runs, it is running this test");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    serde_json::from_slice(&output.stdout).expect("cargo metadata prints JSON")
}

fn edges(kind_is: impl Fn(&Value) -> bool) -> BTreeMap<String, BTreeSet<String>> {
    let metadata = metadata();
    let packages = metadata["packages"].as_array().expect("a list of packages");
    let name = |value: &Value| value["name"].as_str().expect("a name").to_string();
    let ours: BTreeSet<String> = packages.iter().map(name).collect();
    packages
        .iter()
        .map(|package| {
            let dependencies = package["dependencies"].as_array().expect("a list of dependencies");
            let used = dependencies.iter().filter(|d| kind_is(&d["kind"])).map(name);
            (name(package), used.filter(|d| ours.contains(d)).collect())
        })
        .collect()
}

fn check(edges: BTreeMap<String, BTreeSet<String>>, allowed: &[&[(&str, &[&str])]]) {
    let mut wrong = Vec::new();
    for (package, used) in edges.iter().filter(|(package, _)| !TOP.contains(&package.as_str())) {
        let may: BTreeSet<&str> = allowed
            .iter()
            .flat_map(|table| table.iter())
            .filter(|(name, _)| name == package)
            .flat_map(|(_, list)| list.iter().copied())
            .collect();
        wrong.extend(used.iter().filter(|d| !may.contains(d.as_str())).map(|d| format!("{package} -> {d}")));
    }
    assert!(wrong.is_empty(), "edges that ARCHITECTURE.md does not allow: {}", wrong.join(", "));
}

#[test]
fn dependencies_point_down() {
    check(edges(|kind| kind.as_str() != Some("dev")), &[ALLOWED]);
}

#[test]
fn tests_use_no_more_than_allowed() {
    check(edges(|kind| kind.as_str() == Some("dev")), &[ALLOWED, ALLOWED_IN_TESTS]);
}

#[test]
fn every_crate_is_in_the_table() {
    let known: BTreeSet<&str> = ALLOWED.iter().map(|(name, _)| *name).chain(TOP.iter().copied()).collect();
    for package in edges(|_| true).keys() {
        assert!(
            known.contains(package.as_str()),
            "{package} is missing in ARCHITECTURE.md and in this table"
        );
    }
}

/// What the judge judges cannot see the judge, directly or through other crates, and the judge uses none of it.
#[test]
fn the_judged_crates_do_not_depend_on_the_judge() {
    let edges = edges(|_| true);
    for judged in [
        "harrier-analyzer",
        "harrier-host-agent",
        "harrier-host-diagnosis",
        "harrier-counters",
        "harrier-controller",
        "harrier-model",
    ] {
        let mut reached = BTreeSet::from([judged.to_string()]);
        while let Some(next) =
            reached.iter().flat_map(|name| &edges[name]).find(|next| !reached.contains(*next)).cloned()
        {
            reached.insert(next);
        }
        for judge in ["harrier-eval", "harrier-fabric", "harrier-scenario"] {
            assert!(!reached.contains(judge), "{judged} reaches {judge}: {reached:?}");
        }
    }
    assert!(!edges["harrier-eval"].contains("harrier-analyzer"));
}

#[test]
fn the_p4_target_does_not_depend_on_hawkeye() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../p4");
    let output = Command::new("grep")
        .args([
            "-rlwiE",
            "hawkeye|polling|provenance",
            "lang/src",
            "switch/src",
            "runtime/src",
            "--include=*.rs",
        ])
        .current_dir(root)
        .output()
        .expect("grep is part of every Debian");
    let hits = String::from_utf8_lossy(&output.stdout);
    assert!(hits.trim().is_empty(), "p4/* must not depend on Hawkeye, but these lines mention it:\n{hits}");
}

/// The stages of the analyzer, in the order of the data. A stage uses itself and earlier ones.
const STAGES: &[&str] = &["facts", "graph", "findings", "verdict", "text"];

/// What all stages share: settings, thresholds, the choice of rules, and the rounding of weights.
const SHARED: &[&str] = &["settings", "thresholds", "rules", "method", "round", "Settings"];

fn rust_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).expect("a folder of sources").filter_map(Result::ok) {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, files);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            files.push(path);
        }
    }
}

/// Returns the names that follow `crate::` in a source text, apart from those in comments.
fn names_in_crate(text: &str) -> BTreeSet<&str> {
    let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    let after = code.flat_map(|line| line.split("crate::").skip(1));
    after.map(|rest| rest.split(|c: char| !c.is_alphanumeric() && c != '_').next().unwrap_or("")).collect()
}

#[test]
fn the_analyzer_passes_data_one_way_through_its_stages() {
    let source = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../analyzer/src"));
    let mut wrong = Vec::new();
    for (at, stage) in STAGES.iter().enumerate() {
        let mut files = Vec::new();
        rust_files(&source.join(stage), &mut files);
        for file in files {
            let text = std::fs::read_to_string(&file).expect("sources are UTF-8");
            let file = file.strip_prefix(source).expect("a file below the sources").display();
            let may = |name: &&str| STAGES[..=at].contains(name) || SHARED.contains(name);
            wrong.extend(
                names_in_crate(&text).iter().filter(|n| !may(n)).map(|n| format!("{file}: crate::{n}")),
            );
            if text.contains("super::super") {
                wrong.push(format!("{file}: super::super hides the stage"));
            }
        }
    }
    assert!(wrong.is_empty(), "{} is the order of the stages:\n{}", STAGES.join(" < "), wrong.join("\n"));
}
