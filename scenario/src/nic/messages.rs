//! How a flow's bytes are divided into RDMA messages.

use model::Time;

/// The RDMA operation of a message; it determines the opcodes on the wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Operation {
    /// RDMA WRITE: data is sent from the flow's source to its destination.
    #[default]
    Write,
    /// SEND: data is sent in the same direction.
    Send,
    /// RDMA READ: the flow's source sends one request per message, and its destination responds with the data.
    Read,
}

/// How a flow's bytes become messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// The operation of every message.
    pub operation: Operation,
    /// Bytes of a message, the last may have fewer; absent: the flow is one message.
    pub bytes: Option<u64>,
    /// Most messages that may be outstanding at once; absent: unlimited.
    pub outstanding: Option<u32>,
    /// Least time between the starts of two messages.
    pub interval: Time,
    /// How long the NIC registers memory before each message, with a request of its own in the same send queue (fast memory
    /// registration, FMR); absent: memory is registered in advance.
    pub registration: Option<Time>,
    /// Bytes that the flow may have outstanding, or [`Messages::NO_WINDOW`]; absent: the window of its NIC.
    pub window_bytes: Option<u64>,
}

impl Messages {
    /// A flow without a window, whatever its NIC has.
    pub const NO_WINDOW: u64 = u64::MAX;
}
