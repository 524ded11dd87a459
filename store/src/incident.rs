//! Incidents: diagnoses with the same root cause that follow each other closely.
//!
//! A new diagnosis joins an incident when both have the same root key ([`root_key`]) and the diagnosis is at most
//! [`crate::Limits::incident_quiet_ns`] earlier than the incident's start or later than its last update. If several
//! incidents match, it joins the one with the latest update; if none does, it opens a new one. Incidents are never
//! merged. This rule needs only what is in the database, one diagnosis at a time. The analyzer groups the verdicts of
//! one run by a different rule.

use model::{Anomaly, Cause, Diagnosis, FlowKey, RootCause};
use serde::{Deserialize, Serialize};

use crate::names::anomaly_name;

/// Diagnoses with the same root cause that belong together in time.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Incident {
    /// Stable id: `i-` and the id of the first diagnosis.
    pub id: String,
    /// The anomaly of the representative diagnosis.
    pub anomaly: Anomaly,
    /// The cause of the representative diagnosis.
    pub cause: Cause,
    /// The verdict of the representative diagnosis in one sentence.
    pub summary: String,
    /// The confidence of the representative diagnosis, from 0 to 1.
    pub confidence: f64,
    /// The root cause that the representative diagnosis names.
    pub root_cause: RootCause,
    /// The time of the earliest diagnosis, in nanoseconds of switch time.
    pub start_ns: u64,
    /// The time of the latest diagnosis, in nanoseconds of switch time.
    pub update_ns: u64,
    /// Equals `update_ns` once the quiet time has passed without a new diagnosis; absent while the incident lasts.
    pub end_ns: Option<u64>,
    /// Number of diagnoses so far. Diagnoses that were removed as too old still count.
    pub count: u64,
    /// Id of the representative diagnosis: one with PFC pauses before plain contention, then the one with the highest
    /// confidence, then the one that was stored last.
    pub diagnosis: String,
    /// Distinct victims of the diagnoses, sorted by their text; at most [`crate::INCIDENT_VICTIMS`].
    pub victims: Vec<FlowKey>,
}

/// Returns the key that two diagnoses of the same incident share: the root port, the root host or both; without them
/// the loop, the culprit flows, or the anomaly and the victim.
///
/// The culprit flows are not part of the key of a known port or host, because each diagnosis covers other epochs and
/// can name other culprits. Neither is the anomaly: the same queue is contention for the flows in it and backpressure
/// for the flows that its pauses reach.
pub(crate) fn root_key(diagnosis: &Diagnosis) -> String {
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

/// Orders diagnoses of one incident: the greatest is the representative one.
pub(crate) fn rank(anomaly: &str, confidence: f64) -> (bool, f64) {
    (anomaly != anomaly_name(Anomaly::FlowContention), confidence)
}

fn sorted<T: Ord + ToString>(items: &[T]) -> String {
    let mut items: Vec<&T> = items.iter().collect();
    items.sort_unstable();
    items.into_iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
}
