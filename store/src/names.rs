//! JSON names of anomalies, causes and severities, for columns and metric labels.

use model::{Anomaly, Cause, Severity};
use serde::Serialize;

/// Returns the JSON name of an anomaly, e.g. `flow_contention`.
pub fn anomaly_name(anomaly: Anomaly) -> String {
    name(&anomaly)
}

/// Returns the JSON name of a cause, e.g. `incast`.
pub fn cause_name(cause: Cause) -> String {
    name(&cause)
}

/// Returns the JSON name of a severity, e.g. `major`.
pub fn severity_name(severity: Severity) -> String {
    name(&severity)
}

fn name(unit_variant: &impl Serialize) -> String {
    match serde_json::to_value(unit_variant) {
        Ok(serde_json::Value::String(name)) => name,
        other => {
            unreachable!("invariant: anomalies, causes and severities serialise to strings, not {other:?}")
        }
    }
}
