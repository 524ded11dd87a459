//! gNMI: the interface by which network devices stream their state.
//!
//! * [`proto`]: messages and services, wire compatible with gNMI 0.10.
//! * [`path`]: paths as text. Pure.
//! * [`value`]: values as JSON. Pure.
//! * [`client`]: Subscribe (once, sampled, on change), with TLS, user and password.
//! * [`server`]: the service over tables in JSON, as a SONiC switch offers its databases.
//!
//! This crate is an edge: it runs on tokio and opens sockets. Source: the gNMI specification
//! (openconfig/reference, `rpc/gnmi/gnmi-specification.md`).

pub mod client;
pub mod path;
pub mod proto;
pub mod server;
pub mod value;
