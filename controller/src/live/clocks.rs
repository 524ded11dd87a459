//! The clocks of switches: the wall clock of the controller at time 0 of each switch.
//!
//! A digest says when its polling packet arrived, and the state of a device when it was read, in switch time. Both reach the controller later, by a delay that is
//! never negative, so of several estimates of the zero the smallest is the best.

use std::collections::{BTreeMap, VecDeque};

/// Number of digests of a switch that are considered: few, so that a drift of the clocks does not matter.
const SAMPLES: usize = 32;
/// Age from which on a digest is not considered if there is a newer one: clocks of 50 ppm drift apart by 3 ms meanwhile.
const AGE_NS: u64 = 60_000_000_000;

/// The estimate for one switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SwitchClock {
    /// Wall clock of the controller at time 0 of the switch, in nanoseconds since 1970.
    pub zero_ns: i64,
    /// Spread of the estimates.
    pub error_ns: u64,
}

/// The estimates of all switches.
#[derive(Clone, Debug, Default)]
pub struct SwitchClocks {
    /// Wall clock and estimate of the latest digests.
    zeros: BTreeMap<String, VecDeque<(u64, i64)>>,
    /// Nanoseconds of wall-clock time for one of switch time.
    scale: u64,
}

impl SwitchClocks {
    /// No estimates yet. `scale` nanoseconds of wall-clock time pass for one of switch time.
    pub fn new(scale: u64) -> SwitchClocks {
        SwitchClocks { zeros: BTreeMap::new(), scale: scale.max(1) }
    }

    /// Adds a digest that arrived at `wall_ns` and is about the switch time `time_ns`.
    pub fn add(&mut self, switch: &str, wall_ns: u64, time_ns: u64) {
        let zero = i128::from(wall_ns) - i128::from(time_ns) * i128::from(self.scale);
        let Ok(zero) = i64::try_from(zero) else { return };
        if !self.zeros.contains_key(switch) {
            self.zeros.insert(switch.to_string(), VecDeque::new());
        }
        if let Some(zeros) = self.zeros.get_mut(switch) {
            zeros.retain(|(then_ns, _)| then_ns.abs_diff(wall_ns) < AGE_NS);
            if zeros.len() == SAMPLES {
                zeros.pop_front();
            }
            zeros.push_back((wall_ns, zero));
        }
    }

    /// Forgets a switch whose session has ended: it may have restarted, and then it counts from another zero.
    pub fn forget(&mut self, switch: &str) {
        self.zeros.remove(switch);
    }

    /// Returns the estimates.
    pub fn estimates(&self) -> BTreeMap<String, SwitchClock> {
        let estimate = |(switch, zeros): (&String, &VecDeque<(u64, i64)>)| {
            let zeros = || zeros.iter().map(|(_, zero)| *zero);
            let (zero_ns, latest_ns) = (zeros().min()?, zeros().max()?);
            Some((switch.clone(), SwitchClock { zero_ns, error_ns: latest_ns.abs_diff(zero_ns) }))
        };
        self.zeros.iter().filter_map(estimate).collect()
    }

    /// Returns the time of a switch with this clock at a time of the wall clock; `None` before its start.
    pub(super) fn switch_time(&self, clock: &SwitchClock, wall_ns: u64) -> Option<u64> {
        let since_ns = i128::from(wall_ns) - i128::from(clock.zero_ns);
        u64::try_from(since_ns / i128::from(self.scale.max(1))).ok()
    }

    /// Returns the estimates for switches that all count from the same moment: the best one for all.
    pub fn synchronised(&self) -> BTreeMap<String, SwitchClock> {
        let mut estimates = self.estimates();
        if let Some(best) = estimates.values().min_by_key(|clock| clock.zero_ns).copied() {
            estimates.values_mut().for_each(|clock| *clock = best);
        }
        estimates
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fastest_digest_gives_the_zero() {
        let mut clocks = SwitchClocks::new(10);
        clocks.add("sw1", 1_000_000 + 5_000, 100);
        clocks.add("sw1", 1_000_000 + 2_300, 200);
        clocks.add("sw2", 2_000_000 + 900, 50);
        let found = clocks.estimates();
        assert_eq!(found["sw1"], SwitchClock { zero_ns: 1_000_300, error_ns: 3_700 });
        assert_eq!(found["sw2"].zero_ns, 2_000_400);
        assert_eq!(clocks.synchronised()["sw2"].zero_ns, 1_000_300);
        assert_eq!(clocks.switch_time(&found["sw1"], 1_002_300), Some(200));
        assert_eq!(clocks.switch_time(&found["sw1"], 900_000), None, "before its start");
        clocks.forget("sw1");
        assert_eq!(clocks.estimates().len(), 1);
    }
}
