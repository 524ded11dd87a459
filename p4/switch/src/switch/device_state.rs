//! What a switch knows beside its program: the discards of the traffic manager by place and reason, the links of its
//! ports with their changes, and for each port what it has sent, what its queues hold and for how long PFC paused it.
//!
//! A v1model program cannot see these: discards happen after ingress, and architecture v1model has no state of links.

use std::collections::{BTreeMap, VecDeque};

use model::{Rate, Time};

use super::Switch;
use crate::tm::{self, CLASSES};

/// Maximum counters of discards, one for each pair of ports, priority and reason that occurs. Discards at further places
/// are counted in [`DeviceState::uncounted_discards`].
pub const DISCARD_COUNTERS: usize = 4_096;
/// Maximum changes of links that are kept; the oldest are forgotten first.
pub const LINK_CHANGES: usize = 64;

/// How long a peak of a queue is reported at least. Several clients read the state, a second or less apart, and each is to see
/// every peak: what one of them has read must not be cleared for the others.
pub const PEAK_WINDOW: Time = Time::from_ms(2_000);

/// What a switch knows beside its program, since its creation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DeviceState {
    /// Switch time of this state.
    pub time: Time,
    /// All ports with a link, ascending.
    pub ports: Vec<PortState>,
    /// Discards of the traffic manager, by place and reason.
    pub discards: Vec<Discards>,
    /// Discards beyond [`DISCARD_COUNTERS`].
    pub uncounted_discards: u64,
    /// The latest changes of links, oldest first.
    pub link_changes: Vec<LinkChange>,
}

/// The state of a port.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PortState {
    /// The port.
    pub port: u16,
    /// Whether its link is up.
    pub is_up: bool,
    /// Rate of its link.
    pub rate: Rate,
    /// Packets sent, without PFC frames.
    pub sent_packets: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Packets in its queues.
    pub queue_packets: u64,
    /// Bytes in its queues.
    pub queue_bytes: u64,
    /// For how long the peer has paused each priority, with the pause that lasts.
    pub paused: [Time; CLASSES],
    /// Bit n: the peer pauses priority n now.
    pub paused_priorities: u8,
    /// The priorities, and the queues with their numbers.
    pub classes: [ClassState; CLASSES],
}

/// The state of a priority of a port, and of the queue with its number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassState {
    /// PFC frames for the priority that arrived, resumes included.
    pub pfc_frames_received: u64,
    /// PFC frames for the priority that were sent, resumes included.
    pub pfc_frames_sent: u64,
    /// Packets that left the queue.
    pub sent_packets: u64,
    /// Their bytes.
    pub sent_bytes: u64,
    /// Bytes in the queue.
    pub queue_bytes: u64,
    /// The most bytes that it held in the last [`PEAK_WINDOW`] and since, as far as states were read.
    pub queue_peak_bytes: u64,
    /// The most bytes that the headroom of the priority group held in that time: what arrived after the sender was paused.
    pub headroom_peak_bytes: u64,
}

/// Packets that the traffic manager discarded at one place for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Discards {
    /// Where they arrived.
    pub ingress_port: u16,
    /// Where they were to leave.
    pub egress_port: u16,
    /// Their priority.
    pub priority: u8,
    /// Why.
    pub reason: tm::DropReason,
    /// Number of packets.
    pub packets: u64,
    /// When the first one was discarded.
    pub first: Time,
    /// When the last one was discarded.
    pub last: Time,
}

/// A link went down or came up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkChange {
    /// When.
    pub at: Time,
    /// The port.
    pub port: u16,
    /// Whether it is up from then on.
    pub is_up: bool,
}

/// The pause of a priority that a port has received.
#[derive(Clone, Copy, Debug, Default)]
struct Paused {
    since: Option<Time>,
    total: Time,
}

impl Paused {
    fn set(&mut self, at: Time, is_paused: bool) {
        if is_paused {
            self.since.get_or_insert(at);
        } else if let Some(since) = self.since.take() {
            self.total = Time(self.total.0.saturating_add(at.saturating_sub(since).0));
        }
    }

    fn total(&self, now: Time) -> Time {
        let lasts = self.since.map_or(Time::ZERO, |since| now.saturating_sub(since));
        Time(self.total.0.saturating_add(lasts.0))
    }
}

/// Counts of one port.
#[derive(Clone, Debug, Default)]
struct Port {
    packets: u64,
    bytes: u64,
    paused: [Paused; CLASSES],
}

/// What is counted while the switch runs.
#[derive(Clone, Debug, Default)]
pub(super) struct DeviceRecord {
    discards: BTreeMap<(u16, u16, u8, tm::DropReason), Discards>,
    uncounted_discards: u64,
    link_changes: VecDeque<LinkChange>,
    /// By port number.
    ports: Vec<Port>,
    /// The peaks before the watermarks were cleared, by port number, and when they were.
    peaks: BTreeMap<u16, [Peaks; CLASSES]>,
    cleared_at: Time,
}

