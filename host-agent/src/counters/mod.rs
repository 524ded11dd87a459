//! Counters of a host's NICs: of RDMA devices and PCIe links from sysfs ([`sysfs`]), of pauses from the kernel
//! ([`pause`]) and of priorities from the driver ([`driver`]). [`report`] compares two readings.
//!
//! The records are plain values: a counter that the host does not have is absent, never 0.

pub mod driver;
pub mod pause;
mod records;
pub mod report;
pub mod sysfs;

pub use records::{HostCounters, InterfaceCounters, PauseCounters, PcieLink, PriorityCounters, RdmaPort};
