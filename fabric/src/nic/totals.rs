//! What a NIC counts from the beginning of the run: pauses, translations, bytes on the PCIe bus, drops.
//!
//! Each total is counted where the model does the work (a pause frame is sent, a page is looked up, a frame crosses the
//! bus), so that it shows what happened and not which fault was configured. Frames are counted only where the model
//! treats them one by one anyway: a healthy NIC adds no work to a packet. Bytes on the wire are counted by the link.

use model::wire::pfc::quanta_time;
use model::{Rate, Time};
use p4_switch::tm::PauseEnd;
use scenario::nic::{HostBus, MttModel, ReceiveWqeModel, Translations, WriteOrdering};

/// The pauses of one priority, in one direction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseTotal {
    /// Pause frames; a frame that resumes the priority is none.
    pub frames: u64,
    /// Time in the paused state of all pauses that are over.
    over: Time,
    /// Begin and end of the last pause.
    last: Option<(Time, Time)>,
    /// When a pause was last in effect, of those that are over.
    ended: Option<Time>,
}

impl PauseTotal {
    /// Counts a pause frame that takes effect now and ends at `until` unless another frame arrives.
    pub fn pause(&mut self, now: Time, until: Time) {
        self.frames += 1;
        let from = match self.last {
            // A frame during a pause prolongs it.
            Some((from, end)) if now <= end => from,
            _ => {
                self.end(now);
                now
            }
        };
        self.last = Some((from, until));
    }

    /// A frame resumes the priority.
    pub fn resume(&mut self, now: Time) {
        self.end(now);
        self.last = None;
    }

    fn end(&mut self, now: Time) {
        self.over = self.paused(now);
        self.ended = self.last.map(|(_, until)| until.min(now)).or(self.ended);
    }

    /// Whether a pause has been in effect at or after a time.
    pub fn has_paused_since(&self, time: Time) -> bool {
        self.last.map(|(_, until)| until).max(self.ended).is_some_and(|end| end >= time)
    }

    /// The time in the paused state up to now.
    pub fn paused(&self, now: Time) -> Time {
        let last = self.last.map_or(Time::ZERO, |(from, until)| until.min(now).saturating_sub(from));
        Time(self.over.0.saturating_add(last.0))
    }
}

/// The lookups in the cache of address translations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TranslationTotal {
    /// The cache, and the memory that is accessed through it.
    pub model: MttModel,
    /// The lookups.
    pub found: Translations,
}

/// The lookups in the cache of connection contexts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ContextTotal {
    /// Lookups, one for each packet.
    pub lookups: u64,
    /// Those of them that were not in the cache.
    pub misses: u64,
}

/// The lookups in the cache of receive WQEs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReceiveWqeTotal {
    /// The cache, and the workload that uses it.
    pub model: ReceiveWqeModel,
    /// Lookups, one for each message that consumes a receive WQE.
    pub lookups: u64,
    /// Those of them that the pipeline waited for.
    pub misses: u64,
}

/// What crosses the PCIe bus of a host while the bus is limited.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BusTotal {
    /// The bus, with its loopback traffic.
    pub bus: HostBus,
    /// The order of writes that makes it slow; absent if its link is slow.
    pub ordering: Option<WriteOrdering>,
    /// Bytes from the network.
    pub network_bytes: u64,
    /// How long they occupied their share of the bus.
    busy: Time,
    /// How long other frames waited for them, with the bus as the slowest part of the pipeline.
    pub stalled: Time,
    /// Time with these limits, of all periods that are over.
    over: Time,
    /// Since when they apply.
    since: Option<Time>,
}

impl BusTotal {
    /// Whether the limit applies.
    pub fn is_limiting(&self) -> bool {
        self.since.is_some()
    }

    /// Rate of its PCIe link.
    pub fn link(&self) -> Rate {
        self.ordering.map_or(self.bus.rate, |ordering| ordering.link)
    }

