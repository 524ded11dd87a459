//! Dumps of the paper's ns-3 prototype: complete, truncated, and in any order of files. `verdicts.rs` tests those of
//! the poster's prototype.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{Ran, assert_verdict, harrier, repository, scratch};
use serde_json::{Value, json};

const SWITCHES: [&str; 4] = ["9", "10", "11", "12"];
const VICTIM: &str = "11.0.2.1:10000>11.0.4.1:100/udp";

fn fixture() -> PathBuf {
    repository("analyzer/tests/fixtures/paper-dump")
}

/// Diagnoses the dumps of these switches in `folder`.
fn analyze(folder: &Path, switches: &[&str]) -> Ran {
    let mut args: Vec<String> =
        ["analyze", "--json", "--from", "hawkeye-ns3", "--victim", VICTIM].map(str::to_string).to_vec();
    args.extend(["--topology".to_string(), fixture().join("npa_topo.txt").display().to_string()]);
    args.extend(switches.iter().map(|n| folder.join(format!("telemetry_{n}.txt")).display().to_string()));
    harrier(&args)
}

#[test]
fn the_diagnosis_does_not_depend_on_the_order_of_files() {
    let verdicts: Vec<Value> = [SWITCHES, ["12", "9", "11", "10"]]
        .map(|switches| {
            let ran = analyze(&fixture(), &switches);
            assert_eq!(ran.status, 0, "{}", ran.stderr);
            ran.json()["diagnoses"].clone()
        })
        .to_vec();
    assert_eq!(verdicts[0], verdicts[1]);
    let [diagnosis] = verdicts[0].as_array().unwrap().as_slice() else { panic!("{:#}", verdicts[0]) };
    let flows: Vec<String> = (5..=8).map(|n| format!("11.0.{n}.1:10000>11.0.3.1:100/udp")).collect();
    assert_verdict(
        diagnosis,
        &json!({
            "/victim": VICTIM,
            "/anomaly": "pfc_backpressure_flow_contention",
            "/cause": "incast",
            "/root_cause/port": "12:2",
            "/root_cause/flows": flows,
            "/pause_path": ["9:1", "10:3", "12:2"],
            "/spreaders": ["11.0.1.1:10000>11.0.3.1:100/udp"],
        }),
    );
    assert!(diagnosis["missing"].to_string().contains("no pause intervals"), "{diagnosis:#}");
}

#[test]
fn a_truncated_dump_is_rejected() {
    let folder = scratch("paper-cut");
    for n in SWITCHES {
        let name = format!("telemetry_{n}.txt");
        fs::copy(fixture().join(&name), folder.join(&name)).unwrap();
    }
    let file = folder.join("telemetry_12.txt");
    let whole = fs::read_to_string(&file).unwrap();
    let end = whole.rfind("end").expect("a reading has an end");
    for cut in (1..end).step_by(37) {
        fs::write(&file, &whole[..cut]).unwrap();
        let ran = analyze(&folder, &SWITCHES);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "cut at {cut} of {}", whole.len());
        assert!(ran.stderr.contains("telemetry_12.txt:"), "{}", ran.stderr);
    }
}
