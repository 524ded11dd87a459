//! Verdicts of telemetry that end at a switch without telemetry, continued by its counters.
//!
//! In a network of P4 switches and ordinary ones, the pauses that slow a victim down leave the switches that record flows. The
//! telemetry then names the port that is paused, and not why. The counters of the others name the end of these pauses, and no
//! victim. Both are about one event if they share a port and a time: then the verdict keeps its victim, its cost and its
//! records, and takes the root cause from the counters.

use std::collections::BTreeSet;

use model::diagnosis::{CounterInterval, FlowRole};
use model::units::counted;
use model::{Anomaly, Diagnosis, PortRef, Topology};

use crate::thresholds as t;

/// Continues those of `verdicts`, which come from telemetry, that name no root cause and share ports with one of `counted`,
/// verdicts from counters. Times of both must count from the same zero. The culprits at a port that the counters name are those
/// of a verdict from telemetry about the same port, if there is one.
pub fn continue_by_counters(verdicts: &mut [Diagnosis], counted: &[Diagnosis], topology: &Topology) {
    let continued: Vec<Option<Diagnosis>> =
        verdicts.iter().map(|verdict| continuation(verdict, verdicts, counted, topology)).collect();
    for (verdict, continued) in verdicts.iter_mut().zip(continued) {
        if let Some(continued) = continued {
            *verdict = continued;
        }
    }
}

/// Whether a verdict from telemetry names no root cause: its pauses, or its victim, lead into a switch without telemetry.
pub fn is_open(verdict: &Diagnosis) -> bool {
    let root = &verdict.root_cause;
    let may_be_open =
        matches!(verdict.anomaly, Anomaly::PfcBackpressureFlowContention | Anomaly::Undetermined);
    may_be_open
        && verdict.victim.is_some()
        && verdict.counters.is_none()
        && root.flows.is_empty()
        && root.host.is_none()
        && root.config.is_empty()
        && verdict.pause_loop.is_empty()
}

fn continuation(
    verdict: &Diagnosis,
    all: &[Diagnosis],
    counted: &[Diagnosis],
    topology: &Topology,
) -> Option<Diagnosis> {
    if !is_open(verdict) {
        return None;
    }
    let ports = ports_of(verdict, topology);
    let is_same_event = |other: &&Diagnosis| {
        other.anomaly != Anomaly::Undetermined
            && is_same_time(verdict, other)
            && !ports.is_disjoint(&ports_of_counters(other))
    };
    let found = counted
        .iter()
        .filter(is_same_event)
        .max_by(|a, b| a.severity.cmp(&b.severity).then(a.confidence.total_cmp(&b.confidence)))?;
    Some(joined(verdict, found, all))
}

/// The ports that a verdict from telemetry connects with the event: those of its pause path and, because the counters may be those
/// of the other end of a cable, their peers; and those that its victim leaves by.
fn ports_of(verdict: &Diagnosis, topology: &Topology) -> BTreeSet<PortRef> {
    let paused = &verdict.pause_path;
    let peers = topology.links.iter().flat_map(|link| [(&link.a, &link.b), (&link.b, &link.a)]);
    let peers = peers.filter(|(own, _)| paused.contains(own)).map(|(_, peer)| peer);
    let of_victim = verdict.paths.iter().filter(|path| path.role == FlowRole::Victim);
    let hops = of_victim.flat_map(|path| &path.hops).map(|hop| &hop.port);
    paused.iter().chain(peers).chain(hops).cloned().collect()
}

/// The ports that a verdict from counters is about: paused, sending pauses, or its root.
fn ports_of_counters(verdict: &Diagnosis) -> BTreeSet<PortRef> {
    let claimed = verdict.evidence.iter().filter_map(|evidence| evidence.port.as_ref());
    let named = verdict.pause_path.iter().chain(&verdict.pause_loop).chain(&verdict.root_cause.port);
    named.chain(claimed).cloned().collect()
}

