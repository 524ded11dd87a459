//! Reports of the simulated hosts, made around each trigger as the hosts of a run make them.

use std::collections::VecDeque;

use fabric::{Fabric, HostReadings, PollRequest};
use model::{FlowKey, Time};
use scenario::Scenario;

use super::records::Records;
use super::shared::SharedSwitch;

/// Reports that wait for their last reading.
struct Due {
    at: Time,
    event: u32,
    victim: FlowKey,
}

/// The reports of one round.
#[derive(Default)]
pub(super) struct NicReports {
    readings: HostReadings,
    due: VecDeque<Due>,
}

impl NicReports {
    /// When [`NicReports::read`] is to be called.
    pub(super) fn next_time(&self) -> Time {
        let of_interval = self.readings.next_time();
        self.due.front().map_or(of_interval, |due| due.at.min(of_interval))
    }

    /// Agents ask about these events.
    pub(super) fn trigger(&mut self, polls: &[PollRequest], fabric: &Fabric<SharedSwitch>) {
        if polls.is_empty() {
            return;
        }
        self.readings.trigger(polls.iter().map(|poll| poll.event), fabric);
        let at = fabric.now() + HostReadings::INTERVAL;
        self.due.extend(polls.iter().map(|poll| Due { at, event: poll.event, victim: poll.trigger.flow }));
    }

    /// Reads the NICs where a reading is due, and makes the reports for which it is the last one.
    pub(super) fn read(&mut self, scenario: &Scenario, fabric: &Fabric<SharedSwitch>, records: &Records) {
        self.readings.read_on_interval(fabric);
        while let Some(due) = self.due.pop_front_if(|due| due.at <= fabric.now()) {
            let reports = self.readings.take_reports(due.event, Some(due.victim), scenario, fabric);
            records.add_reports(due.event, reports);
        }
    }

    /// The round ends: makes the reports that still wait.
    pub(super) fn end_round(
        &mut self,
        scenario: &Scenario,
        fabric: &Fabric<SharedSwitch>,
        records: &Records,
    ) {
        self.due.iter_mut().for_each(|due| due.at = fabric.now());
        self.read(scenario, fabric, records);
        *self = NicReports::default();
    }
}
