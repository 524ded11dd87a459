//! Reports: every problem at once, and unknown fields.

use crate::support::{figure_2, nic, paths, pause, report};
use host_diagnosis::problems;
use model::HostReport;
use model::host::HostLoopback;
use model::host::loopback::{LinkUtilisation, LoopbackPath, LoopbackTest};

fn check(report: &HostReport, expected: &[&str]) {
    let found: Vec<String> = problems(report).iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_consistent_report_has_no_problems() {
    let mut fine = report();
    pause(&mut fine, 1_000, 500);
    let test = LoopbackTest { paths: paths(false), ..LoopbackTest::default() };
    fine.loopback = Some(HostLoopback { topology: figure_2(), tests: vec![test] });
    check(&fine, &[]);
}

#[test]
fn all_problems_are_reported_with_their_places() {
    let mut wrong = report();
    (wrong.version, wrong.interval_ns) = (2, 0);
    pause(&mut wrong, 7, 8);
    nic(&mut wrong).sent_pauses[0].priority = 9;
    let utilisation = vec![LinkUtilisation { link: "upi9".into(), share: 95.0 }];
    let path = LoopbackPath { nic: "RNIC0".into(), endpoint: "GPU99".into(), ..LoopbackPath::default() };
    let test = LoopbackTest { paths: vec![path], utilisation, ..LoopbackTest::default() };
    wrong.loopback = Some(HostLoopback { topology: figure_2(), tests: vec![test] });
    check(
        &wrong,
        &[
            "/version: version 2 is not supported; this version of Harrier reads 1",
            "/interval_ns: must be at least 1: counters describe an interval",
            "/counters/nics/0/sent_pauses/0/priority: 9 is no priority; expected 0 to 7",
            "/counters/nics/0/sent_pauses/0/paused_ns: 7 is more than the interval, 0",
            "/counters/nics/0/sent_pauses/0/longest_ns: 8 is more than the paused time, 7",
            "/loopback/tests/0/paths/0/endpoint: `GPU99` is no node of the topology",
            "/loopback/tests/0/utilisation/0/link: `upi9` is no link of the topology",
            "/loopback/tests/0/utilisation/0/share: 95 is no share; expected 0 to 1",
        ],
    );
}

#[test]
fn unknown_fields_are_refused_and_reports_read_back_as_written() {
    let text = r#"{ "version": 1, "host": "h3", "interval_ns": 1, "pauses": [] }"#;
    let error = serde_json::from_str::<HostReport>(text).unwrap_err().to_string();
    assert!(error.contains("unknown field `pauses`"), "{error}");
    let mut full = report();
    pause(&mut full, 1_000, 500);
    let text = serde_json::to_string(&full).unwrap();
    assert_eq!(serde_json::from_str::<HostReport>(&text).unwrap(), full);
}
