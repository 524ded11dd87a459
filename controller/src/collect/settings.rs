//! Timers and limits of collection.

use serde::{Deserialize, Serialize};

/// Settings of the collector. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectSettings {
    /// Polling counts as complete when no switch has reported for this long.
    pub quiet_ns: u64,
    /// Lost polling packets are retried when no report has arrived for this long and no read is pending. Must exceed
    /// the time of a polling packet to the next switch plus that of its digest to the controller.
    pub poll_retry_ns: u64,
    /// Maximum number of retries of one polling packet; 0 disables retries.
    pub poll_retries: u32,
    /// Maximum number of retries for one event. Polls beyond it are reported as missing data.
    pub max_poll_retries: usize,
    /// Hop limit of a retried polling packet.
    pub hop_limit: u8,
    /// Timeout of a read. The bank of a switch that exceeds it is released and omitted from the snapshot.
    pub read_timeout_ns: u64,
    /// Maximum number of attempts of a read, all within the timeout.
    pub read_attempts: u32,
    /// An event's snapshot is emitted after this time, complete or not.
    pub event_timeout_ns: u64,
    /// Reports of an event that arrive within this time after its snapshot are ignored as late; afterwards the event id
    /// denotes a new event. Must exceed the time for which switches remember a polling packet (2^30 ns), so that no
    /// report of the old event can arrive.
    pub straggler_ns: u64,
    /// Time after which the freeze state of an unreachable switch is read again.
    pub retry_ns: u64,
    /// Interval at which the freeze state of an idle switch is read; 0: never.
    pub audit_ns: u64,
    /// For how long collected rows and evictions are kept for later snapshots.
    pub history_ns: u64,
    /// Whether a snapshot includes earlier epochs of ports without queueing or pauses. Diagnosis does not need them;
    /// without them, the packets of a snapshot do not add up to all forwarded packets.
    pub idle_history: bool,
    /// Maximum number of evictions kept per switch; beyond it the oldest are dropped and reported as lost.
    pub max_evictions: usize,
    /// Maximum number of open events; beyond it the oldest is emitted early, with the reason in its missing data. An
    /// incast in a large network makes every host poll for several flows at once; an open event takes about 2 kB.
    pub max_events: usize,
}

impl Default for CollectSettings {
    fn default() -> CollectSettings {
        CollectSettings {
            quiet_ns: 5_000_000,
            poll_retry_ns: 1_000_000,
            poll_retries: 4,
            max_poll_retries: 64,
            hop_limit: 16,
            read_timeout_ns: 100_000_000,
            read_attempts: 2,
            event_timeout_ns: 500_000_000,
            straggler_ns: 2_000_000_000,
            retry_ns: 1_000_000_000,
            audit_ns: 10_000_000_000,
            history_ns: 67_000_000,
            idle_history: false,
            max_evictions: 65_536,
            max_events: 4_096,
        }
    }
}
