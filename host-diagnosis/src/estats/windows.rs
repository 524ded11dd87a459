//! Groups operations by window, connection, kind and status, each with its histograms.

use std::collections::BTreeMap;

use model::host::latency::{HostLatency, OperationKind, RdmaOperation};
use serde::Serialize;

use super::Histogram;

/// The length of a window of Estats, in nanoseconds: one minute.
pub const DEFAULT_WINDOW_NS: u64 = 60_000_000_000;

/// What operations of a group have in common.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct GroupKey {
    /// The connection.
    pub connection: String,
    /// The kind.
    pub kind: OperationKind,
    /// Whether they succeeded.
    pub success: bool,
    /// Start of the window in which they were polled, in nanoseconds.
    pub window_ns: u64,
}

/// The latencies of a group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Group {
    /// T6 - T1: what the application observes.
    pub application: Histogram,
    /// T5 - T1: what the NIC observes.
    pub nic: Histogram,
    /// Positions of the operations in the report.
    pub operations: Vec<usize>,
}

/// The groups of a report, by key.
pub fn groups(latency: &HostLatency, window_ns: u64) -> BTreeMap<GroupKey, Group> {
    let mut groups: BTreeMap<GroupKey, Group> = BTreeMap::new();
    for (at, operation) in latency.operations.iter().enumerate() {
        let group = groups.entry(key(operation, window_ns.max(1))).or_default();
        group.application.record(operation.t6_ns.saturating_sub(operation.t1_ns));
        group.nic.record(operation.t5_ns.saturating_sub(operation.t1_ns));
        group.operations.push(at);
    }
    groups
}

fn key(operation: &RdmaOperation, window_ns: u64) -> GroupKey {
    GroupKey {
        connection: operation.connection.clone(),
        kind: operation.kind,
        success: operation.success,
        window_ns: operation.t6_ns / window_ns * window_ns,
    }
}
