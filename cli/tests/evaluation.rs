//! A small evaluation: no scenario is diagnosed worse than recorded in `docs/evaluation/small.json`.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read files")]

mod support;

use serde_json::Value;
use support::{harrier, repository};

#[test]
fn no_scenario_is_diagnosed_worse_than_recorded() {
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
