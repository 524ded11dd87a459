//! Delays between attempts to connect: exponential with jitter, so that the senders of a restarted server do not all
//! return at the same moment.

/// Delay before the second attempt, in milliseconds.
pub const FIRST_MS: u64 = 100;
/// Maximum delay, in milliseconds: what a restarted server waits at most for its senders.
pub const MAX_MS: u64 = 5_000;

/// Returns the delay after `failed` failed attempts in a row, in milliseconds: at random from half of
/// `FIRST_MS * 2^(failed - 1)`, at most [`MAX_MS`], to all of it. `seed` is the sender's; equal arguments give equal
/// delays.
pub fn delay_ms(failed: u32, seed: u64) -> u64 {
    let Some(doublings) = failed.checked_sub(1) else { return 0 };
    let full = FIRST_MS.checked_shl(doublings.min(32)).unwrap_or(MAX_MS).min(MAX_MS);
    let half = full / 2;
    half + scramble(seed ^ u64::from(failed)) % (full - half + 1)
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number generators", OOPSLA 2014).
fn scramble(value: u64) -> u64 {
    let value = value.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_the_maximum() {
        for seed in 0..200 {
            assert_eq!(delay_ms(0, seed), 0);
            for failed in 1..80 {
                let full = (FIRST_MS << (failed - 1).min(20)).min(MAX_MS);
                let delay = delay_ms(failed, seed);
                assert!((full / 2..=full).contains(&delay), "{failed} {seed}: {delay}");
            }
        }
    }

    #[test]
    fn senders_do_not_return_together() {
        let delays: std::collections::BTreeSet<u64> = (0..100).map(|seed| delay_ms(8, seed)).collect();
        assert!(delays.len() > 80, "{delays:?}");
    }
}
