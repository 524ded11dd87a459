//! How long collection waits, and how much it remembers.

use serde::{Deserialize, Serialize};

/// Settings of the collector. Times are nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CollectSettings {
    /// The polling wave counts as over when no switch has reported for this long.
    pub quiet_ns: u64,
    /// When nothing has come for this long, and nothing is being read, questions that got lost are asked again. Longer than
    /// a polling packet takes from one switch to the next and a digest to the controller.
    pub ask_after_ns: u64,
    /// How often the controller asks one question itself; 0: never.
    pub ask_attempts: u32,
    /// Questions that the controller asks itself for one event at most; what it does not ask is reported as missing.
    pub max_questions: usize,
    /// Switches that a question of the controller may cross.
    pub hop_limit: u8,
    /// A switch that has not answered a read for this long is unlocked and left out.
    pub read_timeout_ns: u64,
    /// How often a read that failed is tried, within the timeout.
    pub read_attempts: u32,
    /// An event's snapshot is emitted after this time, complete or not.
    pub event_timeout_ns: u64,
    /// For this long after its snapshot reports of an event are stragglers; then its number is a new event. Longer than
    /// switches remember a polling packet (2^30 ns), so that none of the old event can come any more.
    pub straggler_ns: u64,
    /// After this time the lock of an unreachable switch is looked at again.
    pub retry_ns: u64,
    /// How often the lock of an idle switch is looked at; 0: never.
    pub audit_ns: u64,
    /// Epochs of which collected rows and evictions are remembered, for later snapshots.
    pub history_epochs: u64,
    /// Whether a snapshot also holds what ports at which nothing waited did in earlier epochs than their last. It explains
    /// nothing; without it the packets of a snapshot are not all that were forwarded.
    pub idle_history: bool,
    /// Evictions remembered a switch; beyond it the oldest are given up and reported as lost.
    pub max_evictions: usize,
    /// Events open at the same time; beyond it the oldest is emitted at once, and says so. An incast into a host of a
    /// large network makes every host ask at once, each about several flows; an open event takes about 2 kB.
    pub max_events: usize,
}

impl Default for CollectSettings {
    fn default() -> CollectSettings {
        CollectSettings {
            quiet_ns: 5_000_000,
            ask_after_ns: 1_000_000,
            ask_attempts: 4,
            max_questions: 64,
            hop_limit: 16,
            read_timeout_ns: 100_000_000,
            read_attempts: 2,
            event_timeout_ns: 500_000_000,
            straggler_ns: 2_000_000_000,
            retry_ns: 1_000_000_000,
            audit_ns: 10_000_000_000,
            history_epochs: 64,
            idle_history: false,
            max_evictions: 65_536,
            max_events: 4_096,
        }
    }
}
