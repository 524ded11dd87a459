//! Properties of every verdict, for any snapshot: no panic, no culprit that is a spreader or (unless the queue is its own)
//! a victim, advice, readable units, and no dependence on the order of records.

use crate::support::stories::{early_poll, ring, storm};
use crate::support::{line_network, network};
use harrier_analyzer::{Method, Settings, analyze};
use model::diagnosis::{AdviceTarget, Record};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::{Anomaly, Diagnosis, FlowKey, Snapshot, SwitchTelemetry, Topology, Trigger, TriggerReason};
use proptest::prelude::*;

/// Counts that are mostly plausible and sometimes extreme.
fn count() -> impl Strategy<Value = u64> {
    prop_oneof![6 => 0..300_u64, 2 => 0..100_000_u64, 1 => Just(0), 1 => Just(u64::MAX), 1 => any::<u64>()]
}

fn time() -> impl Strategy<Value = u64> {
    prop_oneof![12 => 1_000_000..3_000_000_u64, 1 => any::<u64>()]
}

fn window() -> impl Strategy<Value = Option<(u64, u64)>> {
    proptest::option::weighted(0.8, (time(), time()))
}

fn any_flow() -> impl Strategy<Value = FlowKey> {
    (0..9_u8, 0..9_u8, 0..2_u16).prop_map(|(a, b, sport)| {
        let host = |n: u8| format!("10.0.{}.{}", n / 5, n % 5).parse().unwrap();
        FlowKey::udp(host(a), 10_000 + sport, host(b), 4_791)
    })
}

fn flow_record() -> impl Strategy<Value = FlowRecord> {
    let place = (any_flow(), 0..4_u64, proptest::option::of(0..7_u16), 0..7_u16);
    let class = proptest::option::of(3..5_u8);
    let counts = (count(), proptest::option::of(count()), proptest::option::of(count()), count(), count());
    (place, class, counts, window(), window(), any::<bool>()).prop_map(
        |((flow, epoch, ingress_port, egress_port), priority, counts, seen_ns, queued_ns, evicted)| {
            FlowRecord {
                flow,
                epoch,
                ingress_port,
                egress_port,
                priority,
                packets: counts.0,
                bytes: counts.1,
                queued_packets: counts.2,
                depth_sum: counts.3,
                paused_packets: counts.4,
                psn_first: 0,
                psn_last: 0,
                seen_ns,
                queued_ns,
                evicted,
            }
        },
    )
}

fn telemetry() -> impl Strategy<Value = SwitchTelemetry> {
    let name = prop_oneof!["sw[1-5]", "r[1-4]", "h[1-3]"];
    let ports = proptest::collection::vec(
        (0..7_u16, 0..4_u64, proptest::option::of(count()), count(), count()).prop_map(
            |(port, epoch, packets, depth_sum, paused_packets)| PortRecord {
                port,
                epoch,
                packets,
                depth_sum,
                paused_packets,
            },
        ),
        0..6,
    );
    let meters = proptest::collection::vec(
        (0..7_u16, 0..7_u16, 0..4_u64, count()).prop_map(|(ingress_port, egress_port, epoch, bytes)| {
            MeterRecord { ingress_port, egress_port, epoch, packets: None, bytes }
        }),
        0..20,
    );
    let pauses = proptest::collection::vec(
        (0..7_u16, 3..5_u8, time(), proptest::option::of(time())).prop_map(
            |(port, priority, start_ns, end_ns)| PauseInterval {
                port,
                priority,
                start_ns,
                end_ns,
                frames: 1,
            },
        ),
        0..6,
    );
    let epochs = proptest::collection::vec(
        (0..4_u64, time(), time()).prop_map(|(id, start_ns, end_ns)| EpochInfo { id, start_ns, end_ns }),
        0..4,
    );
    let flows = proptest::collection::vec(flow_record(), 0..14);
    (name, time(), epochs, flows, ports, meters, pauses).prop_map(
        |(switch, frozen_ns, epochs, flows, ports, meters, pauses)| SwitchTelemetry {
            switch,
            frozen_ns,
            clock_error_ns: None,
            polled_from: vec![],
            on_victim_path: true,
            back_port: None,
            epochs,
            flows,
            ports,
            meters,
            pauses,
            bytes: u64::MAX / 3,
        },
    )
}

fn any_snapshot() -> impl Strategy<Value = Snapshot> {
    let trigger = (any_flow(), time(), count(), count());
    (
        proptest::collection::vec(telemetry(), 0..7),
        proptest::option::of(any_flow()),
        proptest::option::of(trigger),
        prop_oneof![3 => Just(Source::Harrier), 1 => Just(Source::HawkeyeNs3)],
    )
        .prop_map(|(switches, victim, trigger, source)| Snapshot {
            format: SNAPSHOT_FORMAT,
            event: 1,
            source,
            victim,
            trigger: trigger.map(|(flow, time_ns, base_rtt_ns, rtt_ns)| Trigger {
                host: "h1".into(),
                flow,
                time_ns,
                reason: TriggerReason::Silence,
                base_rtt_ns,
                expected_ns: None,
                follows: None,
                rtt_ns,
            }),
            epoch_ns: 1 << 20,
            switches,
            missing: vec![],
            polls: 0,
            configuration: vec![],
            losses: vec![],
            events: vec![],
            jobs: vec![],
        })
}

