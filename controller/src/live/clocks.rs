//! The clocks of switches: the wall clock of the controller at time 0 of each switch.
//!
//! The state of a device says what time it is at the switch, between the moments at which the controller sent the read and
//! received the answer. So the zero is known to within half of that time, as in an exchange of RFC 5905, section 8. A
//! digest says when its polling packet arrived, and reaches the controller later: it gives an upper bound only.

use std::collections::{BTreeMap, VecDeque};

use super::device::ReadTimes;

/// Number of messages of a switch that are considered: few, so that a drift of the clocks does not matter.
const SAMPLES: usize = 32;
/// Age from which on a message is not considered if there is a newer one.
const AGE_NS: u64 = 60_000_000_000;
/// By how much two clocks drift apart at most, in parts per million: crystals are within 50 ppm.
const DRIFT_PPM: u64 = 100;

/// The estimate for one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchClock {
    /// Wall clock of the controller at time 0 of the switch, in nanoseconds since 1970.
    pub zero_ns: i64,
    /// By how much it may be off at most; `None`: only digests are known, which reach the controller after an unknown delay.
    pub maximum_error_ns: Option<u64>,
}

/// Between which times the zero of a switch is.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// The wall clock when they were known.
    wall_ns: u64,
    earliest_ns: Option<i64>,
    latest_ns: i64,
}

impl Bounds {
    /// Adds what older bounds say; `None` if both contradict each other.
    fn narrowed(self, older: &Bounds) -> Option<Bounds> {
        let age_ns = self.wall_ns.abs_diff(older.wall_ns);
        let drift_ns = i64::try_from(age_ns.saturating_mul(DRIFT_PPM) / 1_000_000).unwrap_or(i64::MAX);
        let earlier_ns = older.earliest_ns.map(|earliest_ns| earliest_ns.saturating_sub(drift_ns));
        self.intersection(earlier_ns, older.latest_ns.saturating_add(drift_ns))
    }

    fn intersection(self, earliest_ns: Option<i64>, latest_ns: i64) -> Option<Bounds> {
        let earliest_ns = self.earliest_ns.max(earliest_ns);
        let latest_ns = self.latest_ns.min(latest_ns);
        let is_consistent = earliest_ns.is_none_or(|earliest_ns| earliest_ns <= latest_ns);
        is_consistent.then_some(Bounds { earliest_ns, latest_ns, ..self })
    }

    fn clock(self) -> SwitchClock {
        let Some(earliest_ns) = self.earliest_ns else {
            return SwitchClock { zero_ns: self.latest_ns, maximum_error_ns: None };
        };
        let error_ns = self.latest_ns.abs_diff(earliest_ns).div_ceil(2);
        let zero_ns = self.latest_ns.saturating_sub_unsigned(error_ns);
        SwitchClock { zero_ns, maximum_error_ns: Some(error_ns) }
    }
}

/// The estimates of all switches.
#[derive(Clone, Debug, Default)]
pub struct SwitchClocks {
    /// What the latest messages say.
    bounds: BTreeMap<String, VecDeque<Bounds>>,
    /// Nanoseconds of wall-clock time for one of switch time.
    scale: u64,
}

impl SwitchClocks {
    /// No estimates yet. `scale` nanoseconds of wall-clock time pass for one of switch time.
    pub fn new(scale: u64) -> SwitchClocks {
        SwitchClocks { bounds: BTreeMap::new(), scale: scale.max(1) }
    }

    /// Adds a digest that arrived at `wall_ns` and is about the switch time `time_ns`.
    pub fn add_digest(&mut self, switch: &str, wall_ns: u64, time_ns: u64) {
        if let Some(latest_ns) = self.zero_ns(wall_ns, time_ns) {
            self.add(switch, Bounds { wall_ns, earliest_ns: None, latest_ns });
        }
    }

    /// Adds a read during which it was `time_ns` at the switch.
    pub(super) fn add_read(&mut self, switch: &str, times: ReadTimes, time_ns: u64) {
        let ReadTimes { sent_ns, received_ns } = times;
        // A wall clock that was set back meanwhile says nothing.
        if sent_ns > received_ns {
            return;
        }
        // The switch counts whole nanoseconds of its time.
        let earliest_ns = self.zero_ns(sent_ns, time_ns.saturating_add(1));
        let (Some(earliest_ns), Some(latest_ns)) = (earliest_ns, self.zero_ns(received_ns, time_ns)) else {
            return;
        };
        self.add(switch, Bounds { wall_ns: received_ns, earliest_ns: Some(earliest_ns), latest_ns });
    }

