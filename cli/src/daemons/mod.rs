//! The daemons of a deployment, each a thin composition of the crates below: `serve`, `controller`, `agent`.

pub(crate) mod agent;
pub(crate) mod analysis;
pub(crate) mod config;
pub(crate) mod controller;
pub(crate) mod health;
pub(crate) mod link;
pub(crate) mod operations;
pub(crate) mod serve;
pub(crate) mod spool;
pub(crate) mod time_base;
pub(crate) mod tls;
pub(crate) mod topology;

/// Returns a wall clock as RFC 3339 text in UTC, to the microsecond.
pub(crate) fn rfc3339(wall_ns: u64) -> String {
    use time::format_description::well_known::Rfc3339;
    let microseconds = wall_ns / 1_000 * 1_000;
    time::OffsetDateTime::from_unix_timestamp_nanos(i128::from(microseconds))
        .ok()
        .and_then(|time| time.format(&Rfc3339).ok())
        .unwrap_or_else(|| wall_ns.to_string())
}

#[cfg(test)]
mod tests {
    #[test]
    fn wall_clocks_are_readable() {
        assert_eq!(super::rfc3339(1_700_000_000_123_456_789), "2023-11-14T22:13:20.123456Z");
    }
}
