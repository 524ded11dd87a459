//! The receive pipeline of a NIC: its receive buffer, and the pauses that the NIC sends when the buffer fills.
//!
//! A healthy pipeline processes packets at line rate and buffers none. Faults slow it down or stop it; the buffer then
//! fills, the NIC pauses its switch at XOFF, and drops packets when the buffer is full.

use std::collections::{BTreeMap, VecDeque};

use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use scenario::Random;
use scenario::nic::{ContextModel, HostBus, MttModel, ReceiveLimits, ReceiveWqeModel, WriteOrdering};

use super::totals::PipelineTotals;

/// A reason why a pipeline is slower than line rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slowdown {
    /// It processes packets at this rate.
    Rate(Rate),
    /// It waits for address translations that miss the MTT cache.
    Translation(MttModel),
    /// It waits for contexts of connections that are not in the cache.
    Contexts(ContextModel),
    /// It waits for receive WQEs that are neither prefetched nor in the cache.
    ReceiveRequests(ReceiveWqeModel),
    /// PCIe bottleneck: the host's bus is slower than the link, or keeps writes in order.
    Bus(HostBus, Option<WriteOrdering>),
    /// It processes nothing.
    Stopped,
}

/// What limits loopback tests through a pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LoopbackCapacity {
    /// The rate at which the NIC processes packets.
    pub nic: Rate,
    /// The bus between NIC and host.
    pub bus: HostBus,
}

/// A buffered frame, and its packet number in the flow.
#[derive(Debug)]
struct BufferedFrame {
    number: u64,
    frame: Frame,
}

/// The pipeline.
#[derive(Debug)]
pub struct ReceivePipeline {
    limits: ReceiveLimits,
    /// By the number of the fault.
    slowdowns: BTreeMap<u32, (Slowdown, ReceiveLimits)>,
    buffer: VecDeque<BufferedFrame>,
    bytes: u64,
    /// Whether the first frame is being processed.
    busy: bool,
    pausing: u8,
    random: Random,
    /// What it has counted.
    pub(crate) totals: PipelineTotals,
}

/// What the buffer did with a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pushed {
    /// It is buffered.
    Stored,
    /// It is buffered, and its priority must be paused: the occupancy reached XOFF.
    Pause,
    /// It is dropped: the buffer is full.
    Dropped,
}

impl ReceivePipeline {
    /// An empty buffer. `random` draws the misses of address translations.
    pub fn new(limits: ReceiveLimits, random: Random) -> ReceivePipeline {
        ReceivePipeline {
            limits,
            slowdowns: BTreeMap::new(),
            buffer: VecDeque::new(),
            bytes: 0,
            busy: false,
            pausing: 0,
            random,
            totals: PipelineTotals::default(),
        }
    }

    /// Whether frames must pass through the buffer.
    pub fn is_used(&self) -> bool {
        !self.slowdowns.is_empty() || !self.buffer.is_empty()
    }

    /// Slows the pipeline down until [`ReceivePipeline::recover`]. Absent limits are those of the NIC.
    pub fn slow(&mut self, number: u32, slowdown: Slowdown, limits: Option<ReceiveLimits>) {
        self.slowdowns.insert(number, (slowdown, limits.unwrap_or(self.limits)));
    }

    /// Ends the slowdown of a fault.
    pub fn recover(&mut self, number: u32) {
        self.slowdowns.remove(&number);
    }

    fn limits(&self) -> ReceiveLimits {
        let given = self.slowdowns.values().map(|(_, limits)| *limits);
        given.min_by_key(|limits| limits.xoff_bytes).unwrap_or(self.limits)
    }

    /// Whether a slowdown has stopped it.
    pub fn is_stopped(&self) -> bool {
        self.slowdowns.values().any(|(slowdown, _)| *slowdown == Slowdown::Stopped)
    }

