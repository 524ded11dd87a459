//! Groups the verdicts of a run.
//!
//! An agent polls when a flow becomes slow and again shortly after. Of the verdicts on the two snapshots, the more
//! specific ones are kept ([`settle`]). Verdicts with the same root port and host form one group ([`incidents`]), shown
//! by its verdict with the highest confidence, and of those by the one with most culprits. The store's incidents also
//! group by time.

use std::collections::BTreeSet;

use model::diagnosis::Severity;
use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, Snapshot};
use serde::{Deserialize, Serialize};

use crate::verdict::one_standstill;

/// Verdicts with the same root cause.
#[derive(Clone, Debug)]
pub struct VerdictGroup<'d> {
    /// The verdict that represents the group.
    pub best: &'d Diagnosis,
    /// All verdicts, in input order.
    pub verdicts: Vec<&'d Diagnosis>,
    /// All victims, ascending.
    pub victims: Vec<FlowKey>,
}

/// Returns the verdicts to keep of several snapshots, in their order and without duplicates. Of a first poll and its
/// follow-up poll, the verdicts of the one with the higher rank (anomaly, specificity, culprits) are kept; if the
/// ranks are equal, those of the first poll if the causes agree, else those of the follow-up poll.
///
/// A deadlock that the first poll saw is dropped if the follow-up poll shows that its loop moved again, and verdicts
/// about one standstill get one root cause.
pub fn settle(mut polls: Vec<(&Snapshot, Vec<Diagnosis>)>) -> Vec<Diagnosis> {
    let event_of =
        |snapshot: &Snapshot| snapshot.trigger.as_ref().and_then(|t| t.follows).map(|first| first.event);
    for later in 0..polls.len() {
        let first =
            event_of(polls[later].0).and_then(|event| polls.iter().position(|(s, _)| s.event == event));
        if let Some(first) = first.filter(|first| *first != later) {
            let verdicts = std::mem::take(&mut polls[first].1);
            let (snapshot, follow_up) = (polls[first].0, (polls[later].0, polls[later].1.as_slice()));
            let kept = verdicts.into_iter().filter(|d| !one_standstill::is_refuted((snapshot, d), follow_up));
            polls[first].1 = kept.collect();
        }
    }
    let superseded: Vec<bool> = polls
        .iter()
        .map(|(snapshot, verdicts)| {
            let first =
                event_of(snapshot).and_then(|event| polls.iter().find(|(other, _)| other.event == event));
            if let Some((_, earlier)) = first {
                return first_prevails(earlier, verdicts) && !is_another_delay(earlier, verdicts);
            }
            let later = polls.iter().find(|(other, _)| event_of(other) == Some(snapshot.event));
            later.is_some_and(|(_, later)| !first_prevails(verdicts, later))
        })
        .collect();
    share_costs(&mut polls, event_of);
    let mut settled: Vec<(&Snapshot, Diagnosis)> = Vec::new();
    for ((snapshot, verdicts), superseded) in polls.into_iter().zip(superseded) {
        for verdict in verdicts {
            if !superseded && settled.iter().all(|(_, known)| known.id != verdict.id) {
                settled.push((snapshot, verdict));
            }
        }
    }
    one_standstill::unify(&mut settled);
    settled.into_iter().map(|(_, verdict)| verdict).collect()
}

/// Gives verdicts on a first poll and its follow-up poll that name the same root cause the larger delay and the higher
/// severity of both: the first poll sees only the start of the event.
fn share_costs(polls: &mut [(&Snapshot, Vec<Diagnosis>)], event_of: impl Fn(&Snapshot) -> Option<u32>) {
    for later in 0..polls.len() {
        let first =
            event_of(polls[later].0).and_then(|event| polls.iter().position(|(s, _)| s.event == event));
        let Some(first) = first.filter(|first| *first != later) else { continue };
        for at in 0..polls[first].1.len() {
            for other in 0..polls[later].1.len() {
                let (one, two) = (&polls[first].1[at], &polls[later].1[other]);
                if key(one) != key(two) {
                    continue;
                }
                let longer = if two.cost.delay_ns > one.cost.delay_ns { two.cost } else { one.cost };
                let severity = one.severity.max(two.severity);
                for (poll, verdict) in [(first, at), (later, other)] {
                    let verdict = &mut polls[poll].1[verdict];
                    verdict.cost.delay_ns = longer.delay_ns;
                    verdict.cost.base_rtt_ns = longer.base_rtt_ns;
                    verdict.cost.bytes = longer.bytes;
                    verdict.severity = severity;
                }
            }
        }
    }
}

