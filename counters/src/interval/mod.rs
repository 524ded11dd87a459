//! Stage 1: what the counters of each switch grew by between its readings, and which intervals of different switches
//! belong together.
//!
//! A counter that falls was cleared or wrapped. Readings that arrive late are sorted by their times. A switch with a
//! single reading gives its totals, of an unknown time.

pub(crate) mod change;
mod window;

pub(crate) use change::PriorityChange;
pub(crate) use window::{Span, Window, windows};
