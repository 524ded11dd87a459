//! Which tenant of a shared RNIC hurts the others, although the bandwidth looks fine.
//!
//! [`isolation`] decides whether a tenant gets less than it was promised, [`resources`] which resource of the RNIC is
//! exhausted and who uses how much of it, and [`pcie`] computes what messages cost on the PCIe link. Source: Kong et
//! al., "Understanding RDMA Microarchitecture Resources for Performance Isolation" (Husky), NSDI 2023.

pub mod isolation;
pub mod pcie;
pub mod resources;