/// Whether the verdicts of the follow-up poll are about another delay than those of the first one: they name other root causes,
/// and the first delay is less than half of theirs.
fn is_another_delay(earlier: &[Diagnosis], later: &[Diagnosis]) -> bool {
    let longest_ns = |verdicts: &[Diagnosis]| verdicts.iter().map(|d| d.cost.delay_ns).max().unwrap_or(0);
    let is_longer = longest_ns(later) / 2 > longest_ns(earlier);
    let is_new = |d: &Diagnosis| precedence(d) > 2 && earlier.iter().all(|known| key(known) != key(d));
    is_longer && !later.is_empty() && later.iter().all(is_new)
}

/// Whether the verdicts of the first poll are kept: their rank is higher, or equal and the causes agree.
fn first_prevails(earlier: &[Diagnosis], later: &[Diagnosis]) -> bool {
    let (first, second) = (rank_of(earlier), rank_of(later));
    let causes = |verdicts: &[Diagnosis]| verdicts.first().map(|d| d.cause);
    first > second || first == second && causes(earlier) == causes(later)
}

/// The rank of a snapshot's verdicts: the precedence of the anomaly, the specificity of the cause, the number of
/// culprits.
fn rank_of(verdicts: &[Diagnosis]) -> (u8, u8, usize) {
    verdicts
        .iter()
        .map(|d| (precedence(d), specificity(d.cause), d.root_cause.flows.len()))
        .max()
        .unwrap_or_default()
}

/// Which of two verdicts on one event is the more informative one; not its severity, which is about its cost.
fn precedence(d: &Diagnosis) -> u8 {
    let root = &d.root_cause;
    // What happened at a port is the root cause of a loss or a changed path.
    let is_event = matches!(d.anomaly, Anomaly::PacketLoss | Anomaly::PathChange);
    let names_no_root_cause =
        root.flows.is_empty() && root.host.is_none() && d.pause_loop.is_empty() && !is_event;
    match d.anomaly {
        Anomaly::Undetermined => 0,
        Anomaly::HostOnly => 1,
        _ if names_no_root_cause => 2,
        Anomaly::SelfInflicted | Anomaly::FlowContention => 3,
        Anomaly::ClassContention | Anomaly::PfcBackpressureFlowContention => 4,
        Anomaly::PacketLoss | Anomaly::PathChange | Anomaly::PfcStormHostInjection => 5,
        Anomaly::DeadlockInLoopContention
        | Anomaly::DeadlockOutOfLoopContention
        | Anomaly::DeadlockOutOfLoopInjection
        | Anomaly::RoutingLoop => 6,
    }
}

/// Causes that combine several observations rank above those that a single queue or pause shows.
fn specificity(cause: Cause) -> u8 {
    match cause {
        Cause::Undetermined => 0,
        Cause::Incast | Cause::ElephantCollision | Cause::NicStorm | Cause::SlowReceiver => 1,
        _ => 2,
    }
}

/// Slow measurements that agents asked about and ordinary queueing explains: telemetry, no verdicts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Ordinary {
    /// Number of measurements.
    pub measurements: u64,
    /// The longest delay above the base RTT among them, in nanoseconds.
    pub longest_delay_ns: u64,
}

/// Splits the settled verdicts of a run into those that are reported and ordinary queueing ([`Severity::Info`]). Agents
/// ask about every slow round trip; a queue that congestion control tolerates is what buffers are for, and no
/// flow is blamed for it. A query about a flow returns its verdict in any case, and several causes of one delay are
/// reported together.
pub fn without_ordinary(verdicts: Vec<Diagnosis>) -> (Vec<Diagnosis>, Ordinary) {
    let of_delay = |verdict: &Diagnosis| (verdict.victim, verdict.time_ns);
    let urgent: BTreeSet<_> = verdicts.iter().filter(|v| !is_ordinary(v)).map(of_delay).collect();
    let (ordinary, reported): (Vec<_>, Vec<_>) =
        verdicts.into_iter().partition(|verdict| !urgent.contains(&of_delay(verdict)));
    let measured: BTreeSet<_> = ordinary.iter().map(|verdict| (verdict.victim, verdict.time_ns)).collect();
    let longest_delay_ns = ordinary.iter().map(|verdict| verdict.cost.delay_ns).max().unwrap_or(0);
    (reported, Ordinary { measurements: measured.len() as u64, longest_delay_ns })
}

