//! Who may send packets of the mesh that this host answers, and how often.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::bucket::TokenBucket;

/// Why a packet is not answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// Its sender is not known.
    Unknown,
    /// Its sender is above its limit.
    Limited,
}

impl Refusal {
    /// Returns the one of two counters that counts it.
    pub(super) fn counter<'c>(self, unknown: &'c mut u64, limited: &'c mut u64) -> &'c mut u64 {
        match self {
            Refusal::Unknown => unknown,
            Refusal::Limited => limited,
        }
    }
}

/// Known addresses, each with a limit.
#[derive(Clone, Debug)]
pub(super) struct Senders {
    known: BTreeSet<IpAddr>,
    per_second: u32,
    /// The limits of known addresses that have sent a packet.
    buckets: BTreeMap<IpAddr, TokenBucket>,
}

impl Senders {
    /// Admits each of the addresses at most `per_second` times a second in the long run, and half a second's packets at once.
    pub(super) fn new(known: BTreeSet<IpAddr>, per_second: u32) -> Senders {
        Senders { known, per_second: per_second.max(1), buckets: BTreeMap::new() }
    }

    /// Decides about a packet of an address, which is canonical. `now_ns` is any clock that does not run backwards.
    ///
    /// # Errors
    /// The packet is not answered.
    pub(super) fn admit(&mut self, now_ns: u64, from: IpAddr) -> Result<(), Refusal> {
        if !self.known.contains(&from) {
            return Err(Refusal::Unknown);
        }
        let rate = self.per_second;
        let bucket = self.buckets.entry(from).or_insert_with(|| TokenBucket::new(rate, rate.div_ceil(2)));
        if bucket.take(now_ns) { Ok(()) } else { Err(Refusal::Limited) }
    }
}
