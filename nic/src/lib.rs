//! A RoCEv2 endpoint in user space, as a pure state machine: frames and time in, frames and reports out.
//!
//! The protocol engines are those of the simulated NIC ([`fabric::nic`]): go-back-N, DCQCN, pacing, PFC in both
//! directions, slow receivers. This crate adds what a simulation does not need: whole frames with invariant CRC
//! ([`frame`]), connections between processes that do not know each other's state ([`Endpoint`]), and default settings
//! for any link rate ([`Settings::software`]).
//!
//! # Connections
//! There is no connection manager. Both ends of a flow use the queue pair number that the sender chose, and a receiver
//! identifies a flow by the sender's address and that number. The first packet of a flow has sequence number 0.

mod endpoint;
mod fault;
pub mod frame;
mod receiving;
mod report;
mod sending;
mod settings;

pub use endpoint::{Counters, Endpoint, Identity};
pub use fault::Fault;
pub use report::{Report, RoundTrips};
pub use sending::{FlowRequest, RefusedFlow};
pub use settings::Settings;
