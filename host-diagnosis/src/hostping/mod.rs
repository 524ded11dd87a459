//! Which link inside a host is the bottleneck, from loopback tests.
//!
//! A path whose bandwidth is below its baseline has a bad link. [`routes`] knows which links a path has,
//! [`path_status`] judges paths, [`suspects`] concludes from paths to links, and [`bottleneck`] names the kind of
//! problem; [`measurement`] plans the tests of a live host. Source: Liu et al., "Hostping: Diagnosing Intra-host Network Bottlenecks in RDMA Servers", NSDI 2023,
//! section 4.3 and algorithm 1.

mod bottleneck;
mod hwloc;
mod judge;
pub mod measurement;
mod path_status;
mod routes;
mod suspects;

pub use bottleneck::Bottleneck;
pub use hwloc::read as read_hwloc;
pub use judge::{LinkFinding, LinkProblem, Verdict, judge};
pub use path_status::PathStatus;
pub use routes::{LinkKind, Routes};
pub use suspects::Suspects;

/// A bandwidth or latency this share off its baseline is abnormal (section 5: 20 %).
pub const ABNORMAL_SHARE: f64 = 0.2;
/// A link that uses more than this share of its capacity is overloaded (section 5: 90 %).
pub const OVERLOADED_SHARE: f64 = 0.9;
/// A link that is doubtful in this many consecutive tests is flapping (section 4.3: three).
pub const FLAPPING_TESTS: usize = 3;
