//! A small evaluation: precision and recall are at least those in `docs/evaluation/small.json`, and the report has its
//! documented columns.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read files")]

mod support;

use serde_json::Value;
use support::{harrier, repository};

#[test]
fn precision_and_recall_are_at_least_the_recorded_ones() {
    let recorded = std::fs::read_to_string(repository("docs/evaluation/small.json")).unwrap();
    let recorded: Value = serde_json::from_str(&recorded).unwrap();
    let ran = harrier(&["eval", "--runs", "2", "--method", "harrier", "--json"]);
    let measured = ran.json();
    let rows = |report: &Value| report["rows"].as_array().unwrap().clone();
    assert_eq!(rows(&measured).len(), rows(&recorded).len());
    for (now, then) in rows(&measured).iter().zip(rows(&recorded)) {
        assert_eq!(now["scenario"], then["scenario"]);
        for figure in ["precision", "recall"] {
            let (now_is, then_was) = (now[figure].as_f64().unwrap(), then[figure].as_f64().unwrap());
            assert!(
                now_is >= then_was,
                "{}: {figure} is {now_is} and was {then_was}\n{}",
                now["scenario"],
                ran.stderr
            );
        }
    }
}

/// Scripts read these columns.
#[test]
fn every_method_has_a_row_with_all_columns() {
    let report = harrier(&["eval", "--scenario", "poster-fig1", "--runs", "1", "--json"]).json();
    let rows = report["rows"].as_array().unwrap();
    let methods: Vec<&str> = rows.iter().map(|row| row["method"].as_str().unwrap()).collect();
    assert_eq!(
        methods,
        ["harrier", "hawkeye", "full-polling", "victim-path", "port-only", "flow-only", "spidermon"]
    );
    for row in rows {
        assert_eq!(row["scenario"], "poster-fig1");
        for column in [
            "runs",
            "true_positive",
            "false_positive",
            "false_negative",
            "partly",
            "silent",
            "unjudged",
            "redrawn",
            "undetected",
            "false_alarms_per_host_hour",
            "calibration_error",
            "precision",
            "recall",
            "switches_collected_mean",
            "causal_coverage",
            "telemetry_bytes_mean",
            "polling_bytes_mean",
        ] {
            assert!(row[column].is_number(), "{column} of {row:#}");
        }
        for column in ["time_to_diagnosis_us_p50", "time_to_diagnosis_us_p99"] {
            let named = row["true_positive"] != 0;
            assert_eq!(row.get(column).is_some_and(Value::is_number), named, "{column} of {row:#}");
        }
    }
}
