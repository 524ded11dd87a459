//! Many victims of one culprit are one incident.
//!
//! An agent asks about a trouble when it begins, and once more when it can be seen whole: of both answers the one holds
//! that says more ([`settle`]). What then remains belongs together when it names the same root (port,
//! or host), see [`incidents`]. Each incident has a best verdict: the most certain one, and of those the one that
//! names most.

use model::{Anomaly, Cause, Diagnosis, FlowKey, PortRef, Snapshot};

/// Verdicts about one thing.
#[derive(Clone, Debug)]
pub struct Incident<'d> {
    /// The verdict to show.
    pub best: &'d Diagnosis,
    /// All of them, in the order in which they came.
    pub verdicts: Vec<&'d Diagnosis>,
    /// Everybody who suffers, ascending.
    pub victims: Vec<FlowKey>,
}

/// Of the verdicts on several snapshots, those that hold: of the two on one trouble, at its beginning and on the whole of
/// it, those that say more, and of two that say as much the earlier if
/// they agree. Nothing is said twice. The order is that of the snapshots.
pub fn settle(answers: Vec<(&Snapshot, Vec<Diagnosis>)>) -> Vec<Diagnosis> {
    let event_of =
        |snapshot: &Snapshot| snapshot.trigger.as_ref().and_then(|t| t.follows).map(|first| first.event);
    let superseded: Vec<bool> = answers
        .iter()
        .map(|(snapshot, verdicts)| {
            let first =
                event_of(snapshot).and_then(|event| answers.iter().find(|(other, _)| other.event == event));
            if let Some((_, earlier)) = first {
                return holds(earlier, verdicts);
            }
            let later = answers.iter().find(|(other, _)| event_of(other) == Some(snapshot.event));
            later.is_some_and(|(_, later)| !holds(verdicts, later))
        })
        .collect();
    let mut settled: Vec<Diagnosis> = Vec::new();
    for ((_, verdicts), superseded) in answers.into_iter().zip(superseded) {
        for verdict in verdicts {
            if !superseded && settled.iter().all(|known| known.id != verdict.id) {
                settled.push(verdict);
            }
        }
    }
    settled
}

/// Whether of two answers about one trouble the earlier one holds: it says more, or as much and the same.
fn holds(earlier: &[Diagnosis], later: &[Diagnosis]) -> bool {
    let (first, second) = (worth(earlier), worth(later));
    let causes = |verdicts: &[Diagnosis]| verdicts.first().map(|d| d.cause);
    first > second || first == second && causes(earlier) == causes(later)
}

/// How much an answer says: how grave the trouble is (a trouble that grew is known by what it grew into), how special
/// the cause, how many have a part in it.
fn worth(verdicts: &[Diagnosis]) -> (u8, u8, usize) {
    verdicts
        .iter()
        .map(|d| (gravity(d), special(d.cause), d.root_cause.flows.len()))
        .max()
        .unwrap_or_default()
}

fn gravity(d: &Diagnosis) -> u8 {
    let root = &d.root_cause;
    let names_nobody = root.flows.is_empty() && root.host.is_none() && d.pause_loop.is_empty();
    match d.anomaly {
        Anomaly::HostOnly => 1,
        _ if names_nobody => 2,
        Anomaly::FlowContention => 3,
        Anomaly::PfcBackpressureFlowContention => 4,
        Anomaly::PfcStormHostInjection => 5,
        Anomaly::DeadlockInLoopContention
        | Anomaly::DeadlockOutOfLoopContention
        | Anomaly::DeadlockOutOfLoopInjection
        | Anomaly::RoutingLoop => 6,
    }
}

/// Causes that take more than one look rank above those that a single queue or pause shows.
fn special(cause: Cause) -> u8 {
    match cause {
        Cause::Undetermined => 0,
        Cause::Incast | Cause::ElephantCollision | Cause::NicStorm | Cause::SlowReceiver => 1,
        _ => 2,
    }
}

