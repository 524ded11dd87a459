//! Counters of the collector, for metrics.

/// Counters of a collector since its start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectStats {
    /// Banks read.
    pub banks: u64,
    /// Reads that failed or timed out.
    pub failed_reads: u64,
    /// Releases of frozen banks sent.
    pub unlocks: u64,
    /// Polling packets retried because a polling packet or its digest was lost.
    pub poll_retries_sent: u64,
    /// Retries suppressed because their event had reached its limit.
    pub limited_poll_retries: u64,
    /// Polls of switches that had been frozen for another event, after their release.
    pub polls_after_release: u64,
    /// Freezes for one event that another event used as well, because it lacked records of the switch.
    pub shared_freezes: u64,
    /// Snapshots emitted.
    pub snapshots: u64,
    /// Events whose snapshot was emitted early because too many events were open.
    pub emitted_early: u64,
    /// Exported flow slots received.
    pub evictions: u64,
    /// Reports of events whose snapshot had been emitted.
    pub late_polls: u64,
    /// Digests that could not be decoded, and inputs without a matching request or switch.
    pub ignored: u64,
}
