//! Workloads that make an RDMA subsystem anomalous: NIC, PCIe, memory and their settings.
//!
//! Follows Collie (Kong et al., NSDI 2022). [`table`] holds its 18 published anomalies as conditions, [`matching`]
//! compares a workload with them, [`monitor`] decides whether a measurement is anomalous, and [`search`] looks for
//! anomalous workloads of a [`subsystem`] and extracts the minimal feature set (MFS) of each. A subsystem is a model of a
//! published one, or a NIC that perftest measures ([`perftest_subsystem`]).

pub mod cache_evidence;
pub mod condition;
pub mod matching;
pub mod mfs;
pub mod monitor;
pub mod perftest_subsystem;
pub mod search;
pub mod space;
pub mod subsystem;
pub mod table;
