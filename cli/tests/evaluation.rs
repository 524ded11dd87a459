//! A small evaluation: precision and recall are at least those in `docs/evaluation/small.json`, and the report has its
//! documented columns.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read files")]

use crate::support::{harrier, repository, scratch};
use serde_json::Value;

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

/// What ordinary switches count in a run is derived from the run that the other methods see.
#[test]
fn counters_name_the_place_of_a_storm() {
    let method = |name: &'static str| ["--method", name];
    let methods = ["harrier", "sonic-1s", "sonic-1s+sflow"];
    let mut args = vec!["eval", "--scenario", "host-storm", "--runs", "1", "--json"];
    args.extend(methods.into_iter().flat_map(method));
    let ran = harrier(&args);
    let report = ran.json();
    let rows = report["rows"].as_array().unwrap();
    assert_eq!(rows.iter().map(|row| row["method"].as_str().unwrap()).collect::<Vec<_>>(), methods);
    for row in rows {
        assert_eq!(row["place"], 1.0, "{row:#}\n{}", ran.stderr);
    }
    // No agent triggers a reading of counters, so that none can miss an event.
    assert_eq!((&rows[1]["undetected"], &rows[2]["undetected"]), (&0.into(), &0.into()));
}

/// Scripts read these columns.
#[test]
fn every_method_has_a_row_with_all_columns() {
    let csv = scratch("evaluation-columns").join("table.csv");
    let args = ["eval", "--scenario", "poster-fig1", "--runs", "1", "--json", "--csv", csv.to_str().unwrap()];
    let report = harrier(&args).json();
    let rows = report["rows"].as_array().unwrap();
    let csv = std::fs::read_to_string(&csv).unwrap();
    assert_eq!(csv.lines().count(), 1 + 2 * rows.len(), "names, rows and totals:\n{csv}");
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
            "located",
            "mislocated",
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
            "alarms",
            "alarm_precision",
            "alarms_unjudged",
            "undrawn",
            "incidents",
            "incidents_right",
            "incident_precision",
            "pooled_delays",
            "root_port",
            "top_1",
            "top_3",
            "best_f1",
        ] {
            assert!(row[column].is_number(), "{column} of {row:#}");
        }
        for column in ["time_to_diagnosis_us_p50", "time_to_diagnosis_us_p99"] {
            let named = row["true_positive"] != 0;
            assert_eq!(row.get(column).is_some_and(Value::is_number), named, "{column} of {row:#}");
        }
    }
}

#[test]
fn every_verdict_is_written_with_its_judgement() {
    let file = scratch("verdict-lines").join("verdicts.jsonl");
    let path = file.to_str().unwrap();
    let args = ["eval", "--scenario", "poster-fig1", "--runs", "2", "--json", "--verdicts", path];
    let report = harrier(&args).json();
    let lines = std::fs::read_to_string(&file).unwrap();
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let of_method =
        |method: &Value| lines.iter().filter(|line| line["method"] == *method).collect::<Vec<_>>();
    for row in report["rows"].as_array().unwrap() {
        let of_method = of_method(&row["method"]);
        let right = of_method.iter().filter(|line| line["grade"] == "right").count();
        assert_eq!(row["true_positive"], right, "{row:#}");
    }
    let right = lines.iter().find(|line| line["grade"] == "right").unwrap();
    assert!(right["coverage"].as_f64().unwrap() >= 0.75 && right["innocent"] == serde_json::json!([]));
    assert!(right["base_rtt_ns"].as_u64() > Some(0) && right["delay_ns"].as_u64() > Some(0), "{right:#}");
    assert!(right["weight"] == 1.0 && right["incident"].is_number(), "an alarm: {right:#}");
    assert_eq!(right["repeat"], format!("harrier run poster-fig1 --seed {}", right["seed"]));
    for field in ["id", "cause", "anomaly", "severity", "victim", "summary", "reason", "row", "root_port"] {
        assert!(right[field].is_string(), "{field} of {right:#}");
    }
}
