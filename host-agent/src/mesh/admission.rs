//! Who may send packets of the mesh that this host answers, and how often.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use crate::bucket::TokenBucket;

/// Whether a packet is answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Admission {
    /// It is.
    Admitted,
    /// Its sender is not known.
    Unknown,
    /// Its sender is above its limit.
    Limited,
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
    pub(super) fn admit(&mut self, now_ns: u64, from: IpAddr) -> Admission {
        if !self.known.contains(&from) {
            return Admission::Unknown;
        }
        let rate = self.per_second;
        let bucket = self.buckets.entry(from).or_insert_with(|| TokenBucket::new(rate, rate.div_ceil(2)));
        if bucket.take(now_ns) { Admission::Admitted } else { Admission::Limited }
    }
}
