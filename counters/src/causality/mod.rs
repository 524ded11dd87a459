//! Stage 3: where the pauses come from.
//!
//! A port sends pauses because packets that arrived through it are queued at egress ports of its switch: those whose
//! queues grew, or which are paused themselves. A paused egress port leads to the port at the other end of its cable,
//! which sends the pauses; a queue that grew although its port was not paused is congestion, and the end. Pauses of a
//! host end at its port. Every pause is followed that way, divided by the peaks of the queues, until it has ended or the
//! ports form a loop.

mod candidates;
mod loops;
mod trace;
mod unit;

pub(crate) use candidates::{Basis, Rows};
pub(crate) use loops::{Loop, loops};
pub(crate) use trace::{Cluster, End, EndKind, trace};
