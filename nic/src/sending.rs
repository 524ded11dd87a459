//! The sending end of a flow.

use std::net::IpAddr;

use fabric::RttStats;
use fabric::nic::dcqcn::ReactionPoint;
use fabric::nic::gbn::unwrap_psn;
use fabric::nic::message::Layout;
use fabric::nic::pacing::Pacer;
use fabric::nic::sender::Sender;
use model::wire::Frame;
use model::wire::bth::PSN_MASK;
use model::{Rate, Time};
use scenario::nic::{Operation, Reliability};

use crate::frame::{Data, Headers};
use crate::report::{FlowStatus, Report};
use crate::settings::Settings;

/// A flow to be started.
#[derive(Clone, Debug, PartialEq)]
pub struct FlowRequest {
    /// A name for reports.
    pub label: String,
    /// The receiver.
    pub to: IpAddr,
    /// Bytes to send.
    pub bytes: u64,
    /// Bytes of a message; absent: the flow is one message.
    pub message_bytes: Option<u64>,
    /// The highest rate; absent: that of the link.
    pub rate: Option<Rate>,
    /// Bytes that may be outstanding; absent: the endpoint's setting.
    pub window_bytes: Option<u64>,
    /// Priority of data and ACKs.
    pub priority: u8,
    /// WRITE or SEND.
    pub operation: Operation,
    /// UDP source port; absent: one is chosen.
    pub source_port: Option<u16>,
    /// Whether congestion control applies.
    pub congestion_control: bool,
}

/// Why a flow is not started.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RefusedFlow {
    /// More flows than an endpoint sends at once.
    #[error("{0} flows are being sent already; wait until one is complete or stop one")]
    TooMany(usize),
    /// Addresses of different families.
    #[error("{to} is not of the same address family as {from}")]
    Family {
        /// This endpoint.
        from: IpAddr,
        /// The receiver.
        to: IpAddr,
    },
    /// An endpoint does not send to itself.
    #[error("{0} is this endpoint's own address")]
    Own(IpAddr),
    /// READ is not supported.
    #[error("the operation is not supported; expected write or send")]
    Operation,
    /// A priority above 7.
    #[error("priority {0}; expected 0 to 7")]
    Priority(u8),
}

/// A flow that is being sent.
#[derive(Debug)]
pub(crate) struct SendingFlow {
    pub(crate) id: u64,
    pub(crate) headers: Headers,
    label: String,
    bytes: u64,
    operation: Operation,
    message_bytes: u64,
    ack_every: u64,
    window_bytes: Option<u64>,
    limit: Rate,
    control: Option<ReactionPoint>,
    sender: Sender,
    pacer: Pacer,
    rtt: RttStats,
    started: Time,
    /// Packets acknowledged when the retransmission timer was set, and when it expires.
    progress: (u64, Time),
}

impl SendingFlow {
    pub(crate) fn new(
        now: Time,
        id: u64,
        headers: Headers,
        request: &FlowRequest,
        line_rate: Rate,
        settings: &Settings,
    ) -> SendingFlow {
        let layout = Layout::new(request.bytes, request.message_bytes, settings.payload_bytes);
        let limit = request.rate.map_or(line_rate, |rate| rate.min(line_rate));
        let dcqcn = settings.dcqcn.filter(|_| request.congestion_control);
        let mut pacer = Pacer::new(0);
        pacer.start(now);
        SendingFlow {
            id,
            headers,
            label: request.label.clone(),
            bytes: request.bytes,
            operation: request.operation,
            message_bytes: request.message_bytes.unwrap_or(request.bytes).clamp(1, request.bytes.max(1)),
            ack_every: settings.ack_every.max(1),
            window_bytes: request.window_bytes.or(settings.window_bytes),
            limit,
            control: dcqcn.map(|config| ReactionPoint::new(config, line_rate)),
            sender: Sender::new(layout, Reliability::GoBackN),
            pacer,
            rtt: RttStats::default(),
            started: now,
            progress: (0, now + settings.retransmit_timeout),
        }
    }

    fn rate(&mut self, now: Time) -> Rate {
        let controlled = self.control.as_mut().map_or(self.limit, |point| point.rate(now));
        controlled.min(self.limit).max(Rate(1))
    }

    /// Whether the window has space for another packet, and one is left to send.
    fn has_packet(&self) -> bool {
        let open = self.window_bytes.is_none_or(|window| self.sender.outstanding_bytes() < window);
        open && self.sender.has_more()
    }