    /// Buffers a frame that is packet `number` of its flow.
    pub fn push(&mut self, now: Time, priority: u8, number: u64, frame: Frame) -> Pushed {
        let limits = self.limits();
        if self.bytes + frame.len() > limits.size_bytes {
            return Pushed::Dropped;
        }
        self.bytes += frame.len();
        self.buffer.push_back(BufferedFrame { number, frame });
        self.totals.buffer.waiting_since.get_or_insert(now);
        if self.bytes < limits.xoff_bytes || self.is_pausing(priority) {
            return Pushed::Stored;
        }
        self.totals.buffer.filled(now);
        self.pausing |= 1 << priority;
        Pushed::Pause
    }

    /// Starts to process the first frame, unless the pipeline is busy, stopped or empty. Returns when it will be done.
    pub fn begin(&mut self, now: Time) -> Option<Time> {
        if self.busy || self.is_stopped() {
            return None;
        }
        let first = self.buffer.front()?;
        let (mut work, mut stall, mut crossed) = (Time::ZERO, Time::ZERO, Time::ZERO);
        let bytes = first.frame.len();
        for (slowdown, _) in self.slowdowns.values() {
            match slowdown {
                Slowdown::Rate(rate) => work = work.max(rate.serialisation(bytes)),
                Slowdown::Bus(bus, ordering) => {
                    let ordered = ordering.map_or(Time::ZERO, |ordering| ordering.crossing(bytes));
                    let crossing = bus.available().serialisation(bytes).max(ordered);
                    self.totals.crossed_bus(bytes, crossing);
                    (work, crossed) = (work.max(crossing), crossed.max(crossing));
                }
                Slowdown::Translation(model) => {
                    let payload = u64::from(first.frame.tail);
                    let found = model.look_up(&mut self.random, first.number, payload);
                    self.totals.translated(*model, found);
                    stall += model.stall(found);
                }
                Slowdown::Contexts(model) => {
                    let missed = model.misses(&mut self.random);
                    self.totals.context_looked_up(missed);
                    stall += if missed { model.miss } else { Time::ZERO };
                }
                Slowdown::ReceiveRequests(model) => {
                    let found = model.look_up(&mut self.random, first.number);
                    self.totals.request_looked_up(*model, found);
                    stall += if found == Some(true) { model.miss } else { Time::ZERO };
                }
                Slowdown::Stopped => {}
            }
        }
        self.totals.fetching = Time(self.totals.fetching.0.saturating_add(stall.0));
        if crossed >= work && self.buffer.len() > 1 {
            self.totals.stalled(crossed);
        }
        self.busy = true;
        Some(Time(now.0.saturating_add(work.0).saturating_add(stall.0)))
    }

    /// Removes the frame that has been processed; also returns a resume frame to send, when the occupancy is at XON.
    pub fn finish(&mut self, now: Time) -> Option<(Frame, Option<Pfc>)> {
        self.busy = false;
        let BufferedFrame { frame, .. } = self.buffer.pop_front()?;
        self.bytes -= frame.len();
        self.totals.buffer.waiting_since = (!self.buffer.is_empty()).then_some(now);
        if self.bytes > self.limits().xon_bytes || self.pausing == 0 {
            return Some((frame, None));
        }
        self.totals.buffer.drained(now);
        let mut pfc = Pfc::default();
        for priority in (0..8).filter(|p| self.pausing >> p & 1 == 1) {
            pfc.set(priority, 0);
        }
        self.pausing = 0;
        Some((frame, Some(pfc)))
    }

    /// What a loopback test could move through it: the NIC's own part at a link of `line_rate`, and the bus. The few pages of
    /// a test and its one connection stay in the caches, and it consumes no receive WQEs (RDMA WRITE).
    pub(crate) fn capacity(&self, line_rate: Rate) -> LoopbackCapacity {
        let slowdowns = || self.slowdowns.values().map(|(slowdown, _)| *slowdown);
        let nic = slowdowns().filter_map(|slowdown| match slowdown {
            Slowdown::Rate(rate) => Some(rate),
            Slowdown::Stopped => Some(Rate(0)),
            Slowdown::Bus(..)
            | Slowdown::Translation(_)
            | Slowdown::Contexts(_)
            | Slowdown::ReceiveRequests(_) => None,
        });
        let buses = slowdowns().filter_map(|slowdown| match slowdown {
            Slowdown::Bus(bus, _) => Some(bus),
            _ => None,
        });
        LoopbackCapacity {
            nic: nic.fold(line_rate, Rate::min),
            bus: buses.min_by_key(|bus| bus.rate).unwrap_or(HostBus::for_link(line_rate)),
        }
    }

