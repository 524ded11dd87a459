//! The settings of an RDMA NIC (messages, congestion control, receive buffer) and the models of slow receivers. The
//! protocol engines that use them are part of the fabric.

mod congestion_control;
mod contexts;
mod generation;
mod host_bus;
mod jobs;
mod messages;
mod mtt;
mod poll_gaps;
mod receive_requests;
mod tenants;

pub use congestion_control::{ControlConfig, Cut, DcqcnConfig, DctcpConfig, TimelyConfig};
pub use contexts::ContextModel;
pub use generation::Generation;
pub use host_bus::{HostBus, WriteOrdering};
pub use jobs::{GpuUse, HostJobSpec, Preparation};
pub use messages::{Messages, Operation};
pub use mtt::{MttModel, Translations};
pub use poll_gaps::PollGapModel;
pub use receive_requests::ReceiveWqeModel;
pub use tenants::{PostedVerb, TenantSpec, TranslationCache};

/// Header bytes of RoCEv2 over IPv4 on the wire, invariant CRC included and frame check sequence not.
pub const ROCE_V4_BYTES: u32 = 58;

/// How lost packets are recovered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Reliability {
    /// Go-back-N: the receiver accepts packets in order only; the sender retransmits everything from the lost packet
    /// on.
    #[default]
    GoBackN,
    /// Selective repeat: the receiver keeps out-of-order packets; the sender retransmits only what was lost.
    SelectiveRepeat,
}

/// The receive buffer of a NIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveLimits {
    /// Size in bytes; packets that do not fit are dropped.
    pub size_bytes: u64,
    /// XOFF: buffer occupancy in bytes at which the NIC pauses its switch.
    pub xoff_bytes: u64,
    /// XON: buffer occupancy in bytes at which it resumes the switch.
    pub xon_bytes: u64,
}

impl ReceiveLimits {
    /// XOFF of a NIC that does not pause its switch: it drops packets when its buffer is full.
    pub const NEVER_PAUSES: u64 = u64::MAX;
}

impl Default for ReceiveLimits {
    /// 2 MiB; pauses at 64 KiB and resumes at 32 KiB.
    fn default() -> ReceiveLimits {
        ReceiveLimits { size_bytes: 2 << 20, xoff_bytes: 64 << 10, xon_bytes: 32 << 10 }
    }
}
