//! Ground truth: what happened in a simulated run, in the vocabulary of verdicts.

use model::{Anomaly, Cause, FlowKey, PortRef, RootCause};
use scenario::Outage;
use serde::{Deserialize, Serialize};

/// Ground truth: what happened in a simulated run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// The anomaly; absent for a quiet network.
    pub anomaly: Option<Anomaly>,
    /// The cause that refines the anomaly.
    pub cause: Option<Cause>,
    /// The root cause.
    pub root_cause: RootCause,
    /// The pause path.
    pub pause_path: Vec<PortRef>,
    /// Ports of the loop, for deadlocks.
    #[serde(rename = "loop")]
    pub pause_loop: Vec<PortRef>,
    /// The spreaders.
    pub spreaders: Vec<FlowKey>,
    /// The victims.
    pub victims: Vec<FlowKey>,
    /// Start and end in nanoseconds; verdicts about other times cannot be scored against this event.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<(u64, u64)>,
    /// Flows with a minor contribution: naming them is neither required nor wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minor: Vec<FlowKey>,
    /// Earlier culprits, where they differ, in order of time. A verdict at that time cannot name flows that start
    /// later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// The same event at other times of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<GroundTruth>,
    /// Further intended anomalies of the run; absent if there is at most one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<GroundTruth>,
    /// Other events that delayed watched flows: a verdict that names one is not wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<GroundTruth>,
    /// Links that were down, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Outage>,
}

/// The culprits of an event at a time before its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// The end of this phase, in nanoseconds.
    pub until_ns: u64,
    /// The flows with the largest contributions by then.
    pub flows: Vec<FlowKey>,
    /// Flows with a minor contribution by then.
    pub minor: Vec<FlowKey>,
}
