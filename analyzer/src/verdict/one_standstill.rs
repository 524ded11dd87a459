//! Verdicts about one standstill of one loop have one root cause.
//!
//! A deadlock lasts, so it is diagnosed again and again. Only records of the time in which the loop closed show what
//! started it; later ones show which queues stand. So of all verdicts about one standstill the one that knows its start
//! best decides the root cause of all.

use model::{Anomaly, Diagnosis, PortRef, Snapshot};

use crate::facts::span::{Span, pause_span};
use crate::facts::wording::duration;
use crate::findings::standstill::{Limits, Standstill, standstills};

/// Gaps up to this length do not end a pause: a tenth of the reaction time of a data-centre network. The snapshots
/// may have different base round trips, so the same length is used for all.
const MOMENT_NS: u64 = 1_000;

/// A verdict's loop and its last standstill in the snapshot.
struct Standing {
    loop_ports: Vec<PortRef>,
    span: Span,
}

/// Gives all verdicts about one standstill the root cause of the one with the highest confidence that has a root; of
/// equal ones the earliest. `settled` are the verdicts, each with its snapshot.
pub(crate) fn unify(settled: &mut [(&Snapshot, Diagnosis)]) {
    let standing: Vec<Option<Standing>> =
        settled.iter().map(|(snapshot, verdict)| standing(snapshot, verdict)).collect();
    for at in 0..settled.len() {
        let Some(own) = &standing[at] else { continue };
        let same = |other: usize| standing[other].as_ref().is_some_and(|other| is_same(own, other));
        let known = (0..settled.len()).filter(|other| same(*other) && has_root(&settled[*other].1));
        let best = known.reduce(|a, b| if settled[b].1.confidence > settled[a].1.confidence { b } else { a });
        let Some(best) = best.filter(|best| *best != at) else { continue };
        let root = settled[best].1.clone();
        let verdict = &mut settled[at].1;
        if root.root_cause != verdict.root_cause || root.anomaly != verdict.anomaly {
            adopt(verdict, &root);
        }
    }
}

/// Whether a follow-up poll refutes a deadlock that the first poll saw: it names none for this loop, and its records show
/// that the loop moved again before it was read.
pub(crate) fn is_refuted(first: (&Snapshot, &Diagnosis), later: (&Snapshot, &[Diagnosis])) -> bool {
    let Some(own) = standing(first.0, first.1) else { return false };
    let named = later.1.iter().any(|verdict| is_deadlock(verdict) && sorted(verdict) == own.loop_ports);
    let found = joint(later.0, &own.loop_ports);
    let moved = found.is_some_and(|found| {
        found.iter().rev().find(|s| s.span.overlaps(own.span)).is_none_or(|s| !s.stands)
    });
    !named && moved
}

fn is_deadlock(verdict: &Diagnosis) -> bool {
    matches!(
        verdict.anomaly,
        Anomaly::DeadlockInLoopContention
            | Anomaly::DeadlockOutOfLoopContention
            | Anomaly::DeadlockOutOfLoopInjection
    )
}

fn has_root(verdict: &Diagnosis) -> bool {
    verdict.root_cause.port.is_some()
}

fn sorted(verdict: &Diagnosis) -> Vec<PortRef> {
    let mut ports = verdict.pause_loop.clone();
    ports.sort();
    ports
}

fn standing(snapshot: &Snapshot, verdict: &Diagnosis) -> Option<Standing> {
    if !is_deadlock(verdict) {
        return None;
    }
    let loop_ports = sorted(verdict);
    let span = joint(snapshot, &loop_ports)?.last()?.span;
    Some(Standing { loop_ports, span })
}

fn is_same(one: &Standing, other: &Standing) -> bool {
    one.loop_ports == other.loop_ports && one.span.overlaps(other.span)
}

/// The joint pauses of some ports in a snapshot; `None` if a port has none.
fn joint(snapshot: &Snapshot, ports: &[PortRef]) -> Option<Vec<Standstill>> {
    let mut read_ns = u64::MAX;
    let mut pauses: Vec<Vec<Span>> = Vec::new();
    for port in ports {
        let mut own = Vec::new();
        for switch in snapshot.switches.iter().filter(|s| s.switch == port.switch) {
            read_ns = read_ns.min(switch.frozen_ns);
            let of_port = switch.pauses.iter().filter(|p| p.port == port.port);
            own.extend(of_port.map(|p| pause_span(p, switch.frozen_ns)));
        }
        if own.is_empty() {
            return None;
        }
        own.sort_unstable();
        pauses.push(own);
    }
    let limits = Limits { settled_ns: 0, so_far_ns: 0, gap_ns: MOMENT_NS };
    Some(standstills(&pauses, &[], read_ns, limits).0)
}

/// Replaces what a verdict says about the root cause.
fn adopt(verdict: &mut Diagnosis, root: &Diagnosis) {
    let of_root = format!(
        "the root cause is that of the verdict at {}, whose records show how the loop came to stand still",
        duration(root.time_ns)
    );
    verdict.missing = root.missing.clone();
    verdict.notes = root.notes.iter().cloned().chain([of_root]).collect();
    verdict.anomaly = root.anomaly;
    verdict.cause = root.cause;
    verdict.root_cause = root.root_cause.clone();
    verdict.confidence = root.confidence;
    verdict.advice = root.advice.clone();
    verdict.advice_target = root.advice_target.clone();
    verdict.summary = match (subject(verdict), subject(root)) {
        (Some(own), Some(of_root)) => root.summary.replacen(of_root, own, 1),
        _ => root.summary.clone(),
    };
    verdict.pause_path = match verdict.victim == root.victim {
        true => root.pause_path.clone(),
        false => path_to(verdict, root),
    };
    let spreaders = verdict.spreaders.iter().chain(&root.spreaders).copied();
    let mut spreaders: Vec<_> =
        spreaders.filter(|f| Some(*f) != verdict.victim && !root.root_cause.flows.contains(f)).collect();
    spreaders.sort_unstable();
    spreaders.dedup();
    verdict.spreaders = spreaders;
    verdict.victims.retain(|flow| Some(*flow) == verdict.victim || !root.root_cause.flows.contains(flow));
}

