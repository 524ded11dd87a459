//! A real Linux network for a scenario: a network namespace for each host and switch, veth pairs as links, and every
//! daemon as a process of its own.
//!
//! `up` builds it, `traffic` and `fault` do what the scenario describes, `status` shows the processes, `down` removes
//! everything, also after a crash of `up`. Time is stretched by one factor ([`scale`]) so that two cores carry it.

mod daemons;
mod down;
mod fault;
mod files;
mod links;
mod names;
mod namespace;
mod plan;
mod process;
mod scale;
mod state;
mod status;
mod traffic;
mod up;

pub(crate) use down::down;
pub(crate) use fault::{Fault, fault};
pub(crate) use names::{LabNumber, MAX_LABS};
pub(crate) use scale::Scale;
pub(crate) use status::status;
pub(crate) use traffic::{TrafficOptions, traffic};
pub(crate) use up::{UpOptions, up};

/// The scenarios whose labs are tested: an incast, a NIC storm, a slow receiver, a deadlock and a misconfigured switch.
pub(crate) const LABS: [&str; 5] =
    ["poster-fig1", "host-storm", "slow-receiver", "deadlock-in-loop", "misconfigured-alpha"];
