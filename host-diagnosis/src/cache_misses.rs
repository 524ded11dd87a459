//! Whether a cache of an RNIC misses more often than usual, and often enough to matter.

use model::host::counters::Misses;

/// Up to this share of lookups, misses do not slow an RNIC down, however few are usual: the experiments without effects of
/// caches have less than 1 % (Kong et al., Husky, NSDI 2023, section 3.3).
const HARMLESS_SHARE: f64 = 0.01;

/// Whether so few lookups miss that it makes no difference; `false` if the hardware does not count lookups.
pub(crate) fn is_harmless(row: &Misses) -> bool {
    row.lookups.is_some_and(|lookups| row.misses as f64 <= HARMLESS_SHARE * lookups as f64)
}

/// Whether misses are more than `factor` times the usual number, and matter; `None` if the usual number is unknown.
pub(crate) fn have_risen(row: &Misses, factor: f64) -> Option<bool> {
    let usual = row.usual_misses?;
    Some(row.misses as f64 > factor * usual as f64 && !is_harmless(row))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(misses: u64, lookups: Option<u64>, usual_misses: Option<u64>, expected: Option<bool>) {
        assert_eq!(have_risen(&Misses { misses, lookups, usual_misses }, 1.5), expected);
    }

    #[test]
    fn a_rise_from_nothing_to_almost_nothing_is_none() {
        check(900, Some(1_000), Some(100), Some(true));
        check(140, Some(1_000), Some(100), Some(false));
        check(7, Some(1_000_000), Some(0), Some(false));
        check(7, None, Some(0), Some(true));
        check(900, Some(1_000), None, None);
    }
}
