//! Verdicts of simulated runs that end at a host continue inside it, and those that the fabric explains do not.

#![allow(clippy::disallowed_methods, reason = "tests of the binary read and write files")]

use crate::support::{harrier, scratch};
use serde_json::Value;

const SEEDS: [&str; 3] = ["1", "2", "3"];

fn diagnoses(report: &Value) -> &[Value] {
    report["diagnoses"].as_array().expect("a list")
}

/// Whether a verdict rests on a report of a host.
fn uses_report(diagnosis: &Value) -> bool {
    let evidence = diagnosis["evidence"].as_array().expect("a list");
    let mut records = evidence.iter().flat_map(|evidence| evidence["records"].as_array().expect("a list"));
    records.any(|record| record["kind"] == "host")
}

/// The run of each seed is as the scenario expects, and every verdict has this cause; if `in_host`, with a part of its host.
fn check(scenario: &str, cause: &str, in_host: bool) {
    for seed in SEEDS {
        let ran = harrier(&["run", scenario, "--seed", seed, "--json"]);
        assert_eq!(ran.status, 0, "{scenario} --seed {seed}: {}", ran.stderr);
        let report = ran.json();
        assert!(!diagnoses(&report).is_empty(), "{scenario} --seed {seed}: no verdict");
        for diagnosis in diagnoses(&report) {
            assert_eq!(diagnosis["cause"], cause, "{scenario} --seed {seed}: {}", diagnosis["summary"]);
            assert_eq!(uses_report(diagnosis), in_host, "{scenario} --seed {seed}: {}", diagnosis["summary"]);
        }
    }
}

#[test]
fn misses_of_the_translation_table_are_the_cause_of_pauses() {
    check("mtt-misses", "slow_receiver", true);
}

#[test]
fn loopback_traffic_is_the_cause_of_pauses() {
    check("loopback-traffic", "loopback_congestion", true);
}

#[test]
fn misses_of_the_context_cache_are_the_cause_of_pauses() {
    check("context-misses", "qp_cache_thrash", true);
}

/// The conditions of a published anomaly, which the counters of the NIC confirm.
#[test]
fn a_workload_that_outruns_the_receive_wqe_cache_is_the_cause_of_pauses() {
    check("receive-wqe-misses", "rnic_workload", true);
}

/// Operations that wait in a host although round trips are normal.
#[test]
fn slow_operations_are_explained_by_the_host_that_posts_them() {
    check("hidden-fence", "hidden_fence", true);
    check("poll-gaps", "poll_gap", true);
    check("noisy-tenant", "noisy_tenant", true);
}

/// No operation of the last two is slow; the jobs themselves are.
#[test]
fn slow_jobs_are_explained_by_their_host() {
    check("host-control", "host_control_overhead", true);
    check("co-location", "gpu_co_location", true);
    check("network-bound", "legitimately_network_bound", true);
}

#[test]
fn a_slow_bus_that_loopback_tests_show_is_the_cause_of_pauses() {
    check("narrow-bus", "intra_host_link", true);
}

/// The window of the flow is smaller than XOFF of the receive buffer.
#[test]
fn loopback_traffic_is_the_cause_of_a_delay_without_pauses() {
    check("narrow-host-bus", "loopback_congestion", true);
}

#[test]
fn repeated_packets_are_the_cause_of_a_delay_in_a_clean_fabric() {
    check("unpaused-receiver", "go_back_n_waste", true);
}

/// The counter of misses rises at the victim's receiver, and an incast to another host delays it.
#[test]
fn misses_are_no_cause_while_the_fabric_explains_the_delay() {
    check("harmless-misses", "incast", false);
}

/// A pipeline that is slow for a reason that no counter shows, and a NIC that pauses with an empty receive buffer.
#[test]
fn the_receive_buffer_tells_a_slow_receiver_from_a_storm() {
    check("slow-receiver", "slow_receiver", true);
    check("pfc-storm", "nic_storm", true);
}

#[test]
fn saved_reports_continue_a_verdict_offline() {
    let folder = scratch("host-verdicts-offline");
    let path = |name: &str| folder.join(name).display().to_string();
    let online =
        harrier(&["run", "mtt-misses", "--json", "--ordinary", "--save-snapshots", &path("")]).json();
    let mut events: Vec<String> = std::fs::read_dir(&folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path().display().to_string())
        .filter(|path| path.contains("event-"))
        .collect();
    events.sort();
    let analyse = |more: &[&str]| {
        let mut args = vec!["analyze", "--json"];
        args.extend(events.iter().map(String::as_str));
        args.extend(more);
        harrier(&args)
    };
    assert_eq!(diagnoses(&analyse(&[]).json()), diagnoses(&online));
    let reports: Value =
        serde_json::from_str(&std::fs::read_to_string(path("host-reports.json")).unwrap()).unwrap();
    std::fs::rename(path("host-reports.json"), path("reports.json")).expect("a file");
    let without = analyse(&[]).json();
    assert!(diagnoses(&without).iter().all(|diagnosis| !uses_report(diagnosis)), "{without:#}");
    assert_eq!(diagnoses(&analyse(&["--host-reports", &path("reports.json")]).json()), diagnoses(&online));
    let mut wrong = reports;
    let (event, of) =
        wrong.as_object_mut().unwrap().iter_mut().next().map(|(e, of)| (e.clone(), of)).unwrap();
    of[0]["interval_ns"] = 0.into();
    std::fs::write(path("reports.json"), wrong.to_string()).expect("a file");
    let refused = analyse(&["--host-reports", &path("reports.json")]);
    assert_eq!(refused.status, 2, "{}", refused.stderr);
    let place = format!("reports.json: /{event}/0/interval_ns: must be at least 1");
    assert!(refused.stderr.contains(&place), "{}", refused.stderr);
}
