//! Packets on their way through the switch.

use model::wire::Frame;

use super::budget::Budget;

/// Values of v1model's `instance_type`, as the reference switch numbers them.
pub(crate) mod instance_type {
    pub(crate) const NORMAL: u64 = 0;
    pub(crate) const INGRESS_CLONE: u64 = 1;
    pub(crate) const EGRESS_CLONE: u64 = 2;
    pub(crate) const RECIRCULATED: u64 = 4;
    pub(crate) const REPLICATION: u64 = 5;
    pub(crate) const RESUBMITTED: u64 = 6;
}

/// A packet that waits between ingress and egress.
///
/// It is moved often, so that only a pointer is moved; the storage goes round.
#[derive(Clone, Debug, Default)]
pub struct QueuedPacket(pub(crate) Box<Queued>);

/// What a queued packet consists of.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queued {
    /// Its number, for traces.
    pub(crate) id: u64,
    /// Headers and metadata that egress needs.
    pub(crate) carried: Vec<u64>,
    /// As it came in; what lies behind `cursor` is the payload.
    pub(crate) frame: Box<Frame>,
    /// Bits that the parser has consumed.
    pub(crate) cursor: u64,
    /// Length to cut to when it leaves.
    pub(crate) truncate: Option<u64>,
    pub(crate) ingress_port: u16,
    /// What it and its copies may still cost.
    pub(crate) budget: Budget,
}

/// A packet that waits for ingress.
#[derive(Clone, Debug)]
pub(crate) struct Arriving {
    pub(crate) frame: Frame,
    pub(crate) entry: Entry,
}

/// How a packet enters ingress.
#[derive(Clone, Debug)]
pub(crate) struct Entry {
    /// Number of the packet that it was before, for traces; 0 when it comes from outside.
    pub(crate) parent: u64,
    pub(crate) ingress_port: u16,
    pub(crate) instance_type: u64,
    /// Limbs to set before the parser runs: first limb, value.
    pub(crate) preserved: Vec<(u32, u64)>,
    pub(crate) budget: Budget,
}
