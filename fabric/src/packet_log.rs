//! The packet log: every packet that enters or leaves a switch, and every pause that a switch sends.

use model::Time;
use model::wire::{ETHERTYPE_IPV4, Frame};

use crate::nic::packet::{self, Received};

/// A direction of a flow: its data, or its ACKs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Stream(u32);

impl Stream {
    /// After all other streams in order.
    pub const LAST: Stream = Stream(u32::MAX);

    /// The flow's number.
    pub fn flow(self) -> usize {
        (self.0 >> 2) as usize
    }

    /// Whether these are data.
    pub fn is_data(self) -> bool {
        self.0 & 3 == 0
    }
}

/// What happened to a packet at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// It arrived and was stored.
    In,
    /// It arrived and was dropped.
    Lost,
    /// It left.
    Out,
}

/// The arrival of a packet at a port of a switch, or its departure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// When.
    pub at: Time,
    /// Number of the switch.
    pub switch: u32,
    /// The stream.
    pub stream: Stream,
    /// Length in bytes.
    pub bytes: u32,
    /// The port.
    pub port: u16,
    /// Time to live on arrival; 0 on departure.
    pub ttl: u8,
    /// What happened.
    pub what: What,
}

/// A switch sent a pause; refreshes are not logged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PauseSent {
    /// When.
    pub at: Time,
    /// Number of the switch.
    pub switch: u32,
    /// The port.
    pub port: u16,
    /// How many steps had been logged by then.
    pub steps: usize,
}

/// A packet was dropped from a queue that a watchdog flushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ThrownOut {
    /// When.
    pub at: Time,
    /// Number of the switch.
    pub switch: u32,
    /// Its ingress port.
    pub ingress: u16,
    /// Its egress port.
    pub egress: u16,
    /// Length in bytes.
    pub bytes: u64,
    /// How many steps had been logged by then.
    pub steps: usize,
}

/// Everything that was logged.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct PacketLog {
    /// Arrivals and departures, in order of time.
    pub steps: Vec<Step>,
    /// Pauses sent, in order of time.
    pub pauses: Vec<PauseSent>,
    /// In the order of the drops, of each queue from its head.
    pub dropped_from_queue: Vec<ThrownOut>,
    /// The step of the packet that a switch is processing.
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

    /// The switch has processed the last arrival.
    pub(crate) fn settled(&mut self) {
        self.current = None;
    }

    /// A switch dropped the packet that it is processing, as memory is allocated on arrival.
    pub(crate) fn dropped(&mut self, switch: u32) {
        let step = self.current.and_then(|current| self.steps.get_mut(current));
        if let Some(step) = step.filter(|step| step.switch == switch) {
            step.what = What::Lost;
        }
    }

    /// A watchdog dropped a packet of this length from a queue; `ports` are its ingress and egress port.
    pub(crate) fn dropped_from_queue(&mut self, at: Time, switch: u32, ports: (u16, u16), bytes: u64) {
        let (ingress, egress) = ports;
        let steps = self.steps.len();
        self.dropped_from_queue.push(ThrownOut { at, switch, ingress, egress, bytes, steps });
    }

    pub(crate) fn left(&mut self, at: Time, switch: u32, port: u16, frame: &Frame) {
        if let Some(stream) = stream(frame) {
            let bytes = frame.len() as u32;
            self.steps.push(Step { at, switch, stream, bytes, port, ttl: 0, what: What::Out });
        }
    }

    /// A switch sent a pause that is not a refresh.
    pub(crate) fn pause_sent(&mut self, at: Time, switch: u32, port: u16) {
        self.pauses.push(PauseSent { at, switch, port, steps: self.steps.len() });
    }
}

/// The stream of a frame; none for PFC frames and polling packets.
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
