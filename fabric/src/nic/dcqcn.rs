//! DCQCN, the congestion control of RoCEv2 NICs (Zhu et al., "Congestion Control for Large-Scale RDMA
//! Deployments", SIGCOMM 2015): the reaction point of one flow.
//!
//! Two reactions to a CNP are in use, see [`Cut`]; [`scenario::nic::Generation`] combines them with the other
//! differences between NICs.
//!
//! Timers are not events: the state is advanced to the present whenever it is read. The result is the same, since a
//! rate matters only when a packet is sent and a CNP only when it arrives.

use model::{Rate, Time};
use scenario::nic::{Cut, DcqcnConfig};

/// A nanosecond: a decrease follows an update of alpha that is due at the same time.
const AFTER_ALPHA: Time = Time::from_ns(1);

/// Timers and state that exist from the first CNP on.
#[derive(Clone, Copy, Debug)]
struct Active {
    alpha: f64,
    target: Rate,
    notified_for_alpha: bool,
    notified_for_decrease: bool,
    alpha_due: Time,
    decrease_due: Time,
    increase_due: Option<Time>,
    /// Increases by timer since the last decrease.
    timer_stage: u32,
    /// Increases by byte counter since the last decrease.
    byte_stage: u32,
    /// Bytes sent since the last increase by byte counter.
    bytes: u64,
    /// When the rate was last cut immediately.
    cut_at: Option<Time>,
}

/// The reaction point of one flow.
#[derive(Clone, Debug)]
pub struct ReactionPoint {
    config: DcqcnConfig,
    line_rate: Rate,
    rate: Rate,
    active: Option<Active>,
}

impl ReactionPoint {
    /// A flow that sends at line rate until it is notified.
    pub fn new(config: DcqcnConfig, line_rate: Rate) -> ReactionPoint {
        ReactionPoint { config, line_rate, rate: line_rate, active: None }
    }

    /// The rate at `now`.
    pub fn rate(&mut self, now: Time) -> Rate {
        self.advance(now);
        self.rate
    }

    /// A congestion notification has arrived.
    pub fn notify(&mut self, now: Time) {
        self.advance(now);
        let config = &self.config;
        match &mut self.active {
            Some(active) => {
                active.notified_for_alpha = true;
                active.notified_for_decrease = true;
            }
            None => {
                self.active = Some(Active {
                    alpha: 1.0,
                    target: self.rate,
                    notified_for_alpha: false,
                    notified_for_decrease: true,
                    alpha_due: now + config.alpha_interval,
                    decrease_due: now + config.decrease_interval + AFTER_ALPHA,
                    increase_due: None,
                    timer_stage: 0,
                    byte_stage: 0,
                    bytes: 0,
                    cut_at: None,
                });
            }
        }
        if self.config.cut == Cut::Immediate {
            self.cut_immediately(now);
        }
    }

    fn cut_immediately(&mut self, now: Time) {
        let Some(active) = &mut self.active else {
            return;
        };
        active.notified_for_alpha = false;
        // Cuts are immediate: no decrease is polled for.
        active.decrease_due = Time::MAX;
        if active.cut_at.is_some_and(|at| now.saturating_sub(at) < self.config.decrease_interval) {
            return;
        }
        active.cut_at = Some(now);
        active.notified_for_decrease = true;
        active.target = self.rate;
        self.decrease(now);
        if let Some(active) = &mut self.active {
            active.alpha = (1.0 - self.config.gain) * active.alpha + self.config.gain;
            active.alpha_due = now + self.config.alpha_interval.max(Time(1));
        }
    }

    /// `bytes` have been sent.
    pub fn sent(&mut self, now: Time, bytes: u64) {
        if self.config.byte_counter == 0 {
            return;
        }
        self.advance(now);
        let Some(active) = &mut self.active else {
            return;
        };
        active.bytes += bytes;
        if active.bytes >= self.config.byte_counter {
            active.bytes -= self.config.byte_counter;
            active.byte_stage += 1;
            let (timer, byte) = (active.timer_stage, active.byte_stage);
            self.increase(timer, byte);
        }
    }

    /// Processes every timer that is due by `now`, in order.
    fn advance(&mut self, now: Time) {
        self.skip_decreases(now);
        while let Some(active) = &mut self.active {
            let increase_due = active.increase_due.unwrap_or(Time::MAX);
            let due = active.alpha_due.min(active.decrease_due).min(increase_due);
            if due > now {
                return;
            }
            if due == active.alpha_due {
                let seen =
                    if std::mem::take(&mut active.notified_for_alpha) { self.config.gain } else { 0.0 };
                active.alpha = (1.0 - self.config.gain) * active.alpha + seen;
                active.alpha_due += self.config.alpha_interval.max(Time(1));
            } else if due == active.decrease_due {
                active.decrease_due += self.config.decrease_interval.max(Time(1));
                self.decrease(due);
            } else {
                active.increase_due = Some(due + self.config.increase_timer.max(Time(1)));
                active.timer_stage += 1;
                let (timer, byte) = (active.timer_stage, active.byte_stage);
                self.increase(timer, byte);
            }
        }
    }

    /// A poll for CNPs has no effect if there was none, and a flow may be idle for long: skips all polls up to `now` at
    /// once.
    fn skip_decreases(&mut self, now: Time) {
        let interval = self.config.decrease_interval.max(Time(1)).0;
        if let Some(active) = &mut self.active
            && !active.notified_for_decrease
            && active.decrease_due <= now
        {
            let polls = (now.0 - active.decrease_due.0) / interval + 1;
            active.decrease_due = Time(active.decrease_due.0.saturating_add(polls.saturating_mul(interval)));
        }
    }

