//! JSON names of anomalies, causes and severities, for columns and metric labels.

use model::{Anomaly, Cause, Severity};
use serde::Serialize;
use serde::de::DeserializeOwned;

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

/// Reads a JSON name; `None` if it is none of the variants.
pub(crate) fn parse<T: DeserializeOwned>(name: &str) -> Option<T> {
    serde_json::from_value(serde_json::Value::String(name.to_string())).ok()
}

/// Returns the JSON name of a variant without fields.
pub(crate) fn name(unit_variant: &impl Serialize) -> String {
    match serde_json::to_value(unit_variant) {
        Ok(serde_json::Value::String(name)) => name,
        other => {
            unreachable!("invariant: variants without fields serialise to strings, not {other:?}")
        }
    }
}
