//! What a run leaves behind.

use std::collections::BTreeMap;

use model::{FlowKey, PortRef, Time};
use serde::Serialize;

use crate::flow::RttStats;

/// A pause or resume that took effect at a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PauseRecord {
    /// When the frame arrived, or when the pause ran out.
    pub at: Time,
    /// The port that must be silent or may go on: of a switch or a host.
    pub port: PortRef,
    /// The class.
    pub priority: u8,
    /// Pause (a refresh included) or resume.
    pub on: bool,
}

/// What the fabric has counted since it was made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Events that happened.
    pub events: u64,
    /// Frames that crossed a link, PFC not included.
    pub packet_hops: u64,
    /// Data packets that hosts took in order.
    pub data_packets_accepted: u64,
    /// Data packets that hosts threw away: out of order or seen before.
    pub data_packets_discarded: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked_packets: u64,
    /// Congestion notifications that reached senders.
    pub notifications: u64,
    /// Pause frames that switches sent, refreshes included.
    pub pauses_sent: u64,
    /// Resume frames that switches sent.
    pub resumes_sent: u64,
    /// Packets that the switches' program took off the wire: flow control frames and polling packets that have
    /// done their work, and what it has no route for.
    pub ended_by_program: u64,
    /// Packets that switches lost for want of memory, of a program or of receivers.
    pub dropped_packets: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
    /// Packets that switches lost, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Polling packets that agents sent.
    pub polls_sent: u64,
    /// Frames that hosts did not understand, polling packets among them.
    pub foreign_frames: u64,
}

/// What became of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlowRecord {
    /// What people call it.
    pub label: String,
    /// Its 5-tuple.
    pub flow: FlowKey,
    /// Its size.
    pub bytes: u64,
    /// When it started.
    pub start: Time,
    /// When the last acknowledgement came; absent when the run ended before.
    pub finish: Option<Time>,
    /// Bytes acknowledged.
    pub acknowledged_bytes: u64,
    /// Packets sent, those sent again included.
    pub sent_packets: u64,
    /// Packets sent again.
    pub retransmitted_packets: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked_packets: u64,
    /// Its round-trip times.
    pub rtt: RttStats,
}

impl FlowRecord {
    /// Completion time.
    pub fn duration(&self) -> Option<Time> {
        Some(self.finish?.saturating_sub(self.start))
    }
}

/// Something that a switch has for its controller.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchNotice {
    /// When.
    pub at: Time,
    /// Which switch, see [`crate::Fabric::switch_name`].
    pub switch: u32,
    /// What.
    pub event: p4_switch::Event,
}
