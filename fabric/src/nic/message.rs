//! The messages of a flow: how its bytes are divided into messages and packets, and when a message may start.
//!
//! A flow without a message size is one message. Every message starts with a new packet (InfiniBand Architecture
//! Specification, volume 1, section 9.7).
//!
//! A message may be preceded by a registration of its memory in the same send queue. The NIC processes the requests of a
//! queue in order: it starts the registration when the message before has been transmitted, or, if its registrations are
//! fences, when that message is complete. Then no two messages are in flight at once, however many are posted: one
//! completes in each round trip (Bai et al., NSDI 2023, section 8.3).
//!
//! A message of a job is posted when the computing of its iteration is done and its transfer has been started
//! ([`Preparation`]); the next iteration computes as soon as a place in the send queue and the GPU are free.

use std::collections::VecDeque;

use model::Time;
use scenario::nic::{Messages, Preparation};

use super::operations::{OperationLog, OperationTimes};
use super::polls::{self, PollGaps};

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

    /// Bytes of a message.
    pub fn message_size(&self, message: u64) -> u64 {
        let position = |message| self.position(self.first_of(message));
        position(message + 1) - position(message)
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
    /// Whether a registration waits for the completion of all earlier requests.
    has_fence: bool,
    /// What precedes each message; absent for flows of no job.
    preparation: Option<Box<Preparation>>,
    /// When a packet was last sent, and for how long no message was posted before one.
    last_sent: Time,
    without_data: Time,
    /// When the computing of the last iteration that has sent was done.
    computed: Time,
    start: Time,
    /// The outstanding messages that began.
    begun: VecDeque<Begun>,
    /// When the application polled the completions of messages whose places in the send queue no message has taken yet.
    freed: VecDeque<Time>,
    /// Complete messages that the application has not polled yet.
    unpolled: VecDeque<OperationTimes>,
    /// When the requests before the next registration were done.
    ready: Time,
    completed: u64,
    pub(crate) stats: MessageStats,
    /// The latest messages whose completions were polled; empty for a flow that is one message.
    pub(crate) log: OperationLog,
}

/// An outstanding message.
#[derive(Clone, Copy, Debug)]
struct Begun {
    steps: Steps,
    /// When its first packet was sent.
    started: Time,
    /// Whether its last packet has been sent.
    is_transmitted: bool,
}

/// What happens before a message is sent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Steps {
    /// The application could begin its iteration.
    begun: Time,
    /// Its data was ready.
    ready: Time,
    /// The work request was posted.
    posted: Time,
}

impl MessageGate {
    /// The gate of a flow. `has_fence`: registrations start only when all earlier requests are complete.
    pub(crate) fn new(layout: Layout, messages: Messages, has_fence: bool) -> MessageGate {
        MessageGate {
            layout,
            messages,
            has_fence,
            preparation: None,
            last_sent: Time::ZERO,
            without_data: Time::ZERO,
            computed: Time::ZERO,
            start: Time::ZERO,
            begun: VecDeque::new(),
            freed: VecDeque::new(),
            unpolled: VecDeque::new(),
            ready: Time::ZERO,
            completed: 0,
            stats: MessageStats::default(),
            log: OperationLog::default(),
        }
    }

    /// Each message belongs to an iteration of a job.
    pub(crate) fn prepare(&mut self, preparation: Preparation) {
        self.preparation = Some(Box::new(preparation));
    }

    /// How long an iteration of its job computes alone; 0 without a job.
    pub(crate) fn computing(&self) -> Time {
        self.preparation.as_ref().map_or(Time::ZERO, |preparation| preparation.compute)
    }

    /// The flow starts; intervals between messages count from `now`.
    pub(crate) fn start(&mut self, now: Time) {
        self.start = now;
        self.last_sent = now;
    }

    /// For how long the application had posted nothing while all messages before had been sent.
    pub(crate) fn without_data(&self) -> Time {
        self.without_data
    }

    /// Whether the limit of outstanding messages, and a fence before its message, allow a packet.
    pub(crate) fn admits(&self, packet: u64) -> bool {
        let message = self.layout.message_of(packet);
        let is_fenced = self.has_fence && self.messages.registration.is_some();
        let is_posted =
            self.messages.outstanding.is_none_or(|most| message < self.completed + u64::from(most.max(1)));
        is_posted && !(is_fenced && message > self.completed)
    }