/// Whether the victim was slow in the interval of the counters, or by their age before or after it.
fn is_same_time(verdict: &Diagnosis, other: &Diagnosis) -> bool {
    let Some(CounterInterval { from_ns, to_ns, .. }) = other.counters else { return false };
    let began_ns = other.time_ns.saturating_sub(to_ns.saturating_sub(from_ns));
    let within = began_ns.saturating_sub(t::COUNTER_LAG_NS)..=other.time_ns.saturating_add(t::COUNTER_LAG_NS);
    within.contains(&verdict.time_ns)
}

/// The verdict with the root cause of the counters.
fn joined(verdict: &Diagnosis, other: &Diagnosis, all: &[Diagnosis]) -> Diagnosis {
    let mut all_known = other.root_cause.clone();
    let of_same_port = |known: &&Diagnosis| {
        !known.root_cause.flows.is_empty()
            && known.root_cause.port == other.root_cause.port
            && is_same_time(known, other)
    };
    let at_root = all.iter().filter(of_same_port).max_by(|a, b| a.confidence.total_cmp(&b.confidence));
    if let Some(known) = at_root.filter(|_| all_known.flows.is_empty()) {
        let victim = verdict.victim;
        all_known.flows =
            known.root_cause.flows.iter().copied().filter(|flow| Some(*flow) != victim).collect();
    }
    // What the telemetry lacked of switches that the counters cover is not missing any more.
    let covered: BTreeSet<String> =
        ports_of_counters(other).into_iter().map(|port| format!("switch {} ", port.switch)).collect();
    let is_missing = |line: &&String| !covered.iter().any(|switch| line.starts_with(switch.as_str()));
    let mut pause_path: Vec<PortRef> = verdict.pause_path.clone();
    // A likely root beyond the last port with records is a guess that the counters replace.
    if pause_path.last() == verdict.root_cause.port.as_ref()
        && verdict.root_cause.port != other.root_cause.port
    {
        pause_path.pop();
    }
    let further = other.pause_path.iter().filter(|port| !pause_path.contains(port));
    pause_path = pause_path.iter().chain(further).cloned().collect();
    let mut joined = Diagnosis {
        anomaly: other.anomaly,
        cause: other.cause,
        confidence: other.confidence * t::SAME_EVENT,
        severity: verdict.severity.max(other.severity),
        root_cause: all_known,
        pause_path,
        pause_loop: other.pause_loop.clone(),
        missing: verdict.missing.iter().filter(is_missing).chain(&other.missing).cloned().collect(),
        advice: other.advice.clone(),
        advice_target: other.advice_target.clone(),
        counters: other.counters.clone(),
        ..verdict.clone()
    };
    let victim = verdict.victim.map(|flow| flow.to_string()).unwrap_or_default();
    joined.summary = format!(
        "{victim} is slowed down beyond the switches with telemetry; by the counters of the others, {}",
        other.summary
    );
    joined.evidence.extend(other.evidence.iter().cloned());
    if !joined.root_cause.flows.is_empty() && other.root_cause.flows.is_empty() {
        let flows = counted(joined.root_cause.flows.len() as u64, "flow");
        joined.notes.push(format!(
            "the telemetry of the root port, of other victims, names {flows} that contend there"
        ));
    }
    joined
}

#[cfg(test)]
mod tests {
    use model::diagnosis::Evidence;
    use model::topology::Link;
    use model::{Cause, FlowKey, Rate, RootCause, Severity, Time};

    use super::*;

    fn port(text: &str) -> PortRef {
        text.parse().unwrap()
    }

    fn flow(source: u8) -> FlowKey {
        format!("10.0.0.{source}:100>10.0.1.1:4791/udp").parse().unwrap()
    }

    /// The port s1:1 of a P4 switch is paused by s2:1 of another switch.
    fn open() -> Diagnosis {
        Diagnosis {
            id: "v".into(),
            time_ns: 5_000_000_000,
            anomaly: Anomaly::PfcBackpressureFlowContention,
            root_cause: RootCause { port: Some(port("s2:2")), ..RootCause::default() },
            pause_path: vec![port("s1:1"), port("s2:2")],
            confidence: 0.3,
            severity: Severity::Major,
            missing: vec!["switch s2 sent no telemetry".into(), "switch s9 sent no telemetry".into()],
            ..Diagnosis::undetermined(flow(1))
        }
    }

