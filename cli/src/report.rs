//! The output of `harrier run` and `harrier analyze` with `--json`.

use analyzer::incident::Ordinary;
use eval::GroundTruth;
use model::{Diagnosis, Traffic};
use serde::{Deserialize, Serialize};

/// The cost of a run. Everything except hops and events differs from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunFigures {
    /// Frames that crossed a link, without PFC frames.
    pub(crate) packet_hops: u64,
    /// Events of the simulation.
    pub(crate) events: u64,
    /// Simulated time in nanoseconds.
    pub(crate) simulated_ns: u64,
    /// CPU time in seconds; absent if it cannot be measured.
    pub(crate) cpu_seconds: Option<f64>,
    /// Elapsed time in seconds.
    pub(crate) wall_seconds: f64,
    /// Peak memory use in bytes; absent if it cannot be measured.
    pub(crate) peak_rss: Option<u64>,
}

/// The output of `harrier run` and `harrier analyze` with `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunReport {
    /// Name of the scenario, or of the input.
    pub(crate) scenario: String,
    /// The seed of a run; absent for an analysis.
    pub(crate) seed: Option<u64>,
    /// The ground truth of a run; absent if unknown.
    pub(crate) ground_truth: Option<GroundTruth>,
    /// The verdicts.
    pub(crate) diagnoses: Vec<Diagnosis>,
    /// Slow measurements that ordinary queueing explains; absent where every verdict is reported.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) ordinary: Option<Ordinary>,
    /// The cost of a run; absent for an analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) run: Option<RunFigures>,
    /// The traffic of a run; absent for an analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) traffic: Option<Traffic>,
    /// Why the collected telemetry supports no verdict; absent if there is one, or if no flow was slow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) missing: Vec<String>,
}
