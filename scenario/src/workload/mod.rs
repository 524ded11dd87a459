//! Generated traffic: random arrivals with message sizes of real data centres, and the patterns of storage and machine
//! learning. Each kind is one module that returns [`Message`]s; equal parameters and seeds give equal messages.

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

/// A message from one host to another. Hosts are positions in the workload's list of hosts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    /// Sender.
    pub src: usize,
    /// Receiver.
    pub dst: usize,
    /// Bytes.
    pub bytes: u64,
    /// When it starts; with `after`, relative to the completion of the last of those.
    pub start: Time,
    /// Messages, by position in the workload, that must complete first.
    pub after: Vec<usize>,
}

/// A random arrival process.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Arrivals {
    /// Offered bytes a second, headers not included.
    pub bytes_per_second: f64,
    /// The first instant.
    pub start: Time,
    /// The duration of the process.
    pub duration: Time,
}

/// Why a workload cannot be generated.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WorkloadError {
    /// Too few hosts.
    #[error("it needs at least {needed} hosts and has {found}")]
    Hosts {
        /// Hosts needed.
        needed: usize,
        /// Hosts available.
        found: usize,
    },
    /// Halving-doubling pairs hosts by the bits of their numbers.
    #[error("the number of hosts must be a power of two, not {0}")]
    NotPowerOfTwo(usize),
    /// More messages than the limit.
    #[error("it would have more than {MAX_MESSAGES} messages")]
    TooMany,
}

fn at_least(needed: usize, found: usize) -> Result<(), WorkloadError> {
    if found < needed { Err(WorkloadError::Hosts { needed, found }) } else { Ok(()) }
}
