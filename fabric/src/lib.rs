//! A deterministic discrete-event lossless fabric.
//!
//! Links with serialisation and propagation, switches that execute a P4 program on every packet
//! ([`p4_switch::Switch`]), hosts with RDMA NICs (DCQCN, go-back-N, PFC), workloads and faults. Time is an
//! integer number of picoseconds and events happen in order of time and scheduling, so that a run is a function
//! of scenario, seed and version.
//!
//! - [`run`] runs a [`scenario::Scenario`] to its end, collection included; [`Fabric`] is the network itself, driven
//!   event by event.
//! - [`counterfactual::verify`] repeats a run without the root cause that a verdict names.
//! - [`prove`] and [`storm`] put a single switch under worst-case traffic.

mod agent;
mod build;
mod collect;
pub mod counterfactual;
mod event;
mod fabric;
mod fault;
mod fault_injection;
mod flow;
mod host;
mod link;
mod losses;
pub mod nic;
mod operator_records;
pub mod output;
pub mod pipeline;
pub mod prove;
mod rdma_read;
mod record;
mod run;
pub mod storm;
mod switching;
#[rustfmt::skip]
#[allow(clippy::all, clippy::pedantic, clippy::nursery, unused, unused_comparisons, reason = "printed from the program, an operation a line")]
mod translated;
mod truth;

pub use agent::{HostAgent, Question, Watcher};
pub use build::{BuildError, base_rtt};
pub use collect::InProcessController;
pub use fabric::{Fabric, Tap};
pub use fault_injection::FaultInjection;
pub use flow::RttStats;
pub use operator_records::OperatorRecords;
pub use pipeline::Pipeline;
pub use record::{
    BooksError, Counters, FlowRecord, LosslessDrops, PauseRecord, SwitchNotice, WatchdogDoes, WatchdogRecord,
};
pub use run::{
    RunError, RunOptions, RunOutcome, Watch, plan_settings, prepare, run, run_watched, run_with_injection,
    set_agents,
};
pub use switching::FabricSwitch;
