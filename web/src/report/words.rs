//! Names of flows, values and durations, for people.

use model::{FlowKey, Topology};
use serde::Serialize;

/// A flow with the names of its hosts, if the topology has them.
pub(super) fn flow_name(topology: Option<&Topology>, flow: FlowKey) -> String {
    let host = |address| topology.and_then(|topology| topology.host_of(address));
    match (host(flow.src), host(flow.dst)) {
        (Some(src), Some(dst)) => format!("{} → {} ({flow})", src.name, dst.name),
        _ => flow.to_string(),
    }
}

/// A duration in the largest unit in which it is at least 1.
pub(super) fn duration(ns: u64) -> String {
    match ns {
        0..1_000 => format!("{ns} ns"),
        1_000..1_000_000 => format!("{:.1} us", ns as f64 / 1e3),
        1_000_000..1_000_000_000 => format!("{:.1} ms", ns as f64 / 1e6),
        _ => format!("{:.1} s", ns as f64 / 1e9),
    }
}

/// The name of a value of an enumeration, as in JSON.
pub(super) fn name(value: &impl Serialize) -> String {
    serde_json::to_value(value).ok().and_then(|value| value.as_str().map(str::to_string)).unwrap_or_default()
}
