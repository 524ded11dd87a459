//! The names of anomalies and causes as they stand in JSON, for columns and metric labels.

use model::{Anomaly, Cause};
use serde::Serialize;

/// The JSON name of an anomaly, e.g. `flow_contention`.
pub fn anomaly_name(anomaly: Anomaly) -> String {
    name(&anomaly)
}

/// The JSON name of a cause, e.g. `incast`.
pub fn cause_name(cause: Cause) -> String {
    name(&cause)
}

fn name(unit_variant: &impl Serialize) -> String {
    match serde_json::to_value(unit_variant) {
        Ok(serde_json::Value::String(name)) => name,
        other => unreachable!("invariant: anomalies and causes are plain names, not {other:?}"),
    }
}
