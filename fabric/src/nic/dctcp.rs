//! DCTCP (Alizadeh et al., "Data Center TCP", SIGCOMM 2010; RFC 8257) with a rate in place of the congestion window, as
//! in the public HPCC simulator (`CC_MODE 8`).
//!
//! Alpha is a moving average of the fraction of marked packets, updated once a window of data, that is once an RTT. The
//! first mark of a window lowers the rate by half of alpha; a window without a mark raises it by a step.

use model::Rate;
use scenario::nic::DctcpConfig;

use super::control::Feedback;

/// The sender of one flow.
#[derive(Clone, Debug)]
pub struct Dctcp {
    config: DctcpConfig,
    line_rate: Rate,
    rate: Rate,
    /// RFC 8257, section 3.3: 1 at first, so that the first mark halves.
    alpha: f64,
    /// The present window of data ends when this packet is acknowledged; absent before the first ACK.
    window_end: Option<u64>,
    /// ACKs of the present window, and those with a mark.
    acks: u64,
    marked: u64,
    /// The rate was lowered and stays constant until this packet is acknowledged.
    lowered_until: Option<u64>,
}

impl Dctcp {
    /// The control of a flow that starts at line rate.
    pub fn new(config: DctcpConfig, line_rate: Rate) -> Dctcp {
        Dctcp {
            config,
            line_rate,
            rate: line_rate,
            alpha: 1.0,
            window_end: None,
            acks: 0,
            marked: 0,
            lowered_until: None,
        }
    }

    /// The present rate.
    pub fn rate(&self) -> Rate {
        self.rate
    }

    /// The present estimate of the fraction of marked packets.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// An ACK or NAK has arrived.
    pub fn feedback(&mut self, feedback: &Feedback) {
        self.acks += 1;
        self.marked += u64::from(feedback.marked);
        let is_over = self.window_end.is_none_or(|end| feedback.acknowledged > end);
        if is_over {
            // The first ACK belongs to no window.
            if self.window_end.is_some() {
                let fraction = self.marked as f64 / self.acks as f64;
                self.alpha = (1.0 - self.config.gain) * self.alpha + self.config.gain * fraction;
                (self.acks, self.marked) = (0, 0);
            }
            self.window_end = Some(feedback.next);
        }
        if self.lowered_until.is_some_and(|until| feedback.acknowledged > until) {
            self.lowered_until = None;
        }
        if self.lowered_until.is_some() {
            return;
        }
        if feedback.marked {
            let lowered = (self.rate.0 as f64 * (1.0 - self.alpha / 2.0)) as u64;
            self.rate = Rate(lowered).max(self.config.min_rate);
            self.lowered_until = Some(feedback.next);
        } else if is_over {
            let raised = self.rate.0.saturating_add(self.config.additive_increase.0);
            self.rate = Rate(raised).min(self.line_rate);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const GAIN: f64 = 1.0 / 16.0;
    /// Packets a window.
    const WINDOW: u64 = 100;

    fn flow() -> Dctcp {
        let config =
            DctcpConfig { gain: GAIN, additive_increase: Rate(1_000_000_000), min_rate: Rate(100_000_000) };
        Dctcp::new(config, Rate::from_gbps(100))
    }

    /// Windows of a hundred packets; in each, the last `marked` packets have a mark.
    fn windows(flow: &mut Dctcp, first: u64, count: u64, marked: u64) {
        for packet in first * WINDOW..(first + count) * WINDOW {
            let is_marked = packet % WINDOW >= WINDOW - marked;
            let feedback =
                Feedback { acknowledged: packet + 1, next: packet + WINDOW, rtt: None, marked: is_marked };
            flow.feedback(&feedback);
        }
    }

    #[test]
    fn the_first_mark_of_a_window_halves_the_rate_once() {
        let mut flow = flow();
        windows(&mut flow, 0, 1, 50);
        assert_eq!(flow.rate(), Rate::from_gbps(50));
    }

    #[test]
    fn the_rate_rises_by_a_step_in_a_window_without_marks() {
        let mut flow = flow();
        windows(&mut flow, 0, 1, 50);
        windows(&mut flow, 1, 1, 0);
        let before = flow.rate();
        windows(&mut flow, 2, 20, 0);
        assert_eq!(flow.rate().0 - before.0, 20 * 1_000_000_000);
    }

    #[test]
    fn alpha_converges_to_the_marked_fraction() {
        // F + (1 - F) (1 - g)^k after k windows.
        for marked in [0, 10, 50, 100] {
            let mut flow = flow();
            let fraction = marked as f64 / WINDOW as f64;
            windows(&mut flow, 0, 61, marked);
            let k = 60;
            let expected = fraction + (1.0 - fraction) * (1.0 - GAIN).powi(k);
            assert!((flow.alpha() - expected).abs() < 0.02, "{} against {expected}", flow.alpha());
        }
    }

    #[test]
    fn the_rate_stays_between_its_bounds() {
        let mut flow = flow();
        windows(&mut flow, 0, 100, 100);
        assert_eq!(flow.rate(), Rate(100_000_000));
        windows(&mut flow, 100, 300, 0);
        assert_eq!(flow.rate(), Rate::from_gbps(100));
    }
}
