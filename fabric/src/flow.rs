//! The two ends of one flow.

use model::wire::Frame;
use model::{FlowKey, Rate, Time};
use scenario::HostSettings;
use scenario::nic::{Operation, PostedVerb, Reliability};

use crate::link::cut;
use crate::nic::busy::BusyTime;
use crate::nic::control::Control;
use crate::nic::gbn::{self, Reply};
use crate::nic::message::MessageGate;
use crate::nic::pacing::Pacer;
use crate::nic::packet::Template;
use crate::nic::read::{Requester, Responder};
use crate::nic::selective;
use crate::nic::sender::Sender;

/// Round-trip times of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RttStats {
    /// Samples.
    pub count: u64,
    /// The shortest, in picoseconds.
    pub min: Time,
    /// The longest, in picoseconds.
    pub max: Time,
    /// Their sum in picoseconds; divided by `count`, the mean.
    pub sum: Time,
    /// The RTT with the largest excess over the base at that time, and that base: the shortest RTT before it or the
    /// base RTT of the topology, in picoseconds. Both zero while no RTT exceeded the base.
    #[serde(skip)]
    pub furthest: (Time, Time),
}

impl RttStats {
    /// Adds a sample; `base_rtt` is the RTT of the path without queueing.
    pub(crate) fn add(&mut self, rtt: Time, base_rtt: Option<Time>) {
        let least = (self.count > 0).then_some(self.min).into_iter().chain(base_rtt).min().unwrap_or(rtt);
        let (furthest, base) = self.furthest;
        if rtt.saturating_sub(least) > furthest.saturating_sub(base) {
            self.furthest = (rtt, least);
        }
        self.min = if self.count == 0 { rtt } else { self.min.min(rtt) };
        self.max = self.max.max(rtt);
        self.sum = Time(self.sum.0.saturating_add(rtt.0));
        self.count += 1;
    }
}

/// The sending end.
#[derive(Debug)]
pub(crate) struct SendState {
    pub(crate) key: FlowKey,
    pub(crate) label: String,
    pub(crate) host: u32,
    pub(crate) priority: u8,
    pub(crate) bytes: u64,
    pub(crate) start: Time,
    pub(crate) sender: Sender,
    pub(crate) control: Option<Control>,
    pub(crate) line_rate: Rate,
    /// Pacing gaps are rounded down to multiples of this, as are the link's serialisation times.
    pub(crate) grain: Time,
    pub(crate) window_bytes: Option<u64>,
    pub(crate) variable_window: bool,
    /// Packets after which it requests an ACK.
    pub(crate) ack_every: u64,
    pub(crate) template: Template,
    pub(crate) operation: Operation,
    pub(crate) gate: MessageGate,
    /// Present if the flow's data are RDMA READ responses.
    pub(crate) responder: Option<Responder>,
    pub(crate) pacer: Pacer,
    /// Whether packets are sent at the flow's rate; otherwise only the window limits them.
    pub(crate) is_paced: bool,
    pub(crate) finished: Option<Time>,
    /// RTT of the path without queueing.
    pub(crate) base_rtt: Option<Time>,
    /// How long an iteration of its job should take: as long as alone, or as the job could compute it; absent if unknown.
    pub(crate) expected_iteration: Option<Time>,
    /// Rate of the slowest link of its path, for a flow of messages.
    pub(crate) slowest_link: Option<Rate>,
    pub(crate) rtt: RttStats,
    /// The last round trip that was measured.
    pub(crate) last_rtt: Option<Time>,
    /// Bytes of data packets sent so far, headers included.
    pub(crate) sent_bytes: u64,
    /// The time that all packets so far take at the rates that congestion control and window allowed, with the registrations of
    /// their memory; and, of a flow with operations, its past values.
    pub(crate) paced: Time,
    pub(crate) rate_busy: BusyTime,
    /// When a packet was last sent again.
    pub(crate) repeated: Option<Time>,
    /// Packets acknowledged when the retransmission timer last expired.
    pub(crate) progress: u64,
    /// Flows that must complete before it may start.
    pub(crate) waits_for: usize,
    /// Flows that start after it.
    pub(crate) followers: Vec<u32>,
}