    /// The earliest time at which a packet may be sent.
    pub(crate) fn not_before(&self, packet: u64) -> Time {
        let message = self.layout.message_of(packet);
        match self.messages.registration {
            // The registration before the message must be over.
            Some(time) if message == self.next_message() => {
                Time(self.posted(message).max(self.ready).0.saturating_add(time.0))
            }
            // With a limit, the application posts the message when it polls the completion of an earlier one.
            None if message == self.next_message() => self.posted(message),
            _ => self.due(message),
        }
    }

    /// Whether its messages are logged as operations.
    pub(crate) fn has_operations(&self) -> bool {
        self.messages.bytes.is_some()
    }

    /// How long the memory of each message is registered before it.
    pub(crate) fn registration(&self) -> Option<Time> {
        self.messages.registration
    }

    /// The first message that has not begun.
    fn next_message(&self) -> u64 {
        self.completed + self.begun.len() as u64
    }

    /// When the interval between messages allows a message.
    fn due(&self, message: u64) -> Time {
        let wait = u128::from(self.messages.interval.0) * u128::from(message);
        Time(u64::try_from(u128::from(self.start.0) + wait).unwrap_or(u64::MAX))
    }

    /// When the application posted the next message.
    fn posted(&self, message: u64) -> Time {
        self.steps(message).posted
    }

    /// When the application prepared and posted the next message: as soon as the interval and the limit of outstanding messages
    /// allow.
    fn steps(&self, message: u64) -> Steps {
        let freed = self.freed.front().filter(|_| self.is_posted_late(message));
        let begun = self.due(message).max(freed.copied().unwrap_or(Time::ZERO));
        let Some(preparation) = &self.preparation else {
            return Steps { begun, ready: begun, posted: begun };
        };
        let begun = begun.max(self.computed);
        let ready = preparation.computed(begun);
        Steps { begun, ready, posted: Time(ready.0.saturating_add(preparation.control_overhead.0)) }
    }

    /// Whether a message is posted only when an earlier one completes.
    fn is_posted_late(&self, message: u64) -> bool {
        self.messages.outstanding.is_some_and(|most| message >= u64::from(most.max(1)))
    }

    /// A packet has been sent.
    pub(crate) fn sent(&mut self, now: Time, packet: u64) {
        let (message, (is_first, is_last)) = (self.layout.message_of(packet), self.layout.ends(packet));
        if message == self.next_message() && is_first {
            let steps = self.steps(message);
            self.computed = steps.ready;
            self.without_data += steps.posted.saturating_sub(self.last_sent);
            self.begun.push_back(Begun { steps, started: now, is_transmitted: false });
            if self.is_posted_late(message) {
                self.freed.pop_front();
            }
        }
        self.last_sent = now;
        if is_last
            && message + 1 == self.next_message()
            && let Some(newest) = self.begun.back_mut().filter(|newest| !newest.is_transmitted)
        {
            newest.is_transmitted = true;
            self.ready = self.ready.max(now);
        }
    }

    /// All packets below `upto` have arrived; the application polls completions according to `poll_gaps`. Returns how many
    /// operations the log has got.
    pub(crate) fn acknowledged(&mut self, now: Time, upto: u64, poll_gaps: &[PollGaps]) -> usize {
        let done = match upto >= self.layout.packets() {
            true => self.layout.messages(),
            false => self.layout.message_of(upto),
        };
        while self.completed < done {
            let message = self.completed;
            self.completed += 1;
            if self.has_fence {
                self.ready = now;
            }
            let polled = polls::polled(poll_gaps, now);
            if self.messages.outstanding.is_some() {
                self.freed.push_back(polled);
            }
            let Some(begun) = self.begun.pop_front() else {
                continue;
            };
            if self.messages.bytes.is_some() {
                self.unpolled.push_back(OperationTimes {
                    begun: begun.steps.begun,
                    ready: begun.steps.ready,
                    posted: begun.steps.posted,
                    started: begun.started,
                    completed: now,
                    polled,
                    bytes: self.layout.message_size(message),
                });
            }
            let took = now.saturating_sub(begun.started);
            let stats = &mut self.stats;
            stats.min = if stats.count == 0 { took } else { stats.min.min(took) };
            stats.max = stats.max.max(took);
            stats.sum = Time(stats.sum.0.saturating_add(took.0));
            stats.count += 1;
        }
        self.poll(now)
    }