    /// Bytes of loopback traffic up to now: what it offers, less what traffic from the network displaced.
    pub fn loopback_bytes(&self, now: Time) -> u64 {
        let present = self.since.map_or(0, |since| now.saturating_sub(since).0);
        let offered = self.bus.loopback.0.min(self.bus.rate.0);
        let beside = self.bus.rate.0.saturating_sub(self.bus.available().0).min(offered);
        let of = |rate: u64, time: u64| u128::from(rate) * u128::from(time);
        let bit_ps = of(offered, self.over.0.saturating_add(present))
            .saturating_sub(of(offered - beside, self.busy.0));
        u64::try_from(bit_ps / 8 / PS_PER_S).unwrap_or(u64::MAX)
    }
}

/// Picoseconds in a second.
const PS_PER_S: u128 = 1_000_000_000_000;

/// The totals of a NIC.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NicTotals {
    /// Pauses that it sent, by priority.
    pub sent_pauses: [PauseTotal; 8],
    /// Pauses that it received, by priority.
    pub received_pauses: [PauseTotal; 8],
    /// Packets that it dropped because its receive buffer was full, by priority.
    pub drops: [u64; 8],
}

impl NicTotals {
    /// Whether the NIC has sent a pause.
    pub(crate) fn has_paused(&self) -> bool {
        self.sent_pauses.iter().any(|total| total.frames > 0)
    }
}

/// The totals of a receive pipeline.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PipelineTotals {
    /// Lookups of address translations; absent without a limited cache.
    pub translations: Option<TranslationTotal>,
    /// Lookups of connection contexts; absent without a limited cache.
    pub contexts: Option<ContextTotal>,
    /// Lookups of receive WQEs; absent without a limited cache.
    pub requests: Option<ReceiveWqeTotal>,
    /// How long the pipeline waited for what the caches do not hold.
    pub fetching: Time,
    /// The PCIe bus; absent without a limit.
    pub bus: Option<BusTotal>,
    /// The receive buffer.
    pub buffer: BufferTotal,
}

/// How full a receive buffer was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BufferTotal {
    /// Time from XOFF to XON, of all fillings that are over.
    over: Time,
    /// Since when it is filled.
    filled_since: Option<Time>,
    /// When the last frame left it, or it was last empty; absent while it is empty.
    pub waiting_since: Option<Time>,
}

impl BufferTotal {
    /// The occupancy has reached XOFF.
    pub(crate) fn filled(&mut self, now: Time) {
        self.filled_since.get_or_insert(now);
    }

    /// The occupancy is at XON.
    pub(crate) fn drained(&mut self, now: Time) {
        self.over = self.full(now);
        self.filled_since = None;
    }

    /// The time from XOFF to XON up to now.
    pub fn full(&self, now: Time) -> Time {
        let present = self.filled_since.map_or(Time::ZERO, |since| now.saturating_sub(since));
        Time(self.over.0.saturating_add(present.0))
    }
}

impl PipelineTotals {
    /// A limit of the bus applies from now on. Of several, the last one that started counts.
    pub(crate) fn bus_starts(&mut self, now: Time, bus: HostBus, ordering: Option<WriteOrdering>) {
        self.bus_ends(now);
        let fresh = BusTotal {
            bus,
            ordering,
            network_bytes: 0,
            busy: Time::ZERO,
            stalled: Time::ZERO,
            over: Time::ZERO,
            since: None,
        };
        let known = self.bus.filter(|known| (known.bus, known.ordering) == (bus, ordering));
        self.bus = Some(BusTotal { since: Some(now), ..known.unwrap_or(fresh) });
    }

    /// The limit of the bus is lifted.
    pub(crate) fn bus_ends(&mut self, now: Time) {
        if let Some(total) = &mut self.bus
            && let Some(since) = total.since.take()
        {
            total.over = Time(total.over.0.saturating_add(now.saturating_sub(since).0));
        }
    }

    /// A frame from the network has crossed the bus.
    pub(crate) fn crossed_bus(&mut self, bytes: u64, work: Time) {
        if let Some(total) = &mut self.bus {
            total.network_bytes += bytes;
            total.busy = Time(total.busy.0.saturating_add(work.0));
        }
    }

    /// Other frames wait while one crosses the bus.
    pub(crate) fn stalled(&mut self, crossing: Time) {
        if let Some(total) = &mut self.bus {
            total.stalled = Time(total.stalled.0.saturating_add(crossing.0));
        }
    }

