//! Azure: slow stages of operations, the hidden fence, congestion leaking, DCQCN between generations, MACsec with PFC.

use host_diagnosis::estats::{DEFAULT_WINDOW_NS, Side, Stage, groups, slow_stage};
use host_diagnosis::water_filling::rates;
use host_diagnosis::{CheckResult, Fabric, FabricState, HostFinding, HostPart, diagnose, unite};
use model::host::latency::{HostLatency, OperationKind, RdmaConnection, RdmaOperation};
use model::host::transport::{
    CnpPeer, CnpSettings, FlowRate, FlowRates, LinkRate, MacsecLink, RateLimitUnit,
};
use model::host::{HostLatency as Latency, HostWorkload};
use model::{Anomaly, Cause, Diagnosis, HostReport};
use proptest::prelude::*;

const US: u64 = 1_000;
const MS: u64 = 1_000_000;

fn report() -> HostReport {
    HostReport::new("h1", 60_000 * MS)
}

#[track_caller]
fn check(
    report: &HostReport,
    fabric: FabricState,
    detector: &str,
    expected: CheckResult,
) -> Vec<HostFinding> {
    let diagnosis = diagnose(report, &Fabric::new(fabric));
    let of_detector = diagnosis.checks.iter().find(|check| check.detector == detector).unwrap();
    assert_eq!(of_detector.result, expected, "{of_detector:?}");
    diagnosis.findings.into_iter().filter(|finding| finding.detector == detector).collect()
}

/// An operation that is posted at `t1_ns` with these stages: doorbell, fetch, transmission, network, poll.
fn operation(connection: &str, t1_ns: u64, stages_us: [u64; 5]) -> RdmaOperation {
    let mut at = t1_ns;
    let times = stages_us.map(|stage| {
        at += stage * US;
        at
    });
    RdmaOperation {
        connection: connection.to_string(),
        kind: OperationKind::Write,
        success: true,
        bytes: Some(4096),
        t1_ns,
        t2_ns: Some(times[0]),
        t3_ns: Some(times[1]),
        t4_ns: Some(times[2]),
        t5_ns: times[3],
        t6_ns: times[4],
    }
}

const NORMAL: [u64; 5] = [1, 1, 2, 10, 1];

/// 100 normal operations, then 10 slow ones.
fn operations(slow: [u64; 5]) -> Vec<RdmaOperation> {
    let of = |(at, stages)| operation("c1", at as u64 * 100 * US, stages);
    std::iter::repeat_n(NORMAL, 100).chain(std::iter::repeat_n(slow, 10)).enumerate().map(of).collect()
}

#[track_caller]
fn check_split(slow: [u64; 5], stage: Stage, side: Side) {
    let operations = operations(slow);
    let split = slow_stage(&operations.iter().collect::<Vec<_>>(), &[]).expect("operations are slow");
    assert_eq!((split.stage, split.side), (stage, side), "{split:?}");
    assert_eq!((split.usual_ns, split.slow_ns), (15 * US, slow.iter().sum::<u64>() * US));
}

#[test]
fn az_3_the_inflated_stage_names_the_side() {
    check_split([1, 1, 2, 500, 1], Stage::Network, Side::Network);
    check_split([1, 1, 2, 10, 500], Stage::Poll, Side::Poller);
    check_split([1, 500, 2, 10, 1], Stage::Fetch, Side::Sender);
    check_split([500, 1, 2, 10, 1], Stage::Doorbell, Side::Sender);
    check_split([1, 1, 500, 10, 1], Stage::Transmit, Side::Sender);
}

#[test]
fn az_3_normal_operations_and_operations_without_a_dominant_stage_have_no_split() {
    let all = operations(NORMAL);
    assert_eq!(slow_stage(&all.iter().collect::<Vec<_>>(), &[]), None);
    let even = operations([60, 60, 60, 70, 60]);
    assert_eq!(slow_stage(&even.iter().collect::<Vec<_>>(), &[]), None);
}

