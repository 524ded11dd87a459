//! Threads of an application that do not poll their completion queues in time.

use model::Time;

/// Gaps between polls: a thread that has other work, or waits for a lock (Ma et al., X-RDMA, CLUSTER 2019, sections VI-A and
/// VII-D).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PollGapModel {
    /// How long the application does not poll.
    pub gap: Time,
    /// Time between the starts of two gaps; at least `gap`.
    pub interval: Time,
}