impl SendState {
    /// The packet to send next when window and rate allow it.
    fn upcoming(&self) -> Option<u64> {
        let packet = self.sender.upcoming().filter(|_| self.finished.is_none())?;
        let is_requested = self.responder.as_ref().is_none_or(|responder| packet < responder.released);
        (is_requested && self.gate.admits(packet)).then_some(packet)
    }

    /// When rate and messages allow the next packet; absent when there is none.
    pub(crate) fn next_at(&self) -> Option<Time> {
        Some(self.pacer.next_at().max(self.gate.not_before(self.upcoming()?)))
    }

    /// Verb and bytes of the message that the next packet begins; absent if it begins none.
    pub(crate) fn next_request(&self) -> Option<(PostedVerb, u64)> {
        let (packet, layout) = (self.sender.upcoming()?, self.sender.layout());
        let verb = match self.operation {
            Operation::Write | Operation::Send => PostedVerb::Write,
            Operation::Read => PostedVerb::Read,
        };
        let is_first = layout.ends(packet).0;
        is_first.then(|| (verb, layout.message_size(layout.message_of(packet))))
    }

    fn rate(&mut self, now: Time) -> Rate {
        self.control.as_mut().map_or(self.line_rate, |control| control.rate(now))
    }

    /// Whether window, rate and messages allow a packet now.
    pub(crate) fn may_send(&mut self, now: Time) -> bool {
        self.next_at().is_some_and(|at| at <= now) && !self.is_window_full(now)
    }

    /// Whether its rate limiter alone holds a packet back.
    pub(crate) fn is_held_by_rate(&mut self, now: Time) -> bool {
        let is_posted = self.upcoming().is_some_and(|packet| self.gate.not_before(packet) <= now);
        is_posted && self.pacer.next_at() > now && !self.is_window_full(now)
    }

    fn is_window_full(&mut self, now: Time) -> bool {
        let Some(window) = self.window_bytes else {
            return false;
        };
        let allowed = if self.variable_window {
            let scaled =
                u128::from(window) * u128::from(self.rate(now).0) / u128::from(self.line_rate.0.max(1));
            (scaled as u64).max(1)
        } else {
            window
        };
        self.sender.outstanding_bytes() >= allowed
    }

    /// How long `bytes` take at the rate that the window allows: a window in each round trip, as long as the last one was.
    fn takes_with_window(&self, bytes: u64) -> Time {
        let limits = self.window_bytes.zip(self.last_rtt.or(self.base_rtt)).filter(|(window, _)| *window > 0);
        let Some((window, rtt)) = limits else { return Time::ZERO };
        let takes = u128::from(bytes) * u128::from(rtt.0) / u128::from(window);
        Time(u64::try_from(takes).unwrap_or(u64::MAX))
    }

    /// Whether the limit of outstanding messages holds the next packet.
    fn is_held_by_messages(&self) -> bool {
        self.sender.upcoming().is_some_and(|packet| !self.gate.admits(packet))
    }

    /// Sends the next packet and schedules the one after it.
    pub(crate) fn send(&mut self, now: Time) -> Option<Frame> {
        let unsent = self.sender.first_unsent();
        let (number, payload) = self.sender.take(now)?;
        if number < unsent {
            self.repeated = Some(now);
        }
        let ends = self.sender.layout().ends(number);
        // The end of a message and every n-th packet request an ACK, as those of the endpoint in `nic/` do. So does a
        // packet after which the flow has to wait: a receiver that acknowledges every n-th packet would otherwise leave
        // a window of fewer packets to the retransmission timer.
        let has_to_wait = self.is_window_full(now) || self.is_held_by_messages();
        let ack_request = ends.1 || (number + 1).is_multiple_of(self.ack_every.max(1)) || has_to_wait;
        let frame = self.template.data(self.operation, number, ends, payload, ack_request);
        let takes = self.rate(now).serialisation(frame.len());
        self.sent_bytes += frame.len();
        self.paced += takes.max(self.takes_with_window(frame.len()));
        if self.gate.has_operations() {
            let registration = self.gate.registration().filter(|_| ends.0 && number >= unsent);
            self.paced += registration.unwrap_or(Time::ZERO);
        }
        let gap = if self.is_paced { cut(takes, self.grain) } else { Time::ZERO };
        self.pacer.sent(now, frame.len(), gap);
        self.gate.sent(now, number);
        if let Some(control) = &mut self.control {
            control.sent(now, frame.len());
        }
        Some(frame)
    }
}