#[test]
fn az_3_without_t2_to_t4_the_sides_are_not_told_apart() {
    let mut operations = operations([1, 1, 2, 500, 1]);
    for operation in &mut operations {
        (operation.t2_ns, operation.t3_ns, operation.t4_ns) = (None, None, None);
    }
    let split = slow_stage(&operations.iter().collect::<Vec<_>>(), &[]).unwrap();
    assert_eq!((split.stage, split.side), (Stage::Unsplit, Side::Unsplit));
    let latency = Some(Latency { operations, ..Latency::default() });
    let report = HostReport { latency, ..report() };
    check(&report, FabricState::Clean, "operation_latency", CheckResult::MissingEvidence);
}

#[test]
fn az_3_the_detector_names_poller_pcie_and_receiver() {
    let report = |slow| {
        let latency = Latency { operations: operations(slow), ..Latency::default() };
        HostReport { latency: Some(latency), ..report() }
    };
    let found =
        |slow, fabric| check(&report(slow), fabric, "operation_latency", CheckResult::Found).remove(0);
    assert_eq!(found([1, 1, 2, 10, 500], FabricState::Clean).cause, Cause::PollGap);
    assert_eq!(found([1, 500, 2, 10, 1], FabricState::Clean).cause, Cause::IntraHostLink);
    let remote = found([1, 1, 2, 500, 1], FabricState::Clean);
    assert_eq!(remote.cause, Cause::Undetermined);
    assert!(
        remote.summary.ends_with("every hop of the fabric was clean: the receiver"),
        "{}",
        remote.summary
    );
    let unknown = found([1, 1, 2, 500, 1], FabricState::Unknown);
    assert!(unknown.summary.ends_with("the network or the receiver"), "{}", unknown.summary);
    check(
        &report([1, 1, 2, 500, 1]),
        FabricState::Congested,
        "operation_latency",
        CheckResult::FabricExplains,
    );
    check(&report(NORMAL), FabricState::Clean, "operation_latency", CheckResult::Clean);
}

/// An operation that is slow all through a window has another window to be compared with.
#[test]
fn az_3_windows_of_one_minute_are_compared_with_the_fastest() {
    let of = |start, stages| (0..100).map(move |at| operation("c1", start + at * 100 * US, stages));
    let operations: Vec<_> = of(0, NORMAL).chain(of(DEFAULT_WINDOW_NS, [1, 1, 2, 10, 400])).collect();
    let latency = Latency { operations, ..Latency::default() };
    assert_eq!(groups(&latency, DEFAULT_WINDOW_NS).len(), 2);
    let report = HostReport { latency: Some(latency), ..report() };
    let found = check(&report, FabricState::Clean, "operation_latency", CheckResult::Found);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].part, HostPart::Connection("c1".to_string()));
}

#[test]
fn groups_are_separate_by_connection_kind_and_status() {
    let mut operations = operations(NORMAL);
    operations[0].success = false;
    operations[1].kind = OperationKind::Send;
    operations[2].connection = "c2".to_string();
    let latency = HostLatency { operations, ..HostLatency::default() };
    let groups = groups(&latency, DEFAULT_WINDOW_NS);
    let counts: Vec<u64> = groups.values().map(|group| group.application.count()).collect();
    assert_eq!(counts, [1, 1, 107, 1]);
}

/// The round trips of a sweep from one data centre to a region: 2 us to 1.77 ms.
const SWEEP_NS: [u64; 4] = [2 * US, 50 * US, 500 * US, 1_770 * US];
const POSTED: u64 = 160;

/// SENDs of 8 KiB over one connection, `POSTED` of them outstanding, of which `in_flight` are in the network at a time.
fn sends(name: &str, rtt_ns: u64, in_flight: u64) -> (RdmaConnection, Vec<RdmaOperation>) {
    let spacing = rtt_ns / in_flight;
    let complete = |number: u64| rtt_ns + number * spacing;
    let operations = (0..4 * POSTED)
        .map(|number| {
            let posted = number.checked_sub(POSTED).map_or(0, complete);
            let t5_ns = complete(number);
            RdmaOperation {
                connection: name.to_string(),
                kind: OperationKind::Send,
                success: true,
                bytes: Some(8 << 10),
                t1_ns: posted,
                t2_ns: None,
                t3_ns: None,
                t4_ns: None,
                t5_ns,
                t6_ns: t5_ns + US,
            }
        })
        .collect();
    let connection =
        RdmaConnection { name: name.to_string(), base_rtt_ns: Some(rtt_ns), bits_per_s: Some(1e12) };
    (connection, operations)
}

