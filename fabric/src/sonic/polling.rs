//! Polls the counters of the switches of a run, as a monitor does that reads their databases.
//!
//! Each switch is polled at its own phase of the interval, with jitter; both depend on the seed. A run takes
//! milliseconds, a polling interval up to a second: the first reading is of the idle network before the run, and after
//! the run the network runs on without new flows and faults until every switch has been read again.

use std::collections::BTreeSet;

use model::{Time, Topology};
use p4_switch::Switch;
use p4_switch::tm::CLASSES;
use scenario::Random;

use super::asic::Asic;
use super::switch_counters::{PeakBytes, SwitchCounters};
use crate::fabric::Fabric;
use crate::run::Watch;

/// The shortest interval at which SONiC polls watermarks (`counterpoll watermark interval`). The ASIC clears them when
/// they are read.
pub(super) const SHORTEST_WATERMARK_INTERVAL: Time = Time::from_ms(1_000);
/// Greatest delay of a poll, as a part (1/n) of the interval: the flex counter thread of SONiC's syncd sleeps for the
/// interval minus the duration of the poll, and a poll of all counters takes some per cent of a second.
const JITTER: u64 = 50;
/// The stream of random numbers of the polls; see [`Random::new`].
const STREAM: u64 = 0x736f_6e69_6300_0000;
/// Events for which the network runs on after a short run at least.
const LEAST_EVENTS: u64 = 100_000;

/// How a run is polled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollingSettings {
    /// Interval of the polls of a switch.
    pub interval: Time,
    /// Seed of phases and jitter.
    pub seed: u64,
    /// Wall-clock time of the start of the run in nanoseconds since 1970; at least the interval.
    pub start_ns: u64,
    /// The ASIC of the switches.
    pub asic: Asic,
}

/// The counters of a switch at one time.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// Wall-clock time in nanoseconds since 1970.
    pub time_ns: u64,
    /// The interval of the polls.
    pub interval: Time,
    /// The ASIC of the switch.
    pub asic: Asic,
    /// The counters.
    pub counters: SwitchCounters,
}

/// Polls all switches of a run. Its clock starts an interval before the run.
#[derive(Clone, Debug)]
pub struct Polling {
    settings: PollingSettings,
    switches: Vec<PolledSwitch>,
    readings: Vec<Reading>,
}

/// The peaks of a port: of each queue, and of each priority group in shared buffer and headroom.
type Peaks = [[PeakBytes; 3]; CLASSES];

#[derive(Clone, Debug)]
struct PolledSwitch {
    name: String,
    random: Random,
    phase: Time,
    /// Time of the next poll; absent when no further one is necessary.
    next: Option<Time>,
    polls: u64,
    /// What earlier polls have shown, by port.
    peaks: Vec<Peaks>,
}

impl Polling {
    /// Creates the polls of all switches of a network.
    pub fn new(settings: PollingSettings, topology: &Topology) -> Polling {
        let interval = settings.interval.max(Time::from_ns(1));
        let settings = PollingSettings { interval, ..settings };
        let nodes = topology.nodes.iter().filter(|node| !topology.is_host(&node.name));
        let switches = nodes.zip(0..).map(|(node, number)| {
            let mut random = Random::new(settings.seed, STREAM + number);
            let phase = random.time_below(interval);
            PolledSwitch {
                name: node.name.clone(),
                random,
                phase,
                next: Some(phase),
                polls: 0,
                peaks: Vec::new(),
            }
        });
        Polling { settings, switches: switches.collect(), readings: Vec::new() }
    }

    /// Returns the readings, in order of time.
    pub fn into_readings(mut self) -> Vec<Reading> {
        self.readings.sort_by_key(|reading| reading.time_ns);
        self.readings
    }

    /// The time of the next poll on the clock of the polls.
    fn next_poll(&self) -> Option<Time> {
        self.switches.iter().filter_map(|switch| switch.next).min()
    }

    /// A time of the clock of the polls as a time of the run.
    fn in_run(&self, poll: Time) -> Time {
        poll.saturating_sub(self.settings.interval)
    }

