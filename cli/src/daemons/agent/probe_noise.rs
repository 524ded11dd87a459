//! Which round trips of probes detection sees: those that the scheduling of processes does not explain.

/// Round trips after which the usual range of a path is known: as many as detection needs for a base.
const LEARNED: u32 = 16;

/// The round trips of one path to one peer.
///
/// Single probes between processes of busy hosts are late by tens of microseconds. Detection sees the smallest round trip
/// so far, unless two in a row exceed what RFC 6298, section 2, expects of the next one: the smoothed round trip and four
/// times its mean deviation. A larger round trip changes both only as far as that limit, so a path that becomes slow is
/// seen for some probes before it is usual.
///
/// The minimum never rises: detection would take the step for a slow path. So the base of a path that has become longer
/// is too small until the agent starts again.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PathNoise {
    samples: u32,
    smoothed_ns: u64,
    deviation_ns: u64,
    least_ns: Option<u64>,
}

impl PathNoise {
    /// Returns what detection sees of a round trip. `sustained_ns` is the smaller one of it and the one before.
    pub(super) fn observe(&mut self, rtt_ns: u64, sustained_ns: Option<u64>) -> u64 {
        let limit_ns = match self.samples {
            LEARNED.. => self.smoothed_ns.saturating_add(self.deviation_ns.saturating_mul(4)),
            _ => u64::MAX,
        };
        self.smooth(rtt_ns.min(limit_ns));
        let least_ns = self.least_ns.map_or(rtt_ns, |least_ns| least_ns.min(rtt_ns));
        self.least_ns = Some(least_ns);
        sustained_ns.filter(|sustained_ns| *sustained_ns > limit_ns).unwrap_or(least_ns)
    }

    fn smooth(&mut self, rtt_ns: u64) {
        if self.samples == 0 {
            (self.smoothed_ns, self.deviation_ns) = (rtt_ns, rtt_ns / 2);
        } else {
            let error_ns = self.smoothed_ns.abs_diff(rtt_ns);
            self.deviation_ns = self.deviation_ns - self.deviation_ns / 4 + error_ns / 4;
            self.smoothed_ns = self.smoothed_ns - self.smoothed_ns / 8 + rtt_ns / 8;
        }
        self.samples = self.samples.saturating_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what detection sees of round trips in microseconds.
    fn seen(rtts_us: impl IntoIterator<Item = u64>) -> Vec<u64> {
        let mut noise = PathNoise::default();
        let mut last: Option<u64> = None;
        rtts_us
            .into_iter()
            .map(|rtt_us| {
                let rtt_ns = rtt_us * 1_000;
                let sustained_ns = last.replace(rtt_ns).map(|last_ns| last_ns.min(rtt_ns));
                noise.observe(rtt_ns, sustained_ns) / 1_000
            })
            .collect()
    }

    /// Round trips of a path on a busy host: between 20 and 60 us.
    fn busy(number: u64) -> impl Iterator<Item = u64> {
        (0..number).map(|at| 20 + at * 17 % 41)
    }

    #[test]
    fn late_processes_are_not_seen() {
        let seen = seen(busy(200));
        assert!(seen.iter().all(|rtt_us| *rtt_us == 20), "{seen:?}");
    }

    #[test]
    fn a_single_slow_round_trip_is_not_seen_and_two_are() {
        let after = |slow: &[u64]| seen(busy(40).chain(slow.iter().copied())).split_off(40);
        let [single, next] = after(&[900, 30])[..] else { panic!("two") };
        assert!(single < 25 && next < 25, "{single} {next}");
        assert_eq!(after(&[900, 700])[1], 700);
    }

    #[test]
    fn nothing_is_unusual_before_the_range_is_known() {
        assert_eq!(seen([20, 900, 900, 900]), [20; 4]);
    }

    #[test]
    fn a_path_that_stays_longer_becomes_usual() {
        let seen = seen(busy(40).chain([400; 160]));
        assert_eq!(seen[41..44], [400; 3], "slow");
        assert_eq!(seen[60..], [20; 140], "usual");
    }
}
