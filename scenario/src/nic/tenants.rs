//! Tenants that share an RNIC: whose flows are whose, and the tenants of whose requests no packet is simulated.
//!
//! Requests of all tenants pass the same processing units and the same cache of memory translations. A request occupies the
//! units for the inverse of the highest rate of its verb (Kong et al., Husky, NSDI 2023, section 3.3). Deregistering a memory
//! region empties the cache, so that every page must be fetched again (section 3.2, which presumes it from table 1).

use model::{Rate, Time};

/// Verbs of a tenant whose packets are not simulated, each with a payload of 8 bytes as in the source.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum PostedVerb {
    /// RDMA WRITE.
    #[default]
    Write,
    /// RDMA READ.
    Read,
    /// Compare-and-swap.
    CompareSwap,
    /// Fetch-and-add.
    FetchAdd,
}

impl PostedVerb {
    /// Requests a second that occupy all processing units of a 100 Gb/s ConnectX-5 (Husky, section 3.3).
    pub fn most_requests(self) -> u64 {
        match self {
            PostedVerb::Write => 90_000_000,
            PostedVerb::Read => 60_000_000,
            PostedVerb::CompareSwap => 4_800_000,
            PostedVerb::FetchAdd => 5_200_000,
        }
    }

    /// How long one request occupies the processing units.
    pub fn service(self) -> Time {
        Time(1_000_000_000_000 / self.most_requests())
    }
}

/// The cache of memory translations that the requests of a NIC share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranslationCache {
    /// Entries, one for a page.
    pub entries: u64,
    /// How long a miss occupies the part of the pipeline that fetches translations. Several are on their way at once, so that
    /// it is less than the latency of host memory.
    pub miss: Time,
}

impl Default for TranslationCache {
    /// 2,048 entries (Guo et al., SIGCOMM 2016, section 4.4) and 174 ns: at 48.0 Gb/s of messages of 512 bytes, 49.1 % of the
    /// lookups miss (Husky, table 1), and 4096 bit / 48.0 Gb/s / 0.491 = 174 ns.
    fn default() -> TranslationCache {
        TranslationCache { entries: 2_048, miss: Time::from_ns(174) }
    }
}

/// Whether a label is one of these, with or without the numbers that distinguish several flows of one label.
pub(super) fn labels_own(labels: &[String], label: &str) -> bool {
    labels.iter().any(|own| {
        let numbers = label.strip_prefix(own.as_str());
        numbers.is_some_and(|rest| {
            rest.is_empty()
                || rest.starts_with(['-', '@'])
                    && rest.chars().all(|c| c.is_ascii_digit() || matches!(c, '-' | '@'))
        })
    })
}

/// A tenant of a host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TenantSpec {
    /// Its name.
    pub name: String,
    /// The host.
    pub host: String,
    /// Labels of its flows, without the numbers that distinguish several flows of one label.
    pub flows: Vec<String>,
    /// The bandwidth that it had alone, as its operator measured it; absent if unknown.
    pub alone: Option<Rate>,
    /// Its guaranteed bandwidth.
    pub guaranteed: Option<Rate>,
    /// Pages that the messages of its flows use in a random order; 0 for those that are always in the cache.
    pub pages: u64,
    /// When its requests without packets start ...
    pub start: Time,
    /// ... and end.
    pub end: Time,
    /// Memory regions that it deregisters a second.
    pub deregistrations: u64,
    /// The verb of its other requests without packets ...
    pub verb: PostedVerb,
    /// ... and how many it posts a second.
    pub requests: u64,
}

impl TenantSpec {
    /// Whether a flow with this label belongs to it: `a`, `a-2` and `a-2@3` do if its label is `a`.
    pub fn owns(&self, label: &str) -> bool {
        labels_own(&self.flows, label)
    }

    /// How long before `now` its requests without packets have been posted.
    pub fn active(&self, now: Time) -> Time {
        now.min(self.end).saturating_sub(self.start)
    }

    /// How many memory regions it has deregistered up to `now`.
    pub fn deregistered(&self, now: Time) -> u64 {
        let count = u128::from(self.active(now).0) * u128::from(self.deregistrations) / 1_000_000_000_000;
        u64::try_from(count).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant() -> TenantSpec {
        TenantSpec {
            name: "t".to_string(),
            host: "h1".to_string(),
            flows: vec!["feed".to_string()],
            alone: None,
            guaranteed: None,
            pages: 0,
            start: Time::from_ms(1),
            end: Time::from_ms(3),
            deregistrations: 5_000,
            verb: PostedVerb::CompareSwap,
            requests: 0,
        }
    }

    #[test]
    fn numbers_belong_to_the_label_of_a_flow() {
        let owns = |label| tenant().owns(label);
        assert!(owns("feed") && owns("feed-3") && owns("feed-3@12"));
        assert!(!owns("feeder") && !owns("feed-x") && !owns("fee"));
    }

    #[test]
    fn deregistrations_are_spread_over_its_time() {
        let at = |us| tenant().deregistered(Time::from_us(us));
        assert_eq!([0, 1_199, 1_200, 2_000, 3_000, 9_000].map(at), [0, 0, 1, 5, 10, 10]);
    }

    #[test]
    fn a_compare_and_swap_occupies_the_units_for_a_fifth_of_a_microsecond() {
        assert_eq!(PostedVerb::CompareSwap.service(), Time(208_333));
        assert_eq!(PostedVerb::Write.service(), Time(11_111));
    }
}