fn sweep(rtts: &[u64], in_flight: u64) -> HostReport {
    let (mut connections, mut operations) = (Vec::new(), Vec::new());
    for (at, rtt) in rtts.iter().enumerate() {
        let (connection, sends) = sends(&format!("c{at}"), *rtt, in_flight);
        connections.push(connection);
        operations.extend(sends);
    }
    let latency = HostLatency { connections, operations, ..HostLatency::default() };
    HostReport { latency: Some(latency), ..report() }
}

#[test]
fn az_4_one_send_a_round_trip_with_160_posted_is_a_hidden_fence() {
    let found = check(&sweep(&SWEEP_NS, 1), FabricState::Clean, "hidden_fence", CheckResult::Found);
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].cause, found[0].confidence), (Cause::HiddenFence, 0.9));
    assert_eq!(
        found[0].evidence[3].claim,
        "connection c3: 1.00 requests complete each round trip of 1.8 ms although 140 are outstanding"
    );
    assert!(found[0].evidence[4].claim.contains("correlation 1.00"), "{:?}", found[0].evidence[4]);
}

#[test]
fn az_4_pipelined_sends_are_no_fence_although_latency_grows_with_the_round_trip() {
    // 160 SENDs of 8 KiB in a round trip of 2 us would be 5.2 Tb/s, which no link carries.
    check(&sweep(&SWEEP_NS[1..], POSTED), FabricState::Clean, "hidden_fence", CheckResult::Clean);
}

/// Azure's storage protocol keeps a single chunk of each connection in flight, by choice: its queue is not deep.
#[test]
fn az_4_one_chunk_in_flight_by_choice_is_no_fence() {
    let mut report = sweep(&SWEEP_NS, 1);
    let latency = report.latency.as_mut().unwrap();
    let mut last = 0;
    for operation in &mut latency.operations {
        operation.t1_ns = if operation.t5_ns > last { last } else { 0 };
        last = operation.t5_ns;
    }
    check(&report, FabricState::Clean, "hidden_fence", CheckResult::Clean);
}

#[test]
fn az_4_a_busy_link_is_no_fence() {
    let mut report = sweep(&SWEEP_NS, 1);
    for connection in &mut report.latency.as_mut().unwrap().connections {
        // One message of 8 KiB a round trip is the rate of this link.
        connection.bits_per_s = Some(65_536.0 * 1e9 / connection.base_rtt_ns.unwrap() as f64);
    }
    check(&report, FabricState::Clean, "hidden_fence", CheckResult::Clean);
}

#[test]
fn az_4_a_single_round_trip_is_less_certain_and_a_congested_fabric_gives_none() {
    let single = sweep(&SWEEP_NS[3..], 1);
    let found = check(&single, FabricState::Clean, "hidden_fence", CheckResult::Found);
    assert_eq!(found[0].confidence, 0.6);
    assert_eq!(found[0].missing.len(), 1);
    check(&single, FabricState::Congested, "hidden_fence", CheckResult::FabricExplains);
    let mut unknown = single;
    unknown.latency.as_mut().unwrap().connections[0].base_rtt_ns = None;
    check(&unknown, FabricState::Clean, "hidden_fence", CheckResult::MissingEvidence);
}

fn link(name: &str, gbps: f64) -> LinkRate {
    LinkRate { name: name.to_string(), bits_per_s: gbps * 1e9 }
}

fn flow(number: u16, sender: &str, links: &[&str], gbps: f64) -> FlowRate {
    FlowRate {
        flow: format!("10.0.0.1:{number}>10.0.1.1:4791/udp").parse().unwrap(),
        sender: sender.to_string(),
        links: links.iter().map(ToString::to_string).collect(),
        bits_per_s: gbps * 1e9,
        demand_bits_per_s: None,
    }
}

