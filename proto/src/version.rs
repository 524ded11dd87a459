//! Negotiation of the protocol's version: both sides use the highest version that both speak.

use std::ops::RangeInclusive;

/// The versions that this build speaks.
pub const SPOKEN: RangeInclusive<u32> = 1..=4;
/// The first version with reports of hosts: an older server rejects them, and an older agent ignores the request for one.
pub const HOST_REPORTS: u32 = 2;
/// The first version with verdicts from counters. A watcher speaks no earlier one: it has nothing else to say.
pub const COUNTER_VERDICTS: u32 = 3;

/// The first version in which a watcher may send samples of ports: an older server rejects them.
pub const WATCHER_PORTS: u32 = 4;

/// Two sides have no version in common.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "no common version of the protocol: the peer speaks {peer_min} to {peer_max}, this build {own_min} to {own_max}; \
     upgrade the older side"
)]
pub struct NoCommonVersion {
    peer_min: u32,
    peer_max: u32,
    own_min: u32,
    own_max: u32,
}

/// Returns the highest version that this build and a peer that speaks `min` to `max` have in common.
///
/// # Errors
/// There is none.
pub fn negotiate(min: u32, max: u32) -> Result<u32, NoCommonVersion> {
    negotiate_with(&SPOKEN, min, max)
}

fn negotiate_with(own: &RangeInclusive<u32>, min: u32, max: u32) -> Result<u32, NoCommonVersion> {
    let common = max.min(*own.end());
    if min <= max && common >= min && common >= *own.start() {
        return Ok(common);
    }
    Err(NoCommonVersion { peer_min: min, peer_max: max, own_min: *own.start(), own_max: *own.end() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_highest_common_version_is_used() {
        let check = |own: RangeInclusive<u32>, min, max, expected: Option<u32>| {
            assert_eq!(negotiate_with(&own, min, max).ok(), expected, "{own:?} and {min}..={max}");
        };
        check(1..=1, 1, 1, Some(1));
        check(1..=3, 1, 2, Some(2));
        check(2..=3, 1, 2, Some(2));
        check(2..=3, 1, 1, None);
        check(1..=1, 2, 9, None);
        check(1..=3, 3, 1, None);
    }

    #[test]
    fn reports_of_hosts_are_left_out_with_an_older_side() {
        let with_older = negotiate(1, 1).expect("version 1 is spoken");
        assert!(with_older < HOST_REPORTS && SPOKEN.contains(&HOST_REPORTS));
    }
}
