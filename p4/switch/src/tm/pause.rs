//! State of priority flow control for one priority of a port.

use model::wire::pfc::QUANTUM_BITS;
use model::{Rate, Time};

/// Quanta within which a transmitter must stop after the last bit of a PFC frame, by link rate in Gb/s. IEEE 802.3,
/// clause 31B.3.7; values for 10G to 800G as in the headroom calculations of switch vendors (SONiC's
/// `buffer_headroom_mellanox.lua`). Other rates use the value of the next lower rate.
const REACTION_QUANTA: [(u64, u64); 9] =
    [(1, 2), (10, 67), (25, 80), (40, 118), (50, 147), (100, 394), (200, 453), (400, 905), (800, 905)];

/// Returns the longest time that the standard allows between a received PFC frame and the end of transmission, on a
/// link of `rate`.
pub fn standard_reaction(rate: Rate) -> Time {
    let quanta = REACTION_QUANTA
        .iter()
        .rev()
        .find(|(gbps, _)| rate >= Rate::from_gbps(*gbps))
        .map_or(1, |(_, quanta)| *quanta);
    rate.serialisation(quanta * QUANTUM_BITS / 8)
}

/// The pause that the peer has requested for an egress priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct ReceivedPause {
    /// The end of the pause; [`Time::MAX`] when only a resume frame ends it.
    pub(super) until: Option<Time>,
    /// Since when the priority is paused without interruption.
    pub(super) since: Option<Time>,
}

/// The pause that this port requests for an ingress priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct SentPause {
    /// Whether the peer is to be paused: the state of the XOFF/XON hysteresis.
    pub(super) pausing: bool,
    /// Whether a PFC frame is pending.
    pub(super) pending: bool,
    /// Whether the pending frame is a refresh.
    pub(super) refresh: bool,
    /// When the pause must be refreshed.
    pub(super) refresh_at: Option<Time>,
}

/// A timer of one priority of a port.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// A received pause expires.
    Expire,
    /// A sent pause must be refreshed.
    Refresh,
    /// A received frame takes effect after the reaction time.
    Apply {
        /// Requested duration; 0 resumes.
        quanta: u16,
        /// When the frame arrived.
        received: Time,
    },
    /// The watchdog's detection time has passed.
    Detect,
    /// The watchdog restores the queue.
    Restore,
}
