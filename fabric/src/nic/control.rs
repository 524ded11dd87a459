//! The congestion control of one flow: it receives feedback and computes the sending rate.

use model::{Rate, Time};
use scenario::nic::ControlConfig;

use super::dcqcn::ReactionPoint;
use super::dctcp::Dctcp;
use super::timely::Timely;

/// The feedback of an ACK or NAK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feedback {
    /// The first packet that has not arrived.
    pub acknowledged: u64,
    /// The first packet that was never sent.
    pub next: u64,
    /// The RTT of the last packet that is acknowledged; absent if that was retransmitted or acknowledged before.
    pub rtt: Option<Time>,
    /// Whether it echoes a congestion mark.
    pub marked: bool,
}

/// The congestion control of one flow.
#[derive(Clone, Debug)]
pub(crate) enum Control {
    Dcqcn(ReactionPoint),
    Dctcp(Dctcp),
    Timely(Timely),
}

impl Control {
    /// The control of a flow that starts at line rate.
    pub(crate) fn new(config: ControlConfig, line_rate: Rate) -> Control {
        match config {
            ControlConfig::Dcqcn(config) => Control::Dcqcn(ReactionPoint::new(config, line_rate)),
            ControlConfig::Dctcp(config) => Control::Dctcp(Dctcp::new(config, line_rate)),
            ControlConfig::Timely(config) => Control::Timely(Timely::new(config, line_rate)),
        }
    }

    /// The rate at `now`.
    pub(crate) fn rate(&mut self, now: Time) -> Rate {
        match self {
            Control::Dcqcn(point) => point.rate(now),
            Control::Dctcp(control) => control.rate(),
            Control::Timely(control) => control.rate(),
        }
    }

    /// `bytes` have been sent.
    pub(crate) fn sent(&mut self, now: Time, bytes: u64) {
        if let Control::Dcqcn(point) = self {
            point.sent(now, bytes);
        }
    }

    /// A CNP has arrived. Only DCQCN uses them.
    pub(crate) fn notify(&mut self, now: Time) {
        if let Control::Dcqcn(point) = self {
            point.notify(now);
        }
    }

    /// An ACK or NAK has arrived.
    pub(crate) fn feedback(&mut self, now: Time, feedback: &Feedback) {
        match self {
            Control::Dcqcn(point) if feedback.marked => point.notify(now),
            Control::Dcqcn(_) => {}
            Control::Dctcp(control) => control.feedback(feedback),
            Control::Timely(control) => control.feedback(feedback),
        }
    }
}
