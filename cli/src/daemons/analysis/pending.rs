//! Pairs the two diagnoses of an event: an agent polls at the beginning of the event and once more a fixed delay later.
//! The first diagnosis is held back until the second one arrives, so that an event yields one diagnosis.

use std::collections::BTreeMap;

use analyzer::Analysis;
use analyzer::incident::settle;
use model::Snapshot;

/// Maximum first diagnoses that wait, each with its snapshot; beyond it the one that is due first is final.
const WAITING: usize = 64;

/// A snapshot and its analyses.
pub(crate) struct AnalysedEvent {
    /// The number of the snapshot in the inbox of the store; 0: it is not from there.
    pub(crate) arrival: u64,
    pub(crate) snapshot: Snapshot,
    pub(crate) analyses: Vec<Analysis>,
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
                let replaced = self.by_event.insert(event.snapshot.event, (due, event));
                let replaced = replaced.map(|(_, earlier)| earlier);
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
