//! A real network of namespaces.

#[path = "support/flood.rs"]
mod flood;
#[path = "support/lab.rs"]
mod lab;
mod lab_faults;
mod lab_tools;
mod lab_verdicts;
mod support;
