//! The tables of keys, one file a daemon.

pub(crate) mod agent;
pub(crate) mod common;
pub(crate) mod controller;
pub(crate) mod counters;
pub(crate) mod files;
pub(crate) mod nic;
pub(crate) mod serve;
pub(crate) mod switch;
pub(crate) mod watch;