fn any_network() -> impl Strategy<Value = Topology> {
    let random = proptest::collection::vec((0..6_usize, 0..7_u16, 0..6_usize, 0..7_u16), 0..12);
    let random = random.prop_map(|links| {
        let names = ["sw1", "sw2", "sw3", "h1", "h2", "sw4"];
        let ends: Vec<(String, String)> = links
            .iter()
            .map(|(a, p, b, q)| (format!("{}:{p}", names[*a]), format!("{}:{q}", names[*b])))
            .collect();
        let links: Vec<(&str, &str, u64)> =
            ends.iter().enumerate().map(|(n, (a, b))| (a.as_str(), b.as_str(), n as u64 * 25)).collect();
        network(&[("h1", "10.0.0.1"), ("h2", "10.0.0.2")], &links)
    });
    prop_oneof![2 => Just(line_network()), 2 => random, 1 => Just(ring().topology)]
}

fn settings() -> impl Strategy<Value = Settings> {
    any::<bool>().prop_map(|published| Settings {
        method: if published { Method::HAWKEYE } else { Method::default() },
        ..Settings::default()
    })
}

fn reversed(snapshot: &Snapshot) -> Snapshot {
    let mut other = snapshot.clone();
    other.switches.reverse();
    for s in &mut other.switches {
        s.flows.reverse();
        s.ports.reverse();
        s.meters.reverse();
        s.pauses.reverse();
        s.epochs.reverse();
    }
    other
}

/// Whether the first advice names the port, or has the fix of the finding, that is said to be its target.
fn advises_target(diagnosis: &Diagnosis) -> bool {
    let first = &diagnosis.advice[0];
    match &diagnosis.advice_target {
        Some(AdviceTarget::Port { port }) => first.contains(&port.to_string()),
        Some(AdviceTarget::Finding { id }) => {
            let mut records = diagnosis.evidence.iter().flat_map(|evidence| &evidence.records);
            records.any(|record| match record {
                Record::Configuration(found) => found.id == *id && first.contains(&found.fix),
                _ => false,
            })
        }
        None => true,
    }
}

fn check(snapshot: &Snapshot, topology: &Topology, settings: &Settings) -> Result<(), TestCaseError> {
    let analyses = analyze(snapshot, topology, settings);
    for a in &analyses {
        let d = &a.diagnosis;
        let is_own = d.anomaly == Anomaly::SelfInflicted;
        // The victim is a suspect like any other; where it is the only one, the verdict says so.
        let only_victim = Some(d.root_cause.flows.as_slice()) == d.victim.as_ref().map(std::slice::from_ref);
        prop_assert_eq!(only_victim, is_own, "{}", d.summary);
        prop_assert!(d.spreaders.iter().all(|f| !d.root_cause.flows.contains(f)));
        prop_assert!(d.victims.iter().all(|f| Some(*f) == d.victim || !d.root_cause.flows.contains(f)));
        prop_assert!((0.0..=1.0).contains(&d.confidence));
        prop_assert!(!d.summary.is_empty());
        prop_assert!(!d.advice.is_empty() && d.advice.iter().all(|text| !text.is_empty()), "{}", d.summary);
        prop_assert!(advises_target(d), "{:?}: {:?}", d.advice, d.advice_target);
        let claims = d.evidence.iter().map(|evidence| &evidence.claim);
        for text in std::iter::once(&d.summary).chain(claims).chain(&d.missing).chain(&d.advice) {
            prop_assert!(!text.split([' ', ',', ';', ')']).any(|word| word == "ns"), "nanoseconds: {}", text);
            prop_assert!(!text.contains(" 1 packets") && !text.starts_with("1 packets"), "{}", text);
        }
        for e in &a.graph.edges {
            prop_assert!(e.weight.is_finite());
            prop_assert!(e.from < a.graph.nodes.len() && e.to < a.graph.nodes.len());
        }
        let text = serde_json::to_string(a).unwrap();
        // The features of the confidence are not stored.
        let stored =
            harrier_analyzer::Analysis { features: harrier_analyzer::Features::default(), ..a.clone() };
        prop_assert_eq!(serde_json::from_str::<harrier_analyzer::Analysis>(&text).unwrap(), stored);
    }
    prop_assert_eq!(&analyze(&reversed(snapshot), topology, settings), &analyses);
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn no_snapshot_makes_the_analysis_panic(snapshot in any_snapshot(), topology in any_network(), settings in settings()) {
        check(&snapshot, &topology, &settings)?;
        // Reasons are not repeated.
        let reasons = harrier_analyzer::unanswered(&snapshot, &topology);
        let once: std::collections::BTreeSet<&String> = reasons.iter().collect();
        prop_assert_eq!(once.len(), reasons.len());
    }

    /// Hand-written snapshots with lost records: the remaining records are analysed, and no bystander is named.
    #[test]
    fn lost_records_do_not_turn_bystanders_into_culprits(which in 0..3_usize, lost in proptest::collection::vec(any::<prop::sample::Index>(), 0..6)) {
        let story = match which {
            0 => early_poll(),
            1 => storm(),
            _ => {
                let ring = ring();
                let victim = ring.flow("p1", "p3");
                ring.triggered(victim, 690, 9, 60)
            }
        };
        let mut snapshot = story.snapshot.clone();
        for index in lost {
            let s = index.get(&snapshot.switches).switch.clone();
            let Some(s) = snapshot.switches.iter_mut().find(|t| t.switch == s) else { continue };
            if !s.flows.is_empty() {
                let at = index.index(s.flows.len());
                s.flows.remove(at);
            } else if !s.meters.is_empty() {
                let at = index.index(s.meters.len());
                s.meters.remove(at);
            }
        }
        check(&snapshot, &story.topology, &Settings::default())?;
        let f2 = (which == 0).then(|| story.flow("h1", "h3"));
        for d in harrier_analyzer::diagnose(&snapshot, &story.topology, &Settings::default()) {
            if let Some(f2) = f2 {
                prop_assert!(!d.root_cause.flows.contains(&f2), "{}", d.summary);
            }
        }
    }
}
