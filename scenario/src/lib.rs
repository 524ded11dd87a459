//! The scenario format: a description of a network, its settings, its traffic and its faults.
//!
//! A [`Scenario`] is plain data. It is read from TOML with [`parse`], or from the files of the HPCC family of ns-3
//! simulators with [`ns3::load`]; [`builtin`] returns the ones that come with Harrier. What a scenario leaves to the
//! seed is drawn when it is read ([`Scenario::instance`]), so that an instance is a function of the text and the seed.
//!
//! - [`topology`] and [`workload`] generate networks and traffic from a few parameters.
//! - [`generate`](mod@generate) draws whole scenarios with known disturbances from a seed.
//! - [`sonic`] turns SONiC configurations into the settings of simulated switches; [`Scenario::audit`] returns the
//!   findings in them.
//! - [`ecmp`] and [`Paths`] compute the path of a flow, without a switch.
//!
//! Simulation, telemetry and diagnosis are not part of this crate: the fabric builds a network from a `Scenario`.

mod audit;
mod builtin;
mod correct;
pub mod drawing;
pub mod ecmp;
pub mod generate;
pub mod nic;
pub mod ns3;
mod paths;
mod problem;
mod random;
mod read;
mod scenario;
mod settings;
mod software;
pub mod sonic;
pub mod topology;
pub mod workload;

pub use builtin::{builtin, builtin_files, builtin_names, builtin_source, paper_names, paper_problem};
pub use correct::place_of;
pub use generate::{Generated, generate};
pub use paths::Paths;
pub use problem::{Problem, Problems};
pub use random::Random;
pub use read::{
    Expectation, Failure, Outage, Routing, TimedRoute, parse, parse_bytes, parse_length, parse_rate,
    parse_switch, parse_time, parse_with,
};
pub use scenario::{AgentSettings, FaultKind, FaultSpec, FlowSpec, JobSpec, RunFlow, Scenario, ScenarioText};
pub use settings::{Headroom, HostSettings, Notification, Reaction, SwitchPort, SwitchSettings};
pub use sonic::{Configured, KnownPorts, SonicError, config_findings, config_findings_at, dscp_classes};
