//! The two ends of one message.

use model::wire::Frame;
use model::{FlowKey, Rate, Time};

use crate::link::cut;
use crate::nic::dcqcn::ReactionPoint;
use crate::nic::gbn::{Receiver, Sender};
use crate::nic::packet::Template;

/// Round-trip times of one flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct RttStats {
    /// Samples.
    pub count: u64,
    /// Least, in picoseconds.
    pub min: Time,
    /// Most, in picoseconds.
    pub max: Time,
}

impl RttStats {
    pub(crate) fn add(&mut self, rtt: Time) {
        self.min = if self.count == 0 { rtt } else { self.min.min(rtt) };
        self.max = self.max.max(rtt);
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
    pub(crate) reaction: Option<ReactionPoint>,
    pub(crate) line_rate: Rate,
    /// Pacing gaps are cut to multiples of this, as the link's serialisation times are.
    pub(crate) grain: Time,
    pub(crate) window_bytes: Option<u64>,
    pub(crate) variable_window: bool,
    pub(crate) template: Template,
    /// Pacing: nothing is sent before.
    pub(crate) next_at: Time,
    pub(crate) finished: Option<Time>,
    /// Round trip over an idle network.
    pub(crate) base_rtt: Option<Time>,
    pub(crate) rtt: RttStats,
    /// Packets acknowledged when the retransmission timer last looked.
    pub(crate) progress: u64,
    /// Flows that must come to their end before it may start.
    pub(crate) waits_for: usize,
    /// Flows that wait for it.
    pub(crate) followers: Vec<u32>,
}

impl SendState {
    pub(crate) fn has_more(&self) -> bool {
        self.finished.is_none() && self.sender.has_more()
    }

    fn rate(&mut self, now: Time) -> Rate {
        self.reaction.as_mut().map_or(self.line_rate, |reaction| reaction.rate(now))
    }

    /// Whether window and pacing allow a packet now.
    pub(crate) fn may_send(&mut self, now: Time) -> bool {
        self.has_more() && self.next_at <= now && !self.is_window_full(now)
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

    /// Takes the next packet and paces the one after.
    pub(crate) fn send(&mut self, now: Time) -> Frame {
        let (number, payload) = self.sender.take(now);
        let frame = self.template.data(number, self.sender.packets(), payload);
        let gap = cut(self.rate(now).serialisation(frame.len()), self.grain);
        self.next_at = Time(now.0.saturating_add(gap.0));
        if let Some(reaction) = &mut self.reaction {
            reaction.sent(now, frame.len());
        }
        frame
    }
}

/// The receiving end.
#[derive(Debug)]
pub(crate) struct ReceiveState {
    pub(crate) host: u32,
    pub(crate) receiver: Receiver,
    pub(crate) packets: u64,
    pub(crate) template: Template,
    pub(crate) ack_priority: u8,
    pub(crate) cnp_template: Template,
    /// When a notification was last sent.
    pub(crate) notified: Option<Time>,
    pub(crate) marked_packets: u64,
}
