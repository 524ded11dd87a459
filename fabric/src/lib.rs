//! A deterministic discrete-event lossless fabric.
//!
//! Links with serialisation and propagation, switches that execute a P4 program on every packet
//! ([`p4_switch::Switch`]), hosts with RDMA NICs (DCQCN, go-back-N, PFC), workloads and faults. Time is an
//! integer number of picoseconds and events happen in order of time and scheduling, so that a run is a function
//! of scenario, seed and version.
//!
//! - [`Scenario`] says what happens; [`scenario::parse`] reads one from TOML, [`ns3`] from the files of the
//!   HPCC family of ns-3 simulators, [`scenario::builtin`] has the ones that come with Harrier.
//! - [`run`] runs one to its end, collection included; [`Fabric`] is the network itself, driven event by event;
//!   [`counterfactual::verify`] runs it again without what a verdict blames.

mod agent;
mod build;
mod collect;
pub mod counterfactual;
pub mod ecmp;
mod event;
mod fabric;
mod fault;
mod flow;
mod host;
mod link;
mod losses;
pub mod nic;
pub mod ns3;
pub mod output;
mod paths;
pub mod pipeline;
mod problem;
pub mod prove;
mod reading;
mod record;
mod rng;
mod run;
pub mod scenario;
pub mod storm;
mod switching;
pub mod topology;
#[rustfmt::skip]
#[allow(
    clippy::all,
    clippy::pedantic,
    clippy::nursery,
    unused,
    unused_comparisons,
    reason = "generated from the program, one statement per operation"
)]
mod translated;
mod trial;
mod truth;
pub mod workload;

pub use agent::{HostAgent, Question, Watcher};
pub use build::{BuildError, base_rtt};
pub use collect::InProcessController;
pub use fabric::{Fabric, Tap};
pub use flow::RttStats;
pub use paths::Paths;
pub use pipeline::Pipeline;
pub use problem::{Problem, Problems};
pub use record::{
    BooksError, Counters, FlowRecord, LosslessDrops, PauseRecord, SwitchNotice, WatchdogDoes, WatchdogRecord,
};
pub use run::{
    RunError, RunOptions, RunOutcome, Watch, plan_settings, prepare, run, run_trial, run_watched, set_agents,
};
pub use scenario::Scenario;
pub use switching::FabricSwitch;
pub use trial::Trial;
