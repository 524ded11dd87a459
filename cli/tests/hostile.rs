//! `harrier analyze` on snapshots that no switch would write: it never panics, reports errors with their positions, and
//! its diagnoses have finite numbers and do not depend on the order of records.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::support::{Ran, harrier, scratch};
use serde_json::{Value, json};

/// Returns the folder with the snapshots of a run of the poster's scenario, and the text of the last one.
fn saved() -> &'static (PathBuf, String) {
    static SAVED: OnceLock<(PathBuf, String)> = OnceLock::new();
    SAVED.get_or_init(|| {
        let folder = scratch("hostile");
        let ran = harrier(&["run", "poster-fig1", "--save-snapshots", folder.to_str().unwrap()]);
        assert_eq!(ran.status, 0, "{}", ran.stderr);
        let names = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
        let is_event = |path: &PathBuf| path.display().to_string().contains("event-");
        let event = names.filter(is_event).max().expect("there is an event");
        let text = fs::read_to_string(event).unwrap();
        (folder, text)
    })
}

/// Runs `harrier analyze` on this text with the topology of the run.
fn analyze(name: &str, text: &str, more: &[&str]) -> Ran {
    let folder = &saved().0;
    let file: PathBuf = folder.join(format!("{name}.json"));
    fs::write(&file, text).unwrap();
    let mut args = vec!["analyze", path(&file), "--json"];
    args.extend(more);
    let ran = harrier(&args);
    assert!(!ran.stderr.contains("panicked"), "{name}: {}", ran.stderr);
    ran
}

fn path(file: &Path) -> &str {
    file.to_str().unwrap()
}

/// Returns the diagnoses of the snapshot after `change`, or the error. Checks that confidences are in range.
fn check(name: &str, change: impl Fn(&mut Value)) -> Result<Value, String> {
    let mut snapshot: Value = serde_json::from_str(&saved().1).unwrap();
    change(&mut snapshot);
    let ran = analyze(name, &snapshot.to_string(), &[]);
    if ran.status == 2 {
        assert_eq!(ran.stdout, "", "{name}");
        return Err(ran.stderr);
    }
    assert_eq!(ran.status, 0, "{name}: {}", ran.stderr);
    let report = ran.json();
    for diagnosis in report["diagnoses"].as_array().unwrap() {
        let confidence = diagnosis["confidence"].as_f64().unwrap_or(-1.0);
        assert!((0.0..=1.0).contains(&confidence), "{name}: {diagnosis:#}");
    }
    Ok(report["diagnoses"].clone())
}

/// Calls `change` with every record of the named lists.
fn each(snapshot: &mut Value, lists: &[&str], change: &mut dyn FnMut(&mut Value)) {
    for switch in snapshot["switches"].as_array_mut().unwrap() {
        for list in lists {
            switch[*list].as_array_mut().unwrap().iter_mut().for_each(&mut *change);
        }
    }
}

#[test]
fn the_diagnosis_does_not_depend_on_the_order_of_records() {
    let original = check("original", |_| {}).unwrap();
    assert_eq!(original.as_array().unwrap().len(), 1);
    let reversed = check("reversed", |snapshot| {
        let switches = snapshot["switches"].as_array_mut().unwrap();
        switches.reverse();
        for switch in switches {
            for list in ["flows", "ports", "meters", "pauses", "epochs"] {
                switch[list].as_array_mut().unwrap().reverse();
            }
        }
    });
    assert_eq!(reversed.unwrap(), original);
}

