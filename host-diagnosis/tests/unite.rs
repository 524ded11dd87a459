//! The fabric's verdict and the hosts' reports together.

use crate::support::{SECOND_NS, nic, pause, report};
use host_diagnosis::{
    AgedReport, CheckResult, Fabric, FabricState, continue_in_hosts, diagnose, hosts_in_question, unite,
};
use model::diagnosis::{AdviceTarget, Record};
use model::host::counters::{CacheCounters, Misses, PriorityPauses, RegisteredMemory};
use model::topology::{Node, NodeKind};
use model::{Anomaly, Cause, Diagnosis, HostReport, RootCause, Topology};
use serde_json::json;

fn verdict(anomaly: Anomaly, cause: Cause, host: Option<&str>) -> Diagnosis {
    let root_cause = RootCause {
        port: Some("sw3:3".parse().unwrap()),
        host: host.map(str::to_string),
        ..RootCause::default()
    };
    Diagnosis {
        anomaly,
        cause,
        root_cause,
        confidence: 0.95,
        summary: "h3 pauses sw3:3".into(),
        advice: vec!["look at h3".into(), "raise the headroom of sw3".into()],
        advice_target: Some(AdviceTarget::Finding { id: "sw3/headroom".into() }),
        ..Diagnosis::undetermined("10.0.0.1:10000>10.0.3.1:4791/udp".parse::<model::FlowKey>().unwrap())
    }
}

fn storm_verdict() -> Diagnosis {
    verdict(Anomaly::PfcStormHostInjection, Cause::SlowReceiver, Some("h3"))
}

fn slow_receiver() -> HostReport {
    let mut report = report();
    pause(&mut report, 50_000_000, 1_000_000);
    let mtt = Some(Misses { misses: 900_000, lookups: None, usual_misses: Some(20_000) });
    nic(&mut report).caches = Some(CacheCounters { mtt, ..CacheCounters::default() });
    nic(&mut report).memory =
        Some(RegisteredMemory { bytes: 64 << 20, page_bytes: 4096, mtt_entries: Some(2048) });
    report
}

fn broken() -> HostReport {
    let mut report = report();
    pause(&mut report, SECOND_NS, SECOND_NS);
    nic(&mut report).receive_stopped_ns = Some(SECOND_NS);
    report
}