    /// When the next packet may be sent; absent while there is none or the window is full.
    pub(crate) fn next_at(&self) -> Option<Time> {
        self.has_packet().then(|| self.pacer.next_at())
    }

    /// Returns the next packet, which is due at `at`; later packets are paced from then.
    pub(crate) fn send(&mut self, now: Time, at: Time) -> Option<Frame> {
        let first_time = self.sender.first_unsent();
        let (number, payload_bytes) = self.sender.take(now)?;
        let layout = *self.sender.layout();
        let ends = layout.ends(number);
        // The packets that fill the window or follow a loss request an ACK too, so that the flow never stalls.
        let fills_window = self.window_bytes.is_some_and(|window| self.sender.outstanding_bytes() >= window);
        let ack_request = ends.1 || (number + 1) % self.ack_every == 0 || fills_window || number < first_time;
        let frame = self.headers.data(&Data {
            operation: self.operation,
            psn: (number & u64::from(PSN_MASK)) as u32,
            ends,
            ack_request,
            payload_bytes,
            message_bytes: self.message_bytes.min(self.bytes),
        });
        let gap = self.rate(now).serialisation(frame.len());
        self.pacer.sent(at, frame.len(), gap);
        if let Some(control) = &mut self.control {
            control.sent(now, frame.len());
        }
        Some(frame)
    }

    /// Processes an ACK up to and including `psn`, or a NAK of `psn`. Returns whether all data is acknowledged.
    pub(crate) fn acknowledged(&mut self, now: Time, psn: u32, is_nak: bool) -> bool {
        let near = self.sender.first_unacknowledged();
        let upto = unwrap_psn(psn, near).saturating_add(u64::from(!is_nak));
        if let Some(acknowledged) = self.sender.acknowledge(upto)
            && !acknowledged.ambiguous
        {
            self.add_round_trip(now.saturating_sub(acknowledged.sent));
        }
        if is_nak {
            self.sender.nak_received(None);
        }
        self.sender.is_done()
    }

    fn add_round_trip(&mut self, rtt: Time) {
        let stats = &mut self.rtt;
        stats.min = if stats.count == 0 { rtt } else { stats.min.min(rtt) };
        stats.max = stats.max.max(rtt);
        stats.sum = Time(stats.sum.0.saturating_add(rtt.0));
        stats.count += 1;
    }

    /// Processes a CNP.
    pub(crate) fn notify(&mut self, now: Time) {
        if let Some(control) = &mut self.control {
            control.notify(now);
        }
    }

    /// When [`SendingFlow::check_progress`] must be called.
    pub(crate) fn progress_due(&self) -> Time {
        self.progress.1
    }

    /// Retransmits if data is outstanding and nothing was acknowledged for a whole timeout.
    pub(crate) fn check_progress(&mut self, now: Time, timeout: Time) {
        if now < self.progress.1 {
            return;
        }
        let reached = self.sender.first_unacknowledged();
        if reached == self.progress.0 && self.sender.outstanding_bytes() > 0 {
            self.sender.timed_out();
        }
        self.progress = (reached, now + timeout.max(Time(1)));
    }

    pub(crate) fn completed(&self, now: Time) -> Report {
        Report::Completed {
            id: self.id,
            label: self.label.clone(),
            flow: self.headers.flow.to_string(),
            bytes: self.sender.acknowledged_bytes(),
            whole: self.sender.is_done(),
            duration_ns: now.saturating_sub(self.started).as_ns(),
            sent_packets: self.sender.sent_packets(),
            retransmitted_packets: self.sender.retransmitted(),
            round_trips: self.rtt.into(),
        }
    }

    pub(crate) fn started(&self) -> Report {
        Report::Started {
            id: self.id,
            label: self.label.clone(),
            flow: self.headers.flow.to_string(),
            queue_pair: self.headers.queue_pair,
        }
    }

    pub(crate) fn status(&mut self, now: Time) -> FlowStatus {
        FlowStatus {
            id: self.id,
            label: self.label.clone(),
            flow: self.headers.flow.to_string(),
            queue_pair: self.headers.queue_pair,
            acknowledged_bytes: self.sender.acknowledged_bytes(),
            bytes: self.bytes,
            rate_bps: self.rate(now).0,
            round_trips: self.rtt.into(),
        }
    }
}
