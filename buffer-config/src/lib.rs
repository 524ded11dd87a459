//! Switch configurations: SONiC's buffer, QoS, ECN, PFC and PFC watchdog tables, judged and resolved.
//!
//! Text in, values out: the crate opens no file and no socket. The same model is checked by the rules and configures
//! the fabric's shared-buffer MMU ([`resolved`]).

pub mod asic;
mod bodies;
pub mod db;
pub mod dcqcn;
pub mod diff;
pub mod explain;
pub mod finding;
pub mod fleet;
pub mod forms;
pub mod gcu;
pub mod headroom;
pub mod hold;
pub mod hosts;
pub mod json;
mod keys;
pub mod lookup;
pub mod redis;
pub mod repair;
pub mod report;
pub(crate) mod resolve;
pub mod resolved;
pub mod rules;
pub mod schema;
pub mod source;

pub use resolve::{Beside, DEFAULT_MTU, DEFAULT_POLL_MS, LOSSLESS_POOL, resolve};
