//! Reports of hosts: the interface that a driver with agents implements.

use std::collections::BTreeMap;

use model::HostReport;
use model::host::{HostDiagnosis, HostFinding};
use serde::Serialize;
use utoipa::ToSchema;

/// What the latest report of a host shows.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HostReportSummary {
    /// When the agent made it: the server's wall clock (RFC 3339).
    pub time: String,
    /// How long ago that was, in nanoseconds.
    pub age_ns: u64,
    /// The time before that which counters and rates describe, in nanoseconds.
    pub interval_ns: u64,
    /// What the detectors find in it without a verdict about the network, the most certain first.
    pub findings: Vec<HostFinding>,
}

/// The latest report of a host, and what it shows by itself.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub struct HostReportView {
    /// When the agent made it: the server's wall clock (RFC 3339).
    pub time: String,
    /// How long ago that was, in nanoseconds.
    pub age_ns: u64,
    /// The report.
    pub report: HostReport,
    /// What the detectors find in it without a verdict about the network, and what they miss.
    pub diagnosis: HostDiagnosis,
}

/// Has the latest report of each host. Without an implementation no host has one.
pub trait HostReportBackend: Send + Sync + 'static {
    /// What the report of each host shows, by name.
    fn summaries(&self) -> BTreeMap<String, HostReportSummary>;

    /// What the report of `host` shows.
    fn summary(&self, host: &str) -> Option<HostReportSummary>;

    /// The latest report of `host`.
    fn report(&self, host: &str) -> Option<HostReportView>;
}
