//! TIMELY (Mittal et al., "TIMELY: RTT-based Congestion Control for the Datacenter", SIGCOMM 2015, algorithm 1), as
//! in the public HPCC simulator (`CC_MODE 7`): updated once an RTT, with hyper increase after five increases in a row.

use model::{Rate, Time};
use scenario::nic::TimelyConfig;

use super::control::Feedback;

/// Increases in a row before hyper increase.
const ADDITIVE_INCREASES: u32 = 5;

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Timely {
    config: TimelyConfig,
    line_rate: Rate,
    rate: Rate,
    /// The RTT of the last update, and the packet whose ACK triggers the next one.
    last: Option<(Time, u64)>,
    /// The moving average of differences, in picoseconds.
    difference_ps: f64,
    increases: u32,
}

impl Timely {
    /// The control of a flow that starts at line rate.
    pub fn new(config: TimelyConfig, line_rate: Rate) -> Timely {
        Timely { config, line_rate, rate: line_rate, last: None, difference_ps: 0.0, increases: 0 }
    }

    /// The present rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// An ACK or NAK has arrived.
    pub fn feedback(&mut self, feedback: &Feedback) {
        let Some(rtt) = feedback.rtt else { return };
        match self.last {
            Some((_, due)) if feedback.acknowledged <= due => return,
            Some((before, _)) => self.update(before, rtt),
            None => {}
        }
        self.last = Some((rtt, feedback.next));
    }

    fn update(&mut self, before: Time, rtt: Time) {
        let config = &self.config;
        let newest = rtt.0 as f64 - before.0 as f64;
        self.difference_ps = (1.0 - config.weight) * self.difference_ps + config.weight * newest;
        let gradient = self.difference_ps / config.min_rtt.0.max(1) as f64;
        let factor = if rtt < config.low {
            None
        } else if rtt > config.high {
            Some(1.0 - config.beta * (1.0 - config.high.0 as f64 / rtt.0 as f64))
        } else if gradient <= 0.0 {
            None
        } else {
            Some((1.0 - config.beta * gradient).max(0.0))
        };
        match factor {
            Some(factor) => {
                self.rate = Rate((self.rate.0 as f64 * factor) as u64).max(config.min_rate);
                self.increases = 0;
            }
            None => {
                let step = match self.increases < ADDITIVE_INCREASES {
                    true => config.additive_increase,
                    false => config.hyper_increase,
                };
                self.rate = Rate(self.rate.0.saturating_add(step.0)).min(self.line_rate);
                self.increases = self.increases.saturating_add(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GBPS: u64 = 1_000_000_000;

    /// After each of these RTTs in us, one per window, the rate has the expected value.
    fn check(start_gbps: u64, rtts_us: &[u64], expected_gbps: &[f64]) {
        let config = TimelyConfig {
            additive_increase: Rate(GBPS),
            hyper_increase: Rate(3 * GBPS),
            ..TimelyConfig::default()
        };
        let mut flow = Timely::new(config, Rate::from_gbps(100));
        flow.rate = Rate::from_gbps(start_gbps);
        let mut found = Vec::new();
        for (window, rtt) in rtts_us.iter().enumerate() {
            let acknowledged = window as u64 * 10 + 1;
            let rtt = Some(Time::from_us(*rtt));
            flow.feedback(&Feedback { acknowledged, next: acknowledged + 9, rtt, marked: true });
            found.push(flow.rate().0 as f64 / GBPS as f64);
        }
        let close = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-6;
        assert!(found.iter().zip(expected_gbps).all(close), "{found:?}, expected {expected_gbps:?}");
    }

    #[test]
    fn short_rtts_raise_the_rate_and_the_sixth_raises_it_more() {
        // The first RTT only initialises the state.
        check(10, &[20; 9], &[10.0, 11.0, 12.0, 13.0, 14.0, 15.0, 18.0, 21.0, 24.0]);
        check(99, &[20; 4], &[99.0, 100.0, 100.0, 100.0]);
    }

    #[test]
    fn long_rtts_lower_the_rate_in_proportion_to_the_excess() {
        // 1 - 0.8 (1 - 500 / 1000) = 0.6, independent of the gradient.
        check(50, &[1_000, 1_000, 1_000], &[50.0, 30.0, 18.0]);
    }

    #[test]
    fn the_gradient_decides_between_the_thresholds() {
        // From 100 to 110 us: 0.875 * 10 / 20 = 0.4375; the rate drops by 0.8 times that. Then the RTT falls: one step
        // up.
        check(40, &[100, 110, 100], &[40.0, 40.0 * 0.65, 40.0 * 0.65 + 1.0]);
        // A gradient that would give a negative rate ends at the lowest rate.
        check(40, &[100, 300], &[40.0, 0.1]);
    }

    #[test]
    fn the_rate_is_updated_once_an_rtt() {
        let mut flow = Timely::new(TimelyConfig::default(), Rate::from_gbps(100));
        for acknowledged in 1..=10 {
            let rtt = Some(Time::from_us(900));
            flow.feedback(&Feedback { acknowledged, next: 20, rtt, marked: false });
        }
        assert_eq!(flow.rate(), Rate::from_gbps(100));
        flow.feedback(&Feedback { acknowledged: 21, next: 40, rtt: None, marked: false });
        assert_eq!(flow.rate(), Rate::from_gbps(100));
        flow.feedback(&Feedback { acknowledged: 21, next: 40, rtt: Some(Time::from_us(900)), marked: false });
        assert!(flow.rate() < Rate::from_gbps(100));
    }
}
