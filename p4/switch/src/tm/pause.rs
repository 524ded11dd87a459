//! The two sides of priority flow control at one port and class.

use model::Time;

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
}
