//! A real network of namespaces.

#![allow(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "tests of processes read files and sockets"
)]

#[path = "support/flood.rs"]
mod flood;
#[path = "support/lab.rs"]
mod lab;
mod lab_faults;
mod lab_tools;
mod lab_verdicts;
mod support;
