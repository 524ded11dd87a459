//! Two-rate three-colour meters (RFC 2698, colour-blind mode).

use model::Time;

use crate::control::{MarkedCounts, MeterConfig};

const PS_PER_SECOND: u128 = 1_000_000_000_000;

/// Colour of a packet; the numbers are those of v1model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Colour {
    Green = 0,
    Yellow = 1,
    Red = 2,
}

/// A token bucket. Its unit is 10^-12 tokens, so a rate of one token per second adds one unit per picosecond.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    tokens: u128,
}

impl Bucket {
    fn full(burst: u64) -> Bucket {
        Bucket { tokens: u128::from(burst) * PS_PER_SECOND }
    }

    fn refill(&mut self, rate: u64, burst: u64, elapsed_ps: u64) {
        let most = u128::from(burst) * PS_PER_SECOND;
        let gained = u128::from(rate) * u128::from(elapsed_ps);
        self.tokens = self.tokens.saturating_add(gained).min(most);
    }

    fn holds(&self, amount: u64) -> bool {
        self.tokens >= u128::from(amount) * PS_PER_SECOND
    }

    fn take(&mut self, amount: u64) {
        self.tokens = self.tokens.saturating_sub(u128::from(amount) * PS_PER_SECOND);
    }
}

/// A meter. Without settings it marks every packet green.
#[derive(Clone, Debug, Default)]
pub(crate) struct Meter {
    /// Boxed, because every entry of a table has a meter and most have no settings.
    running: Option<Box<Running>>,
    /// Packets and bytes counted per colour; kept when the settings change.
    pub(crate) marked: MarkedCounts,
}

#[derive(Clone, Debug)]
struct Running {
    config: MeterConfig,
    committed: Bucket,
    peak: Bucket,
    at: Time,
}

impl Meter {
    /// Sets or clears the settings. The buckets start full.
    pub(crate) fn configure(&mut self, config: Option<MeterConfig>, now: Time) {
        self.running = config.map(|config| {
            let (committed, peak) = (Bucket::full(config.committed_burst), Bucket::full(config.peak_burst));
            Box::new(Running { config, committed, peak, at: now })
        });
    }

    pub(crate) fn config(&self) -> Option<MeterConfig> {
        self.running.as_ref().map(|r| r.config)
    }

    /// Meters `amount` (bytes or packets) of a packet of `bytes` bytes, and counts its colour.
    pub(crate) fn execute(&mut self, now: Time, amount: u64, bytes: u64) -> Colour {
        let colour = self.colour(now, amount);
        let counter = match colour {
            Colour::Green => &mut self.marked.green,
            Colour::Yellow => &mut self.marked.yellow,
            Colour::Red => &mut self.marked.red,
        };
        counter.count(bytes);
        colour
    }

    fn colour(&mut self, now: Time, amount: u64) -> Colour {
        let Some(r) = &mut self.running else { return Colour::Green };
        let elapsed_ps = now.saturating_sub(r.at).0;
        r.at = r.at.max(now);
        r.committed.refill(r.config.committed_rate, r.config.committed_burst, elapsed_ps);
        r.peak.refill(r.config.peak_rate, r.config.peak_burst, elapsed_ps);
        if !r.peak.holds(amount) {
            return Colour::Red;
        }
        r.peak.take(amount);
        if !r.committed.holds(amount) {
            return Colour::Yellow;
        }
        r.committed.take(amount);
        Colour::Green
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::control::CounterValue;

    #[test]
    fn colours_follow_the_two_buckets() {
        let mut meter = Meter::default();
        assert_eq!(meter.execute(Time::ZERO, 9_999, 9_999), Colour::Green);
        let config =
            MeterConfig { committed_rate: 1_000, committed_burst: 100, peak_rate: 2_000, peak_burst: 200 };
        meter.configure(Some(config), Time::ZERO);
        assert_eq!(meter.execute(Time::ZERO, 100, 100), Colour::Green);
        assert_eq!(meter.execute(Time::ZERO, 100, 100), Colour::Yellow);
        assert_eq!(meter.execute(Time::ZERO, 1, 1), Colour::Red);
        // After 10 ms: 10 committed and 20 peak tokens.
        assert_eq!(meter.execute(Time::from_ms(10), 10, 10), Colour::Green);
        assert_eq!(meter.execute(Time::from_ms(10), 10, 10), Colour::Yellow);
        assert_eq!(meter.execute(Time::from_ms(10), 1, 1), Colour::Red);
        let counted = |packets, bytes| CounterValue { packets, bytes };
        let marked = MarkedCounts { green: counted(3, 10_109), yellow: counted(2, 110), red: counted(2, 2) };
        assert_eq!(meter.marked, marked);
    }
}