/// Whether a verdict is about ordinary queueing.
pub fn is_ordinary(verdict: &Diagnosis) -> bool {
    verdict.severity == Severity::Info
}

/// Groups verdicts by root cause, in the order of each group's first verdict. Ordinary queueing ([`Severity::Info`]) is
/// no incident.
pub fn incidents(diagnoses: &[Diagnosis]) -> Vec<VerdictGroup<'_>> {
    let mut groups: Vec<(Key<'_>, Vec<&Diagnosis>)> = Vec::new();
    for diagnosis in diagnoses.iter().filter(|diagnosis| !is_ordinary(diagnosis)) {
        let key = key(diagnosis);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, verdicts)) => verdicts.push(diagnosis),
            None => groups.push((key, vec![diagnosis])),
        }
    }
    groups.into_iter().filter_map(|(_, verdicts)| incident(verdicts)).collect()
}

/// What the verdicts of one group have in common.
#[derive(PartialEq, Eq)]
struct Key<'d> {
    root: Option<&'d PortRef>,
    host: Option<&'d str>,
    /// Without a root cause, only verdicts of the same flow belong together.
    victim: Option<FlowKey>,
}

fn key(diagnosis: &Diagnosis) -> Key<'_> {
    let root = &diagnosis.root_cause;
    Key {
        root: root.port.as_ref(),
        host: root.host.as_deref(),
        victim: diagnosis.victim.filter(|_| root.port.is_none() && root.host.is_none()),
    }
}

fn incident(verdicts: Vec<&Diagnosis>) -> Option<VerdictGroup<'_>> {
    let rank = |d: &Diagnosis| (d.confidence, d.root_cause.flows.len());
    let best = verdicts.iter().copied().reduce(|a, b| if rank(b) > rank(a) { b } else { a })?;
    let mut victims: Vec<FlowKey> = verdicts.iter().flat_map(|d| &d.victims).copied().collect();
    victims.sort_unstable();
    victims.dedup();
    Some(VerdictGroup { best, verdicts, victims })
}

#[cfg(test)]
mod tests {
    use model::diagnosis::Cost;
    use model::snapshot::{SNAPSHOT_FORMAT, Source};
    use model::{FollowUp, RootCause, Trigger, TriggerReason};

    use super::*;

    fn flow(n: u8) -> FlowKey {
        FlowKey::udp([10, 0, 0, n].into(), 10_000, [10, 0, 0, 99].into(), 4791)
    }

    fn snapshot(event: u32, follows: Option<u32>) -> Snapshot {
        let trigger = Trigger {
            host: "h1".to_string(),
            flow: flow(1),
            time_ns: 0,
            reason: TriggerReason::SlowRtt,
            base_rtt_ns: 1,
            rtt_ns: 2,
            expected_ns: None,
            follows: follows.map(|event| FollowUp { event, since_ns: 0 }),
        };
        Snapshot {
            format: SNAPSHOT_FORMAT,
            event,
            source: Source::Harrier,
            victim: Some(flow(1)),
            trigger: Some(trigger),
            epoch_ns: 1,
            switches: Vec::new(),
            missing: Vec::new(),
            polls: 0,
            configuration: Vec::new(),
            losses: Vec::new(),
            events: Vec::new(),
            jobs: Vec::new(),
        }
    }

    fn verdict(id: &str, anomaly: Anomaly, cause: Cause, culprits: &[u8]) -> Diagnosis {
        Diagnosis {
            id: id.to_string(),
            anomaly,
            cause,
            confidence: 0.9,
            root_cause: RootCause {
                port: Some(PortRef::new("sw1", 1)),
                flows: culprits.iter().map(|n| flow(*n)).collect(),
                ..RootCause::default()
            },
            ..Diagnosis::undetermined(flow(1))
        }
    }

