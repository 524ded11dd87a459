//! The wall clock beside switch time.

use std::time::{SystemTime, UNIX_EPOCH};

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;

/// Converts switch time to wall clocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WallClock {
    /// Wall clock at switch time 0, in nanoseconds since 1970.
    pub zero_ns: u64,
    /// Nanoseconds of wall-clock time for one of switch time.
    pub scale: u64,
}

impl WallClock {
    /// Returns the wall clock of a switch time, in nanoseconds since 1970.
    pub fn wall_ns(self, time_ns: u64) -> u64 {
        self.zero_ns.saturating_add(time_ns.saturating_mul(self.scale))
    }

    /// Returns a switch time as RFC 3339 text.
    pub fn text(self, time_ns: u64) -> String {
        rfc3339(self.wall_ns(time_ns))
    }
}

/// Returns the wall clock of this machine, in nanoseconds since 1970.
#[expect(clippy::disallowed_methods, reason = "this crate is at the edge: it notes when a diagnosis arrives")]
pub(crate) fn system_wall_ns() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_nanos()).unwrap_or(u64::MAX)
}

/// Returns a wall clock, in nanoseconds since 1970, as RFC 3339 text in UTC, to the microsecond.
pub fn rfc3339(wall_ns: u64) -> String {
    let microseconds = wall_ns / 1_000 * 1_000;
    OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds))
        .ok()
        .and_then(|time| time.format(&Rfc3339).ok())
        .unwrap_or_else(|| wall_ns.to_string())
}

/// Reads a time of RFC 3339, in nanoseconds since 1970; `None` for another text and for times before.
pub(crate) fn parse_rfc3339(text: &str) -> Option<u64> {
    let time = OffsetDateTime::parse(text, &Rfc3339).ok()?;
    u64::try_from(time.unix_timestamp_nanos()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn switch_time_is_readable_as_wall_clock() {
        assert_eq!(rfc3339(1_700_000_000_123_456_789), "2023-11-14T22:13:20.123456Z");
        assert_eq!(parse_rfc3339("2023-11-14T23:13:20.123456+01:00"), Some(1_700_000_000_123_456_000));
        assert_eq!(parse_rfc3339("2023-11-14 22:13"), None);
        assert_eq!(parse_rfc3339("1969-12-31T23:59:59Z"), None);
        let clock = WallClock { zero_ns: 1_700_000_000_000_000_000, scale: 1_000 };
        assert_eq!(clock.text(2_500_000), "2023-11-14T22:13:22.5Z");
    }
}
