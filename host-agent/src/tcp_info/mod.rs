//! Round trips of the kernel's own TCP, read from its sockets without a capture.
//!
//! The kernel lists its sockets with `TCP_INFO` over netlink (`sock_diag(7)`; [`message`]). [`TcpSockets`] turns
//! successive readings into the measurements of [`crate::passive`], and [`retransmissions`] into rates for the report about
//! the host.
//!
//! A reading is a weaker sample than a captured acknowledgement:
//!
//! - The round trip is the smoothed one of RFC 6298, in which a new sample has a weight of 1/8: a single slow round trip
//!   shows with an eighth of its excess, a slow phase after some acknowledgements.
//! - It includes the time for which the receiver delays acknowledgements (RFC 9293, section 3.8.6.3).
//! - What happens between two readings is seen only in its effect on the smoothed round trip.
//!
//! So the base is the minimum of *smoothed* round trips, learned like that of other flows, and not the kernel's own
//! minimum, which is below every smoothed round trip of a loaded connection.

pub mod message;
mod retransmissions;
mod sockets;

pub use retransmissions::{TcpSent, retransmissions};
pub use sockets::{TcpReading, TcpSockets, TcpStats};
