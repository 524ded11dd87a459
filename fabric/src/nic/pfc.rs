//! Priority flow control at a NIC: pauses it obeys, and the receive buffer for which it sends them.

use std::collections::VecDeque;

use model::wire::pfc::quanta_time;
use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use p4_switch::tm::PauseEnd;

/// Which priorities the switch has silenced.
#[derive(Clone, Debug)]
pub struct Obeyed {
    end: PauseEnd,
    rate: Rate,
    until: [Option<Time>; 8],
}

impl Obeyed {
    /// Nothing is paused.
    pub fn new(end: PauseEnd, rate: Rate) -> Obeyed {
        Obeyed { end, rate, until: [None; 8] }
    }

    /// The link's rate, which a quantum depends on.
    pub fn set_rate(&mut self, rate: Rate) {
        self.rate = rate;
    }

    /// Whether a priority must be silent at `now`.
    pub fn is_paused(&self, now: Time, priority: u8) -> bool {
        self.until[usize::from(priority & 7)].is_some_and(|until| now < until)
    }

    /// Obeys one class of a PFC frame. Returns whether the class was paused before.
    pub fn receive(&mut self, now: Time, priority: u8, quanta: u16) -> bool {
        let before = self.is_paused(now, priority);
        self.until[usize::from(priority & 7)] = match (quanta, self.end) {
            (0, _) => None,
            (_, PauseEnd::ResumeOnly) => Some(Time::MAX),
            (_, PauseEnd::Quanta) => Some(Time(now.0.saturating_add(quanta_time(quanta, self.rate).0))),
        };
        before
    }

    /// Forgets pauses that ended by themselves at or before `now`, and returns their priorities.
    pub fn expire(&mut self, now: Time) -> Vec<u8> {
        let mut over = Vec::new();
        for (priority, until) in self.until.iter_mut().enumerate() {
            if until.is_some_and(|at| at <= now) {
                *until = None;
                over.push(priority as u8);
            }
        }
        over
    }

    /// When the next pause ends by itself.
    pub fn next_expiry(&self, now: Time) -> Option<Time> {
        self.until.iter().flatten().copied().filter(|at| *at > now && *at < Time::MAX).min()
    }
}

/// Limits of a receive pipeline that cannot keep up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowReceive {
    /// Bits a second that it processes.
    pub rate: Rate,
    /// Buffered bytes at which it pauses.
    pub xoff_bytes: u64,
    /// Buffered bytes at which it resumes.
    pub xon_bytes: u64,
}

/// Frames that were received and wait to be processed. Without a limit they never wait.
#[derive(Debug, Default)]
pub struct ReceiveBuffer {
    /// The limit, while there is one.
    pub slow: Option<SlowReceive>,
    waiting: VecDeque<(u8, Frame)>,
    bytes: u64,
    clear_at: Time,
    pausing: u8,
}

impl ReceiveBuffer {
    /// Whether frames must pass through the buffer.
    pub fn is_used(&self) -> bool {
        self.slow.is_some() || !self.waiting.is_empty()
    }

    /// Stores a frame. Returns when it will have been processed, and a pause to send.
    pub fn push(&mut self, now: Time, priority: u8, frame: Frame) -> (Time, Option<Pfc>) {
        let work = self.slow.map_or(Time::ZERO, |slow| slow.rate.serialisation(frame.len()));
        let done = Time(self.clear_at.max(now).0.saturating_add(work.0));
        self.clear_at = done;
        self.bytes += frame.len();
        self.waiting.push_back((priority, frame));
        let full = self.slow.is_some_and(|slow| self.bytes >= slow.xoff_bytes);
        let news = full && self.pausing >> priority & 1 == 0;
        if news {
            self.pausing |= 1 << priority;
        }
        (done, news.then(|| Pfc::single(priority, u16::MAX)))
    }

    /// Takes the frame that has been processed, and a resume to send.
    pub fn pop(&mut self) -> Option<(Frame, Option<Pfc>)> {
        let (_, frame) = self.waiting.pop_front()?;
        self.bytes -= frame.len();
        let low = self.slow.is_none_or(|slow| self.bytes <= slow.xon_bytes);
        if !low || self.pausing == 0 {
            return Some((frame, None));
        }
        let mut pfc = Pfc::default();
        for priority in (0..8).filter(|p| self.pausing >> p & 1 == 1) {
            pfc.set(priority, 0);
        }
        self.pausing = 0;
        Some((frame, Some(pfc)))
    }

    /// Whether it has paused a priority.
    pub fn is_pausing(&self, priority: u8) -> bool {
        self.pausing >> (priority & 7) & 1 == 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slow_receiver_pauses_and_resumes() {
        let slow = SlowReceive { rate: Rate(8_000_000_000), xoff_bytes: 3000, xon_bytes: 1000 };
        let mut buffer = ReceiveBuffer { slow: Some(slow), ..ReceiveBuffer::default() };
        let frame = || Frame::new(&[], 1000);
        assert_eq!(buffer.push(Time::ZERO, 3, frame()), (Time::from_us(1), None));
        assert_eq!(buffer.push(Time::ZERO, 3, frame()), (Time::from_us(2), None));
        assert_eq!(buffer.push(Time::ZERO, 3, frame()).1, Some(Pfc::single(3, u16::MAX)));
        assert_eq!(buffer.push(Time::ZERO, 3, frame()).1, None);
        let resumes: Vec<bool> = std::iter::from_fn(|| buffer.pop()).map(|(_, pfc)| pfc.is_some()).collect();
        assert_eq!(resumes, [false, false, true, false]);
    }

    #[test]
    fn quanta_run_out() {
        let mut obeyed = Obeyed::new(PauseEnd::Quanta, Rate::from_gbps(100));
        assert!(!obeyed.receive(Time::ZERO, 3, 10));
        assert!(obeyed.is_paused(Time(51_199), 3));
        assert_eq!(obeyed.next_expiry(Time::ZERO), Some(Time(51_200)));
        assert!(!obeyed.is_paused(Time(51_200), 3));
        assert_eq!(obeyed.expire(Time(51_200)), [3]);
        assert!(obeyed.expire(Time(51_200)).is_empty());
    }
}
