//! The two sides of priority flow control at one port and class.

use model::wire::pfc::QUANTUM_BITS;
use model::{Rate, Time};

/// Quanta within which a transmitter must have stopped after the last bit of a PFC frame, by the link's rate in
/// Gb/s. IEEE 802.3, clause 31B.3.7; the values for 10G to 800G as switch vendors put them into their headroom
/// calculations (SONiC's `buffer_headroom_mellanox.lua`). Links in between react like the next slower one.
const REACTION_QUANTA: [(u64, u64); 9] =
    [(1, 2), (10, 67), (25, 80), (40, 118), (50, 147), (100, 394), (200, 453), (400, 905), (800, 905)];

/// The longest time that the standard allows between a received PFC frame and silence, on a link of `rate`.
pub fn standard_reaction(rate: Rate) -> Time {
    let quanta = REACTION_QUANTA
        .iter()
        .rev()
        .find(|(gbps, _)| rate >= Rate::from_gbps(*gbps))
        .map_or(1, |(_, quanta)| *quanta);
    rate.serialisation(quanta * QUANTUM_BITS / 8)
}

/// Whether the peer has silenced this egress class, and until when.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Received {
    /// The end of the pause; [`Time::MAX`] when only a resume frame ends it.
    pub(super) until: Option<Time>,
}

/// What this side has told the peer about an ingress class.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Sent {
    /// Whether the peer shall be silent: the state of the hysteresis.
    pub(super) pausing: bool,
    /// Whether a frame must go out to say so.
    pub(super) pending: bool,
    /// Whether the pending frame merely prolongs.
    pub(super) refresh: bool,
    /// When the pause must be renewed.
    pub(super) refresh_at: Option<Time>,
}

/// Something that is due at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Timer {
    /// A received pause runs out.
    Expire,
    /// A sent pause must be renewed.
    Refresh,
    /// A received frame takes effect: the transmitter has reacted.
    Obey {
        /// What it asked for; 0 resumes.
        quanta: u16,
        /// When it came in.
        received: Time,
    },
    /// The watchdog's patience is over.
    Detect,
    /// The watchdog lets the queue work again.
    Restore,
}