/// Four flows of one NIC at 100 Gb/s; the first shares a link of 40 Gb/s with three flows of other NICs.
fn leaking(measured: [f64; 4]) -> FlowRates {
    let nic = "h1/mlx5_0";
    let mut flows = vec![flow(1, nic, &["h1", "congested"], measured[0])];
    for (at, gbps) in measured.iter().enumerate().skip(1) {
        flows.push(flow(at as u16 + 1, nic, &["h1"], *gbps));
    }
    flows.extend((10..13).map(|number| flow(number, "h2/mlx5_0", &["congested"], 10.0)));
    FlowRates { links: vec![link("h1", 100.0), link("congested", 40.0)], flows }
}

fn rates_report(rates: FlowRates) -> HostReport {
    let workload = HostWorkload { rates: Some(rates), ..HostWorkload::default() };
    HostReport { workload: Some(workload), ..report() }
}

#[test]
fn az_5_equal_flows_at_the_rate_of_the_slowest_are_congestion_leaking() {
    let report = rates_report(leaking([10.0, 10.2, 10.1, 10.3]));
    let fair: Vec<f64> = rates(report.workload.as_ref().unwrap().rates.as_ref().unwrap())
        .unwrap()
        .iter()
        .map(|rate| rate / 1e9)
        .collect();
    assert_eq!(fair, [10.0, 30.0, 30.0, 30.0, 10.0, 10.0, 10.0]);
    let found = check(&report, FabricState::Clean, "congestion_leaking", CheckResult::Found);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].cause, Cause::CongestionLeaking);
    assert_eq!(found[0].part, HostPart::Nic("h1/mlx5_0".to_string()));
    check(&report, FabricState::Congested, "congestion_leaking", CheckResult::FabricExplains);
}

#[test]
fn az_5_flows_at_their_fair_rates_do_not_leak() {
    for measured in [[10.0, 30.0, 30.0, 30.0], [9.0, 29.0, 28.0, 30.0], [10.0, 10.0, 30.0, 30.0]] {
        let report = rates_report(leaking(measured));
        check(&report, FabricState::Clean, "congestion_leaking", CheckResult::Clean);
    }
    // Flows that share one link are equal, and are expected to be.
    let shared = FlowRates {
        links: vec![link("h1", 100.0)],
        flows: (1..5).map(|number| flow(number, "h1/mlx5_0", &["h1"], 25.0)).collect(),
    };
    check(&rates_report(shared), FabricState::Clean, "congestion_leaking", CheckResult::Clean);
}

#[test]
fn wrong_descriptions_of_flows_are_reported_completely() {
    let mut wrong = leaking([1.0; 4]);
    wrong.flows[0].links = vec!["nowhere".to_string()];
    wrong.flows[1].links.clear();
    wrong.flows[2].bits_per_s = f64::NAN;
    let errors: Vec<String> = rates(&wrong).unwrap_err().iter().map(ToString::to_string).collect();
    assert_eq!(
        errors,
        [
            "flow 10.0.0.1:1>10.0.1.1:4791/udp uses link `nowhere`, which is not in the list of links",
            "flow 10.0.0.1:2>10.0.1.1:4791/udp has neither links nor a demand, so that nothing limits its rate",
            "flow 10.0.0.1:3>10.0.1.1:4791/udp: a rate must be a number of at least 0",
        ]
    );
}

