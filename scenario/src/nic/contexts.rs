//! The cache of connection contexts (QPC) of a NIC with more connections than the cache holds.
//!
//! Other processes use their connections between the packets of the simulation, so that each packet looks its context up: it
//! is in a cache of E contexts with probability E/Q, where Q connections are used in a random order. On a miss the receive
//! pipeline waits for host memory (Wang et al., SRNIC, NSDI 2023, section 2.2: throughput falls from 256 connections on).

use model::Time;

use crate::random::Random;

/// The cache, and the connections that share it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContextModel {
    /// Contexts in the cache.
    pub entries: u64,
    /// Connections that are used.
    pub queue_pairs: u64,
    /// Duration of a miss.
    pub miss: Time,
}

impl ContextModel {
    /// The share of lookups that miss, 0 to 1.
    pub fn miss_share(&self) -> f64 {
        self.queue_pairs.saturating_sub(self.entries) as f64 / self.queue_pairs.max(1) as f64
    }

    /// Whether the context of a packet is not in the cache.
    pub fn misses(&self, random: &mut Random) -> bool {
        self.queue_pairs > self.entries && random.below(self.queue_pairs) >= self.entries
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contexts_miss_beyond_the_cache() {
        let share = |queue_pairs| {
            let model = ContextModel { entries: 256, queue_pairs, miss: Time::from_us(1) };
            let mut random = Random::new(1, 2);
            let missed = (0..4096).filter(|_| model.misses(&mut random)).count() as f64 / 4096.0;
            assert!((missed - model.miss_share()).abs() < 0.03, "{missed}");
            model.miss_share()
        };
        assert_eq!([1, 256, 512, 1024].map(share), [0.0, 0.0, 0.5, 0.75]);
    }
}