/// The most bytes in a queue, and in the headroom of the priority group with its number.
#[derive(Clone, Copy, Debug, Default)]
struct Peaks {
    queue_bytes: u64,
    headroom_bytes: u64,
}

impl DeviceRecord {
    pub(super) fn discarded(
        &mut self,
        at: Time,
        ingress_port: u16,
        egress_port: u16,
        priority: u8,
        reason: tm::DropReason,
    ) {
        let key = (ingress_port, egress_port, priority, reason);
        if let Some(known) = self.discards.get_mut(&key) {
            known.packets += 1;
            known.last = at;
        } else if self.discards.len() < DISCARD_COUNTERS {
            let (packets, first, last) = (1, at, at);
            let new = Discards { ingress_port, egress_port, priority, reason, packets, first, last };
            self.discards.insert(key, new);
        } else {
            self.uncounted_discards += 1;
        }
    }

    #[inline]
    pub(super) fn sent(&mut self, port: u16, bytes: u64) {
        let counts = self.port(port);
        counts.packets += 1;
        counts.bytes += bytes;
    }

    pub(super) fn paused(&mut self, at: Time, port: u16, priority: u8, is_paused: bool) {
        self.port(port).paused[usize::from(priority) % CLASSES].set(at, is_paused);
    }

    pub(super) fn link_changed(&mut self, at: Time, port: u16, is_up: bool) {
        if self.link_changes.len() == LINK_CHANGES {
            self.link_changes.pop_front();
        }
        self.link_changes.push_back(LinkChange { at, port, is_up });
    }

    #[inline]
    fn port(&mut self, port: u16) -> &mut Port {
        let at = usize::from(port);
        if self.ports.len() <= at {
            self.ports.resize(at + 1, Port::default());
        }
        &mut self.ports[at]
    }
}

impl Switch {
    /// Returns what the switch knows beside its program, at `now`. Clears the watermarks of the traffic manager once in
    /// [`PEAK_WINDOW`].
    pub fn device_state(&mut self, now: Time) -> DeviceState {
        let now = now.max(self.cx.now);
        let mut numbers: Vec<u16> =
            self.tm.port_numbers().filter(|port| *port != self.config.cpu_port).collect();
        numbers.sort_unstable();
        if now.saturating_sub(self.record.cleared_at) >= PEAK_WINDOW {
            self.record.peaks = numbers.iter().map(|port| (*port, self.peaks(*port))).collect();
            self.record.cleared_at = now;
            self.tm.clear_watermarks();
        }
        DeviceState {
            time: now,
            ports: numbers.into_iter().map(|port| self.port_state(now, port)).collect(),
            discards: self.record.discards.values().copied().collect(),
            uncounted_discards: self.record.uncounted_discards,
            link_changes: self.record.link_changes.iter().copied().collect(),
        }
    }

    /// The peaks of a port since the watermarks were cleared.
    fn peaks(&self, port: u16) -> [Peaks; CLASSES] {
        std::array::from_fn(|class| {
            let (queue, group) = (self.tm.queue(port, class as u8), self.tm.group(port, class as u8));
            Peaks {
                queue_bytes: queue.map_or(0, |queue| queue.watermark_bytes),
                headroom_bytes: group.map_or(0, |group| group.headroom_watermark_bytes),
            }
        })
    }

    fn class_state(&self, port: u16, class: u8) -> ClassState {
        let (counted, queue) =
            (self.tm.counters(port, class).unwrap_or_default(), self.tm.queue(port, class));
        let peaks = |peaks: &[Peaks; CLASSES]| peaks[usize::from(class)];
        let (before, now) =
            (self.record.peaks.get(&port).map(peaks).unwrap_or_default(), peaks(&self.peaks(port)));
        ClassState {
            pfc_frames_received: counted.pfc_frames_received,
            pfc_frames_sent: counted.pauses_sent + counted.resumes_sent,
            sent_packets: counted.queue_packets,
            sent_bytes: counted.queue_bytes,
            queue_bytes: queue.map_or(0, |queue| queue.bytes),
            queue_peak_bytes: now.queue_bytes.max(before.queue_bytes),
            headroom_peak_bytes: now.headroom_bytes.max(before.headroom_bytes),
        }
    }

