//! Priority flow control at a NIC: the pauses it obeys. Those it sends come from [`super::receive`].

use model::wire::pfc::quanta_time;
use model::{Rate, Time};
use p4_switch::tm::PauseEnd;

/// From when until when a priority is silent.
#[derive(Clone, Copy, Debug)]
struct Silence {
    from: Time,
    until: Time,
    /// Whether a resume frame ends it, so that its end is no news.
    resumed: bool,
}

/// Which priorities the switch has silenced.
#[derive(Clone, Debug)]
pub struct Obeyed {
    end: PauseEnd,
    rate: Rate,
    /// Time from a frame until it takes effect.
    reaction: Time,
    silences: [Option<Silence>; 8],
}

impl Obeyed {
    /// Nothing is paused.
    pub fn new(end: PauseEnd, rate: Rate) -> Obeyed {
        Obeyed { end, rate, reaction: Time::ZERO, silences: [None; 8] }
    }

    /// The link's rate, which a quantum depends on, and how long it takes to react.
    pub fn set_rate(&mut self, rate: Rate, reaction: Time) {
        self.rate = rate;
        self.reaction = reaction;
    }

    /// How pauses end.
    pub fn end(&self) -> PauseEnd {
        self.end
    }

    /// Whether a priority must be silent at `now`.
    pub fn is_paused(&self, now: Time, priority: u8) -> bool {
        self.silences[usize::from(priority & 7)].is_some_and(|s| s.from <= now && now < s.until)
    }

    /// Obeys one class of a PFC frame, after the reaction time.
    pub fn receive(&mut self, now: Time, priority: u8, quanta: u16) {
        let effect = Time(now.0.saturating_add(self.reaction.0));
        let silence = &mut self.silences[usize::from(priority & 7)];
        let present = silence.filter(|s| now < s.until);
        if quanta == 0 {
            *silence = present
                .map(|s| Silence { until: s.until.min(effect), resumed: true, ..s })
                .filter(|s| s.from < s.until && now < s.until);
            return;
        }
        let until = match self.end {
            PauseEnd::ResumeOnly => Time::MAX,
            PauseEnd::Quanta => Time(now.0.saturating_add(quanta_time(quanta, self.rate).0)),
        };
        // A frame during a pause prolongs it without a gap.
        let from = present.map_or(effect, |s| s.from);
        *silence = (from < until).then_some(Silence { from, until, resumed: false });
    }

    /// Forgets pauses that are over at `now`, and returns the priorities of those that ended by themselves.
    pub fn expire(&mut self, now: Time) -> Vec<u8> {
        let mut over = Vec::new();
        for (priority, silence) in self.silences.iter_mut().enumerate() {
            if let Some(ended) = silence.filter(|s| s.until <= now) {
                *silence = None;
                if !ended.resumed {
                    over.push(priority as u8);
                }
            }
        }
        over
    }

    /// When the next pause ends by itself or, after a resume frame, takes its end.
    pub fn next_expiry(&self, now: Time) -> Option<Time> {
        let ends = self.silences.iter().flatten().map(|s| s.until);
        ends.filter(|at| *at > now && *at < Time::MAX).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quanta_run_out() {
        let mut obeyed = Obeyed::new(PauseEnd::Quanta, Rate::from_gbps(100));
        obeyed.receive(Time::ZERO, 3, 10);
        assert!(obeyed.is_paused(Time(51_199), 3));
        assert_eq!(obeyed.next_expiry(Time::ZERO), Some(Time(51_200)));
        assert!(!obeyed.is_paused(Time(51_200), 3));
        assert_eq!(obeyed.expire(Time(51_200)), [3]);
        assert!(obeyed.expire(Time(51_200)).is_empty());
    }

    #[test]
    fn the_reaction_shifts_both_ends() {
        let mut obeyed = Obeyed::new(PauseEnd::ResumeOnly, Rate::from_gbps(100));
        obeyed.set_rate(Rate::from_gbps(100), Time::from_us(2));
        obeyed.receive(Time::ZERO, 3, 1);
        assert!(!obeyed.is_paused(Time::from_us(1), 3));
        assert!(obeyed.is_paused(Time::from_us(2), 3));
        obeyed.receive(Time::from_us(5), 3, 0);
        assert!(obeyed.is_paused(Time::from_us(6), 3));
        assert_eq!(obeyed.next_expiry(Time::from_us(6)), Some(Time::from_us(7)));
        assert!(!obeyed.is_paused(Time::from_us(7), 3));
        assert!(obeyed.expire(Time::from_us(7)).is_empty());
    }
}
