//! A P4 switch for the v1model architecture, as a pure state machine.
//!
//! The inputs are packets and the current time; the outputs are packets and [`Event`]s. The crate has no clocks,
//! sockets or threads.
//! [`Switch`] runs a [`p4_lang::ir::Program`]: parser and ingress when a packet arrives, then the traffic manager
//! ([`tm`]), then egress and deparser when a port becomes free. [`ControlPlane`] reads and writes tables, registers
//! and all other state.
//!
//! The order of operations at the end of ingress and egress, the values of `instance_type` and the rest of the
//! architecture follow the reference switch (p4lang/behavioral-model, `docs/simple_switch.md`).

pub mod bmv2;
pub mod config;
pub mod control;
mod engine;
pub mod error;
pub mod event;
mod limbs;
mod machine;
mod machine_code;
mod oracle;
pub mod paced;
mod ports;
mod prepared;
mod random;
mod state;
pub mod stf;
pub mod switch;
mod table;
pub mod tm;
pub mod trace;

pub use config::{Engine, SwitchConfig};
pub use control::ControlPlane;
pub use engine::hash::CrcParameters;
pub use error::{ControlError, LoadError};
pub use event::{Counters, DropReason, Event};
pub use paced::{PacedSwitch, Pacing, Sent};
pub use prepared::Prepared;
pub use switch::{DeviceState, QueuedPacket, Switch};
pub use trace::TraceRecord;
