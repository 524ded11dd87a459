//! Who sends the pauses, by the counters of ordinary switches.
//!
//! Fixed-function switches count pauses, drops and watermarks for each port and priority. Two [`Reading`]s of a switch
//! make an interval; intervals of neighbouring switches show who paused whom, and where that ends: at a congested port
//! or at a host. [`diagnose`] names it, with the confidence that the source supports.
//!
//! Stages, each of which uses only the ones before: readings → intervals (`interval`) → pressure (`pressure`: paused,
//! sending pauses, growing queue: one row a port and priority) → causality (`causality`: from paused ports to where the
//! pauses end) → verdicts (`verdict`), whose sentences are in `text`. `wiring` says what is connected to what, and `case`
//! holds what all verdicts of a window are based on.

mod cabling;
mod case;
mod causality;
mod continuation;
mod coverage;
mod flow_sample;
mod interval;
mod monitor;
pub mod openconfig;
mod port_sample;
mod pressure;
mod problem;
mod reading;
pub mod sampling;
pub mod sonic;
mod text;
mod thresholds;
mod verdict;
mod wiring;

pub use cabling::Cabling;
pub use continuation::{continue_by_counters, is_open};
pub use coverage::Uncovered;
pub use flow_sample::FlowSample;
pub use port_sample::{PortSample, PrioritySample, port_samples};
pub use problem::Problem;
pub use reading::{
    GroupReading, LocalNeighbour, PRIORITIES, PollIntervals, PortReading, PriorityReading, QueueReading,
    Reading, Source, WatchdogReading, WatchdogState,
};

use std::borrow::Borrow;
use std::collections::BTreeMap;

use model::units::counted;
use model::{Diagnosis, PortRef, Topology};
use serde::{Deserialize, Serialize};

use interval::Window;
use pressure::Pressure;
use wiring::Wiring;

/// What is known about the network besides its counters.
#[derive(Clone, Debug, Default)]
pub struct Network {
    /// Switches, hosts and cables. Cables that it lacks are taken from the neighbours in the readings.
    pub topology: Topology,
    /// Findings about the switches' configuration, which verdicts may cite.
    pub findings: Vec<model::ConfigFinding>,
}

/// What a port shows that pauses, is paused, drops or has a storm, in the interval in which it was paused the longest.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PortPauses {
    /// The port.
    pub port: PortRef,
    /// SONiC's name of the port.
    pub name: String,
    /// The priority.
    pub priority: u8,
    /// The neighbour, for people; absent if it is unknown.
    pub neighbour: Option<String>,
    /// Pause frames received: the neighbour pauses this port. Absent if the source has no counter.
    pub received_frames: Option<u64>,
    /// Pause frames sent: this port pauses the neighbour.
    pub sent_frames: Option<u64>,
    /// Part of the interval for which the port was paused, 0 to 1; absent if the time is not counted.
    pub paused_part: Option<f64>,
    /// Peak of the queue in the interval, in bytes; absent if the watermark does not show one.
    pub queue_peak_bytes: Option<u64>,
    /// Packets of the priority that were dropped.
    pub dropped_packets: u64,
    /// Storms that the PFC watchdog detected.
    pub storms: u64,
}

/// The result of [`diagnose`].
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Report {
    /// The verdicts, the gravest first. They name no victim: counters are about ports.
    pub diagnoses: Vec<Diagnosis>,
    /// The ports with pauses, drops or storms, by switch, port and priority.
    #[serde(default)]
    pub ports: Vec<PortPauses>,
    /// What the readings lack, for people: a switch with a single reading, a counter that was reset, a port without a
    /// neighbour.
    pub problems: Vec<String>,
    /// What the readings do not cover: [`Report::statements`] says what holds without a verdict.
    #[serde(default)]
    pub uncovered: Uncovered,
}

/// Says who sends the pauses that `readings` show, in all intervals between readings of the same switch. Readings may
/// come in any order. `samples` may be empty.
///
/// Verdicts about the same root cause in several intervals are one verdict, that of the interval in which it is the
/// gravest.
pub fn diagnose<R: Borrow<Reading>>(readings: &[R], samples: &[FlowSample], network: &Network) -> Report {
    diagnose_with(&Cabling::new(readings, network), readings, samples, network)
}

/// As [`diagnose`], with the cables of these readings, or of others of the same switches.
pub fn diagnose_with<R: Borrow<Reading>>(
    cabling: &Cabling,
    readings: &[R],
    samples: &[FlowSample],
    network: &Network,
) -> Report {
    let readings: Vec<&Reading> = readings.iter().map(Borrow::borrow).collect();
    let mut problems = Vec::new();
    let windows = interval::windows(&readings, &mut problems);
    let wiring = &cabling.wiring;
    problems.extend(cabling.problems.iter().cloned());
    let mut found: Vec<(Diagnosis, u64)> = Vec::new();
    let mut ports = BTreeMap::new();
    let mut unknown_drops = BTreeMap::new();
    for window in &windows {
        let rows = pressure::rows(window, wiring);
        monitor::add(&rows, wiring, &mut ports);
        coverage::add_unknown_drops(&rows, wiring, &mut unknown_drops);
        for verdict in verdicts_of(window, &rows, wiring, samples, network) {
            match found.iter_mut().find(|(known, _)| verdict::is_same(known, &verdict)) {
                Some((known, times)) => {
                    *times += 1;
                    if (verdict.severity, verdict.confidence) > (known.severity, known.confidence) {
                        *known = verdict;
                    }
                }
                None => found.push((verdict, 1)),
            }
        }
    }
    let recurring = |(mut verdict, times): (Diagnosis, u64)| {
        if times > 1 {
            let all = counted(windows.len() as u64, "interval");
            verdict.summary.push_str(&format!("; seen in {times} of {all}"));
        }
        verdict
    };
    let mut diagnoses: Vec<Diagnosis> = found.into_iter().map(recurring).collect();
    verdict::order(&mut diagnoses);
    problems.extend(coverage::lines(&unknown_drops));
    let uncovered = Uncovered { unknown_drops: !unknown_drops.is_empty(), ..Uncovered::by(&windows) };
    Report { diagnoses, ports: ports.into_values().map(|(_, shown)| shown).collect(), problems, uncovered }
}

/// The verdicts of one window.
fn verdicts_of(
    window: &Window,
    rows: &[Pressure],
    wiring: &Wiring,
    samples: &[FlowSample],
    network: &Network,
) -> Vec<Diagnosis> {
    let by_priority = causality::Rows::by_priority(rows);
    let of_each = || by_priority.iter().enumerate();
    let clusters: Vec<_> =
        of_each().flat_map(|(priority, rows)| causality::trace(rows, wiring, priority)).collect();
    let loops: Vec<_> =
        of_each().flat_map(|(priority, rows)| causality::loops(rows, wiring, priority)).collect();
    let case = case::Case { window, wiring, network, samples, rows, clusters: &clusters, loops: &loops };
    verdict::verdicts(&case)
}
