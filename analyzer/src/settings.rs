//! The numbers that a diagnosis depends on. The defaults are one fixed configuration for all networks.

use serde::{Deserialize, Serialize};

use crate::method::Method;

/// Thresholds of the analysis. Every one says in which direction it errs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// How edges and contributions are weighed.
    pub method: Method,
    /// Pauses (or waits) closer together than this belong to one event. Larger merges events, smaller splits
    /// one event into its pause cycles (tens of microseconds).
    pub event_gap_ns: u64,
    /// A flow that was there this long before the queue formed is no newcomer: it is only blamed for what it
    /// sends above its former rate. Larger than the spread of the starts of one incast.
    pub established_ns: u64,
    /// A flow contributes when it brought at least this share of what the largest contributor brought.
    pub contributor_share: f64,
    /// Mean depth, in packets, from which a queue counts as one that packets wait in.
    pub min_wait_packets: f64,
    /// The same where nobody complained: a port with such a queue is an incident by itself.
    pub incident_packets: f64,
    /// Branches of the pause graph that carry less than this share of the victim's pause are left out.
    pub branch_share: f64,
    /// The provenance graph of a verdict leaves out ports that carry less than this share of the victim's pause.
    pub graph_share: f64,
    /// A queue on the victim's path is an explanation when it accounts for at least this share of the
    /// additional round-trip time.
    pub explained_share: f64,
    /// A host-facing port that was paused for less than this share of the event is congested, not stopped.
    pub storm_duty: f64,
    /// At most this many records stand behind one claim.
    pub evidence_records: usize,
    /// Packets of one queue that are replayed at most; beyond, all counts are scaled down.
    pub replay_packets: usize,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            method: Method::default(),
            event_gap_ns: 100_000,
            established_ns: 100_000,
            contributor_share: 0.1,
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
