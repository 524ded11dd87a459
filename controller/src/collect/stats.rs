//! What a collector counts, for metrics.

/// What the collector has done so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CollectStats {
    /// Banks read.
    pub banks: u64,
    /// Reads that failed or did not come back in time.
    pub failed_reads: u64,
    /// Unlocks sent.
    pub unlocks: u64,
    /// Questions that the controller asked itself, because a polling packet or its report had got lost.
    pub questions: u64,
    /// Questions not asked because their event had used up its questions.
    pub limited_questions: u64,
    /// Snapshots emitted.
    pub snapshots: u64,
    /// Events whose snapshot was emitted before its time, because too many were open.
    pub given_up_early: u64,
    /// Exported flow slots received.
    pub evictions: u64,
    /// Polls of events whose snapshot had been emitted.
    pub late_polls: u64,
    /// Digests that could not be read, and inputs that fit nothing open.
    pub ignored: u64,
}
