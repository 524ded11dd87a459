//! Ethernet frames on Linux interfaces.
//!
//! A [`Port`] receives and sends whole frames on one interface through a packet socket (`packet(7)`), and [`wait`]
//! waits for several ports at once, so that one thread serves all ports of a switch. Frames are what a wire would
//! carry: VLAN tags that the kernel moved out of the frame are put back, and what the sender left to offloads
//! (checksums, segmentation) is completed in [`offload`].
//!
//! A [`Ring`] receives only the headers of frames, at a fraction of the cost, for those that measure.
//!
//! Both need the capability `CAP_NET_RAW` in the network namespace of the interface.

mod bell;
mod error;
pub mod offload;
mod port;
mod ring;
mod statistics;
mod sys;
mod wait;

pub use bell::Bell;
pub use error::Error;
pub use port::{Counters, Options, Port, Received};
pub use ring::{Headers, Instruction, Ring, RingCounters, SNAP_BYTES};
pub use statistics::driver_statistics;
pub use wait::{Ready, set_precise_timers, wait};
