//! The messages of a flow: how its bytes are divided into messages and packets, and when a message may start.
//!
//! A flow without a message size is one message. Every message starts with a new packet (InfiniBand Architecture
//! Specification, volume 1, section 9.7).

use std::collections::VecDeque;

use model::Time;
use scenario::nic::Messages;

/// Packets of a flow, numbered from 0 through all its messages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    bytes: u64,
    message_bytes: u64,
    payload_bytes: u64,
    packets_per_message: u64,
    packets: u64,
}

impl Layout {
    /// Divides `bytes` into messages of `message_bytes` and packets of up to `payload_bytes`. A flow of 0 bytes is one
    /// empty packet.
    pub fn new(bytes: u64, message_bytes: Option<u64>, payload_bytes: u32) -> Layout {
        let payload_bytes = u64::from(payload_bytes.max(1));
        let message_bytes = message_bytes.unwrap_or(bytes).clamp(1, bytes.max(1));
        let packets_per_message = message_bytes.div_ceil(payload_bytes);
        let rest = bytes % message_bytes;
        let packets = (bytes / message_bytes) * packets_per_message + rest.div_ceil(payload_bytes);
        Layout { bytes, message_bytes, payload_bytes, packets_per_message, packets: packets.max(1) }
    }

    /// Number of packets.
    pub fn packets(&self) -> u64 {
        self.packets
    }

    /// Bytes of the flow before a packet.
    pub fn position(&self, packet: u64) -> u64 {
        let within = (packet % self.packets_per_message).saturating_mul(self.payload_bytes);
        let start = self.message_of(packet).saturating_mul(self.message_bytes);
        start.saturating_add(within.min(self.message_bytes)).min(self.bytes)
    }

    /// Payload bytes of a packet.
    pub fn payload(&self, packet: u64) -> u32 {
        (self.position(packet + 1) - self.position(packet)) as u32
    }

    /// The message that a packet belongs to.
    pub fn message_of(&self, packet: u64) -> u64 {
        packet / self.packets_per_message
    }

    /// The first packet of a message.
    pub fn first_of(&self, message: u64) -> u64 {
        message.saturating_mul(self.packets_per_message)
    }

    /// Whether a packet is the first, and whether it is the last of its message.
    pub fn ends(&self, packet: u64) -> (bool, bool) {
        let within = packet % self.packets_per_message;
        (within == 0, within + 1 == self.packets_per_message || packet + 1 == self.packets)
    }

    /// Number of messages.
    pub fn messages(&self) -> u64 {
        self.message_of(self.packets - 1) + 1
    }
}

/// Completion times of messages, from the first packet to the last ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct MessageStats {
    /// Messages completed.
    pub count: u64,
    /// The fastest, in picoseconds.
    pub min: Time,
    /// The slowest, in picoseconds.
    pub max: Time,
    /// Their sum in picoseconds; divided by `count`, the mean.
    pub sum: Time,
}

/// Limits the outstanding messages of a flow and measures their completion times.
#[derive(Clone, Debug)]
pub(crate) struct MessageGate {
    layout: Layout,
    messages: Messages,
    start: Time,
    /// When the outstanding messages began.
    begun: VecDeque<Time>,
    completed: u64,
    pub(crate) stats: MessageStats,
}

impl MessageGate {
    pub(crate) fn new(layout: Layout, messages: Messages) -> MessageGate {
        let stats = MessageStats::default();
        MessageGate { layout, messages, start: Time::ZERO, begun: VecDeque::new(), completed: 0, stats }
    }

    /// The flow starts; intervals between messages count from `now`.
    pub(crate) fn start(&mut self, now: Time) {
        self.start = now;
    }

    /// Whether the limit of outstanding messages allows a packet.
    pub(crate) fn admits(&self, packet: u64) -> bool {
        let message = self.layout.message_of(packet);
        self.messages.outstanding.is_none_or(|most| message < self.completed + u64::from(most.max(1)))
    }

    /// The earliest time at which a packet may be sent.
    pub(crate) fn not_before(&self, packet: u64) -> Time {
        let wait = u128::from(self.messages.interval.0) * u128::from(self.layout.message_of(packet));
        Time(u64::try_from(u128::from(self.start.0) + wait).unwrap_or(u64::MAX))
    }

    /// A packet has been sent.
    pub(crate) fn sent(&mut self, now: Time, packet: u64) {
        let begun = self.completed + self.begun.len() as u64;
        if self.layout.message_of(packet) == begun && self.layout.ends(packet).0 {
            self.begun.push_back(now);
        }
    }

    /// All packets below `upto` have arrived.
    pub(crate) fn acknowledged(&mut self, now: Time, upto: u64) {
        let done = match upto >= self.layout.packets() {
            true => self.layout.messages(),
            false => self.layout.message_of(upto),
        };
        while self.completed < done {
            self.completed += 1;
            let Some(begun) = self.begun.pop_front() else {
                continue;
            };
            let took = now.saturating_sub(begun);
            let stats = &mut self.stats;
            stats.min = if stats.count == 0 { took } else { stats.min.min(took) };
            stats.max = stats.max.max(took);
            stats.sum = Time(stats.sum.0.saturating_add(took.0));
            stats.count += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn messages_do_not_share_packets() {
        let layout = Layout::new(10_000, Some(4_000), 1_500);
        assert_eq!((layout.packets(), layout.messages()), (8, 3));
        let payloads: Vec<u32> = (0..8).map(|n| layout.payload(n)).collect();
        assert_eq!(payloads, [1500, 1500, 1000, 1500, 1500, 1000, 1500, 500]);
        assert_eq!(layout.ends(2), (false, true));
        assert_eq!(layout.ends(3), (true, false));
        assert_eq!(layout.ends(7), (false, true));
    }

    #[test]
    fn the_gate_limits_outstanding_messages_and_their_start_times() {
        let layout = Layout::new(4_000, Some(1_000), 1_000);
        let messages = Messages { outstanding: Some(2), interval: Time::from_us(5), ..Messages::default() };
        let mut gate = MessageGate::new(layout, messages);
        gate.start(Time::from_us(1));
        assert!(gate.admits(1) && !gate.admits(2));
        assert_eq!(gate.not_before(2), Time::from_us(11));
        gate.sent(Time::from_us(1), 0);
        gate.sent(Time::from_us(6), 1);
        gate.acknowledged(Time::from_us(9), 1);
        assert!(gate.admits(2) && !gate.admits(3));
        gate.acknowledged(Time::from_us(10), 4);
        assert_eq!(
            (gate.stats.count, gate.stats.min, gate.stats.max),
            (2, Time::from_us(4), Time::from_us(8))
        );
    }

    proptest! {
        #[test]
        fn packets_cover_every_byte_once(
            bytes in 0..100_000u64, message in prop::option::of(1..30_000u64), payload in 1..5_000u32,
        ) {
            let layout = Layout::new(bytes, message, payload);
            let sum: u64 = (0..layout.packets()).map(|n| u64::from(layout.payload(n))).sum();
            prop_assert_eq!(sum, bytes);
            let ends = (0..layout.packets()).filter(|n| layout.ends(*n).1).count() as u64;
            prop_assert_eq!(ends, layout.messages());
            prop_assert!((0..layout.packets()).all(|n| layout.payload(n) <= payload));
        }
    }
}
