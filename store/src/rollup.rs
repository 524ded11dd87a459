//! What a port did in a second or a minute: the sum of its samples.

use model::PortRef;
use serde::{Deserialize, Serialize};

/// The length of an interval of rolled-up samples.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Resolution {
    /// A second.
    Second,
    /// A minute.
    Minute,
}

impl Resolution {
    /// All resolutions, the finest first.
    pub const ALL: [Resolution; 2] = [Resolution::Second, Resolution::Minute];

    /// Returns the length of the interval.
    pub fn interval_ns(self) -> u64 {
        match self {
            Resolution::Second => 1_000_000_000,
            Resolution::Minute => 60_000_000_000,
        }
    }

    /// Returns the start of the interval that contains `wall_ns`.
    pub fn start_ns(self, wall_ns: u64) -> u64 {
        wall_ns / self.interval_ns() * self.interval_ns()
    }
}

/// The interval of a port that a sum belongs to.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RollupKey {
    /// The length of the interval.
    pub resolution: Resolution,
    /// The egress port.
    pub port: PortRef,
    /// The start of the interval, in nanoseconds of the wall clock since 1970.
    pub wall_ns: u64,
}

/// The sum of a port's samples in one interval. Sums of parts of an interval are added with [`Rollup::add`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rollup {
    /// Switch time of the latest sample.
    pub time_ns: u64,
    /// The number of samples.
    pub samples: u64,
    /// Switch time that the samples cover.
    pub interval_ns: u64,
    /// Switch time during which a priority of the port was paused.
    pub paused_ns: u64,
    /// The priorities that were paused: bit N is priority N.
    pub priorities: u8,
    /// Bytes that the port sent.
    pub tx_bytes: u64,
    /// The most bytes in the port's queues at a sample.
    pub queue_max_bytes: u64,
    /// The sum of the bytes in the port's queues over all samples.
    pub queue_sum_bytes: u64,
}

impl Rollup {
    /// Adds the samples of another part of the same interval.
    pub fn add(&mut self, other: &Rollup) {
        self.time_ns = self.time_ns.max(other.time_ns);
        self.samples = self.samples.saturating_add(other.samples);
        self.interval_ns = self.interval_ns.saturating_add(other.interval_ns);
        self.paused_ns = self.paused_ns.saturating_add(other.paused_ns);
        self.priorities |= other.priorities;
        self.tx_bytes = self.tx_bytes.saturating_add(other.tx_bytes);
        self.queue_max_bytes = self.queue_max_bytes.max(other.queue_max_bytes);
        self.queue_sum_bytes = self.queue_sum_bytes.saturating_add(other.queue_sum_bytes);
    }
}
