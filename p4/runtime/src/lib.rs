//! P4Runtime: the protocol's messages, a server over a `p4_switch`, and a client.
//!
//! * [`proto`]: messages and services, wire compatible with P4Runtime 1.5.
//! * [`p4info`]: the control plane's description of a program, from the program, as text and binary.
//! * [`device_config`]: what a pipeline configuration holds for this switch.
//! * [`server`]: the service over a switch that somebody else drives.
//! * [`client`]: a controller's side.
//! * [`bytestring`], [`error`]: how the protocol writes integers and refusals.
//!
//! This crate is an edge: it runs on tokio and opens sockets. Its pure parts say so.
//! Source: the P4Runtime specification (p4lang/p4runtime, `docs/v1/P4Runtime-Spec.adoc`).

pub mod bytestring;
pub mod client;
pub mod device_config;
pub mod error;
pub mod p4info;
pub mod proto;
pub mod server;
