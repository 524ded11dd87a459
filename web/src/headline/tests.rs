//! The headlines of every anomaly and cause, in words.

use model::topology::Node;

use super::*;

fn flow(from: u8, to: u8) -> FlowKey {
    format!("11.0.{from}.1:10000>11.0.{to}.1:100/udp").parse().unwrap()
}

fn four() -> Vec<FlowKey> {
    [1, 2, 3, 5].map(|from| flow(from, 4)).to_vec()
}

fn names() -> HostNames {
    let node = |n: u8| Node {
        name: format!("h{n}"),
        kind: NodeKind::Host,
        addresses: vec![format!("11.0.{n}.1").parse().unwrap()],
    };
    HostNames::new(&Topology { nodes: [1, 2, 3, 4, 5, 9].map(node).to_vec(), links: vec![] })
}

/// A verdict about three victims at `sw3:3`.
struct Case {
    anomaly: Anomaly,
    cause: Cause,
    root: RootCause,
    fault: Option<NetworkFault>,
    pause_loop: Vec<PortRef>,
    victims: Vec<FlowKey>,
    victim_count: usize,
    lost_packets: u64,
}

fn case(anomaly: Anomaly, cause: Cause) -> Case {
    let root = RootCause { port: Some("sw3:3".parse().unwrap()), ..RootCause::default() };
    let victims = [1, 2, 3].map(|from| flow(from, 9)).to_vec();
    Case { anomaly, cause, root, fault: None, pause_loop: vec![], victims, victim_count: 0, lost_packets: 0 }
}

impl Case {
    fn host(mut self, host: &str) -> Case {
        self.root.host = Some(host.into());
        self
    }

    fn flows(mut self, flows: Vec<FlowKey>) -> Case {
        self.root.flows = flows;
        self
    }

    fn config(mut self, findings: &[&str]) -> Case {
        self.root.config = findings.iter().map(ToString::to_string).collect();
        self
    }

    fn fault(mut self, fault: NetworkFault) -> Case {
        self.fault = Some(fault);
        self
    }

    fn no_port(mut self) -> Case {
        self.root.port = None;
        self
    }

    fn victims(mut self, victims: Vec<FlowKey>) -> Case {
        self.victims = victims;
        self
    }

    fn lost(mut self, packets: u64) -> Case {
        self.lost_packets = packets;
        self
    }

    fn headline(&self) -> Headline {
        let Case { anomaly, cause, root, fault, pause_loop, victims, victim_count, lost_packets } = self;
        Subject {
            anomaly: *anomaly,
            cause: *cause,
            root,
            fault: *fault,
            lost_packets: *lost_packets,
            pause_loop,
            victims,
            victim_count: *victim_count,
            names: &names(),
        }
        .headline()
    }
}

#[track_caller]
fn check(case: Case, expected: &str) {
    let headline = case.headline();
    assert_eq!(headline.text, expected);
    assert!(headline.text.starts_with(&headline.culprit), "{headline:?}");
}

