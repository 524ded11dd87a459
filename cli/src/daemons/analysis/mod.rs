//! The analysis of snapshots as they arrive, for the server and the demo.

pub(crate) mod parts;
pub(crate) mod pending;
pub(crate) mod standstills;
pub(crate) mod worker;

pub(crate) use pending::{AnalysedEvent, PendingFirst};
pub(crate) use standstills::Standstills;
pub(crate) use worker::{Jobs, Worker};