proptest! {
    /// Max-min fairness: no link carries more than its rate, and each flow has its demand or a saturated link on which no
    /// flow is faster.
    #[test]
    fn water_filling_is_max_min_fair(
        capacities in proptest::collection::vec(1.0..100.0_f64, 1..5),
        flows in proptest::collection::vec((0..31_usize, proptest::option::of(1.0..60.0_f64)), 1..10),
    ) {
        let links: Vec<LinkRate> =
            capacities.iter().enumerate().map(|(at, rate)| link(&format!("l{at}"), *rate)).collect();
        let flows: Vec<FlowRate> = flows
            .iter()
            .enumerate()
            .map(|(at, (mask, demand))| {
                let used = (0..links.len()).filter(|link| mask & (1 << link) != 0).map(|link| format!("l{link}"));
                let mut links: Vec<String> = used.collect();
                if links.is_empty() {
                    links.push("l0".to_string());
                }
                let demand_bits_per_s = demand.map(|demand| demand * 1e9);
                FlowRate { links, demand_bits_per_s, ..flow(at as u16 + 1, "h1", &[], 0.0) }
            })
            .collect();
        let network = FlowRates { links, flows };
        let rates = rates(&network).unwrap();
        let on = |link: &str| network.flows.iter().zip(&rates).filter(move |(f, _)| f.links.iter().any(|l| l == link)).map(|(_, rate)| *rate).collect::<Vec<_>>();
        for link in &network.links {
            prop_assert!(on(&link.name).iter().sum::<f64>() <= link.bits_per_s * (1.0 + 1e-9));
        }
        for (flow, rate) in network.flows.iter().zip(&rates) {
            let has_demand = flow.demand_bits_per_s.is_some_and(|demand| *rate >= demand * (1.0 - 1e-9));
            let has_bottleneck = network.links.iter().filter(|link| flow.links.contains(&link.name)).any(|link| {
                let others = on(&link.name);
                others.iter().sum::<f64>() >= link.bits_per_s * (1.0 - 1e-9)
                    && others.iter().all(|other| *other <= rate * (1.0 + 1e-9))
            });
            prop_assert!(has_demand || has_bottleneck, "{} has {rate}", flow.flow);
        }
    }
}

fn settings(host: &str, generation: u8) -> CnpSettings {
    CnpSettings {
        host: host.to_string(),
        generation,
        cnp_interval_ns: Some(50 * US),
        reduction_window_ns: Some(0),
        rate_limit: Some(RateLimitUnit::Burst),
    }
}

fn peer(sender: CnpSettings, receiver: CnpSettings) -> CnpPeer {
    CnpPeer {
        sender,
        receiver,
        marked_packets: None,
        cnps: None,
        receiver_misses: None,
        usual_receiver_misses: None,
    }
}

#[track_caller]
fn check_peer(peer: CnpPeer, expected: CheckResult) -> Vec<HostFinding> {
    let workload = HostWorkload { cnp_peers: vec![peer], ..HostWorkload::default() };
    let report = HostReport { workload: Some(workload), ..report() };
    check(&report, FabricState::Clean, "cnp_interoperability", expected)
}

#[test]
fn a_later_receiver_must_send_cnps_no_faster_than_the_timer_of_the_first_generation() {
    for generation in [2, 3] {
        let fast = CnpSettings { cnp_interval_ns: Some(4 * US), ..settings("new", generation) };
        let found = check_peer(peer(settings("old", 1), fast.clone()), CheckResult::Found);
        assert_eq!((found[0].cause, found[0].confidence), (Cause::Misconfiguration, 0.7));
        let excessive = CnpPeer {
            marked_packets: Some(1_000),
            cnps: Some(990),
            ..peer(settings("old", 1), fast.clone())
        };
        assert_eq!(check_peer(excessive, CheckResult::Found)[0].confidence, 0.9);
        check_peer(peer(settings("old", 1), settings("new", generation)), CheckResult::Clean);
        // Two NICs of one generation agree with each other.
        check_peer(peer(settings("new", generation), fast), CheckResult::Clean);
    }
    let unknown = CnpSettings { cnp_interval_ns: None, ..settings("new", 2) };
    check_peer(peer(settings("old", 1), unknown), CheckResult::MissingEvidence);
}

