//! Incidents: many diagnoses of one culprit are one incident, with a start, updates and an end.

use model::{Anomaly, Cause, Diagnosis, FlowKey, RootCause};
use serde::{Deserialize, Serialize};

use crate::names::anomaly_name;

/// Everything that one culprit did in one stretch of time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Incident {
    /// Stable id, made from the first diagnosis.
    pub id: String,
    /// What happened.
    pub anomaly: Anomaly,
    /// What is behind it.
    pub cause: Cause,
    /// The verdict in one sentence, from the diagnosis that speaks for the incident.
    pub summary: String,
    /// How certain that diagnosis is, 0 to 1.
    pub confidence: f64,
    /// Who is to blame.
    pub root_cause: RootCause,
    /// When the first victim was found slow, in nanoseconds of the fabric's clock.
    pub start_ns: u64,
    /// When the latest victim was found slow.
    pub update_ns: u64,
    /// The same as `update_ns` once no diagnosis came for the quiet time; absent while it lasts.
    pub end_ns: Option<u64>,
    /// Diagnoses so far.
    pub count: u64,
    /// The diagnosis that speaks for it: one that tells of pauses before one that does not, then the most certain, the
    /// latest of equals.
    pub diagnosis: String,
    /// Distinct victims that asked, in the order of their text; at most [`crate::INCIDENT_VICTIMS`].
    pub victims: Vec<FlowKey>,
}

/// What makes two diagnoses the same incident: where the root is. The flows found there are left out where the place is
/// known, because each diagnosis sees the culprits through other epochs; and so is the anomaly, because one queue is
/// contention to whoever waits in it and back-pressure to whoever it pauses.
pub(crate) fn culprit(diagnosis: &Diagnosis) -> String {
    let root = &diagnosis.root_cause;
    match (&root.port, &root.host) {
        (Some(port), Some(host)) => format!("port {port} host {host}"),
        (Some(port), None) => format!("port {port}"),
        (None, Some(host)) => format!("host {host}"),
        (None, None) if !diagnosis.pause_loop.is_empty() => format!("loop {}", sorted(&diagnosis.pause_loop)),
        (None, None) if !root.flows.is_empty() => format!("flows {}", sorted(&root.flows)),
        (None, None) => format!("{} of {}", anomaly_name(diagnosis.anomaly), diagnosis.victim),
    }
}

/// Which of two diagnoses speaks for their incident: the greater one.
pub(crate) fn rank(anomaly: &str, confidence: f64) -> (bool, f64) {
    (anomaly != anomaly_name(Anomaly::FlowContention), confidence)
}

fn sorted<T: Ord + ToString>(items: &[T]) -> String {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_unstable();
    items.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
