//! The controller: programs the switches, collects the telemetry that a polling packet froze, and assembles snapshots.
//!
//! - [`program`]: the switch program's source, embedded.
//! - [`plan`]: the entries and registers to write to each switch, derived from the topology.
//! - [`layout`]: the decoder of registers and digests, derived from the `@fields` annotations of the loaded program.
//! - [`collect`]: the state machine that reads and releases frozen banks and emits snapshots.
//! - [`records`]: losses, outages and port samples: what switches give beside frozen telemetry.
//! - [`discovery`]: the table of LLDP neighbours, and cables that differ from the plan.
//! - `live` (behind the feature `live`): the driver for real switches, over P4Runtime.
//!
//! Except for `live`, the crate is a pure core without I/O. A driver (the simulated fabric, or the P4Runtime client)
//! passes inputs and carries out the commands that the core returns.

pub mod collect;
pub mod discovery;
pub mod layout;
#[cfg(feature = "live")]
pub mod live;
pub mod plan;
pub mod program;
pub mod records;
