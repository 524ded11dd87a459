//! The controller: programs the switches, reads what a polling packet froze, and puts a snapshot together.
//!
//! - [`program`]: the switch program's source, embedded.
//! - [`plan`]: what to write into each switch, from the topology.
//! - [`layout`]: how to read its registers, from the `@fields` annotations of the loaded program.
//! - [`collect`]: which registers to read when, when to unlock, when a snapshot is complete.
//! - `live` (feature of that name): the driver for real switches, over P4Runtime.
//!
//! The crate is a pure core, `live` aside: it performs nothing itself. A driver (the embedded fabric, or a P4Runtime
//! client) hands in what happened and carries out the commands that come back.

pub mod collect;
pub mod layout;
#[cfg(feature = "live")]
pub mod live;
pub mod plan;
pub mod program;
