//! The daemons as processes on loopback addresses: server, controllers, agents and switches, their failures and their
//! certificates.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "a test of servers opens sockets and files"
)]

#[path = "../support/mod.rs"]
mod support;

mod cable;
mod certificates;
mod chain;
mod clocks;
mod configuration;
mod counters;
mod foreign;
mod foreign_target;
mod full;
mod host;
mod inside_host;
mod losses;
mod mixed;
mod network;
mod process;
mod programs;
mod rdma;
mod sender;
mod spool;
mod takeover;
mod tokens;
mod watch_tls;
mod webhooks;