#[test]
fn a_verdict_that_ends_at_a_host_names_its_part_in_one_sentence() {
    let united = unite(&storm_verdict(), &[slow_receiver()], None).diagnosis;
    assert_eq!(
        united.summary,
        "h3 pauses sw3:3: the RNIC mlx5_0 of h3 receives too slowly, because it fetches memory translations from \
         the host"
    );
    assert_eq!((united.anomaly, united.cause), (Anomaly::PfcStormHostInjection, Cause::SlowReceiver));
    assert_eq!(united.confidence, 0.95, "the host shows the cause that the fabric shows");
    assert_eq!(united.advice.last().unwrap(), "raise the headroom of sw3");
    assert!(!united.advice.contains(&"look at h3".to_string()), "the host's own advice is more precise");
    assert_eq!(united.advice_target, None, "the first advice is about the host");
    // The values of the report are in the verdict.
    let records: Vec<&Record> = united.evidence.iter().flat_map(|claim| &claim.records).collect();
    let misses = records.iter().find_map(|record| match record {
        Record::Host { host, pointer, value } if pointer.ends_with("/mtt") => {
            Some((host.as_str(), value.as_str()))
        }
        _ => None,
    });
    assert_eq!(misses, Some(("h3", r#"{"misses":900000,"usual_misses":20000}"#)));
}

#[test]
fn a_report_refines_the_cause_of_the_fabric() {
    let united = unite(&storm_verdict(), &[broken()], None).diagnosis;
    assert_eq!(united.cause, Cause::NicStorm);
    assert!(united.summary.contains("mlx5_0"), "{}", united.summary);
}

/// The pauses of h3 with a receive buffer that was full for this time.
fn buffered(full_ns: u64) -> HostReport {
    let mut report = report();
    pause(&mut report, 50_000_000, 1_000_000);
    (nic(&mut report).receive_full_ns, nic(&mut report).receive_stopped_ns) = (Some(full_ns), Some(0));
    report
}

#[test]
fn the_receive_buffer_of_a_nic_refutes_a_storm_or_a_slow_receiver() {
    let storm = verdict(Anomaly::PfcStormHostInjection, Cause::NicStorm, Some("h3"));
    let slow = unite(&storm, &[buffered(50_000_000)], None).diagnosis;
    assert_eq!((slow.cause, slow.confidence), (Cause::SlowReceiver, 0.8));
    assert!(
        !slow.advice.contains(&"look at h3".to_string()),
        "the advice is about a storm: {:?}",
        slow.advice
    );
    let broken = unite(&storm_verdict(), &[buffered(0)], None).diagnosis;
    assert_eq!((broken.cause, broken.confidence), (Cause::NicStorm, 0.9));
    // A part that is named is more than the buffer shows.
    let mut part = slow_receiver();
    (nic(&mut part).receive_full_ns, nic(&mut part).receive_stopped_ns) = (Some(50_000_000), Some(0));
    let named = unite(&storm, &[part], None).diagnosis;
    assert!(named.summary.contains("memory translations"), "{}", named.summary);
}

#[test]
fn a_clean_fabric_hands_over_to_the_hosts() {
    let clean = verdict(Anomaly::HostOnly, Cause::Undetermined, None);
    let united = unite(&clean, &[HostReport::new("h1", SECOND_NS), slow_receiver()], None).diagnosis;
    assert_eq!((united.anomaly, united.cause), (Anomaly::HostOnly, Cause::SlowReceiver));
    assert_eq!(united.root_cause.host.as_deref(), Some("h3"));
    assert!(united.summary.starts_with("every hop of the fabric was clean: "), "{}", united.summary);
}

#[test]
fn a_verdict_that_the_fabric_explains_is_unchanged() {
    for (anomaly, cause) in [
        (Anomaly::FlowContention, Cause::Incast),
        (Anomaly::PfcBackpressureFlowContention, Cause::Incast),
        (Anomaly::PacketLoss, Cause::Misconfiguration),
        (Anomaly::RoutingLoop, Cause::Misconfiguration),
        (Anomaly::Undetermined, Cause::Undetermined),
    ] {
        let verdict = verdict(anomaly, cause, None);
        let united = unite(&verdict, &[slow_receiver(), broken()], Some(true));
        assert_eq!(united.diagnosis, verdict, "{anomaly:?}");
    }
}

#[test]
fn another_host_that_pauses_is_not_this_host() {
    let mut report = slow_receiver();
    report.host = "h9".into();
    let united = unite(&storm_verdict(), &[report], None).diagnosis;
    assert_eq!((united.cause, united.summary.as_str()), (Cause::SlowReceiver, "h3 pauses sw3:3"));
    assert_eq!(united.missing, ["a report of h3: which of its parts causes the pauses"]);
}

#[test]
fn az_6_the_reports_show_that_many_servers_pause() {
    let mut reports = vec![broken()];
    for host in ["h4", "h5"] {
        reports.push(HostReport { host: host.to_string(), ..broken() });
    }
    let united = unite(&storm_verdict(), &reports, None);
    assert_eq!(united.diagnosis.cause, Cause::SlowReceiver, "no broken NIC: three pause at once");
    let quiet = [broken(), HostReport { host: "h4".into(), ..report() }];
    assert_eq!(unite(&storm_verdict(), &quiet, None).diagnosis.cause, Cause::NicStorm);
}

#[test]
fn a_report_without_evidence_leaves_the_verdict_and_says_what_is_missing() {
    let united = unite(&storm_verdict(), &[HostReport::new("h3", SECOND_NS)], None).diagnosis;
    assert_eq!(Diagnosis { missing: Vec::new(), ..united.clone() }, storm_verdict());
    let counters = united.missing.iter().filter(|text| text.contains("`counters`"));
    let counters: Vec<&String> = counters.collect();
    let [counters] = counters.as_slice() else { panic!("each piece once: {:?}", united.missing) };
    let checks = diagnose(&HostReport::new("h3", SECOND_NS), &Fabric::paused_by("h3")).checks;
    let unchecked = checks.iter().filter(|check| check.result == CheckResult::MissingEvidence).count();
    assert!(
        counters.starts_with(&format!("h3: {unchecked} of {} detectors lack evidence; ", checks.len())),
        "{counters}"
    );
    assert!(counters.contains("; the report has no section `counters`, `"), "{counters}");
}

#[test]
fn verdicts_say_what_the_fabric_knows() {
    let state = |anomaly, cause, host| Fabric::of_diagnosis(&verdict(anomaly, cause, host)).state;
    let paused = FabricState::PausedBy("h3".to_string());
    assert_eq!(state(Anomaly::HostOnly, Cause::Undetermined, None), FabricState::Clean);
    assert_eq!(state(Anomaly::PfcStormHostInjection, Cause::Undetermined, Some("h3")), paused);
    assert_eq!(state(Anomaly::DeadlockOutOfLoopInjection, Cause::NicStorm, Some("h3")), paused);
    assert_eq!(state(Anomaly::PfcBackpressureFlowContention, Cause::SlowReceiver, Some("h3")), paused);
    assert_eq!(state(Anomaly::Undetermined, Cause::Undetermined, Some("h3")), FabricState::Unknown);
    assert_eq!(state(Anomaly::PacketLoss, Cause::Undetermined, None), FabricState::Congested);
}

/// Continues a verdict with a report of h3 of this age.
#[track_caller]
fn check_age(verdict: &Diagnosis, age_s: u64, names_part: bool, missing: &[&str]) {
    let report = slow_receiver();
    let aged = AgedReport { report: &report, age_ns: age_s * SECOND_NS };
    let found = continue_in_hosts(verdict.clone(), None, [aged].into_iter());
    assert_eq!(found.summary.contains("mlx5_0"), names_part, "{}", found.summary);
    let known: Vec<&String> = found.missing.iter().filter(|text| text.starts_with("a report")).collect();
    assert_eq!(known, missing, "{found:#?}");
}

#[test]
fn an_old_report_is_used_and_an_outdated_one_is_not() {
    let storm = storm_verdict();
    assert_eq!(hosts_in_question(&storm, None), ["h3"]);
    check_age(&storm, 0, true, &[]);
    check_age(&storm, 9, true, &[]);
    let old = "a report of h3 about the time of this verdict: its latest one is 10 s older";
    check_age(&storm, 10, true, &[old]);
    check_age(&storm, 90, false, &["a report of h3: which of its parts causes the pauses"]);
}

#[test]
fn a_verdict_that_the_fabric_explains_needs_no_report() {
    let contention = verdict(Anomaly::PfcBackpressureFlowContention, Cause::Incast, None);
    assert!(hosts_in_question(&contention, None).is_empty());
    let report = slow_receiver();
    let aged = AgedReport { report: &report, age_ns: 0 };
    assert_eq!(continue_in_hosts(contention.clone(), None, [aged].into_iter()), contention);
}

/// A report has the addresses of its connections only.
#[test]
fn flows_of_a_report_have_the_names_of_their_hosts() {
    let host = |name: &str, address: &str| Node {
        name: name.into(),
        kind: NodeKind::Host,
        addresses: vec![address.parse().unwrap()],
    };
    let nodes = vec![host("h1", "10.0.0.1"), host("h3", "10.0.3.1")];
    let topology = Topology { nodes, ..Topology::default() };
    let clean = verdict(Anomaly::HostOnly, Cause::Undetermined, None);
    let flow = "10.0.0.1:10000>10.0.3.1:4791/udp";
    let continued = |goodput: f64| {
        let connection = json!({
            "flow": flow, "recovery": "go_back_n", "loss_ratio": 0.01, "raw_bits_per_s": 97e9,
            "goodput_bits_per_s": goodput,
        });
        let workload = serde_json::from_value(json!({ "retransmissions": [connection] })).unwrap();
        let report = HostReport { workload: Some(workload), ..HostReport::new("h3", SECOND_NS) };
        let aged = AgedReport { report: &report, age_ns: 0 };
        continue_in_hosts(clean.clone(), Some(&topology), [aged].into_iter())
    };
    let found = continued(25e9);
    let named = format!("74 % of the throughput of h1 -> h3 ({flow}) are retransmissions of go-back-N");
    assert!(found.summary.ends_with(&named), "{}", found.summary);
    assert_eq!(found.summary.matches("h1 -> h3").count(), 1);
    // A mark may follow a flow.
    let missing = continued(96e9).missing.join("\n");
    assert!(missing.contains(&format!("flow h1 -> h3 ({flow}): ")), "{missing}");
}

/// A verdict that the fabric was clean, about a delay of 50 us, and a report of a host that its switch paused.
#[track_caller]
fn check_held(paused_ns: Option<u64>, interval_ns: u64, expected: Anomaly) -> Diagnosis {
    let mut clean = verdict(Anomaly::HostOnly, Cause::Undetermined, None);
    clean.cost.delay_ns = 50_000;
    let mut report = slow_receiver();
    report.interval_ns = interval_ns;
    nic(&mut report).switch_port = Some("sw3:3".parse().unwrap());
    nic(&mut report).received_pauses =
        vec![PriorityPauses { priority: 3, frames: 2, paused_ns, longest_ns: None }];
    let united = unite(&clean, &[report], None).diagnosis;
    assert_eq!(united.anomaly, expected, "{united:#?}");
    united
}

#[test]
fn a_host_that_its_switch_pauses_is_not_to_blame() {
    let open = check_held(Some(120_000), 1_000_000, Anomaly::Undetermined);
    assert_eq!((open.cause, &open.root_cause.host), (Cause::Undetermined, &None), "no part of a host");
    assert!(
        open.summary.contains("sw3:3 paused priority 3 of h3 for 120.0 us of 1000.0 us"),
        "{}",
        open.summary
    );
    // Pauses that are shorter than half of the delay, that the hardware does not time, and that met the delay by chance only.
    for (paused_ns, interval_ns) in [(Some(20_000), 1_000_000), (None, 1_000_000), (Some(120_000), SECOND_NS)]
    {
        check_held(paused_ns, interval_ns, Anomaly::HostOnly);
    }
}
