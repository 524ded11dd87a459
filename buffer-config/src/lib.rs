//! Switch configurations: buffers, QoS, ECN, PFC and the PFC watchdog of SONiC, checked by rules and resolved to the values
//! that a switch runs with, and what the configurations of other systems state about them ([`device`]).
//!
//! The crate opens no file and no socket: it takes text and returns values. The rules check the same resolved model
//! that configures the shared-buffer MMU of the fabric ([`resolved`]).

pub mod asic;
pub mod baseline;
pub mod db;
pub mod dcqcn;
pub mod device;
pub mod diff;
pub mod editor;
pub mod explain;
mod field_cache;
pub mod finding;
pub mod fix_patch;
pub mod fleet;
pub mod headroom;
pub mod hosts;
pub mod input;
pub mod json;
mod key_index;
pub mod live_update;
pub mod lookup;
pub mod redis_dump;
pub mod report;
pub(crate) mod resolve;
pub mod resolved;
pub mod rules;
pub mod schema;
mod secrets;
pub mod settings;
pub mod source;
pub mod topology;

pub use resolve::{DEFAULT_MTU, DEFAULT_POLL_MS, LOSSLESS_POOL, ResolveOptions, resolve};
