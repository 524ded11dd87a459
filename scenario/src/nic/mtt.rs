//! The memory translation table (MTT) of a slow receiver: a cache of address translations in the NIC.
//!
//! E entries for pages of P bytes cover E*P bytes. A random access to a registered region of R bytes hits with
//! probability E*P/R; on a miss the receive pipeline waits for host memory (Guo et al., SIGCOMM 2016, section 4.4: 2K
//! entries of 4 KB cover 8 MB; with 2 MB pages they cover 4 GB).

use model::Time;

use crate::random::Random;

/// The cache and the memory that is accessed through it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MttModel {
    /// Entries.
    pub entries: u64,
    /// Bytes of a page.
    pub page_bytes: u64,
    /// Bytes of the registered memory region that messages are written to.
    pub region_bytes: u64,
    /// Duration of a miss.
    pub miss: Time,
}

/// Address translations that were looked up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Translations {
    /// Lookups, one for each page.
    pub lookups: u64,
    /// Those of them that were not in the cache.
    pub misses: u64,
}

impl MttModel {
    /// Bytes that all entries together cover.
    pub fn reach_bytes(&self) -> u64 {
        self.entries.saturating_mul(self.page_bytes)
    }

    /// Pages that packet `number` is the first to access, when a flow's packets of `payload` bytes are contiguous.
    fn new_pages(&self, number: u64, payload: u64) -> u64 {
        let page = self.page_bytes.max(1);
        let start = number.saturating_mul(payload);
        let last = |end: u64| end.saturating_sub(1) / page;
        if number == 0 { last(payload) + 1 } else { last(start + payload) - last(start) }
    }

    /// Looks up the translations of packet `number`.
    pub fn look_up(&self, random: &mut Random, number: u64, payload: u64) -> Translations {
        let reach = self.reach_bytes();
        let lookups = self.new_pages(number, payload);
        let misses = (0..lookups)
            .filter(|_| self.region_bytes > reach && random.below(self.region_bytes) >= reach)
            .count() as u64;
        Translations { lookups, misses }
    }

    /// How long the pipeline waits for the translations that miss the cache.
    pub fn stall(&self, found: Translations) -> Time {
        Time(self.miss.0.saturating_mul(found.misses))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn model(page_bytes: u64) -> MttModel {
        MttModel { entries: 2048, page_bytes, region_bytes: 32 << 20, miss: Time::from_us(1) }
    }

    #[test]
    fn two_thousand_entries_cover_8_mb_or_4_gb() {
        assert_eq!(model(4096).reach_bytes(), 8 << 20);
        assert_eq!(model(2 << 20).reach_bytes(), 4 << 30);
    }

    #[test]
    fn three_in_four_small_pages_miss_and_no_large_page_does() {
        let mut random = Random::new(1, 2);
        // 4096 packets of 1024 B occupy 1024 pages.
        let mut stall = |model: MttModel| -> u64 {
            let look_up = |n| model.look_up(&mut random, n, 1024);
            (0..4096).map(look_up).map(|found| model.stall(found).as_ns() / 1000).sum()
        };
        assert!((700..=836).contains(&stall(model(4096))));
        assert_eq!(stall(model(2 << 20)), 0);
    }

    #[test]
    fn every_page_is_looked_up_once() {
        let pages = |payload| (0..1000u64).map(|n| model(4096).new_pages(n, payload)).sum::<u64>();
        assert_eq!(pages(1024), 250);
        assert_eq!(pages(1000), 1_000_000u64.div_ceil(4096));
        assert_eq!(pages(9000), 9_000_000u64.div_ceil(4096));
    }
}