    /// Checks which of the verdicts of a first and a follow-up poll are kept.
    fn check(first: Diagnosis, second: Diagnosis, expected: &[&str]) {
        let (one, two) = (snapshot(1, None), snapshot(2, Some(1)));
        let settled = settle(vec![(&one, vec![first]), (&two, vec![second])]);
        let ids: Vec<&str> = settled.iter().map(|d| d.id.as_str()).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn the_more_specific_verdict_of_first_and_follow_up_poll_is_kept() {
        use Anomaly::{FlowContention, HostOnly, PfcBackpressureFlowContention};
        let contention = || verdict("a", FlowContention, Cause::Incast, &[2, 3]);
        // The follow-up is more severe.
        check(contention(), verdict("b", PfcBackpressureFlowContention, Cause::Incast, &[2]), &["b"]);
        // The follow-up finds nothing.
        check(contention(), verdict("b", HostOnly, Cause::Undetermined, &[]), &["a"]);
        // Both agree.
        check(contention(), verdict("b", FlowContention, Cause::Incast, &[4, 5]), &["a"]);
        // The follow-up has more culprits.
        check(contention(), verdict("b", FlowContention, Cause::Incast, &[2, 3, 4]), &["b"]);
        // A loss has no culprits but its port.
        let lost =
            Diagnosis { anomaly: Anomaly::PacketLoss, ..verdict("b", HostOnly, Cause::Undetermined, &[]) };
        check(contention(), lost, &["b"]);
        // Equal rank, different causes.
        check(contention(), verdict("b", FlowContention, Cause::ElephantCollision, &[2, 3]), &["b"]);
    }

    #[test]
    fn the_verdict_that_is_kept_has_the_longer_delay_of_both_polls() {
        let (one, two) = (snapshot(1, None), snapshot(2, Some(1)));
        let first = verdict("a", Anomaly::FlowContention, Cause::Incast, &[2, 3]);
        let cost = Cost { delay_ns: 300_000, bytes: 7, flows: 1, ..Cost::default() };
        let second = Diagnosis { id: "b".to_string(), severity: Severity::Minor, cost, ..first.clone() };
        let settled = settle(vec![(&one, vec![first]), (&two, vec![second])]);
        assert_eq!(
            (settled[0].id.as_str(), settled[0].severity, settled[0].cost.bytes),
            ("a", Severity::Minor, 7)
        );
    }

    /// What the first poll saw is over, or small compared with what followed.
    #[test]
    fn a_follow_up_poll_about_a_longer_delay_with_another_root_is_kept_as_well() {
        let at = |id: &str, port: u16, delay_ns: u64| {
            let mut verdict = verdict(id, Anomaly::FlowContention, Cause::Incast, &[2, 3]);
            verdict.root_cause.port = Some(PortRef::new("sw1", port));
            verdict.cost.delay_ns = delay_ns;
            verdict
        };
        check(at("a", 1, 5_000), at("b", 2, 50_000), &["a", "b"]);
        check(at("a", 1, 5_000), at("b", 2, 9_000), &["a"]);
        check(at("a", 1, 5_000), at("b", 1, 50_000), &["a"]);
        let unknown = Diagnosis { anomaly: Anomaly::Undetermined, ..at("b", 2, 50_000) };
        check(at("a", 1, 5_000), unknown, &["a"]);
    }

    #[test]
    fn verdicts_with_one_root_form_one_group_with_all_victims() {
        let mut other = verdict("b", Anomaly::FlowContention, Cause::Incast, &[2]);
        other.victims = vec![flow(7)];
        let ordinary = verdict("c", Anomaly::FlowContention, Cause::Incast, &[2]);
        let mut verdicts = [verdict("a", Anomaly::FlowContention, Cause::Incast, &[2]), other, ordinary];
        verdicts[..2].iter_mut().for_each(|verdict| verdict.severity = Severity::Minor);
        let found = incidents(&verdicts);
        assert_eq!(found[0].verdicts.len(), 2, "ordinary queueing is no incident");
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].victims, [flow(1), flow(7)]);
    }
}