    fn of_counters(ending: &str) -> Diagnosis {
        Diagnosis {
            id: "c".into(),
            time_ns: 6_000_000_000,
            anomaly: Anomaly::PfcStormHostInjection,
            cause: Cause::NicStorm,
            root_cause: RootCause {
                port: Some(port(ending)),
                host: Some("h9".into()),
                ..RootCause::default()
            },
            pause_path: vec![port(ending)],
            confidence: 0.9,
            severity: Severity::Critical,
            summary: "host h9 pauses a port".into(),
            counters: Some(CounterInterval { from_ns: 1, to_ns: 1_000_000_001, watcher: None }),
            evidence: vec![Evidence {
                claim: "s2:1 sent pauses".into(),
                template: None,
                switch: Some("s2".into()),
                port: Some(port("s2:1")),
                epoch: None,
                records: Vec::new(),
            }],
            ..Diagnosis::undetermined(None)
        }
    }

    fn topology() -> Topology {
        let link =
            Link { a: port("s1:1"), b: port("s2:1"), rate: Rate::from_gbps(100), delay: Time::from_us(1) };
        Topology { nodes: Vec::new(), links: vec![link] }
    }

    fn continued(verdict: Diagnosis, counted: &[Diagnosis]) -> Diagnosis {
        let mut verdicts = [verdict];
        continue_by_counters(&mut verdicts, counted, &topology());
        let [verdict] = verdicts;
        verdict
    }

    #[test]
    fn pauses_are_followed_through_switches_with_counters() {
        let found = continued(open(), &[of_counters("s2:3")]);
        assert_eq!((found.victim, found.id.as_str()), (Some(flow(1)), "v"));
        assert_eq!(found.anomaly, Anomaly::PfcStormHostInjection);
        assert_eq!(found.root_cause.host.as_deref(), Some("h9"));
        assert_eq!(found.pause_path, [port("s1:1"), port("s2:3")]);
        assert_eq!(found.severity, Severity::Critical);
        assert!(found.confidence > open().confidence && found.confidence < of_counters("s2:3").confidence);
        assert_eq!(found.missing, ["switch s9 sent no telemetry"]);
        assert!(found.counters.is_some());
    }

    #[test]
    fn verdicts_of_another_time_or_place_are_another_event() {
        let check = |verdict: Diagnosis, other: Diagnosis| {
            assert_eq!(continued(verdict.clone(), &[other]), verdict);
        };
        let elsewhere = Diagnosis { evidence: Vec::new(), ..of_counters("s7:3") };
        check(open(), elsewhere);
        check(open(), Diagnosis { time_ns: 60_000_000_000, ..of_counters("s2:3") });
        check(open(), Diagnosis { anomaly: Anomaly::Undetermined, ..of_counters("s2:3") });
        // Who names a host, a flow or a loop needs no continuation.
        let root_cause = RootCause { flows: vec![flow(2)], ..open().root_cause };
        check(Diagnosis { root_cause, ..open() }, of_counters("s2:3"));
        check(Diagnosis { pause_loop: vec![port("s1:1")], ..open() }, of_counters("s2:3"));
    }

    #[test]
    fn culprits_are_those_of_telemetry_at_the_same_port() {
        let congestion = Diagnosis {
            anomaly: Anomaly::PfcBackpressureFlowContention,
            root_cause: RootCause { port: Some(port("s3:1")), ..RootCause::default() },
            ..of_counters("s3:1")
        };
        let at_root = Diagnosis {
            root_cause: RootCause {
                port: Some(port("s3:1")),
                flows: vec![flow(1), flow(4)],
                ..RootCause::default()
            },
            pause_path: Vec::new(),
            ..open()
        };
        let mut verdicts = [open(), at_root.clone()];
        continue_by_counters(&mut verdicts, &[congestion], &topology());
        assert_eq!(verdicts[0].root_cause.port, Some(port("s3:1")));
        assert_eq!(verdicts[0].root_cause.flows, [flow(4)], "the victim is no culprit");
        assert_eq!(verdicts[1], at_root);
    }
}
