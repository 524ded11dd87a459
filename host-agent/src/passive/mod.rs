//! Measures the round trips of a host's flows from the frames that cross its interface, without sending any.
//!
//! [`read`] says what a frame is, [`Passive`] follows the connections and returns [`Measurement`](crate::Measurement)s, and
//! [`Outstanding`] matches the data of one connection with its acknowledgements. [`filter`] selects the frames to read.

mod connections;
mod filter;
mod outstanding;
mod packet;

pub use connections::{Limits, Measurements, Passive, PassiveStats};
pub use filter::{Step, filter};
pub use outstanding::{Acknowledged, MAX_OUTSTANDING, Outstanding};
pub use packet::{Content, Seen, read};