    fn decrease(&mut self, now: Time) {
        let Some(active) = &mut self.active else {
            return;
        };
        if !std::mem::take(&mut active.notified_for_decrease) {
            return;
        }
        if self.config.clamp_target || active.timer_stage > 0 || active.byte_stage > 0 {
            active.target = self.rate;
        }
        let cut = (self.rate.0 as f64 * (1.0 - active.alpha / 2.0)) as u64;
        self.rate = Rate(cut).max(self.config.min_rate);
        active.timer_stage = 0;
        active.byte_stage = 0;
        active.bytes = 0;
        active.increase_due = Some(now + self.config.increase_timer.max(Time(1)));
    }

    /// One increase: fast recovery until one of the stages exceeds the limit, hyper increase once both do.
    fn increase(&mut self, timer_stage: u32, byte_stage: u32) {
        let limit = self.config.fast_recovery_times;
        let Some(active) = &mut self.active else {
            return;
        };
        // Stages count the present increase, so the first `limit` of them are fast recovery.
        let furthest = timer_stage.max(byte_stage);
        let hyper = if self.config.byte_counter == 0 {
            furthest > limit + 1
        } else {
            timer_stage.min(byte_stage) > limit
        };
        if furthest > limit {
            let step = if hyper { self.config.hyper_increase } else { self.config.additive_increase };
            active.target = Rate(active.target.0.saturating_add(step.0)).min(self.line_rate);
        }
        self.rate = Rate(self.rate.0 / 2 + active.target.0 / 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> ReactionPoint {
        ReactionPoint::new(DcqcnConfig::default(), Rate::from_gbps(40))
    }

    #[test]
    fn the_first_cnp_halves_the_rate_and_fast_recovery_restores_it() {
        let mut point = point();
        point.notify(Time::ZERO);
        assert_eq!(point.rate(Time::from_us(4)), Rate::from_gbps(40));
        assert_eq!(point.rate(Time::from_us(5)), Rate::from_gbps(20));
        assert_eq!(point.rate(Time::from_us(305)), Rate::from_gbps(30));
        assert_eq!(point.rate(Time::from_us(605)), Rate::from_gbps(35));
    }

    #[test]
    fn every_cnp_that_is_not_coalesced_cuts_immediately() {
        let config =
            DcqcnConfig { cut: Cut::Immediate, decrease_interval: Time::ZERO, ..DcqcnConfig::default() };
        let mut point = ReactionPoint::new(config, Rate::from_gbps(40));
        for (us, gbps) in [(1, 20), (2, 10), (3, 5)] {
            point.notify(Time::from_us(us));
            assert_eq!(point.rate(Time::from_us(us)), Rate::from_gbps(gbps));
        }
        let window = DcqcnConfig { decrease_interval: Time::from_us(50), ..config };
        let mut point = ReactionPoint::new(window, Rate::from_gbps(40));
        for us in [1, 20, 50] {
            point.notify(Time::from_us(us));
        }
        assert_eq!(point.rate(Time::from_us(50)), Rate::from_gbps(20));
        point.notify(Time::from_us(51));
        assert_eq!(point.rate(Time::from_us(51)), Rate::from_gbps(10));
    }

    #[test]
    fn alpha_decays_after_an_interval_without_a_cut() {
        let config = DcqcnConfig { cut: Cut::Immediate, gain: 0.5, ..DcqcnConfig::default() };
        let mut point = ReactionPoint::new(config, Rate::from_gbps(40));
        point.notify(Time::ZERO);
        // Two intervals of 55 us: alpha is 1/4, and the next cut takes an eighth.
        assert_eq!(point.rate(Time::from_us(120)), Rate::from_gbps(20));
        point.notify(Time::from_us(120));
        assert_eq!(point.rate(Time::from_us(120)), Rate(17_500_000_000));
    }

    #[test]
    fn the_rate_does_not_depend_on_how_often_it_is_read() {
        let (mut often, mut seldom) = (point(), point());
        for step in 0..5_000u64 {
            let now = Time::from_us(step);
            if step % 700 == 3 {
                often.notify(now);
                seldom.notify(now);
            }
            often.rate(now);
        }
        assert_eq!(often.rate(Time::from_ms(6)), seldom.rate(Time::from_ms(6)));
    }

    #[test]
    fn the_rate_stays_between_its_bounds() {
        let mut point = point();
        for step in 0..2_000 {
            point.notify(Time::from_us(step * 2));
        }
        assert_eq!(point.rate(Time::from_ms(4)), Rate(100_000_000));
        assert!(point.rate(Time::from_ms(60_000)) <= Rate::from_gbps(40));
        assert!(point.rate(Time::from_ms(60_000)) > Rate::from_gbps(39));
    }

    #[test]
    fn the_byte_counter_increases_the_rate_too() {
        let config = DcqcnConfig { byte_counter: 1_000_000, ..DcqcnConfig::default() };
        let mut point = ReactionPoint::new(config, Rate::from_gbps(40));
        point.notify(Time::ZERO);
        point.rate(Time::from_us(5));
        point.sent(Time::from_us(6), 1_000_000);
        assert_eq!(point.rate(Time::from_us(6)), Rate::from_gbps(30));
    }
}
