//! Commands that run until they are stopped, on sockets and interfaces.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of processes read files and sockets"
)]

mod check_redis;
mod demo;
mod discovery;
#[path = "support/gnmi.rs"]
mod gnmi_server;
#[path = "support/network.rs"]
mod network;
mod nic;
#[allow(dead_code, reason = "shared with the tests of daemons, which also use the rest")]
#[path = "daemons/process.rs"]
mod process;
mod support;
mod switch_interfaces;
mod top;
mod watch_gnmi;
mod watch_redis;
