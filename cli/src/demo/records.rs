//! The records of the network that are not telemetry, for the snapshots that the controller collects meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use fabric::OperatorRecords;
use model::{Snapshot, Time};
use scenario::Scenario;

/// Rounds whose records are kept: the collection of an event may last longer than its round.
const ROUNDS: usize = 4;

/// The records of the latest rounds; clones share them.
#[derive(Clone, Default)]
pub(super) struct Records(Arc<Mutex<VecDeque<RoundRecords>>>);

struct RoundRecords {
    scenario: Arc<Scenario>,
    begin: Time,
    now: Time,
    records: OperatorRecords,
}

impl Records {
    fn rounds(&self) -> MutexGuard<'_, VecDeque<RoundRecords>> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A round with this scenario begins.
    pub(super) fn begin(&self, begin: Time, scenario: Arc<Scenario>) {
        let mut rounds = self.rounds();
        rounds.push_back(RoundRecords { scenario, begin, now: begin, records: OperatorRecords::default() });
        if rounds.len() > ROUNDS {
            rounds.pop_front();
        }
    }

    /// Replaces the records of the present round.
    pub(super) fn update(&self, now: Time, records: OperatorRecords) {
        if let Some(round) = self.rounds().back_mut() {
            (round.now, round.records) = (now, records);
        }
    }

    /// Completes a snapshot with the records of the round in which it was triggered.
    pub(super) fn complete(&self, snapshot: &mut Snapshot) {
        let triggered = snapshot.trigger.as_ref().map_or(Time::MAX, |trigger| Time::from_ns(trigger.time_ns));
        let rounds = self.rounds();
        let of_trigger = rounds.iter().rev().find(|round| round.begin <= triggered);
        if let Some(round) = of_trigger.or(rounds.front()) {
            round.records.clone().complete(&round.scenario, snapshot, round.now);
        }
    }
}
