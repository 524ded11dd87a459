//! Loopback tests of a live host, as perftest runs them: which paths are tested, and what the section `loopback` of a
//! report says about the results.
//!
//! An RNIC writes to itself from and to the memory of one endpoint ([`plan`]), so that the path carries what the slower of
//! PCIe reads and writes permits (Hostping, section 4.1.1). Counters that are read meanwhile tell busy RNICs and the traffic
//! of services ([`traffic`]), results of an earlier run are the [`Baselines`], and [`section`] joins all of it.

mod baseline;
mod plan;
mod rnic;
mod section;
mod traffic;

pub use baseline::{BaselineError, BaselinePath, Baselines};
pub use plan::{Plan, PlannedPath, plan};
pub use rnic::{Rnic, RnicPort, rnics};
pub use section::{MeasuredPath, Round, section};
pub use traffic::{Sample, busy};

/// Size of the messages of bandwidth tests (section 4.1.1: 128 KiB at 200 Gb/s).
pub const BANDWIDTH_BYTES: u64 = 128 << 10;
/// Size of the messages of latency tests (section 4.1.1).
pub const LATENCY_BYTES: u64 = 1;
