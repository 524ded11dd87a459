//! The raw facts: every packet that enters or leaves a switch, every pause that a switch or a host sends.

use model::Time;
use model::wire::{ETHERTYPE_IPV4, Frame};

use crate::nic::packet::{self, Received};

/// A direction of a flow: its data, or what answers them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Stream(u32);

impl Stream {
    /// Behind all others.
    pub(crate) const LAST: Stream = Stream(u32::MAX);

    /// The flow's number.
    pub(crate) fn flow(self) -> usize {
        (self.0 >> 2) as usize
    }

    /// Whether these are data and no answers.
    pub(crate) fn is_data(self) -> bool {
        self.0 & 3 == 0
    }
}

/// What a packet did at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// It came in and was stored.
    In,
    /// It came in and was refused.
    Lost,
    /// It left.
    Out,
}

/// A packet came in by a port of a switch, or left by it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Step {
    pub(crate) at: Time,
    pub(crate) switch: u32,
    pub(crate) stream: Stream,
    pub(crate) bytes: u32,
    pub(crate) port: u16,
    pub(crate) ttl: u8,
    pub(crate) what: What,
}

/// A switch sent a pause; renewals are left out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PauseSent {
    pub(crate) at: Time,
    pub(crate) switch: u32,
    pub(crate) port: u16,
    /// How many steps had been logged by then.
    pub(crate) steps: usize,
}

/// A packet was thrown out of a queue that a watchdog emptied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThrownOut {
    pub(crate) at: Time,
    pub(crate) switch: u32,
    pub(crate) ingress: u16,
    pub(crate) egress: u16,
    pub(crate) bytes: u64,
    /// How many steps had been logged by then.
    pub(crate) steps: usize,
}

/// Everything that was logged.
#[derive(Debug, Default)]
pub(crate) struct PacketLog {
    pub(crate) steps: Vec<Step>,
    pub(crate) pauses: Vec<PauseSent>,
    /// In the order in which they were thrown out, of each queue from its head.
    pub(crate) thrown_out: Vec<ThrownOut>,
    /// The step of the packet that a switch is dealing with.
    current: Option<usize>,
}

impl PacketLog {
    pub(crate) fn arrived(&mut self, at: Time, switch: u32, port: u16, frame: &Frame) {
        self.current = stream(frame).map(|stream| {
            let (bytes, ttl) = (frame.len() as u32, ttl(frame));
            self.steps.push(Step { at, switch, stream, bytes, port, ttl, what: What::In });
            self.steps.len() - 1
        });
    }

    /// The switch has dealt with what arrived last.
    pub(crate) fn settled(&mut self) {
        self.current = None;
    }

    /// A switch lost a packet: the one that it is dealing with, as memory is granted on arrival.
    pub(crate) fn dropped(&mut self, switch: u32) {
        let step = self.current.and_then(|current| self.steps.get_mut(current));
        if let Some(step) = step.filter(|step| step.switch == switch) {
            step.what = What::Lost;
        }
    }

    /// A watchdog threw a packet of this length out of a queue, which had come in by one port to leave by another.
    pub(crate) fn thrown_out(&mut self, at: Time, switch: u32, ports: (u16, u16), bytes: u64) {
        let (ingress, egress) = ports;
        let steps = self.steps.len();
        self.thrown_out.push(ThrownOut { at, switch, ingress, egress, bytes, steps });
    }

    pub(crate) fn left(&mut self, at: Time, switch: u32, port: u16, frame: &Frame) {
        if let Some(stream) = stream(frame) {
            let bytes = frame.len() as u32;
            self.steps.push(Step { at, switch, stream, bytes, port, ttl: 0, what: What::Out });
        }
    }

    /// A switch sent a pause that is no renewal.
    pub(crate) fn pause_sent(&mut self, at: Time, switch: u32, port: u16) {
        self.pauses.push(PauseSent { at, switch, port, steps: self.steps.len() });
    }
}

/// What a frame belongs to; none for flow control and polling.
fn stream(frame: &Frame) -> Option<Stream> {
    let (queue_pair, kind) = match packet::read(frame) {
        Received::Data { queue_pair, .. } => (queue_pair, 0),
        Received::Ack { queue_pair, .. } | Received::Nak { queue_pair, .. } => (queue_pair, 1),
        Received::Cnp { queue_pair } => (queue_pair, 2),
        Received::ReadRequest { queue_pair, .. } => (queue_pair, 3),
        Received::Pfc(_) | Received::Other => return None,
    };
    Some(Stream(queue_pair.checked_sub(2)? << 2 | kind))
}

/// Time to live, or hop limit.
fn ttl(frame: &Frame) -> u8 {
    let is_v4 = frame.head.get(12..14) == Some(&ETHERTYPE_IPV4.to_be_bytes()[..]);
    frame.head.get(if is_v4 { 22 } else { 21 }).copied().unwrap_or(0)
}
