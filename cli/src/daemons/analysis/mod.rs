//! The analysis of snapshots as they arrive, for the server and the demo.

pub(crate) mod parts;
pub(crate) mod pending;
#[cfg(test)]
mod standstill_tests;
pub(crate) mod worker;

pub(crate) use pending::{AnalysedEvent, PendingFirst};
pub(crate) use worker::{Jobs, Worker};
