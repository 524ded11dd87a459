//! The receive pipeline of a NIC: frames that wait to be processed, and the pauses it sends when there are too many.
//!
//! A healthy pipeline keeps up with the wire and nothing ever waits. Faults slow it down or stop it; then frames
//! pile up, the NIC pauses its switch at a limit, and loses what comes when the buffer is full.

use std::collections::{BTreeMap, VecDeque};

use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use scenario::Random;
use scenario::nic::{HostBus, MttModel, ReceiveLimits};

/// What keeps a pipeline from working at line rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slowdown {
    /// It processes so many bits a second.
    Rate(Rate),
    /// It waits for page addresses.
    Translation(MttModel),
    /// The way into the host is narrow.
    Bus(HostBus),
    /// It stands still.
    Stopped,
}

/// A frame that waits, and which packet of its flow it is.
#[derive(Debug)]
struct Waiting {
    number: u64,
    frame: Frame,
}

/// The pipeline.
#[derive(Debug)]
pub(crate) struct ReceivePipeline {
    limits: ReceiveLimits,
    /// By a number of the caller's.
    slowdowns: BTreeMap<u32, (Slowdown, ReceiveLimits)>,
    waiting: VecDeque<Waiting>,
    bytes: u64,
    /// Whether the first frame is being processed.
    busy: bool,
    pausing: u8,
    random: Random,
}

/// What became of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pushed {
    /// It waits.
    Stored,
    /// It waits, and its priority must be paused.
    Pause,
    /// The buffer is full.
    Lost,
}

impl ReceivePipeline {
    pub(crate) fn new(limits: ReceiveLimits, random: Random) -> ReceivePipeline {
        ReceivePipeline {
            limits,
            slowdowns: BTreeMap::new(),
            waiting: VecDeque::new(),
            bytes: 0,
            busy: false,
            pausing: 0,
            random,
        }
    }

    /// Whether frames must pass through the buffer.
    pub(crate) fn is_used(&self) -> bool {
        !self.slowdowns.is_empty() || !self.waiting.is_empty()
    }

    /// Slows the pipeline down until `number` is taken back. Absent limits are the NIC's own.
    pub(crate) fn slow(&mut self, number: u32, slowdown: Slowdown, limits: Option<ReceiveLimits>) {
        self.slowdowns.insert(number, (slowdown, limits.unwrap_or(self.limits)));
    }

    /// Ends a slowdown.
    pub(crate) fn recover(&mut self, number: u32) {
        self.slowdowns.remove(&number);
    }

    fn limits(&self) -> ReceiveLimits {
        let given = self.slowdowns.values().map(|(_, limits)| *limits);
        given.min_by_key(|limits| limits.xoff_bytes).unwrap_or(self.limits)
    }

    /// Whether a slowdown has stopped it.
    pub(crate) fn is_stopped(&self) -> bool {
        self.slowdowns.values().any(|(slowdown, _)| *slowdown == Slowdown::Stopped)
    }

    /// Stores a frame that is packet `number` of its flow.
    pub(crate) fn push(&mut self, priority: u8, number: u64, frame: Frame) -> Pushed {
        let limits = self.limits();
        if self.bytes + frame.len() > limits.size_bytes {
            return Pushed::Lost;
        }
        self.bytes += frame.len();
        self.waiting.push_back(Waiting { number, frame });
        if self.bytes < limits.xoff_bytes || self.is_pausing(priority) {
            return Pushed::Stored;
        }
        self.pausing |= 1 << priority;
        Pushed::Pause
    }

    /// Begins with the first frame if nothing hinders; when it will have been processed.
    pub(crate) fn begin(&mut self, now: Time) -> Option<Time> {
        if self.busy || self.is_stopped() {
            return None;
        }
        let first = self.waiting.front()?;
        let (mut work, mut stall) = (Time::ZERO, Time::ZERO);
        let bytes = first.frame.len();
        for (slowdown, _) in self.slowdowns.values() {
            match slowdown {
                Slowdown::Rate(rate) => work = work.max(rate.serialisation(bytes)),
                Slowdown::Bus(bus) => work = work.max(bus.available().serialisation(bytes)),
                Slowdown::Translation(model) => {
                    let payload = u64::from(first.frame.tail);
                    stall += model.stall(&mut self.random, first.number, payload);
                }
                Slowdown::Stopped => {}
            }
        }
        self.busy = true;
        Some(Time(now.0.saturating_add(work.0).saturating_add(stall.0)))
    }

    /// Takes the frame that has been processed, and a resume to send.
    pub(crate) fn finish(&mut self) -> Option<(Frame, Option<Pfc>)> {
        self.busy = false;
        let Waiting { frame, .. } = self.waiting.pop_front()?;
        self.bytes -= frame.len();
        if self.bytes > self.limits().xon_bytes || self.pausing == 0 {
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
    pub(crate) fn is_pausing(&self, priority: u8) -> bool {
        self.pausing >> (priority & 7) & 1 == 1
    }

    /// The priorities that it has paused, as bits.
    pub(crate) fn pausing(&self) -> u8 {
        self.pausing
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pipeline() -> ReceivePipeline {
        let limits = ReceiveLimits { size_bytes: 4000, xoff_bytes: 3000, xon_bytes: 1000 };
        ReceivePipeline::new(limits, Random::new(1, 1))
    }

    fn frame() -> Frame {
        Frame::new(&[], 1000)
    }

    #[test]
    fn a_slow_one_pauses_resumes_and_loses_what_is_too_much() {
        let mut pipeline = pipeline();
        assert!(!pipeline.is_used());
        pipeline.slow(0, Slowdown::Rate(Rate(8_000_000_000)), None);
        let pushed: Vec<Pushed> = (0..5).map(|n| pipeline.push(3, n, frame())).collect();
        assert_eq!(pushed, [Pushed::Stored, Pushed::Stored, Pushed::Pause, Pushed::Stored, Pushed::Lost]);
        assert_eq!(pipeline.begin(Time::ZERO), Some(Time::from_us(1)));
        assert_eq!(pipeline.begin(Time::ZERO), None);
        pipeline.recover(0);
        let resumes: Vec<bool> =
            std::iter::from_fn(|| pipeline.finish()).map(|(_, pfc)| pfc.is_some()).collect();
        assert_eq!(resumes, [false, false, true, false]);
        assert!(!pipeline.is_used());
    }

    #[test]
    fn a_stopped_one_does_nothing_until_it_goes_on() {
        let mut pipeline = pipeline();
        pipeline.slow(7, Slowdown::Stopped, None);
        pipeline.push(3, 0, frame());
        assert_eq!(pipeline.begin(Time::ZERO), None);
        pipeline.recover(7);
        assert_eq!(pipeline.begin(Time::from_us(5)), Some(Time::from_us(5)));
    }

    #[test]
    fn the_slowest_part_decides_and_stalls_add_up() {
        let mut pipeline = pipeline();
        pipeline.slow(0, Slowdown::Rate(Rate::from_gbps(80)), None);
        let bus = HostBus { rate: Rate::from_gbps(16), loopback: Rate::from_gbps(16) };
        pipeline.slow(1, Slowdown::Bus(bus), None);
        let table =
            MttModel { entries: 0, page_bytes: 4096, region_bytes: 1 << 20, miss: Time::from_ns(300) };
        pipeline.slow(2, Slowdown::Translation(table), None);
        pipeline.push(3, 0, frame());
        assert_eq!(pipeline.begin(Time::ZERO), Some(Time::from_ns(1_300)));
    }
}