#[test]
fn every_cause_names_its_culprit() {
    use Anomaly::{FlowContention, PfcBackpressureFlowContention as Backpressure, PfcStormHostInjection};
    let storm = |cause| case(PfcStormHostInjection, cause).host("h11");
    check(storm(Cause::NicStorm), "NIC storm at h11 stops 3 flows");
    check(storm(Cause::SlowReceiver), "Slow receiver h11 pauses 3 flows");
    check(case(Backpressure, Cause::SlowReceiver), "Slow receiver at sw3:3 pauses 3 flows");
    check(storm(Cause::LoopbackCongestion), "Loopback traffic at h11 pauses 3 flows");
    check(storm(Cause::IntraHostLink), "Bad link inside h11 pauses 3 flows");
    check(case(Backpressure, Cause::IntraHostLink), "Bad link inside a host at sw3:3 pauses 3 flows");
    check(case(Anomaly::HostOnly, Cause::NoisyTenant).host("h11"), "Noisy tenant at h11 slows 3 flows");
    for (cause, culprit) in [
        (Cause::RnicWorkload, "RNIC workload"),
        (Cause::HiddenFence, "Hidden fence"),
        (Cause::CongestionLeaking, "Congestion leaking"),
        (Cause::GoBackNWaste, "Go-back-N waste"),
        (Cause::QpCacheThrash, "QP cache thrash"),
        (Cause::PollGap, "Poll gap"),
        (Cause::HostControlOverhead, "Host control overhead"),
        (Cause::GpuCoLocation, "GPU co-location"),
        (Cause::LegitimatelyNetworkBound, "Network-bound job"),
    ] {
        check(case(Anomaly::HostOnly, cause).host("h11"), &format!("{culprit} at h11 slows 3 flows"));
    }
    check(storm(Cause::Undetermined), "Pausing host h11 pauses 3 flows");
    let contention = |cause, flows| case(FlowContention, cause).flows(flows);
    check(contention(Cause::Incast, four()), "Incast of 4 flows to h4 slows 3 flows");
    check(contention(Cause::Incast, vec![flow(1, 4), flow(2, 5)]), "Incast of 2 flows slows 3 flows");
    check(contention(Cause::Incast, vec![]), "Incast at sw3:3 slows 3 flows");
    check(
        contention(Cause::ElephantCollision, four()[..2].to_vec()),
        "Collision of 2 large flows slows 3 flows",
    );
    check(contention(Cause::ElephantCollision, vec![flow(1, 4)]), "Large flow h1 → h4 slows 3 flows");
    check(contention(Cause::EcmpImbalance, four()), "ECMP imbalance of 4 flows slows 3 flows");
    let pauses = |cause, flows| case(Backpressure, cause).flows(flows);
    check(pauses(Cause::LowRateAttack, four()[..2].to_vec()), "Low-rate attack from h1, h2 pauses 3 flows");
    check(pauses(Cause::LowRateAttack, four()), "Low-rate attack from 4 hosts pauses 3 flows");
    check(pauses(Cause::LowRateAttack, vec![]), "Low-rate attack at sw3:3 pauses 3 flows");
    check(pauses(Cause::CollectiveStep, four()), "Collective step of 4 flows pauses 3 flows");
    check(pauses(Cause::Misconfiguration, vec![]), "Misconfiguration at sw3:3 pauses 3 flows");
}

#[test]
fn every_anomaly_says_what_it_does() {
    use Anomaly as A;
    let unknown = |anomaly| case(anomaly, Cause::Undetermined);
    check(unknown(A::FlowContention).flows(vec![flow(1, 4)]), "Flow h1 → h4 slows 3 flows");
    check(
        unknown(A::PfcBackpressureFlowContention).flows(four()),
        "Contention of 4 flows to h4 pauses 3 flows",
    );
    check(unknown(A::PfcBackpressureFlowContention), "Congestion at sw3:3 pauses 3 flows");
    check(unknown(A::PfcBackpressureFlowContention).no_port(), "A port that is not recorded pauses 3 flows");
    check(
        unknown(A::DeadlockInLoopContention).flows(vec![flow(1, 4)]),
        "Flow h1 → h4 closes a deadlock and stops 3 flows",
    );
    check(
        unknown(A::DeadlockInLoopContention).no_port(),
        "Unknown congestion closes a deadlock and stops 3 flows",
    );
    check(
        case(A::DeadlockOutOfLoopContention, Cause::Incast).flows(four()),
        "Incast of 4 flows to h4 closes a deadlock and stops 3 flows",
    );
    check(
        case(A::DeadlockOutOfLoopInjection, Cause::NicStorm).host("h11"),
        "NIC storm at h11 closes a deadlock and stops 3 flows",
    );
    check(unknown(A::RoutingLoop), "Forwarding loop at sw3:3 slows 3 flows");
    check(
        case(A::ClassContention, Cause::Incast).flows(four()),
        "Incast of 4 flows to h4 in another class delays 3 flows",
    );
    check(unknown(A::PacketLoss), "Packet loss at sw3:3 slows 3 flows");
    check(unknown(A::PathChange), "Path change at sw3:3 slows 3 flows");
    let fault = |anomaly, fault, expected| check(unknown(anomaly).fault(fault), expected);
    fault(A::PathChange, NetworkFault::LinkDown, "Link outage at sw3:3 interrupts 3 flows");
    fault(A::PathChange, NetworkFault::NoRoute, "Missing route at sw3:3 drops packets of 3 flows");
    fault(A::PathChange, NetworkFault::LongerPath, "Detour around sw3:3 slows 3 flows");
    fault(A::PacketLoss, NetworkFault::DamagedFrames, "Faulty link at sw3:3 damages packets of 3 flows");
    check(
        unknown(A::PathChange).fault(NetworkFault::LongerPath).no_port(),
        "Detour around the usual path slows 3 flows",
    );
    // A setting is what an operator can change.
    check(
        case(A::PacketLoss, Cause::Misconfiguration).fault(NetworkFault::NoRoute).config(&["leaf1/route"]),
        "Misconfigured route of leaf1 drops packets of 3 flows",
    );
    check(unknown(A::SelfInflicted).flows(vec![flow(1, 9)]), "h1 → h9 queues behind its own packets");
    check(
        unknown(A::HostOnly).no_port().victims(vec![flow(1, 9)]),
        "No anomaly in the network; h1 → h9 is slow: sender, receiver or application",
    );
    check(
        unknown(A::HostOnly).no_port().host("h1"),
        "No anomaly in the network; operations of 3 flows wait in h1",
    );
    check(unknown(A::Undetermined).no_port(), "Cause not found: 3 flows are slow");
}

