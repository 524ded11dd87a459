//! The switch in wall-clock time on real interfaces: the thread that moves frames, and the access of the P4Runtime
//! server to the switch.
//!
//! What is sent when is decided by [`p4_switch::PacedSwitch`]; here are the clock, the sockets and the lock.

mod ports;
mod shared;
mod thread;

pub(crate) use ports::{Attachment, open};
pub(crate) use shared::LiveSwitch;
pub(crate) use thread::start;