    fn port_state(&self, now: Time, port: u16) -> PortState {
        let config = self.config.tm.ports.iter().find(|config| config.number == port);
        let rate = config.map(|config| config.rate).unwrap_or_default();
        let classes = std::array::from_fn(|class| self.class_state(port, class as u8));
        let mut state =
            PortState { port, is_up: self.is_port_up(port), rate, classes, ..PortState::default() };
        for priority in 0..CLASSES as u8 {
            let queue = self.tm.queue(port, priority);
            state.queue_packets += queue.map_or(0, |queue| queue.packets);
            state.queue_bytes += queue.map_or(0, |queue| queue.bytes);
            let is_paused = self.tm.paused_until(port, priority).is_some();
            state.paused_priorities |= u8::from(is_paused) << priority;
        }
        if let Some(counts) = self.record.ports.get(usize::from(port)) {
            (state.sent_packets, state.sent_bytes) = (counts.packets, counts.bytes);
            state.paused = counts.paused.map(|paused| paused.total(now));
        }
        state
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SwitchConfig;
    use crate::switch::packet::QueuedPacket;
    use crate::tm::TmConfig;

    fn switch() -> Switch {
        Switch::new(SwitchConfig::new(TmConfig::lossy(
            (1..=2).map(|port| (port, Rate::from_gbps(1))),
            1 << 20,
        )))
    }

    #[test]
    fn links_are_reported_with_their_changes() {
        let mut switch = switch();
        assert!(switch.device_state(Time::ZERO).ports.iter().all(|port| port.is_up));
        switch.set_link(Time::from_us(5), 2, false);
        switch.set_link(Time::from_us(6), 2, false);
        let state = switch.device_state(Time::from_us(9));
        let ports: Vec<(u16, bool)> = state.ports.iter().map(|port| (port.port, port.is_up)).collect();
        assert_eq!(ports, [(1, true), (2, false)]);
        assert_eq!(state.link_changes, [LinkChange { at: Time::from_us(5), port: 2, is_up: false }]);
        for at_us in 10..10 + 2 * LINK_CHANGES as u64 {
            switch.set_link(Time::from_us(at_us), 2, at_us % 2 == 0);
        }
        assert_eq!(switch.device_state(Time::ZERO).link_changes.len(), LINK_CHANGES);
    }

    #[test]
    fn a_peak_is_reported_for_two_seconds_to_all_readers() {
        let mut tm = TmConfig::lossy((1..=2).map(|port| (port, Rate::from_gbps(1))), 1 << 20);
        let group = &mut tm.ports[0].groups[0];
        group.threshold = tm::Threshold::Static(1_000);
        group.lossless = Some(tm::Lossless { headroom_bytes: 9_000, xon_bytes: 0, xon_offset_bytes: 0 });
        let mut switch = Switch::new(SwitchConfig::new(tm));
        // Of the queue at egress, and of the headroom at ingress: what is above the threshold.
        let peaks = |switch: &mut Switch, ms: u64| {
            let ports = switch.device_state(Time::from_ms(ms)).ports;
            (ports[1].classes[0].queue_peak_bytes, ports[0].classes[0].headroom_peak_bytes)
        };
        assert_eq!(peaks(&mut switch, 1), (0, 0));
        for _ in 0..3 {
            let arrival = tm::Arrival {
                ingress_port: 1,
                egress_port: 2,
                priority: 0,
                bytes: 1_000,
                ecn_capable: false,
            };
            switch.tm.enqueue(Time::from_ms(2), arrival, QueuedPacket::default()).expect("there is room");
        }
        assert_eq!(peaks(&mut switch, 3), (3_000, 2_000));
        while switch.tm.dequeue(Time::from_ms(4), 2).is_some() {}
        for ms in [10, 1_900, 2_100, 3_900] {
            assert_eq!(peaks(&mut switch, ms), (3_000, 2_000), "{ms} ms");
        }
        assert_eq!(peaks(&mut switch, 4_200), (0, 0));
    }

    #[test]
    fn discards_are_counted_by_place_and_reason_up_to_a_limit() {
        let mut record = DeviceRecord::default();
        for at_us in [3, 7] {
            record.discarded(Time::from_us(at_us), 1, 2, 3, tm::DropReason::HeadroomFull);
        }
        record.discarded(Time::from_us(8), 1, 2, 3, tm::DropReason::Watchdog);
        let counted: Vec<(u64, Time, Time)> =
            record.discards.values().map(|counter| (counter.packets, counter.first, counter.last)).collect();
        let us = Time::from_us;
        assert_eq!(counted, [(2, us(3), us(7)), (1, us(8), us(8))]);
        for port in 0..u16::MAX {
            record.discarded(us(9), port, 1, 0, tm::DropReason::MemoryFull);
        }
        assert_eq!(record.discards.len(), DISCARD_COUNTERS);
        let kept = (DISCARD_COUNTERS - 2) as u64;
        assert_eq!(record.uncounted_discards, u64::from(u16::MAX) - kept);
    }

    #[test]
    fn the_time_of_a_pause_that_lasts_counts() {
        let mut record = DeviceRecord::default();
        let us = Time::from_us;
        record.paused(us(1), 2, 3, true);
        record.paused(us(2), 2, 3, true);
        let paused = |record: &DeviceRecord, now| record.ports[2].paused[3].total(us(now));
        assert_eq!(paused(&record, 4), us(3));
        record.paused(us(5), 2, 3, false);
        record.paused(us(6), 2, 3, false);
        assert_eq!(paused(&record, 9), us(4));
    }
}