    /// Returns the wall clock at time 0 of a switch where it is `time_ns` at `wall_ns`.
    fn zero_ns(&self, wall_ns: u64, time_ns: u64) -> Option<i64> {
        let zero_ns = i128::from(wall_ns) - i128::from(time_ns) * i128::from(self.scale);
        i64::try_from(zero_ns).ok()
    }

    fn add(&mut self, switch: &str, bounds: Bounds) {
        if !self.bounds.contains_key(switch) {
            self.bounds.insert(switch.to_string(), VecDeque::new());
        }
        if let Some(known) = self.bounds.get_mut(switch) {
            known.retain(|older| older.wall_ns.abs_diff(bounds.wall_ns) < AGE_NS);
            if known.len() == SAMPLES {
                known.pop_front();
            }
            known.push_back(bounds);
        }
    }

    /// Forgets a switch whose session has ended: it may have restarted, and then it counts from another zero.
    pub fn forget(&mut self, switch: &str) {
        self.bounds.remove(switch);
    }

    /// Returns the estimate for a switch.
    pub fn estimate(&self, switch: &str) -> Option<SwitchClock> {
        self.narrowest(switch).map(Bounds::clock)
    }

    /// Returns the estimates.
    pub fn estimates(&self) -> BTreeMap<String, SwitchClock> {
        let estimate = |switch: &String| Some((switch.clone(), self.estimate(switch)?));
        self.bounds.keys().filter_map(estimate).collect()
    }

    /// Returns what all messages of a switch say. If the wall clock was set, older ones contradict the latest and are left
    /// out.
    fn narrowest(&self, switch: &str) -> Option<Bounds> {
        let mut latest_first = self.bounds.get(switch)?.iter().rev();
        let mut narrowest = *latest_first.next()?;
        for older in latest_first {
            let Some(narrowed) = narrowest.narrowed(older) else { break };
            narrowest = narrowed;
        }
        Some(narrowest)
    }

    /// Returns the time of a switch with this clock at a time of the wall clock; `None` before its start.
    pub(super) fn switch_time(&self, clock: &SwitchClock, wall_ns: u64) -> Option<u64> {
        let since_ns = i128::from(wall_ns) - i128::from(clock.zero_ns);
        u64::try_from(since_ns / i128::from(self.scale.max(1))).ok()
    }