/// The victim as the summary of a verdict has it, with the names of its hosts.
fn subject(verdict: &Diagnosis) -> Option<&str> {
    let flow = verdict.victim?.to_string();
    let end = verdict.summary.find(&flow)? + flow.len();
    let end = end + usize::from(verdict.summary[end..].starts_with(')'));
    Some(&verdict.summary[..end])
}

/// The path of a verdict up to the loop, then that of the verdict with the root.
fn path_to(verdict: &Diagnosis, root: &Diagnosis) -> Vec<PortRef> {
    let entry = verdict.pause_path.iter().position(|port| root.pause_path.contains(port));
    let Some(entry) = entry else { return root.pause_path.clone() };
    let from = root.pause_path.iter().position(|port| *port == verdict.pause_path[entry]).unwrap_or(0);
    verdict.pause_path[..entry].iter().chain(&root.pause_path[from..]).cloned().collect()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use model::diagnosis::Collected;
    use model::telemetry::PauseInterval;
    use model::{FlowKey, RootCause};

    use super::*;

    fn port(switch: &str) -> PortRef {
        PortRef::new(switch, 1)
    }

    /// A snapshot in which r1:1 and r2:1 were paused over these microseconds; one without an end still is, at `read_us`.
    fn snapshot(pauses: &[(&str, u64, Option<u64>)], read_us: u64) -> Snapshot {
        let mut by_switch: BTreeMap<&str, Vec<PauseInterval>> = BTreeMap::new();
        for (switch, from, to) in pauses {
            let (start_ns, end_ns) = (from * 1_000, to.map(|to| to * 1_000));
            let pause = PauseInterval { port: 1, priority: 3, start_ns, end_ns, frames: 2 };
            by_switch.entry(switch).or_default().push(pause);
        }
        let switches: Vec<serde_json::Value> = by_switch
            .into_iter()
            .map(|(switch, pauses)| {
                serde_json::json!({
                    "switch": switch, "frozen_ns": read_us * 1_000, "polled_from": [],
                    "on_victim_path": true, "back_port": null, "bytes": 0, "epochs": [], "flows": [],
                    "ports": [], "meters": [], "pauses": pauses,
                })
            })
            .collect();
        let value = serde_json::json!({
            "format": model::snapshot::SNAPSHOT_FORMAT, "event": 1, "source": "harrier", "victim": null,
            "trigger": null, "epoch_ns": 1, "switches": switches, "polls": 1, "missing": [],
        });
        serde_json::from_value(value).unwrap()
    }

    fn verdict(root: Option<&str>, confidence: f64, time_us: u64) -> Diagnosis {
        let victim = FlowKey::udp([10, 0, 0, 1].into(), 10_000, [10, 0, 0, 2].into(), 4791);
        Diagnosis {
            time_ns: time_us * 1_000,
            anomaly: Anomaly::DeadlockInLoopContention,
            summary: format!("{victim} is stuck"),
            confidence,
            root_cause: RootCause { port: root.map(port), ..RootCause::default() },
            pause_loop: vec![port("r1"), port("r2")],
            collected: Collected { switches: 2, bytes: 0, polls: 1 },
            ..Diagnosis::undetermined(victim)
        }
    }

    #[test]
    fn later_verdicts_about_one_standstill_have_the_root_that_is_known_best() {
        let standing = |read_us| snapshot(&[("r1", 100, None), ("r2", 120, None)], read_us);
        let (early, late) = (standing(300), standing(4_000));
        let again = snapshot(&[("r1", 5_000, None), ("r2", 5_020, None)], 6_000);
        let mut settled = vec![
            (&early, verdict(Some("r1"), 0.9, 290)),
            (&late, verdict(Some("r2"), 0.8, 3_990)),
            (&late, verdict(None, 0.95, 3_990)),
            (&again, verdict(Some("r2"), 0.8, 5_990)),
        ];
        unify(&mut settled);
        let roots: Vec<Option<PortRef>> = settled.iter().map(|(_, d)| d.root_cause.port.clone()).collect();
        assert_eq!(roots, [Some(port("r1")), Some(port("r1")), Some(port("r1")), Some(port("r2"))]);
    }

    #[test]
    fn a_follow_up_poll_refutes_a_loop_that_moved_again() {
        let first = snapshot(&[("r1", 100, None), ("r2", 120, None)], 160);
        let verdict = verdict(Some("r1"), 0.7, 150);
        let moved = snapshot(&[("r1", 100, Some(170)), ("r2", 120, None)], 560);
        assert!(is_refuted((&first, &verdict), (&moved, &[])));
        assert!(!is_refuted((&first, &verdict), (&moved, std::slice::from_ref(&verdict))));
        let stands = snapshot(&[("r1", 100, None), ("r2", 120, None)], 560);
        assert!(!is_refuted((&first, &verdict), (&stands, &[])));
    }
}
