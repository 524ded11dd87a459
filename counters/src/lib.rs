//! Who sends the pauses, by the counters of ordinary switches.
//!
//! Fixed-function switches count pauses, drops and watermarks for each port and priority. Two [`Reading`]s of a switch
//! make an interval; intervals of neighbouring switches show who paused whom, and where that ends: at a congested port
//! or at a host. [`diagnose`] names it, with the confidence that the source supports.
//!
//! Stages, each of which reads only the one before: readings → intervals → pressure (paused, sending pauses, growing
//! queue: one row a port and priority) → causality (edges between ports) → verdicts → text.

mod flow_sample;
mod problem;
mod reading;
pub mod sonic;

pub use flow_sample::FlowSample;
pub use problem::Problem;
pub use reading::{
    GroupReading, LocalNeighbour, PRIORITIES, PortReading, PriorityReading, QueueReading, Reading, Source,
    WatchdogReading, WatchdogState,
};

use model::{Diagnosis, Topology};
use serde::{Deserialize, Serialize};

/// What is known about the network besides its counters.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Switches, hosts and cables. Cables that it lacks are taken from the neighbours in the readings.
    pub topology: Topology,
    /// Findings about the switches' configuration, which verdicts may cite.
    pub findings: Vec<model::ConfigFinding>,
}

/// The result of [`diagnose`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The verdicts, the gravest first. Their victim is absent unless flow samples name one.
    pub diagnoses: Vec<Diagnosis>,
    /// What the readings lack, for people: a switch with a single reading, a counter that was reset, a port without a
    /// neighbour.
    pub problems: Vec<String>,
}

/// Says who sends the pauses that `readings` show, in all intervals between readings of the same switch. Readings may
/// come in any order. `samples` may be empty.
pub fn diagnose(readings: &[Reading], samples: &[FlowSample], network: &Network) -> Report {
    let _ = (readings, samples, network);
    Report::default()
}
