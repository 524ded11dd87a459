//! What became of a victim in the same run without what its verdict blames.

use serde::{Deserialize, Serialize};

/// A replay without the named culprit, set beside the same run with it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Verification {
    /// What was taken out of the run or put right in it, one sentence each.
    pub without: Vec<String>,
    /// What it showed, in one sentence.
    pub shown: String,
    /// The time that is compared, in nanoseconds: from the slow packet's departure to the verdict's time.
    pub window_ns: (u64, u64),
    /// Round-trip time of the victim's path without load; absent where no path is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rtt_ns: Option<u64>,
    /// The victim's slowest round trip in that time, with the culprit; a packet that was never acknowledged counts
    /// until the end of the run.
    pub rtt_before_ns: u64,
    /// The same without the culprit; absent when the victim had nothing left to send by then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_after_ns: Option<u64>,
    /// When the victim was through, with the culprit; absent when it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_before_ns: Option<u64>,
    /// When it was through without the culprit; absent when it was not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_after_ns: Option<u64>,
    /// How long the ports of the pause path and of the loop were paused in that time, all together.
    pub paused_before_ns: u64,
    /// The same without the culprit.
    pub paused_after_ns: u64,
}
