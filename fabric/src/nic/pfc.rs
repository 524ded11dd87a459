//! Priority flow control at a NIC: the pauses that it receives. [`super::receive`] decides which ones it sends.

use model::wire::pfc::quanta_time;
use model::{Rate, Time};
use p4_switch::tm::PauseEnd;

/// A pause of one priority.
#[derive(Clone, Copy, Debug)]
struct Pause {
    from: Time,
    until: Time,
    /// Whether a resume frame ends it, so that its end was recorded already.
    resumed: bool,
}

/// The pauses that the switch has sent to a NIC.
#[derive(Clone, Debug)]
pub struct ReceivedPauses {
    end: PauseEnd,
    rate: Rate,
    /// Time from the arrival of a PFC frame until it takes effect.
    reaction: Time,
    pauses: [Option<Pause>; 8],
}

impl ReceivedPauses {
    /// No priority is paused.
    pub fn new(end: PauseEnd, rate: Rate) -> ReceivedPauses {
        ReceivedPauses { end, rate, reaction: Time::ZERO, pauses: [None; 8] }
    }

    /// Sets the link's rate, which the duration of a quantum depends on, and the reaction time.
    pub fn set_rate(&mut self, rate: Rate, reaction: Time) {
        self.rate = rate;
        self.reaction = reaction;
    }

    /// How pauses end.
    pub fn end(&self) -> PauseEnd {
        self.end
    }

    /// Whether a priority is paused at `now`.
    pub fn is_paused(&self, now: Time, priority: u8) -> bool {
        self.pauses[usize::from(priority & 7)].is_some_and(|s| s.from <= now && now < s.until)
    }

    /// Applies one priority of a PFC frame, after the reaction time.
    pub fn receive(&mut self, now: Time, priority: u8, quanta: u16) {
        let effect = Time(now.0.saturating_add(self.reaction.0));
        let pause = &mut self.pauses[usize::from(priority & 7)];
        let present = pause.filter(|s| now < s.until);
        if quanta == 0 {
            *pause = present
                .map(|s| Pause { until: s.until.min(effect), resumed: true, ..s })
                .filter(|s| s.from < s.until && now < s.until);
            return;
        }
        let until = match self.end {
            PauseEnd::ResumeOnly => Time::MAX,
            PauseEnd::Quanta => Time(now.0.saturating_add(quanta_time(quanta, self.rate).0)),
        };
        // A frame during a pause prolongs it without a gap.
        let from = present.map_or(effect, |s| s.from);
        *pause = (from < until).then_some(Pause { from, until, resumed: false });
    }

    /// Removes pauses that are over at `now`, and returns the priorities of those that expired without a resume frame.
    pub fn expire(&mut self, now: Time) -> Vec<u8> {
        let mut over = Vec::new();
        for (priority, pause) in self.pauses.iter_mut().enumerate() {
            if let Some(ended) = pause.filter(|s| s.until <= now) {
                *pause = None;
                if !ended.resumed {
                    over.push(priority as u8);
                }
            }
        }
        over
    }

    /// When the next pause expires or, after a resume frame, ends.
    pub fn next_expiry(&self, now: Time) -> Option<Time> {
        let ends = self.pauses.iter().flatten().map(|s| s.until);
        ends.filter(|at| *at > now && *at < Time::MAX).min()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_expires_after_its_quanta() {
        let mut received_pauses = ReceivedPauses::new(PauseEnd::Quanta, Rate::from_gbps(100));
        received_pauses.receive(Time::ZERO, 3, 10);
        assert!(received_pauses.is_paused(Time(51_199), 3));
        assert_eq!(received_pauses.next_expiry(Time::ZERO), Some(Time(51_200)));
        assert!(!received_pauses.is_paused(Time(51_200), 3));
        assert_eq!(received_pauses.expire(Time(51_200)), [3]);
        assert!(received_pauses.expire(Time(51_200)).is_empty());
    }

    #[test]
    fn the_reaction_time_delays_pause_and_resume() {
        let mut received_pauses = ReceivedPauses::new(PauseEnd::ResumeOnly, Rate::from_gbps(100));
        received_pauses.set_rate(Rate::from_gbps(100), Time::from_us(2));
        received_pauses.receive(Time::ZERO, 3, 1);
        assert!(!received_pauses.is_paused(Time::from_us(1), 3));
        assert!(received_pauses.is_paused(Time::from_us(2), 3));
        received_pauses.receive(Time::from_us(5), 3, 0);
        assert!(received_pauses.is_paused(Time::from_us(6), 3));
        assert_eq!(received_pauses.next_expiry(Time::from_us(6)), Some(Time::from_us(7)));
        assert!(!received_pauses.is_paused(Time::from_us(7), 3));
        assert!(received_pauses.expire(Time::from_us(7)).is_empty());
    }
}
