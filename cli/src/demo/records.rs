//! The records of the network that are not telemetry, for the snapshots that the controller collects meanwhile.

use std::collections::{BTreeMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use fabric::OperatorRecords;
use model::{HostReport, Snapshot, Time};
use scenario::Scenario;

/// Rounds whose records are kept: the collection of an event may last longer than its round.
const ROUNDS: usize = 4;

/// Maximum events whose reports are kept; beyond it the one with the lowest number is discarded.
const EVENTS: usize = 1024;

/// The records of the latest rounds; clones share them.
#[derive(Clone, Default)]
pub(super) struct Records(Arc<(Mutex<Known>, Condvar)>);

#[derive(Default)]
struct Known {
    rounds: VecDeque<RoundRecords>,
    /// The reports of hosts by event.
    reports: BTreeMap<u32, Vec<HostReport>>,
    /// Number of snapshots that were completed.
    completed: u64,
}

struct RoundRecords {
    scenario: Arc<Scenario>,
    begin: Time,
    now: Time,
    records: OperatorRecords,
}

impl Records {
    fn known(&self) -> MutexGuard<'_, Known> {
        // No critical section can panic half-way, so a poisoned lock still guards consistent data.
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A round with this scenario begins.
    pub(super) fn begin(&self, begin: Time, scenario: Arc<Scenario>) {
        let rounds = &mut self.known().rounds;
        rounds.push_back(RoundRecords { scenario, begin, now: begin, records: OperatorRecords::default() });
        if rounds.len() > ROUNDS {
            rounds.pop_front();
        }
    }

    /// Replaces the records of the present round.
    pub(super) fn update(&self, now: Time, records: OperatorRecords) {
        if let Some(round) = self.known().rounds.back_mut() {
            (round.now, round.records) = (now, records);
        }
    }

    /// Adds the reports of hosts about an event.
    pub(super) fn add_reports(&self, event: u32, of_hosts: Vec<HostReport>) {
        let reports = &mut self.known().reports;
        reports.insert(event, of_hosts);
        if reports.len() > EVENTS {
            reports.pop_first();
        }
    }

    /// Takes the reports of hosts about an event; none if they are not made yet.
    pub(super) fn take_reports(&self, event: u32) -> Vec<HostReport> {
        self.known().reports.remove(&event).unwrap_or_default()
    }

    /// Completes a snapshot with the records of the round in which it was triggered.
    pub(super) fn complete(&self, snapshot: &mut Snapshot) {
        let triggered = snapshot.trigger.as_ref().map_or(Time::MAX, |trigger| Time::from_ns(trigger.time_ns));
        let mut known = self.known();
        let of_trigger = known.rounds.iter().rev().find(|round| round.begin <= triggered);
        if let Some(round) = of_trigger.or(known.rounds.front()) {
            round.records.clone().complete(&round.scenario, snapshot, round.now);
        }
        known.completed += 1;
        self.0.1.notify_all();
    }

    /// Waits until as many snapshots are completed, but not longer than `limit`: later records are not theirs. Returns
    /// how many there are.
    pub(super) fn wait_for_completed(&self, snapshots: u64, limit: Duration) -> u64 {
        let lacks = |known: &mut Known| known.completed < snapshots;
        let waited = self.0.1.wait_timeout_while(self.known(), limit, lacks);
        waited.unwrap_or_else(PoisonError::into_inner).0.completed
    }
}
