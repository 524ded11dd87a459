//! The thresholds of a diagnosis. The defaults are the same for all networks.

use serde::{Deserialize, Serialize};

use crate::method::Method;

/// Thresholds of the analysis, with the direction in which each errs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How edges and contributions are weighted.
    pub method: Method,
    /// Pauses (or queueing) closer together than this belong to one event. A larger value merges events; a smaller
    /// one splits an event into its pause cycles (tens of microseconds).
    pub event_gap_ns: u64,
    /// A flow that was active this long before the queue episode has a previous rate: only its excess above that
    /// counts. Larger than the spread of the start times of one incast.
    pub established_ns: u64,
    /// The flows that contribute have this share of the excess together: the smallest such set is named. A larger value
    /// names flows without which the queue is as long; a smaller one leaves a part of the delay unexplained.
    pub covered_share: f64,
    /// Minimum mean queue depth, in packets, of a queue that delays packets.
    pub min_wait_packets: f64,
    /// The same for a snapshot without a victim: a port with such a queue is an event of its own.
    pub incident_packets: f64,
    /// Minimum share of the victim's pause of a pause path.
    pub branch_share: f64,
    /// Minimum share of the victim's pause of a port in the provenance graph.
    pub graph_share: f64,
    /// Minimum share of the additional round-trip time that a queue on the victim's path must account for.
    pub explained_share: f64,
    /// A host-facing port that was paused for less than this share of the event is congested, not a storm's root.
    pub storm_duty: f64,
    /// Maximum number of records per claim.
    pub evidence_records: usize,
    /// Maximum number of packets of one queue that are replayed; above it, all counts are scaled down.
    pub replay_packets: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::default(),
            event_gap_ns: 100_000,
            established_ns: 100_000,
            covered_share: 0.9,
            min_wait_packets: 2.0,
            incident_packets: 20.0,
            branch_share: 0.2,
            graph_share: 0.005,
            explained_share: 0.1,
            storm_duty: 0.1,
            evidence_records: 32,
            replay_packets: 65_536,
        }
    }
}
