//! Traffic by rule: arrivals at random with the sizes of real data centres, and the patterns of storage and
//! machine learning. Each kind is one file and gives [`Message`]s; equal generators give equal messages.

mod bisection;
mod collective;
mod poisson;
mod sizes;
mod storage;
#[cfg(test)]
mod tests;

use model::Time;

pub use bisection::{bisection, capacity};
pub use collective::{collective, incast};
pub use poisson::poisson;
pub use sizes::{SizeTable, TABLES, table};
pub use storage::storage_reads;

/// Most messages that one workload may consist of.
pub const MAX_MESSAGES: usize = 1_000_000;

/// A message from one host to another. Hosts are positions in the list that the workload was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Sender.
    pub src: usize,
    /// Receiver.
    pub dst: usize,
    /// Bytes.
    pub bytes: u64,
    /// When it starts; with `after`, how long after the last of those.
    pub start: Time,
    /// Messages, by position in the workload, that must have come to their end before.
    pub after: Vec<usize>,
}

/// Arrivals at random.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Offered bytes a second, headers not included.
    pub bytes_per_second: f64,
    /// The first instant.
    pub start: Time,
    /// How long arrivals go on.
    pub duration: Time,
}

/// Why there is no such workload.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkloadError {
    /// Nobody to send to.
    #[error("it needs at least {needed} hosts and has {found}")]
    Hosts {
        /// What it takes.
        needed: usize,
        /// What there is.
        found: usize,
    },
    /// Halving and doubling pairs hosts by the bits of their numbers.
    #[error("it needs a power of two of hosts and has {0}")]
    NotPowerOfTwo(usize),
    /// A runaway load.
    #[error("it would be more than {MAX_MESSAGES} messages")]
    TooMany,
}

fn at_least(needed: usize, found: usize) -> Result<(), WorkloadError> {
    if found < needed { Err(WorkloadError::Hosts { needed, found }) } else { Ok(()) }
}
