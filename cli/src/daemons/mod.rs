//! The daemons of a deployment, each a thin composition of the crates below: `serve`, `controller`, `agent`, and
//! what makes `watch` one.

pub(crate) mod agent;
pub(crate) mod analysis;
pub(crate) mod config;
pub(crate) mod controller;
pub(crate) mod health;
pub(crate) mod link;
pub(crate) mod operations;
pub(crate) mod pki;
pub(crate) mod serve;
pub(crate) mod spool;
pub(crate) mod time_base;
pub(crate) mod tls;
pub(crate) mod topology;
pub(crate) mod watcher;
