//! The subcommands of `harrier`.

pub(crate) mod agent;
pub(crate) mod analyze;
pub(crate) mod ask;
pub(crate) mod check;
pub(crate) mod complete;
pub(crate) mod completions;
pub(crate) mod config;
pub(crate) mod controller;
pub(crate) mod demo;
pub(crate) mod eval;
pub(crate) mod generate;
pub(crate) mod headroom;
pub(crate) mod incidents;
pub(crate) mod lab;
pub(crate) mod manual;
pub(crate) mod nic;
pub(crate) mod p4;
pub(crate) mod pki;
pub(crate) mod prove;
pub(crate) mod run;
pub(crate) mod scenario;
pub(crate) mod serve;
pub(crate) mod switch;
pub(crate) mod token;
pub(crate) mod top;
pub(crate) mod topology;