    /// Whether it has paused a priority.
    pub fn is_pausing(&self, priority: u8) -> bool {
        self.pausing >> (priority & 7) & 1 == 1
    }

    /// The priorities that it has paused, as bits.
    pub fn pausing(&self) -> u8 {
        self.pausing
    }
}

#[cfg(test)]
mod tests {
    use scenario::nic::Translations;

    use super::*;

    fn pipeline() -> ReceivePipeline {
        let limits = ReceiveLimits { size_bytes: 4000, xoff_bytes: 3000, xon_bytes: 1000 };
        ReceivePipeline::new(limits, Random::new(1, 1))
    }

    fn frame() -> Frame {
        Frame::new(&[], 1000)
    }

    #[test]
    fn a_slow_pipeline_pauses_at_xoff_drops_when_full_and_resumes_at_xon() {
        let mut pipeline = pipeline();
        assert!(!pipeline.is_used());
        pipeline.slow(0, Slowdown::Rate(Rate(8_000_000_000)), None);
        let pushed: Vec<Pushed> = (0..5).map(|n| pipeline.push(Time::ZERO, 3, n, frame())).collect();
        assert_eq!(pushed, [Pushed::Stored, Pushed::Stored, Pushed::Pause, Pushed::Stored, Pushed::Dropped]);
        assert_eq!(pipeline.begin(Time::ZERO), Some(Time::from_us(1)));
        assert_eq!(pipeline.begin(Time::ZERO), None);
        pipeline.recover(0);
        let resumes: Vec<bool> =
            std::iter::from_fn(|| pipeline.finish(Time::from_us(9))).map(|(_, pfc)| pfc.is_some()).collect();
        assert_eq!(resumes, [false, false, true, false]);
        assert_eq!(pipeline.totals.buffer.full(Time::from_us(20)), Time::from_us(9));
        assert!(!pipeline.is_used());
    }

    #[test]
    fn a_stopped_pipeline_processes_nothing_until_it_recovers() {
        let mut pipeline = pipeline();
        pipeline.slow(7, Slowdown::Stopped, None);
        pipeline.push(Time::ZERO, 3, 0, frame());
        assert_eq!(pipeline.begin(Time::ZERO), None);
        pipeline.recover(7);
        assert_eq!(pipeline.begin(Time::from_us(5)), Some(Time::from_us(5)));
    }

    #[test]
    fn the_lowest_rate_applies_and_stalls_add_up() {
        let mut pipeline = pipeline();
        pipeline.slow(0, Slowdown::Rate(Rate::from_gbps(80)), None);
        let bus = HostBus { rate: Rate::from_gbps(16), loopback: Rate::from_gbps(16) };
        pipeline.slow(1, Slowdown::Bus(bus, None), None);
        let table =
            MttModel { entries: 0, page_bytes: 4096, region_bytes: 1 << 20, miss: Time::from_ns(300) };
        pipeline.slow(2, Slowdown::Translation(table), None);
        pipeline.push(Time::ZERO, 3, 0, frame());
        pipeline.totals.bus_starts(Time::ZERO, bus, None);
        assert_eq!(pipeline.begin(Time::ZERO), Some(Time::from_ns(1_300)));
        let found = Translations { lookups: 1, misses: 1 };
        let totals = pipeline.totals;
        assert_eq!(totals.translations.map(|total| (total.model, total.found)), Some((table, found)));
        assert_eq!(totals.bus.map(|total| total.network_bytes), Some(1000));
    }
}