/// Groups verdicts; the order is that of each incident's first verdict.
pub fn incidents(diagnoses: &[Diagnosis]) -> Vec<Incident<'_>> {
    let mut groups: Vec<(Key<'_>, Vec<&Diagnosis>)> = Vec::new();
    for diagnosis in diagnoses {
        let key = key(diagnosis);
        match groups.iter_mut().find(|(known, _)| *known == key) {
            Some((_, verdicts)) => verdicts.push(diagnosis),
            None => groups.push((key, vec![diagnosis])),
        }
    }
    groups.into_iter().filter_map(|(_, verdicts)| incident(verdicts)).collect()
}

/// What makes two verdicts one incident.
#[derive(PartialEq, Eq)]
struct Key<'d> {
    root: Option<&'d PortRef>,
    host: Option<&'d str>,
    /// Without a root, only the same flow's verdicts belong together.
    victim: Option<FlowKey>,
}

fn key(diagnosis: &Diagnosis) -> Key<'_> {
    let root = &diagnosis.root_cause;
    Key {
        root: root.port.as_ref(),
        host: root.host.as_deref(),
        victim: (root.port.is_none() && root.host.is_none()).then_some(diagnosis.victim),
    }
}

fn incident(verdicts: Vec<&Diagnosis>) -> Option<Incident<'_>> {
    let rank = |d: &Diagnosis| (d.confidence, d.root_cause.flows.len());
    let best = verdicts.iter().copied().reduce(|a, b| if rank(b) > rank(a) { b } else { a })?;
    let mut victims: Vec<FlowKey> = verdicts.iter().flat_map(|d| &d.victims).copied().collect();
    victims.sort_unstable();
    victims.dedup();
    Some(Incident { best, verdicts, victims })
}

#[cfg(test)]
mod tests {
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
            jobs: Vec::new(),
        }
    }

    fn verdict(id: &str, anomaly: Anomaly, cause: Cause, culprits: &[u8]) -> Diagnosis {
        Diagnosis {
            id: id.to_string(),
            time_ns: 0,
            victim: flow(1),
            anomaly,
            cause,
            summary: String::new(),
            confidence: 0.9,
            root_cause: RootCause {
                port: Some(PortRef::new("sw1", 1)),
                flows: culprits.iter().map(|n| flow(*n)).collect(),
                ..RootCause::default()
            },
            pause_path: Vec::new(),
            pause_loop: Vec::new(),
            spreaders: Vec::new(),
            victims: vec![flow(1)],
            evidence: Vec::new(),
            missing: Vec::new(),
            advice: Vec::new(),
            collected: Default::default(),
            steps: Vec::new(),
            verified: None,
            verification: None,
        }
    }

    /// What holds of an answer and the one that followed it.
    fn check(first: Diagnosis, second: Diagnosis, expected: &[&str]) {
        let (one, two) = (snapshot(1, None), snapshot(2, Some(1)));
        let settled = settle(vec![(&one, vec![first]), (&two, vec![second])]);
        let ids: Vec<&str> = settled.iter().map(|d| d.id.as_str()).collect();
        assert_eq!(ids, expected);
    }

    #[test]
    fn of_two_answers_about_one_trouble_the_telling_one_holds() {
        use Anomaly::{FlowContention, HostOnly, PfcBackpressureFlowContention};
        let contention = || verdict("a", FlowContention, Cause::Incast, &[2, 3]);
        // It grew.
        check(contention(), verdict("b", PfcBackpressureFlowContention, Cause::Incast, &[2]), &["b"]);
        // It was over.
        check(contention(), verdict("b", HostOnly, Cause::Undetermined, &[]), &["a"]);
        // The same again.
        check(contention(), verdict("b", FlowContention, Cause::Incast, &[4, 5]), &["a"]);
        // More of it.
        check(contention(), verdict("b", FlowContention, Cause::Incast, &[2, 3, 4]), &["b"]);
        // As much, but something else: the second saw more.
        check(contention(), verdict("b", FlowContention, Cause::ElephantCollision, &[2, 3]), &["b"]);
    }

    #[test]
    fn one_root_is_one_incident_with_all_its_victims() {
        let mut other = verdict("b", Anomaly::FlowContention, Cause::Incast, &[2]);
        other.victims = vec![flow(7)];
        let verdicts = [verdict("a", Anomaly::FlowContention, Cause::Incast, &[2]), other];
        let found = incidents(&verdicts);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].victims, [flow(1), flow(7)]);
    }
}
