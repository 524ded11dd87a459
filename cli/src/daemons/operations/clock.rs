//! The wall clock of a daemon.

use std::sync::OnceLock;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Variable with the milliseconds by which this process's wall clock is wrong: for tests of clocks that disagree, on one
/// machine.
const OFFSET_MS: &str = "HARRIER_TEST_CLOCK_OFFSET_MS";

/// Returns the wall clock in nanoseconds since 1970.
pub(crate) fn wall_ns() -> u64 {
    as_wall_ns(system_ns())
}

/// Returns the clock of the machine, which the kernel's timestamps have.
pub(crate) fn system_ns() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64)
}

/// Returns nanoseconds since some moment in this process, on a clock that never runs backwards.
pub(crate) fn monotonic_ns() -> u64 {
    static START: OnceLock<Instant> = OnceLock::new();
    START.get_or_init(Instant::now).elapsed().as_nanos() as u64
}

/// Returns the wall clock of a moment of the machine's clock.
pub(crate) fn as_wall_ns(system_ns: u64) -> u64 {
    static OFFSET_NS: OnceLock<i64> = OnceLock::new();
    let offset_ns = *OFFSET_NS.get_or_init(|| {
        let offset_ms: Option<i64> = std::env::var(OFFSET_MS).ok().and_then(|text| text.parse().ok());
        offset_ms.map_or(0, |offset_ms| offset_ms.saturating_mul(1_000_000))
    });
    system_ns.saturating_add_signed(offset_ns)
}