    /// A context was looked up.
    pub(crate) fn context_looked_up(&mut self, missed: bool) {
        let total = self.contexts.get_or_insert_default();
        total.lookups += 1;
        total.misses += u64::from(missed);
    }

    /// A packet arrived under a workload; `found` is whether the pipeline waits for its receive WQE, `None` if it consumes none.
    pub(crate) fn request_looked_up(&mut self, model: ReceiveWqeModel, found: Option<bool>) {
        let known = self.requests.map_or((0, 0), |total| (total.lookups, total.misses));
        let lookups = known.0 + u64::from(found.is_some());
        let misses = known.1 + u64::from(found == Some(true));
        self.requests = Some(ReceiveWqeTotal { model, lookups, misses });
    }

    /// Translations were looked up.
    pub(crate) fn translated(&mut self, model: MttModel, found: Translations) {
        let known = self.translations.map(|total| total.found).unwrap_or_default();
        let lookups = known.lookups + found.lookups;
        let found = Translations { lookups, misses: known.misses + found.misses };
        self.translations = Some(TranslationTotal { model, found });
    }
}

/// When a pause of `quanta` that is sent now ends: pauses that only a resume frame ends have none.
pub(crate) fn pause_end(now: Time, quanta: u16, rate: Rate, ends: PauseEnd) -> Time {
    match ends {
        PauseEnd::ResumeOnly => Time::MAX,
        PauseEnd::Quanta => Time(now.0.saturating_add(quanta_time(quanta, rate).0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_lasts_until_its_end_or_a_resume() {
        let us = Time::from_us;
        let mut total = PauseTotal::default();
        total.pause(us(10), us(20));
        assert_eq!((total.paused(us(15)), total.paused(us(50))), (us(5), us(10)));
        total.pause(us(18), us(40));
        assert_eq!((total.frames, total.paused(us(30))), (2, us(20)));
        total.resume(us(30));
        total.pause(us(100), Time::MAX);
        assert_eq!((total.frames, total.paused(us(130))), (3, us(50)));
        total.resume(us(130));
        assert!(total.has_paused_since(us(130)) && !total.has_paused_since(us(131)));
        total.resume(us(140));
        assert_eq!(total.paused(us(200)), us(50));
    }

    /// Checks the bytes of loopback traffic on a bus of 100 Gb/s after `busy_us` of 1 ms with traffic from the network.
    fn check(loopback_gbps: u64, busy_us: u64, loopback_bytes: u64) {
        let bus = HostBus { rate: Rate::from_gbps(100), loopback: Rate::from_gbps(loopback_gbps) };
        let mut totals = PipelineTotals::default();
        totals.bus_starts(Time::from_ms(1), bus, None);
        totals.crossed_bus(1000, Time::from_us(busy_us));
        totals.bus_ends(Time::from_ms(2));
        let total = totals.bus.unwrap();
        assert_eq!((total.network_bytes, total.loopback_bytes(Time::from_ms(9))), (1000, loopback_bytes));
    }

    #[test]
    fn traffic_from_the_network_displaces_loopback_traffic_beyond_its_half() {
        check(0, 1000, 0);
        check(30, 1000, 3_750_000);
        check(100, 0, 12_500_000);
        check(100, 1000, 6_250_000);
        check(100, 400, 10_000_000);
    }

    #[test]
    fn a_buffer_is_full_from_xoff_to_xon() {
        let us = Time::from_us;
        let mut total = BufferTotal::default();
        total.drained(us(5));
        total.filled(us(10));
        total.filled(us(15));
        assert_eq!(total.full(us(30)), us(20));
        total.drained(us(40));
        total.filled(us(100));
        assert_eq!(total.full(us(101)), us(31));
    }

    #[test]
    fn lookups_add_up() {
        let model = MttModel { entries: 1, page_bytes: 4096, region_bytes: 8192, miss: Time::from_us(1) };
        let mut totals = PipelineTotals::default();
        totals.translated(model, Translations { lookups: 3, misses: 1 });
        totals.translated(model, Translations { lookups: 2, misses: 2 });
        let found = Translations { lookups: 5, misses: 3 };
        assert_eq!(totals.translations, Some(TranslationTotal { model, found }));
    }
}