#[test]
fn extreme_numbers_do_not_cause_a_panic() {
    let fields: [(&str, &[&str]); 9] = [
        ("packets", &["flows", "ports", "meters"]),
        ("bytes", &["flows", "meters"]),
        ("depth_sum", &["flows", "ports"]),
        ("paused_packets", &["flows", "ports"]),
        ("queued_packets", &["flows"]),
        ("frames", &["pauses"]),
        ("epoch", &["flows", "ports", "meters"]),
        ("egress_port", &["flows", "meters"]),
        ("ingress_port", &["flows", "meters"]),
    ];
    for (field, lists) in fields {
        for value in [0, u64::MAX] {
            let value = if field.ends_with("_port") { value & 0xffff } else { value };
            let _ = check(&format!("{field}-{value}"), |snapshot| {
                each(snapshot, lists, &mut |record| record[field] = json!(value));
            });
        }
    }
    for span in [json!([0, u64::MAX]), json!([u64::MAX, 0]), json!([u64::MAX, u64::MAX]), Value::Null] {
        for field in ["seen_ns", "queued_ns"] {
            check("spans", |snapshot| each(snapshot, &["flows"], &mut |flow| flow[field] = span.clone()))
                .unwrap();
        }
    }
    for value in [0, u64::MAX] {
        let set = |place: fn(&mut Value) -> &mut Value| {
            let _ = check("times", |snapshot| *place(snapshot) = json!(value));
        };
        set(|s| &mut s["trigger"]["time_ns"]);
        set(|s| &mut s["trigger"]["rtt_ns"]);
        set(|s| &mut s["trigger"]["base_rtt_ns"]);
        set(|s| &mut s["epoch_ns"]);
        set(|s| &mut s["switches"][0]["frozen_ns"]);
        set(|s| &mut s["switches"][0]["epochs"][0]["end_ns"]);
    }
    let empty = check("empty", |snapshot| {
        for switch in snapshot["switches"].as_array_mut().unwrap() {
            for list in ["flows", "ports", "meters", "pauses", "epochs"] {
                switch[list] = json!([]);
            }
        }
    });
    // Without records no diagnosis can be certain.
    for diagnosis in empty.unwrap().as_array().unwrap() {
        assert!(diagnosis["confidence"].as_f64() < Some(0.7), "{diagnosis:#}");
    }
}

#[test]
fn malformed_text_is_rejected_with_its_position() {
    let text = &saved().1;
    for part in 0..20 {
        let cut = text.len() * part / 20;
        let ran = analyze("cut", &text[..cut], &[]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "cut at {cut}");
        assert!(ran.stderr.contains("cut.json:"), "{}", ran.stderr);
    }
    for (name, text) in [
        ("deep-list", "[".repeat(100_000)),
        ("deep-object", "{\"switches\":".repeat(100_000)),
        (
            "deep-inside",
            text.replacen("\"missing\": [", &format!("\"missing\": [{}", "[".repeat(100_000)), 1),
        ),
        ("null", "null".to_string()),
        ("number", text.replacen("\"packets\": ", "\"packets\": -", 1)),
        ("fraction", text.replacen("\"frozen_ns\": ", "\"frozen_ns\": 1.5e300, \"x\": ", 1)),
        ("long", text.replacen("\"frozen_ns\": ", "\"frozen_ns\": 99999999999999999999", 1)),
        ("gap", text.replacen("\"missing\": [", "\"missing\": [{\"gap\": \"rain\", \"switch\": \"sw1\"}", 1)),
    ] {
        let ran = analyze(name, &text, &[]);
        assert_eq!((ran.status, ran.stdout.as_str()), (2, ""), "{name}");
        assert!(ran.stderr.contains(&format!("{name}.json:")), "{}", ran.stderr);
    }
}

#[test]
fn missing_data_is_read_as_text_and_as_records() {
    let text = "sw9: sent no report, although it lies on the victim's path";
    let diagnoses = check("missing-data", |snapshot| {
        snapshot["missing"] = json!([text, {"gap": "evictions_lost", "switch": "sw2", "slots": 3}]);
    });
    let diagnoses = diagnoses.unwrap();
    assert_eq!(diagnoses[0]["missing"], json!([text, "switch sw2 lost 3 evicted flow records"]));
}

#[test]
fn a_victim_without_records_has_no_diagnosis() {
    let ran = analyze("unknown", &saved().1, &["--victim", "10.9.9.9:1>10.8.8.8:2/udp"]);
    assert_eq!(ran.status, 0, "{}", ran.stderr);
    let report = ran.json();
    assert_eq!(report["diagnoses"], json!([]));
    let missing = report["missing"].to_string();
    for part in ["no switch has a record of the victim", "10.9.9.9", "10.8.8.8"] {
        assert!(missing.contains(part), "{part}: {missing}");
    }
}
