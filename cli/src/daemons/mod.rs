//! The daemons of a deployment, each a thin composition of the crates below: `serve`, `controller`, `agent`.

pub(crate) mod config;
