//! Packets inside the switch.

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

/// A packet that is queued between ingress and egress.
///
/// It is boxed, because it is moved often; its storage is reused.
#[derive(Clone, Debug, Default)]
pub struct QueuedPacket(pub(crate) Box<Queued>);

/// Contents of a queued packet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Queued {
    /// Packet number, for traces.
    pub(crate) id: u64,
    /// Headers and metadata that egress reads.
    pub(crate) carried: Vec<u64>,
    /// The frame as received; the bytes from `cursor` on are the payload.
    pub(crate) frame: Box<Frame>,
    /// Bits that the parser has consumed.
    pub(crate) cursor: u64,
    /// Length in bytes to truncate to on transmission.
    pub(crate) truncate: Option<u64>,
    pub(crate) ingress_port: u16,
    /// Passes and jumps left to it and its copies.
    pub(crate) budget: Budget,
}

/// A packet to be processed by ingress.
#[derive(Clone, Debug)]
pub(crate) struct Arriving {
    pub(crate) frame: Frame,
    pub(crate) entry: IngressEntry,
}

/// How a packet enters ingress.
#[derive(Clone, Debug)]
pub(crate) struct IngressEntry {
    /// Number of the original packet, for traces; 0 for a packet from a port.
    pub(crate) parent: u64,
    pub(crate) ingress_port: u16,
    pub(crate) instance_type: u64,
    /// Limbs to set before the parser runs: limb index and value.
    pub(crate) preserved: Vec<(u32, u64)>,
    pub(crate) budget: Budget,
}