    /// Adds the operations to the log whose completions have been polled, and returns how many.
    fn poll(&mut self, now: Time) -> usize {
        let count = self.unpolled.iter().take_while(|operation| operation.polled <= now).count();
        self.unpolled.drain(..count).for_each(|operation| self.log.push(operation));
        count
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
        let mut gate = MessageGate::new(layout, messages, false);
        gate.start(Time::from_us(1));
        assert!(gate.admits(1) && !gate.admits(2));
        assert_eq!(gate.not_before(2), Time::from_us(11));
        gate.sent(Time::from_us(1), 0);
        gate.sent(Time::from_us(6), 1);
        gate.acknowledged(Time::from_us(9), 1, &[]);
        assert!(gate.admits(2) && !gate.admits(3));
        gate.acknowledged(Time::from_us(10), 4, &[]);
        assert_eq!(
            (gate.stats.count, gate.stats.min, gate.stats.max),
            (2, Time::from_us(4), Time::from_us(8))
        );
    }

    /// The times in us at which messages of one packet may be sent, of which `outstanding` are posted at once and each is
    /// registered within 2 us; each is sent at once and acknowledged 10 us later.
    fn check(has_fence: bool, outstanding: u32, expected: [u64; 4]) {
        let layout = Layout::new(4_000, Some(1_000), 1_000);
        let registration = Some(Time::from_us(2));
        let messages = Messages {
            registration,
            outstanding: Some(outstanding),
            bytes: Some(1_000),
            ..Messages::default()
        };
        let mut gate = MessageGate::new(layout, messages, has_fence);
        gate.start(Time::ZERO);
        let mut sent: Vec<Time> = Vec::new();
        for packet in 0..4 {
            while !gate.admits(packet) {
                let acknowledged = gate.completed;
                gate.acknowledged(sent[acknowledged as usize] + Time::from_us(10), acknowledged + 1, &[]);
            }
            let at = gate.not_before(packet);
            gate.sent(at, packet);
            sent.push(at);
        }
        assert_eq!(sent, expected.map(Time::from_us), "fence {has_fence}, {outstanding} outstanding");
    }

    #[test]
    fn a_registration_follows_the_message_before_it_or_its_completion() {
        check(false, 4, [2, 4, 6, 8]);
        check(false, 2, [2, 4, 14, 16]);
        check(true, 4, [2, 14, 26, 38]);
        check(true, 1, [2, 14, 26, 38]);
    }

    #[test]
    fn iterations_compute_one_after_another_and_are_then_posted() {
        let layout = Layout::new(3_000, Some(1_000), 1_000);
        let messages = Messages { outstanding: Some(2), bytes: Some(1_000), ..Messages::default() };
        let mut gate = MessageGate::new(layout, messages, false);
        let us = Time::from_us;
        gate.prepare(Preparation { compute: us(10), control_overhead: us(3), others: Vec::new() });
        gate.start(us(1));
        for packet in 0..3 {
            let at = gate.not_before(packet);
            gate.sent(at, packet);
            gate.acknowledged(Time(at.0 + us(5).0), packet + 1, &[]);
        }
        let of = |operation: &OperationTimes| [operation.begun, operation.ready, operation.posted];
        let logged: Vec<[Time; 3]> = gate.log.latest().map(of).collect();
        // The third one takes the place of the first, which is complete at 19 us.
        assert_eq!(logged, [[1, 11, 14], [11, 21, 24], [21, 31, 34]].map(|times| times.map(us)));
    }

    #[test]
    fn operations_are_logged_with_the_time_at_which_they_were_posted() {
        let layout = Layout::new(3_000, Some(1_000), 1_000);
        let messages = Messages { outstanding: Some(2), bytes: Some(1_000), ..Messages::default() };
        let mut gate = MessageGate::new(layout, messages, false);
        gate.start(Time::from_us(1));
        for (packet, at) in [(0, 3), (1, 4), (2, 9)] {
            gate.sent(Time::from_us(at), packet);
            if packet > 0 {
                gate.acknowledged(Time::from_us(at + 2), packet, &[]);
            }
        }
        let of = |operation: &OperationTimes| [operation.posted, operation.started, operation.completed];
        let logged: Vec<[Time; 3]> = gate.log.latest().map(of).collect();
        assert_eq!(logged, [[1, 3, 6], [1, 4, 11]].map(|times| times.map(Time::from_us)));
        gate.acknowledged(Time::from_us(12), 3, &[]);
        assert_eq!(gate.log.latest().last().map(of), Some([6, 9, 12].map(Time::from_us)));
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
