//! From measurements to polls: the agent's core, driven by the wall clock.

use indexmap::IndexMap;
use model::FlowKey;
use rustc_hash::FxBuildHasher;

use crate::agent::{Agent, AgentStats, FlowId, Poll};
use crate::measurement::{Measured, Measurement};
use crate::settings::{Settings, SettingsError};

/// Priority of flows that were not opened with one: that of RoCEv2 with DSCP 26.
const DEFAULT_PRIORITY: u8 = 3;
/// Measurements are out of order by less than this; beyond it the wall clock has been set back.
const SET_BACK_NS: u64 = 2_000_000_000;
/// Maximum flows in a report of round trips; further ones are not reported.
const REPORTED_FLOWS: usize = 4096;

/// The agent's core in network time, which is the wall clock divided by the scale.
#[derive(Clone, Debug)]
pub struct Watch {
    agent: Agent,
    scale: u64,
    now_ns: u64,
    /// By how much the wall clock has been set back since the start.
    behind_ns: u64,
    /// The priorities of flows that were opened, also while the agent does not watch them.
    priorities: IndexMap<FlowKey, u8, FxBuildHasher>,
    max_flows: usize,
    /// Looked up for every round trip.
    rounds: IndexMap<FlowKey, Tally, FxBuildHasher>,
    /// Measurements of flows of other hosts.
    foreign: u64,
}

/// The round trips of a flow since the last report, in network time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlowRounds {
    /// The flow.
    pub flow: FlowKey,
    /// Number of round trips.
    pub samples: u64,
    /// The shortest.
    pub min_ns: u64,
    /// Their mean.
    pub mean_ns: u64,
    /// The longest.
    pub max_ns: u64,
}

/// Sums of the round trips of a flow.
#[derive(Clone, Copy, Debug)]
struct Tally {
    samples: u64,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
}

impl Watch {
    /// An agent of `host` with this number in event ids. Its first event follows from the wall clock, so that a restart
    /// does not repeat the ids of the latest events.
    ///
    /// # Errors
    /// The settings are invalid.
    pub fn new(
        host: &str,
        number: u16,
        wall_ns: u64,
        scale: u64,
        settings: Settings,
    ) -> Result<Watch, SettingsError> {
        /// Time for which a restarted agent keeps away from an id of its predecessor, per id.
        const ID_NS: u64 = 10_000_000;
        let max_flows = settings.max_flows;
        Ok(Watch {
            agent: Agent::new(host, number, (wall_ns / ID_NS) as u16, settings)?,
            scale: scale.max(1),
            now_ns: 0,
            behind_ns: 0,
            priorities: IndexMap::default(),
            max_flows,
            rounds: IndexMap::default(),
            foreign: 0,
        })
    }

    /// Handles a measurement.
    pub fn handle(&mut self, measured: &Measured) -> Option<Poll> {
        let now_ns = self.advance(measured.time_ns);
        match &measured.measurement {
            Measurement::Opened { flow, priority, base_ns } => {
                if self.priorities.len() < self.max_flows {
                    self.priorities.insert(*flow, *priority);
                }
                self.agent.open(now_ns, *flow, *priority, base_ns.map(|base_ns| base_ns / self.scale));
                None
            }
            Measurement::Sent { flow } => {
                let id = self.watched(now_ns, flow);
                self.agent.sent(now_ns, id);
                None
            }
            Measurement::Acknowledged { flow, rtt_ns, outstanding } => {
                let id = self.watched(now_ns, flow);
                let rtt_ns = rtt_ns.map(|rtt_ns| rtt_ns / self.scale);
                rtt_ns.inspect(|rtt_ns| self.count(flow, *rtt_ns));
                self.agent.acknowledged(now_ns, id, rtt_ns, *outstanding)
            }
            Measurement::Progressed { flow, at_least_ns, outstanding } => {
                let id = self.watched(now_ns, flow);
                self.agent.progressed(now_ns, id, at_least_ns / self.scale, *outstanding)
            }
            Measurement::Closed { flow } => {
                let id = self.watched(now_ns, flow);
                self.agent.close(now_ns, id);
                self.priorities.swap_remove(flow);
                None
            }
        }
    }

    /// Returns the polls that are due at a wall clock.
    pub fn wake(&mut self, wall_ns: u64) -> Vec<Poll> {
        let now_ns = self.advance(wall_ns);
        self.agent.wake(now_ns)
    }

    /// Returns the wall clock at which [`Watch::wake`] should be called next, if ever.
    pub fn next_wake_ns(&self) -> Option<u64> {
        self.agent.next_wake_ns().map(|ns| self.wall_ns(ns.saturating_add(1)))
    }

    /// Returns the wall clock of a network time.
    pub fn wall_ns(&self, network_ns: u64) -> u64 {
        network_ns.saturating_mul(self.scale).saturating_sub(self.behind_ns)
    }

    /// Changes the number of the host in later event ids.
    pub fn set_host_number(&mut self, number: u16) {
        self.agent.set_host_number(number);
    }

    /// Returns the priority of a flow's data.
    pub fn priority(&self, flow: &FlowKey) -> u8 {
        self.priorities.get(flow).copied().unwrap_or(DEFAULT_PRIORITY)
    }

    /// Counts a measurement of a flow that another host sends.
    pub fn count_foreign(&mut self) {
        self.foreign += 1;
    }

    /// Returns the counters of the core, and the number of measurements of flows of other hosts.
    pub fn stats(&self) -> (AgentStats, u64) {
        (self.agent.stats(), self.foreign)
    }

    /// Returns the round trips since the last call, by flow.
    pub fn take_rounds(&mut self) -> Vec<FlowRounds> {
        let mut rounds = std::mem::take(&mut self.rounds);
        rounds.sort_unstable_keys();
        let flows = rounds.into_iter().map(|(flow, tally)| FlowRounds {
            flow,
            samples: tally.samples,
            min_ns: tally.min_ns,
            mean_ns: tally.sum_ns / tally.samples.max(1),
            max_ns: tally.max_ns,
        });
        flows.collect()
    }

    /// The watched flow; a new one is opened.
    fn watched(&mut self, now_ns: u64, flow: &FlowKey) -> FlowId {
        match self.agent.find(flow) {
            Some(id) => id,
            None => self.agent.open(now_ns, *flow, self.priority(flow), None),
        }
    }

    fn count(&mut self, flow: &FlowKey, rtt_ns: u64) {
        if self.rounds.len() >= REPORTED_FLOWS && !self.rounds.contains_key(flow) {
            return;
        }
        let none = Tally { samples: 0, min_ns: u64::MAX, max_ns: 0, sum_ns: 0 };
        let tally = self.rounds.entry(*flow).or_insert(none);
        tally.samples += 1;
        tally.min_ns = tally.min_ns.min(rtt_ns);
        tally.max_ns = tally.max_ns.max(rtt_ns);
        tally.sum_ns = tally.sum_ns.saturating_add(rtt_ns);
    }

    /// Moves network time on; it never runs backwards. If the wall clock has been set back, network time goes on from
    /// where it was, and the difference is kept for [`Watch::wall_ns`].
    fn advance(&mut self, wall_ns: u64) -> u64 {
        let time_ns = wall_ns.saturating_add(self.behind_ns);
        let known_ns = self.now_ns.saturating_mul(self.scale);
        if known_ns.saturating_sub(time_ns) > SET_BACK_NS {
            self.behind_ns = known_ns.saturating_sub(wall_ns);
        }
        self.now_ns = self.now_ns.max(time_ns / self.scale);
        self.now_ns
    }
}