/// The receiver of a flow.
#[derive(Debug)]
pub(crate) enum Receiver {
    InOrder(gbn::Receiver),
    AnyOrder(selective::Receiver),
}

impl Receiver {
    /// With go-back-N, a NAK names the first packet of a chunk of `chunk_packets`.
    pub(crate) fn new(reliability: Reliability, chunk_packets: u64) -> Receiver {
        match reliability {
            Reliability::GoBackN => Receiver::InOrder(gbn::Receiver::by_chunks(chunk_packets)),
            Reliability::SelectiveRepeat => Receiver::AnyOrder(selective::Receiver::default()),
        }
    }

    /// Processes packet `number` with the receiving NIC's settings. Also returns whether it was accepted.
    pub(crate) fn take(
        &mut self,
        now: Time,
        number: u64,
        last: bool,
        settings: &HostSettings,
    ) -> (Reply, bool) {
        let before = self.accepted();
        let every = settings.ack_every;
        let reply = match self {
            Receiver::InOrder(receiver) => receiver.take(now, number, last, every, settings.nak_interval),
            Receiver::AnyOrder(receiver) => receiver.take(number, last, every),
        };
        (reply, self.accepted() > before)
    }

    pub(crate) fn accepted(&self) -> u64 {
        match self {
            Receiver::InOrder(receiver) => receiver.accepted_packets,
            Receiver::AnyOrder(receiver) => receiver.accepted_packets,
        }
    }

    pub(crate) fn discarded(&self) -> u64 {
        match self {
            Receiver::InOrder(receiver) => receiver.discarded_packets,
            Receiver::AnyOrder(receiver) => receiver.discarded_packets,
        }
    }

    pub(crate) fn is_go_back_n(&self) -> bool {
        matches!(self, Receiver::InOrder(_))
    }

    /// The next packet in order.
    pub(crate) fn expected(&self) -> u64 {
        match self {
            Receiver::InOrder(receiver) => receiver.expected(),
            Receiver::AnyOrder(receiver) => receiver.expected(),
        }
    }
}

/// The receiving end.
#[derive(Debug)]
pub(crate) struct ReceiveState {
    pub(crate) host: u32,
    pub(crate) receiver: Receiver,
    pub(crate) packets: u64,
    /// Present if the flow's data are RDMA READ responses: this end sends the requests.
    pub(crate) requester: Option<Requester>,
    pub(crate) template: Template,
    pub(crate) ack_priority: u8,
    pub(crate) cnp_template: Template,
    /// When a CNP was last sent.
    pub(crate) notified: Option<Time>,
    pub(crate) marked_packets: u64,
    /// NAKs sent.
    pub(crate) naks: u64,
}

#[cfg(test)]
mod tests {
    use super::*;

    /// After these RTTs, the one furthest above its base is the first value of `furthest`, and its base the second; all
    /// in us.
    fn check(base: Option<u64>, rtts: &[u64], furthest: (u64, u64)) {
        let mut stats = RttStats::default();
        rtts.iter().for_each(|rtt| stats.add(Time::from_us(*rtt), base.map(Time::from_us)));
        assert_eq!(stats.furthest, (Time::from_us(furthest.0), Time::from_us(furthest.1)));
    }

    #[test]
    fn a_shorter_rtt_does_not_become_the_base_of_earlier_rtts() {
        check(None, &[10, 14, 6], (14, 10));
        check(None, &[10, 14, 6, 13], (13, 6));
        check(Some(8), &[10, 14, 9], (14, 8));
        check(Some(8), &[7, 7], (0, 0));
        check(None, &[10], (0, 0));
    }
}