#[test]
fn a_misconfiguration_is_named_although_flows_and_a_host_are_at_its_port() {
    let set = |anomaly| case(anomaly, Cause::Misconfiguration);
    check(
        set(Anomaly::PacketLoss).config(&["far/headroom"]).flows(four()).host("h11"),
        "Misconfigured headroom of far drops packets of 3 flows",
    );
    check(
        set(Anomaly::PfcBackpressureFlowContention).config(&["far/headroom"]).lost(5_954),
        "Misconfigured headroom of far drops packets of 3 flows",
    );
    check(
        set(Anomaly::FlowContention).config(&["a/alpha", "b/alpha", "c/alpha"]),
        "Misconfigured alpha of a (and 2 more settings) slows 3 flows",
    );
    // Several rules may report one setting.
    check(
        set(Anomaly::FlowContention).config(&["far:1/PG004", "far:1/PG005", "far:1/PFC002"]),
        "Misconfigured headroom of far:1 (and 1 more setting) slows 3 flows",
    );
    check(
        set(Anomaly::FlowContention).config(&["far:1/PG004", "far:1/PG020"]),
        "Misconfigured headroom of far:1 slows 3 flows",
    );
    check(
        set(Anomaly::FlowContention).config(&["leaf1:3/cable"]),
        "Unplanned cable at leaf1:3 slows 3 flows",
    );
    // A rule without words of its own.
    check(
        set(Anomaly::FlowContention).config(&["leaf1/SCHED005"]),
        "Configuration leaf1/SCHED005 slows 3 flows",
    );
    check(
        set(Anomaly::RoutingLoop).config(&["sw3/route"]),
        "Misconfigured route of sw3 sends packets of 3 flows in a loop",
    );
    let own = set(Anomaly::PacketLoss).config(&["far/headroom"]).flows(four()).victims(four());
    check(own, "Misconfigured headroom of far drops packets of 4 flows");
}

#[test]
fn one_victim_is_named_and_a_culprit_is_no_victim() {
    let storm = case(Anomaly::PfcStormHostInjection, Cause::NicStorm).host("h4");
    check(storm.victims(vec![flow(1, 4)]), "NIC storm at h4 stops h1 → h4");
    let mut victims = four();
    victims.insert(0, flow(9, 4));
    let incast = case(Anomaly::FlowContention, Cause::Incast).flows(four()).victims(victims);
    check(incast, "Incast of 4 flows to h4 slows h9 → h4");
    let unknown_host = case(Anomaly::PacketLoss, Cause::Undetermined).victims(vec![flow(77, 4)]);
    check(unknown_host, "Packet loss at sw3:3 slows 11.0.77.1 → h4");
    // In a deadlock the culprits may be the only victims.
    for victims in [four(), vec![]] {
        let own = case(Anomaly::DeadlockInLoopContention, Cause::Undetermined).flows(four()).victims(victims);
        check(own, "Contention of 4 flows to h4 closes a deadlock and stops 4 flows");
    }
    let none = case(Anomaly::PacketLoss, Cause::Undetermined).victims(vec![]);
    check(none, "Packet loss at sw3:3 slows traffic");
}

#[test]
fn victims_that_are_not_listed_count() {
    let mut storm = case(Anomaly::PfcStormHostInjection, Cause::NicStorm).host("h4");
    storm.victim_count = 31;
    check(storm, "NIC storm at h4 stops 31 flows");
}

#[test]
fn the_place_is_the_root_port_or_the_first_port_of_the_loop() {
    let incast = case(Anomaly::FlowContention, Cause::Incast);
    assert_eq!(incast.headline().place, Some("sw3:3".parse().unwrap()));
    let mut deadlock = case(Anomaly::DeadlockInLoopContention, Cause::Undetermined).no_port();
    assert_eq!(deadlock.headline().place, None);
    deadlock.pause_loop = vec!["s1:1".parse().unwrap(), "s2:2".parse().unwrap()];
    assert_eq!(deadlock.headline().place, Some("s1:1".parse().unwrap()));
}
