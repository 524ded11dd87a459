//! Pairs the two diagnoses of an event: an agent polls at the beginning of the event and once more a fixed delay later.
//! The first diagnosis is held back until the second one arrives, so that an event yields one diagnosis.

use std::collections::BTreeMap;

use analyzer::incident::{is_ordinary, settle};
use analyzer::{Analysis, Standstills};
use model::Snapshot;
use store::NewDiagnosis;

/// Maximum first diagnoses that wait, each with its snapshot; beyond it the one that is due first is final.
const WAITING: usize = 64;

/// A snapshot and its analyses.
pub(crate) struct AnalysedEvent {
    /// The numbers of the snapshot's parts in the inbox of the store; none: it is not from there.
    pub(crate) arrivals: Vec<u64>,
    pub(crate) snapshot: Snapshot,
    pub(crate) analyses: Vec<Analysis>,
}

impl AnalysedEvent {
    /// Gives its verdicts the root causes of earlier ones about the same deadlock.
    pub(crate) fn unify(&mut self, standstills: &mut Standstills) {
        standstills.unify(&self.snapshot, self.analyses.iter_mut().map(|analysis| &mut analysis.diagnosis));
    }

    /// What is stored of it: its verdicts without those of ordinary queueing.
    pub(crate) fn reported(&self) -> Vec<NewDiagnosis<'_>> {
        let reported = self.analyses.iter().filter(|analysis| !is_ordinary(&analysis.diagnosis));
        let new = reported.map(|Analysis { diagnosis, graph, .. }| NewDiagnosis {
            diagnosis,
            graph,
            snapshot: Some(&self.snapshot),
        });
        new.collect()
    }
}

/// First diagnoses that wait for the follow-up poll.
#[derive(Default)]
pub(crate) struct PendingFirst {
    /// By event, each with the time at which it becomes final.
    by_event: BTreeMap<u32, (u64, AnalysedEvent)>,
}

impl PendingFirst {
    /// Adds an analysed event and returns the events that are final: of the first and the follow-up poll the better
    /// one. A first diagnosis becomes final at `due`, on a clock of the caller.
    pub(crate) fn add(&mut self, event: AnalysedEvent, due: u64) -> Vec<AnalysedEvent> {
        let Some(trigger) = &event.snapshot.trigger else { return vec![event] };
        match trigger.follows {
            Some(first) => match self.by_event.remove(&first.event) {
                Some((_, first)) => better(first, event),
                None => vec![event],
            },
            None => {
                let (id, arrivals) = (event.snapshot.event, event.arrivals.clone());
                let known =
                    self.by_event.remove(&id).map(|(known_due, earlier)| (known_due.min(due), earlier));
                // A part of the same event has arrived since; the union is analysed instead.
                let is_part = |earlier: &AnalysedEvent| {
                    !earlier.arrivals.is_empty()
                        && earlier.arrivals.iter().all(|part| arrivals.contains(part))
                };
                let (due, replaced) = match known {
                    Some((known_due, earlier)) if is_part(&earlier) => (known_due, None),
                    known => (due, known.map(|(_, earlier)| earlier)),
                };
                self.by_event.insert(id, (due, event));
                replaced.into_iter().chain(self.surplus()).collect()
            }
        }
    }

    /// Removes and returns the first diagnoses that are final at `now`.
    pub(crate) fn expired(&mut self, now: u64) -> Vec<AnalysedEvent> {
        let is_final = |due: u64| due <= now;
        let expired: Vec<u32> =
            self.by_event.iter().filter(|(_, (due, _))| is_final(*due)).map(|(event, _)| *event).collect();
        expired.into_iter().filter_map(|event| self.by_event.remove(&event)).map(|(_, event)| event).collect()
    }
}

impl PendingFirst {
    /// Removes the diagnosis that is due first if too many wait.
    fn surplus(&mut self) -> Option<AnalysedEvent> {
        let first = || self.by_event.iter().min_by_key(|(_, (due, _))| *due).map(|(event, _)| *event);
        let event = (self.by_event.len() > WAITING).then(first).flatten()?;
        self.by_event.remove(&event).map(|(_, event)| event)
    }
}

/// Keeps the better of the two analyses of an event.
fn better(first: AnalysedEvent, second: AnalysedEvent) -> Vec<AnalysedEvent> {
    let diagnoses =
        |a: &AnalysedEvent| a.analyses.iter().map(|analysis| analysis.diagnosis.clone()).collect();
    let settled = settle(vec![(&first.snapshot, diagnoses(&first)), (&second.snapshot, diagnoses(&second))]);
    let keep_settled = |analysed: &mut AnalysedEvent| {
        analysed.analyses.retain_mut(|analysis| {
            let kept = settled.iter().find(|diagnosis| diagnosis.id == analysis.diagnosis.id);
            // Both polls share severity, cost and root cause.
            kept.inspect(|kept| analysis.diagnosis.clone_from(kept)).is_some()
        });
    };
    // Both stay, also one without a verdict that is kept: each is a snapshot that has been processed.
    let mut both = vec![first, second];
    both.iter_mut().for_each(keep_settled);
    both
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn event(arrivals: &[u64], follows: Option<u32>) -> AnalysedEvent {
        let victim = "10.0.0.1:1>10.0.0.2:4791/udp";
        let follows = follows.map(|event| json!({"event": event, "since_ns": 0}));
        let snapshot = json!({
            "format": 1, "event": 7, "source": "harrier", "victim": victim, "epoch_ns": 1024, "switches": [],
            "missing": [], "polls": 1, "trigger": {
                "host": "h1", "flow": victim, "time_ns": 0, "reason": "slow_rtt", "base_rtt_ns": 1, "rtt_ns": 9,
                "follows": follows,
            },
        });
        let snapshot = serde_json::from_value(snapshot).expect("a snapshot");
        AnalysedEvent { arrivals: arrivals.to_vec(), snapshot, analyses: Vec::new() }
    }

    fn arrivals(events: Vec<AnalysedEvent>) -> Vec<Vec<u64>> {
        events.into_iter().map(|event| event.arrivals).collect()
    }

    #[test]
    fn a_first_diagnosis_waits_for_the_follow_up_poll() {
        let mut pending = PendingFirst::default();
        assert_eq!(arrivals(pending.add(event(&[1], None), 10)), [[0_u64; 0]; 0]);
        assert_eq!(arrivals(pending.expired(9)), [[0_u64; 0]; 0]);
        let follow_up = AnalysedEvent {
            snapshot: Snapshot { event: 8, ..event(&[], Some(7)).snapshot },
            ..event(&[2], None)
        };
        assert_eq!(arrivals(pending.add(follow_up, 12)), [[1], [2]]);
        assert_eq!(arrivals(pending.expired(u64::MAX)), [[0_u64; 0]; 0]);
    }

    #[test]
    fn the_union_of_all_parts_replaces_a_part_and_waits_no_longer() {
        let mut pending = PendingFirst::default();
        pending.add(event(&[1], None), 10);
        assert_eq!(arrivals(pending.add(event(&[1, 2], None), 15)), [[0_u64; 0]; 0]);
        assert_eq!(arrivals(pending.expired(10)), [[1, 2]]);
        // Another event with the same id, of a host that has used all ids.
        pending.add(event(&[3], None), 20);
        assert_eq!(arrivals(pending.add(event(&[4], None), 25)), [[3]]);
        assert_eq!(arrivals(pending.expired(25)), [[4]]);
    }
}
