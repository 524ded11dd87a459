//! Extended statistics of RDMA operations: latency histograms by connection, and the stage that makes operations slow.
//!
//! Follows RDMA Estats (Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 5).

mod histogram;
mod stages;
mod windows;

pub use histogram::Histogram;
pub use stages::{Side, Split, Stage, Stages, slow_stage};
pub use windows::{DEFAULT_WINDOW_NS, Group, GroupKey, groups};