#[test]
fn a_later_sender_must_limit_bursts_and_reduce_its_rate_for_every_cnp() {
    let packets = CnpSettings { rate_limit: Some(RateLimitUnit::Packet), ..settings("new", 3) };
    let with_misses = CnpPeer {
        receiver_misses: Some(9_000),
        usual_receiver_misses: Some(1_000),
        ..peer(packets.clone(), settings("old", 1))
    };
    assert_eq!(check_peer(with_misses, CheckResult::Found)[0].confidence, 0.9);
    assert_eq!(check_peer(peer(packets, settings("old", 1)), CheckResult::Found)[0].confidence, 0.7);
    let window = CnpSettings { reduction_window_ns: Some(55 * US), ..settings("new", 2) };
    assert_eq!(
        check_peer(peer(window, settings("old", 1)), CheckResult::Found)[0].part,
        HostPart::Setting("rate reduction window".to_string())
    );
    check_peer(peer(settings("new", 2), settings("old", 1)), CheckResult::Clean);
}

/// A setting that could do harm is a finding of its own, and not the part of the host that a verdict names.
#[test]
fn a_wrong_setting_is_not_the_cause_of_a_verdict_about_a_delay() {
    let fast = CnpSettings { cnp_interval_ns: Some(4 * US), ..settings("new", 2) };
    let workload =
        HostWorkload { cnp_peers: vec![peer(settings("old", 1), fast)], ..HostWorkload::default() };
    let wrong = HostReport { workload: Some(workload), ..report() };
    let flow: model::FlowKey = "10.0.0.1:10000>10.0.3.1:4791/udp".parse().unwrap();
    let verdict = Diagnosis { anomaly: Anomaly::HostOnly, ..Diagnosis::undetermined(flow) };
    let united = unite(&verdict, std::slice::from_ref(&wrong), None);
    assert_eq!(united.diagnosis.cause, Cause::Undetermined);
    assert_eq!(united.hosts[0].findings[0].cause, Cause::Misconfiguration);
    let both = HostReport { latency: sweep(&SWEEP_NS, 1).latency, ..wrong };
    assert_eq!(unite(&verdict, &[both], None).diagnosis.cause, Cause::HiddenFence);
}

/// What makes a connection slow does not explain why the host pauses its switch.
#[test]
fn pauses_of_the_host_are_not_explained_by_slow_connections() {
    let paused = FabricState::PausedBy("h1".to_string());
    check(&sweep(&SWEEP_NS, 1), paused.clone(), "hidden_fence", CheckResult::FabricExplains);
    check(&rates_report(leaking([10.0; 4])), paused, "congestion_leaking", CheckResult::FabricExplains);
}

#[track_caller]
fn check_macsec(
    encrypts: Option<[bool; 2]>,
    expects: Option<[bool; 2]>,
    corrupted: Option<(u64, u64)>,
    expected: CheckResult,
) -> Option<f64> {
    let link = MacsecLink {
        name: "t2-1:5 - rh-1:9".to_string(),
        pfc: true,
        encrypts_pfc: encrypts,
        expects_encrypted_pfc: expects,
        corrupted_before_pfc: corrupted.map(|(before, _)| before),
        corrupted_with_pfc: corrupted.map(|(_, with)| with),
    };
    let workload = HostWorkload { macsec_links: vec![link], ..HostWorkload::default() };
    let report = HostReport { workload: Some(workload), ..report() };
    check(&report, FabricState::Clean, "macsec_pfc", expected).first().map(|finding| finding.confidence)
}

#[test]
fn macsec_ends_that_disagree_about_encrypted_pfc_frames_are_found() {
    let (plain_to_encrypted, both) = (Some([false, true]), Some([true, true]));
    assert_eq!(check_macsec(plain_to_encrypted, both, Some((0, 5_000)), CheckResult::Found), Some(0.95));
    assert_eq!(check_macsec(plain_to_encrypted, both, None, CheckResult::Found), Some(0.8));
    assert_eq!(check_macsec(None, None, Some((0, 5_000)), CheckResult::Found), Some(0.6));
    check_macsec(None, None, None, CheckResult::MissingEvidence);
}

#[test]
fn corruption_that_pfc_did_not_begin_is_not_macsec() {
    check_macsec(None, None, Some((4_000, 5_000)), CheckResult::Clean);
    check_macsec(Some([true, true]), Some([true, true]), Some((0, 5_000)), CheckResult::Clean);
}