    /// Returns the estimates for switches that all count from the same moment: one for all. If they contradict each other,
    /// the switches count alike less precisely than that, and the error is that of all estimates together.
    pub fn synchronised(&self) -> BTreeMap<String, SwitchClock> {
        let all: Vec<Bounds> = self.bounds.keys().filter_map(|switch| self.narrowest(switch)).collect();
        let Some((first, others)) = all.split_first() else { return BTreeMap::new() };
        let common = others
            .iter()
            .try_fold(*first, |common, bounds| common.intersection(bounds.earliest_ns, bounds.latest_ns));
        let hull = || {
            let latest_ns = all.iter().map(|bounds| bounds.latest_ns).max().unwrap_or(first.latest_ns);
            let earliest_ns = all.iter().filter_map(|bounds| bounds.earliest_ns).min();
            Bounds { earliest_ns, latest_ns, ..*first }
        };
        let clock = common.unwrap_or_else(hull).clock();
        self.bounds.keys().map(|switch| (switch.clone(), clock)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn clock(zero_ns: i64, error_ns: u64) -> SwitchClock {
        SwitchClock { zero_ns, maximum_error_ns: Some(error_ns) }
    }

    fn read(sent_ns: u64, received_ns: u64) -> ReadTimes {
        ReadTimes { sent_ns, received_ns }
    }

    #[test]
    fn the_fastest_digest_gives_the_zero_without_an_error() {
        let mut clocks = SwitchClocks::new(10);
        clocks.add_digest("sw1", 1_000_000 + 5_000, 100);
        clocks.add_digest("sw1", 1_000_000 + 2_300, 200);
        clocks.add_digest("sw2", 2_000_000 + 900, 50);
        let found = clocks.estimates();
        assert_eq!(found["sw1"], SwitchClock { zero_ns: 1_000_300, maximum_error_ns: None });
        assert_eq!(found["sw2"].zero_ns, 2_000_400);
        assert_eq!(clocks.synchronised()["sw2"].zero_ns, 1_000_300);
        assert_eq!(clocks.switch_time(&found["sw1"], 1_002_300), Some(200));
        assert_eq!(clocks.switch_time(&found["sw1"], 900_000), None, "before its start");
        clocks.forget("sw1");
        assert_eq!(clocks.estimates().len(), 1);
    }

    #[test]
    fn a_read_gives_half_of_its_time_as_error_and_digests_narrow_it() {
        let mut clocks = SwitchClocks::new(1);
        clocks.add_read("sw1", read(1_000_000, 1_000_399), 100);
        assert_eq!(clocks.estimate("sw1"), Some(clock(1_000_099, 200)));
        clocks.add_digest("sw1", 1_000_499, 400);
        assert_eq!(clocks.estimate("sw1"), Some(clock(999_999, 100)));
        // A slower read says no more.
        clocks.add_read("sw1", read(1_000_400, 1_009_000), 1_000);
        assert_eq!(clocks.estimate("sw1"), Some(clock(999_999, 100)));
    }

    #[test]
    fn a_wall_clock_that_was_set_counts_from_then_on() {
        let mut clocks = SwitchClocks::new(1);
        clocks.add_read("sw1", read(1_000_000, 1_000_199), 0);
        clocks.add_read("sw1", read(51_000_000, 51_000_399), 1_000);
        assert_eq!(clocks.estimate("sw1"), Some(clock(50_999_199, 200)));
        clocks.add_read("sw1", read(60_000_000, 59_000_000), 2_000);
        assert_eq!(clocks.estimate("sw1"), Some(clock(50_999_199, 200)));
    }

    #[test]
    fn synchronised_switches_have_one_zero() {
        let mut clocks = SwitchClocks::new(1);
        clocks.add_read("sw1", read(1_000_000, 1_000_999), 0);
        clocks.add_read("sw2", read(1_000_000, 1_000_199), 0);
        assert_eq!(clocks.synchronised()["sw1"], clock(1_000_099, 100));
        // Not as synchronised as the configuration says.
        clocks.add_read("sw3", read(1_001_000, 1_001_199), 0);
        assert_eq!(clocks.synchronised()["sw1"], clock(1_000_599, 600));
    }

    proptest! {
        #[test]
        fn the_zero_is_within_its_error(
            scale in 1..5_000_u64,
            zero_ns in 1_000_000_000_i64..2_000_000_000_000,
            drift_ppm in -100_i64..=100,
            messages in proptest::collection::vec(
                (0..1_000_000_000_u64, 0..20_000_000_u64, 0..20_000_000_u64, any::<bool>()),
                1..60,
            ),
        ) {
            let mut clocks = SwitchClocks::new(scale);
            let mut wall_ns = zero_ns as u64;
            let mut now_zero_ns = zero_ns;
            for (pause_ns, there_ns, back_ns, is_read) in messages {
                wall_ns += pause_ns + there_ns;
                let since_ns = wall_ns.abs_diff(zero_ns as u64) as i64;
                now_zero_ns = zero_ns + since_ns * drift_ppm / 1_000_000;
                let time_ns = wall_ns.saturating_add_signed(-now_zero_ns) / scale;
                wall_ns += back_ns;
                match is_read {
                    true => clocks.add_read("s", read(wall_ns - back_ns - there_ns, wall_ns), time_ns),
                    false => clocks.add_digest("s", wall_ns, time_ns),
                }
            }
            // The zero moves between the message and its arrival, and is rounded.
            let slack_ns = 20_000_000 / 10_000 * 2 + 2;
            if let Some(SwitchClock { zero_ns, maximum_error_ns: Some(error_ns) }) = clocks.estimate("s") {
                prop_assert!(zero_ns.abs_diff(now_zero_ns) <= error_ns + slack_ns);
            }
        }
    }
}
