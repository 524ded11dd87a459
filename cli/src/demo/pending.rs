//! Pairs the two diagnoses of an event: an agent polls at the beginning of the event and once more a fixed delay later.
//! The first diagnosis is held back until the second one arrives, so that an event yields one diagnosis.

use std::collections::BTreeMap;

use analyzer::Analysis;
use analyzer::incident::settle;
use model::Snapshot;

/// How long a first diagnosis waits for the follow-up poll, in simulated time: agents poll again after 400 us, and the
/// collection takes time as well.
const HOLD_NS: u64 = 800_000;

/// A snapshot and its analyses.
pub(super) struct AnalysedEvent {
    pub(super) snapshot: Snapshot,
    pub(super) analyses: Vec<Analysis>,
}

/// First diagnoses that wait for the follow-up poll.
#[derive(Default)]
pub(super) struct PendingFirst {
    by_event: BTreeMap<u32, AnalysedEvent>,
}

impl PendingFirst {
    /// Adds an analysed event and returns the events that are final: of the first and the follow-up poll the better
    /// one.
    pub(super) fn add(&mut self, event: AnalysedEvent) -> Vec<AnalysedEvent> {
        let Some(trigger) = &event.snapshot.trigger else { return vec![event] };
        match trigger.follows {
            Some(first) => match self.by_event.remove(&first.event) {
                Some(first) => better(first, event),
                None => vec![event],
            },
            None => {
                self.by_event.insert(event.snapshot.event, event);
                Vec::new()
            }
        }
    }

    /// Removes and returns the first diagnoses whose hold time is over at `now_ns`.
    pub(super) fn expired(&mut self, now_ns: u64) -> Vec<AnalysedEvent> {
        let triggered_ns = |first: &AnalysedEvent| first.snapshot.trigger.as_ref().map_or(0, |t| t.time_ns);
        let is_held = |first: &AnalysedEvent| triggered_ns(first).saturating_add(HOLD_NS) > now_ns;
        let expired: Vec<u32> =
            self.by_event.iter().filter(|(_, first)| !is_held(first)).map(|(event, _)| *event).collect();
        expired.into_iter().filter_map(|event| self.by_event.remove(&event)).collect()
    }
}

/// Keeps the better of the two analyses of an event.
fn better(first: AnalysedEvent, second: AnalysedEvent) -> Vec<AnalysedEvent> {
    let diagnoses =
        |a: &AnalysedEvent| a.analyses.iter().map(|analysis| analysis.diagnosis.clone()).collect();
    let settled = settle(vec![(&first.snapshot, diagnoses(&first)), (&second.snapshot, diagnoses(&second))]);
    let keep_settled = |analysed: &mut AnalysedEvent| {
        analysed.analyses.retain(|a| settled.iter().any(|diagnosis| diagnosis.id == a.diagnosis.id));
        !analysed.analyses.is_empty()
    };
    let mut both = vec![first, second];
    both.retain_mut(keep_settled);
    both
}
