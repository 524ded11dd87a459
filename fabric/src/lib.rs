//! A deterministic discrete-event lossless fabric.
//!
//! Links with serialisation and propagation, switches that execute a P4 program on every packet
//! ([`p4_switch::Switch`]), hosts with RDMA NICs (DCQCN, go-back-N, PFC), workloads and faults. Time is an
//! integer number of picoseconds and events happen in order of time and scheduling, so that a run is a function
//! of scenario, seed and version.
//!
//! - [`Scenario`] says what happens; [`scenario::parse`] reads one from TOML, [`ns3`] from the files of the
//!   HPCC family of ns-3 simulators, [`scenario::builtin`] has the ones that come with Harrier.
//! - [`Fabric`] is the network itself, driven event by event.

mod agent;
mod build;
mod event;
mod fabric;
mod fault;
mod flow;
mod host;
mod link;
pub mod nic;
pub mod ns3;
mod problem;
mod record;
mod rng;
pub mod scenario;
mod switching;

pub use agent::HostAgent;
pub use build::{BuildError, base_rtt, path};
pub use fabric::Fabric;
pub use flow::RttStats;
pub use problem::{Problem, Problems};
pub use record::{Counters, FlowRecord, PauseRecord, SwitchNotice};
pub use scenario::Scenario;
pub use switching::FabricSwitch;
