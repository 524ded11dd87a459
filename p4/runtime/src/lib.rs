//! P4Runtime: the protocol's messages, a server over a `p4_switch`, and a client.
//!
//! * [`proto`]: messages and services, wire compatible with P4Runtime 1.5.
//! * [`p4info`]: P4Info of a compiled program, as text and binary.
//! * [`device_config`]: the device configuration of this switch.
//! * [`device_state`]: what this switch knows beside its program, as an entity.
//! * [`server`]: the service for a switch, which a separate driver runs.
//! * [`client`]: the client for controllers.
//! * [`bytestring`], [`error`]: the protocol's encoding of integers and errors.
//!
//! This crate is an edge: it runs on tokio and opens sockets. Pure modules are marked as such.
//! Source: the P4Runtime specification (p4lang/p4runtime, `docs/v1/P4Runtime-Spec.adoc`).

pub mod bytestring;
pub mod client;
pub mod device_config;
pub mod device_state;
pub mod error;
pub mod p4info;
pub mod proto;
mod read_response;
pub mod server;
