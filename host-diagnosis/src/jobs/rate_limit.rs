//! A rate limit for an opportunistic job, so that a production job next to it keeps its rate.
//!
//! Follows the adaptive rate control of TGS (Wu et al., NSDI 2023, algorithm 1): slow start, additive increase,
//! multiplicative decrease, and a reset on a large deviation. Harrier states the limit as advice and applies it to nothing.

/// The parameters. The paper names them and states no values; these are choices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Parameters {
    /// The factor of slow start.
    pub slow_start: f64,
    /// What additive increase adds, in the unit of the rate.
    pub increase: f64,
    /// The factor of multiplicative decrease, below 1.
    pub decrease: f64,
    /// The relative deviation of the production job that is tolerated.
    pub tolerated: f64,
    /// The relative deviation above which the limit is reset.
    pub reset: f64,
    /// The first limit after a reset, in the unit of the rate.
    pub first: f64,
}

impl Parameters {
    /// Parameters for an opportunistic job with this rate alone. The production job may lose 5 %, the smallest overhead
    /// that the paper reports; 50 % is a change of phase rather than contention.
    pub fn for_rate(alone: f64) -> Parameters {
        Parameters {
            slow_start: 2.0,
            increase: alone / 100.0,
            decrease: 0.8,
            tolerated: 0.05,
            reset: 0.5,
            first: alone / 100.0,
        }
    }
}

/// The state of the control.
#[derive(Clone, Debug, PartialEq)]
pub struct RateLimit {
    parameters: Parameters,
    usual_rate: f64,
    limit: f64,
    starts_slowly: bool,
}

impl RateLimit {
    /// Starts the control for a production job with this rate alone.
    pub fn new(parameters: Parameters, usual_rate: f64) -> RateLimit {
        RateLimit { parameters, usual_rate, limit: parameters.first, starts_slowly: true }
    }

    /// The limit of the opportunistic job; never below zero.
    pub fn limit(&self) -> f64 {
        self.limit
    }

    /// Returns the next limit after a measurement of the production job's rate, averaged over a window.
    pub fn update(&mut self, production_rate: f64) -> f64 {
        let p = self.parameters;
        let deviation = match self.usual_rate > 0.0 {
            true => ((self.usual_rate - production_rate) / self.usual_rate).abs(),
            false => 0.0,
        };
        if production_rate > self.usual_rate {
            // The production job has become faster by itself: that is its rate now.
            self.usual_rate = production_rate;
        }
        let is_harmless = production_rate >= self.usual_rate || deviation < p.tolerated;
        match (self.starts_slowly, is_harmless) {
            (true, true) => self.limit *= p.slow_start,
            (true, false) => {
                self.limit /= p.slow_start;
                self.starts_slowly = false;
            }
            (false, true) => self.limit += p.increase,
            (false, false) if deviation > p.reset => {
                self.limit = p.first;
                self.starts_slowly = true;
            }
            (false, false) => self.limit *= p.decrease,
        }
        self.limit = self.limit.max(0.0);
        self.limit
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// A production job that keeps its rate until the opportunistic job exceeds the tipping point, and then loses what the
    /// other takes.
    fn production(limit: f64, tipping_point: f64) -> f64 {
        (100.0 - (limit - tipping_point).max(0.0)).max(0.0)
    }

    /// The limits of 300 rounds.
    fn run(tipping_point: f64) -> Vec<f64> {
        let mut control = RateLimit::new(Parameters::for_rate(100.0), 100.0);
        (0..300)
            .map(|_| {
                let limit = control.limit();
                control.update(production(limit, tipping_point))
            })
            .collect()
    }

    #[test]
    fn tgs_4_the_limit_converges_near_the_tipping_point() {
        for tipping_point in [10.0, 40.0, 80.0] {
            let last = &run(tipping_point)[200..];
            let mean = last.iter().sum::<f64>() / last.len() as f64;
            // 5 % of the production job's rate are tolerated; the sawtooth falls by a fifth from there.
            let (low, high) = (0.8 * tipping_point, tipping_point + 6.0);
            assert!((low..=high).contains(&mean), "{mean} for {tipping_point}");
            let worst = last.iter().map(|limit| production(*limit, tipping_point)).fold(100.0, f64::min);
            assert!(worst >= 93.0, "the production job falls to {worst} for {tipping_point}");
        }
    }

    #[test]
    fn a_large_deviation_resets_the_limit() {
        let mut control = RateLimit::new(Parameters::for_rate(100.0), 100.0);
        for _ in 0..4 {
            control.update(100.0);
        }
        control.update(90.0);
        assert!(control.limit() > 1.0);
        assert_eq!(control.update(40.0), 1.0);
    }

    proptest! {
        #[test]
        fn tgs_4_the_limit_is_never_below_zero(rates in proptest::collection::vec(0.0..200.0_f64, 1..200)) {
            let mut control = RateLimit::new(Parameters::for_rate(100.0), 100.0);
            for rate in rates {
                prop_assert!(control.update(rate) >= 0.0);
            }
        }
    }
}
