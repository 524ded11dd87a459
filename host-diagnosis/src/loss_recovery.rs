//! When a responder with selective repeat leaves loss recovery.
//!
//! Software fills the bitmaps and returns an expected PSN that may be outdated, because newer packets have arrived in the
//! meantime. The NIC therefore remembers the range of the most advanced contiguous packets. Source: SRNIC (Wang et al.,
//! NSDI 2023, section 4.4.2 and figure 8). PSNs have 24 bits and wrap (IBTA, volume 1).

/// The number of packet sequence numbers.
const PSN_COUNT: u32 = 1 << 24;

/// The most advanced contiguous packets that a responder has received since the loss.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AdvancedRange {
    /// PSN of the first one.
    pub psn_left: u32,
    /// PSN of the last one.
    pub psn_right: u32,
}

impl AdvancedRange {
    /// Extends the range by an arriving packet: the next one continues it, a later one begins a new range, and an earlier
    /// one (a retransmission) does not change it.
    #[must_use]
    pub fn with(self, psn: u32) -> AdvancedRange {
        match distance(self.psn_right, psn) {
            1 => AdvancedRange { psn_right: wrap(psn), ..self },
            ahead if (2..PSN_COUNT / 2).contains(&ahead) => {
                AdvancedRange { psn_left: wrap(psn), psn_right: wrap(psn) }
            }
            _ => self,
        }
    }

    /// Returns the expected PSN with which the queue pair leaves loss recovery, if the expected PSN that software computed
    /// is in the range or directly after it. `None` if packets before the range are still missing.
    pub fn exit(self, updated_psn: u32) -> Option<u32> {
        let length = distance(self.psn_left, self.psn_right);
        let at = distance(self.psn_left, updated_psn);
        (at <= length + 1).then(|| wrap(self.psn_right.wrapping_add(1)))
    }
}

fn wrap(psn: u32) -> u32 {
    psn % PSN_COUNT
}

/// How far `to` is ahead of `from`, modulo the number of PSNs.
fn distance(from: u32, to: u32) -> u32 {
    wrap(wrap(to).wrapping_sub(wrap(from)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(range: (u32, u32), updated: u32, expected: Option<u32>) {
        let (psn_left, psn_right) = range;
        assert_eq!(AdvancedRange { psn_left, psn_right }.exit(updated), expected, "{range:?}, {updated}");
    }

    #[test]
    fn sr_4_recovery_ends_from_psn_left_to_one_after_psn_right() {
        check((10, 20), 9, None);
        check((10, 20), 10, Some(21));
        check((10, 20), 20, Some(21));
        check((10, 20), 21, Some(21));
        check((10, 20), 22, None);
        check((7, 7), 8, Some(8));
    }

    #[test]
    fn sr_4_sequence_numbers_wrap() {
        check((0xff_fffe, 1), 0xff_fffd, None);
        check((0xff_fffe, 1), 0xff_ffff, Some(2));
        check((0xff_fffe, 1), 2, Some(2));
        check((0xff_fffe, 0xff_ffff), 0, Some(0));
    }

    #[test]
    fn a_gap_begins_a_new_range_and_a_retransmission_does_not() {
        let range = AdvancedRange { psn_left: 5, psn_right: 5 };
        assert_eq!(range.with(6), AdvancedRange { psn_left: 5, psn_right: 6 });
        assert_eq!(range.with(6).with(9), AdvancedRange { psn_left: 9, psn_right: 9 });
        assert_eq!(range.with(6).with(3), AdvancedRange { psn_left: 5, psn_right: 6 });
        let last = AdvancedRange { psn_left: 0xff_ffff, psn_right: 0xff_ffff };
        assert_eq!(last.with(0), AdvancedRange { psn_left: 0xff_ffff, psn_right: 0 });
    }

    proptest! {
        /// The packets up to `psn_right` have arrived if and only if none before `psn_left` is missing.
        #[test]
        fn recovery_ends_exactly_when_nothing_before_the_range_is_missing(
            start in 0..PSN_COUNT, lost in 0..40_u32, length in 1..40_u32, progress in 0..80_u32,
        ) {
            let psn_left = wrap(start + lost + 1);
            let range = AdvancedRange { psn_left, psn_right: wrap(psn_left + length - 1) };
            let updated = progress.min(lost + 1 + length);
            let exit = range.exit(wrap(start + updated));
            prop_assert_eq!(exit.is_some(), updated > lost);
            if let Some(psn) = exit {
                prop_assert_eq!(psn, wrap(range.psn_right + 1));
            }
        }
    }
}
