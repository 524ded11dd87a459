//! The counterfactual run of a verdict: the same run without its root cause.

use serde::{Deserialize, Serialize};

/// A counterfactual run, compared with the original run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Verification {
    /// What was removed or corrected, one sentence each.
    pub without: Vec<String>,
    /// The result, in one sentence.
    pub shown: String,
    /// The compared period, in nanoseconds: from the slow packet's departure to the verdict's time.
    pub window_ns: (u64, u64),
    /// Base round-trip time of the victim's path; absent if no path is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub base_rtt_ns: Option<u64>,
    /// The victim's slowest round trip in that period in the original run; a packet that was never acknowledged
    /// counts until the end of the run.
    pub rtt_before_ns: u64,
    /// The same in the counterfactual run; absent if the victim had nothing left to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_after_ns: Option<u64>,
    /// When the victim finished in the original run; absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_before_ns: Option<u64>,
    /// When the victim finished in the counterfactual run; absent if it did not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finish_after_ns: Option<u64>,
    /// Total pause time of the ports of the pause path and the loop in that period, in the original run.
    pub paused_before_ns: u64,
    /// The same in the counterfactual run.
    pub paused_after_ns: u64,
    /// The run in which the settings are corrected and every flow is sent, if the counterfactual run leaves out flows as well
    /// because that one does not remove most of the delay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub corrected: Option<CorrectedSettings>,
}

/// What correcting the settings alone does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(deny_unknown_fields)]
pub struct CorrectedSettings {
    /// The victim's slowest round trip in the period; absent if it had nothing left to send.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rtt_ns: Option<u64>,
    /// Total pause time of the ports of the pause path and the loop.
    pub paused_ns: u64,
    /// Whether the delay of the victim, the pauses or the losses are less than half of before.
    pub helps: bool,
}
