//! Deterministic discrete-event simulation of a lossless fabric.
//!
//! Links with serialisation and propagation, switches that execute a P4 program on every packet
//! ([`p4_switch::Switch`]), hosts with RDMA NICs (DCQCN, DCTCP, TIMELY, go-back-N, PFC) and faults. Time is an
//! integer number of picoseconds and events happen in order of time and scheduling, so that a run is a function
//! of scenario, seed and version.
//!
//! - [`run`] runs a [`scenario::Scenario`] to its end, collection included; [`Fabric`] is the network itself, driven
//!   event by event.
//! - [`TrafficRun`] runs the traffic alone, on switches without telemetry.
//! - [`sonic`] shows the counters of the switches as SONiC does.
//! - [`stopwatch`] measures the delay of every flow at its sender.
//! - [`counterfactual::verify`] repeats a run without the root cause that a verdict names.
//! - [`prove`] and [`storm`] test a single switch under worst-case traffic.

mod agent;
mod collect;
pub mod counterfactual;
mod drop_reason;
mod event;
mod fabric;
mod fault_injection;
mod flow;
mod forwarding;
mod host_descriptor;
mod host_inspection;
mod host_jobs;
mod host_loopback;
mod host_operations;
mod host_rates;
mod host_readings;
mod host_report;
mod host_tenants;
mod link;
mod link_loss;
mod losses;
pub mod nic;
mod operator_records;
pub mod output;
pub mod packet_log;
pub mod pipeline;
pub mod prove;
mod record;
mod record_log;
mod run;
pub mod sonic;
pub mod stopwatch;
pub mod storm;
mod switch;
mod traffic_run;
mod traffic_switch;

pub use agent::{HostAgent, PollRequest, SimulatedAgent};
pub use collect::{CollectedSnapshot, InProcessController};
pub use drop_reason::drop_words;
pub use fabric::{BuildError, Fabric, Tap, WireCounters, base_rtt};
pub use fault_injection::FaultInjection;
pub use flow::RttStats;
pub use host_jobs::JobReading;
pub use host_operations::ConnectionReading;
pub use host_rates::SendingReading;
pub use host_readings::HostReadings;
pub use host_report::{FlowReading, NicReading, host_report};
pub use host_tenants::{SharedReading, TenantFlow, TenantReading};
pub use operator_records::OperatorRecords;
pub use packet_log::PacketLog;
pub use pipeline::Pipeline;
pub use record::{
    ConservationError, Counters, FlowRecord, PauseRecord, SwitchNotice, WatchdogDoes, WatchdogRecord,
};
pub use record_log::RECENT_RECORDS;
pub use run::{
    LAST_POLLS, RunError, RunOptions, RunOutcome, Watch, plan_settings, prepare, run, run_observed,
    run_watched, run_with_injection, set_agents,
};
pub use switch::FabricSwitch;
pub use traffic_run::TrafficRun;
pub use traffic_switch::TrafficSwitch;