    /// Polls every switch that is due at `now`, in the state that it has at `state_of`. After `end` a switch is polled
    /// until its watermarks have been read.
    fn poll(&mut self, now: Time, state_of: Time, end: Option<Time>, fabric: &mut Fabric<Switch>) {
        let interval = self.settings.interval;
        let is_due =
            |switch: &PolledSwitch| switch.next.is_some_and(|next| next.saturating_sub(interval) <= now);
        let due: BTreeSet<&str> =
            self.switches.iter().filter(|switch| is_due(switch)).map(|switch| switch.name.as_str()).collect();
        let found = SwitchCounters::of_switches(fabric, state_of, &due);
        let every = SHORTEST_WATERMARK_INTERVAL.0.div_ceil(interval.0).max(1);
        for mut counters in found {
            let Some(switch) = self.switches.iter_mut().find(|switch| switch.name == counters.switch) else {
                continue;
            };
            let Some(at) = switch.next else { continue };
            let reads_watermarks = switch.polls % every == 0;
            switch.add_peaks(&mut counters, reads_watermarks);
            if reads_watermarks && let Some(switch) = fabric.switch_mut(&counters.switch) {
                switch.clear_watermarks();
            }
            switch.polls += 1;
            let is_last = reads_watermarks && end.is_some_and(|end| at.saturating_sub(interval) >= end);
            switch.next = (!is_last).then(|| switch.time_of_poll(interval));
            let time_ns = (self.settings.start_ns + at.as_ns()).saturating_sub(interval.as_ns());
            self.readings.push(Reading { time_ns, interval, asic: self.settings.asic, counters });
        }
    }
}

impl PolledSwitch {
    /// The time of the poll with the number `polls`.
    fn time_of_poll(&mut self, interval: Time) -> Time {
        let late = self.random.time_below(Time(interval.0 / JITTER));
        Time(self.phase.0.saturating_add(interval.0.saturating_mul(self.polls)).saturating_add(late.0))
    }

    /// Replaces the watermarks of `counters` by what the databases have: after a poll of the watermarks the new ones and
    /// the maxima, else those of the last poll.
    fn add_peaks(&mut self, counters: &mut SwitchCounters, reads_watermarks: bool) {
        self.peaks.resize(counters.ports.len(), Peaks::default());
        for (port, peaks) in counters.ports.iter_mut().zip(&mut self.peaks) {
            for (class, known) in port.classes.iter_mut().zip(peaks) {
                let current = [&mut class.queue.shared, &mut class.group.shared, &mut class.group.headroom];
                for (current, known) in current.into_iter().zip(known) {
                    match reads_watermarks {
                        true => {
                            current.after(*known);
                            *known = *current;
                        }
                        false => *current = *known,
                    }
                }
            }
        }
    }
}

impl Watch for Polling {
    fn next_look(&self) -> Option<Time> {
        self.next_poll().map(|poll| self.in_run(poll))
    }

    fn look(&mut self, now: Time, fabric: &mut Fabric<Switch>) {
        self.poll(now, now, None, fabric);
    }

    /// Lets the network run on for the remaining polls, for at most as many events as the run had.
    fn after(&mut self, fabric: &mut Fabric<Switch>) {
        let end = fabric.now();
        fabric.dismiss_agents();
        let most = fabric.counters().events.saturating_add(fabric.counters().events.max(LEAST_EVENTS));
        while let Some(poll) = self.next_poll() {
            let at = self.in_run(poll);
            while fabric.next_time().is_some_and(|next| next <= at) && fabric.counters().events < most {
                fabric.step();
                if fabric.has_notices() {
                    drop(fabric.take_notices());
                    drop(fabric.take_triggers());
                }
            }
            // With events left, the network stands still from here on.
            let is_idle = fabric.next_time().is_none_or(|next| next > at);
            let state_of = if is_idle { at.max(fabric.now()) } else { fabric.now() };
            self.poll(at, state_of, Some(end), fabric);
        }
    }
}
