//! Readings of all NICs around triggers, of which the reports of hosts are made.
//!
//! An agent reads its counters when a report is requested, and compares them with an earlier reading. Faults last
//! milliseconds here, so that readings are [`HostReadings::INTERVAL`] apart.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{FlowKey, HostReport, Time};
use scenario::Scenario;

use crate::fabric::Fabric;
use crate::host_report::{NicReading, report_with_recent_rates};
use crate::switch::FabricSwitch;

/// Maximum triggers whose readings are kept. Beyond it the one with the lowest number is discarded, and its snapshot has no
/// reports.
const KEPT_READINGS: usize = 1024;

/// Readings of all NICs: with which a report begins, at the trigger, and the last one, which is absent until its time.
#[derive(Clone, Debug)]
struct Readings {
    first: Arc<Vec<NicReading>>,
    recent: Arc<Vec<NicReading>>,
    last: Option<Arc<Vec<NicReading>>>,
}

/// The readings of one run.
#[derive(Debug, Default)]
pub struct HostReadings {
    /// The last two readings of the NICs on the interval, the older one first. A report begins with the older one, because an agent
    /// notices a delay after its cause.
    history: [Option<Arc<Vec<NicReading>>>; 2],
    /// When the next reading on the interval is due.
    next_reading: Time,
    /// What the NICs had counted around the triggers whose reports were not made, by event.
    readings: BTreeMap<u32, Readings>,
}

impl HostReadings {
    /// Time between two readings on the interval, and from a trigger to the last reading of its reports: a thousandth of the half
    /// second for which an agent reads its counters on request, because faults last milliseconds here. The collection takes
    /// longer, so that it would dilute their shares.
    pub const INTERVAL: Time = Time::from_us(500);

    /// When [`HostReadings::read_on_interval`] is due.
    pub fn next_time(&self) -> Time {
        self.next_reading
    }

    /// Reads the counters of the NICs, if a reading on the interval is due.
    pub fn read_on_interval<S: FabricSwitch>(&mut self, fabric: &Fabric<S>) {
        let now = fabric.now();
        if now < self.next_reading {
            return;
        }
        self.next_reading = now + HostReadings::INTERVAL;
        self.history.swap(0, 1);
        self.history[1] = Some(Arc::new(fabric.nic_readings()));
    }

    /// Agents ask about these events now.
    pub fn trigger<S: FabricSwitch>(&mut self, events: impl Iterator<Item = u32>, fabric: &Fabric<S>) {
        let first = self.history.iter().flatten().next().cloned();
        let first = first.unwrap_or_else(|| Arc::new(fabric.nic_readings()));
        let recent = Arc::new(fabric.nic_readings());
        let readings = Readings { first, recent, last: None };
        self.readings.extend(events.map(|event| (event, readings.clone())));
        while self.readings.len() > KEPT_READINGS {
            self.readings.pop_first();
        }
    }

    /// The interval after the triggers of these events is over: reads the NICs for their reports.
    pub fn read_last<S: FabricSwitch>(&mut self, events: &[u32], fabric: &Fabric<S>) {
        let last = Arc::new(fabric.nic_readings());
        for event in events {
            if let Some(readings) = self.readings.get_mut(event) {
                readings.last = Some(last.clone());
            }
        }
    }

    /// Returns the reports of the hosts at both ends of a victim, and of all hosts that have sent pauses in the run, about the time
    /// around the trigger of an event, once. Without a last reading, the NICs are read now.
    pub fn take_reports<S: FabricSwitch>(
        &mut self,
        event: u32,
        victim: Option<FlowKey>,
        scenario: &Scenario,
        fabric: &Fabric<S>,
    ) -> Vec<HostReport> {
        let Some(Readings { first, recent, last }) = self.readings.remove(&event) else { return Vec::new() };
        let ends = victim.into_iter().flat_map(|victim| [victim.src, victim.dst]);
        let ends: Vec<&str> =
            ends.filter_map(|at| Some(scenario.topology.host_of(at)?.name.as_str())).collect();
        let last = last.unwrap_or_else(|| Arc::new(fabric.nic_readings()));
        // All lists are in the order of the topology.
        let rows = first
            .iter()
            .zip(recent.iter())
            .zip(last.iter())
            .filter(|(_, after)| ends.contains(&after.host.as_str()) || after.totals.has_paused());
        let lossless = |of: &NicReading| scenario.switch_settings(&of.switch_port.switch).lossless;
        let report = |((first, recent), last): ((_, _), &NicReading)| {
            report_with_recent_rates((first, recent, last), lossless(last))
        };
        rows.map(report).collect()
    }
}
