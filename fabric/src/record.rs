//! What a run leaves behind.

use std::collections::BTreeMap;

use model::{FlowKey, PortRef, Time};
use p4_switch::tm::{AuditError, WatchdogAction};
use serde::Serialize;

use crate::flow::RttStats;
use crate::nic::message::MessageStats;

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

/// What a PFC watchdog did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WatchdogRecord {
    /// When.
    pub at: Time,
    /// The port that was paused for too long: of a switch, or of a host whose NIC paused for too long.
    pub port: PortRef,
    /// The priority.
    pub priority: u8,
    /// What the watchdog does from now on; absent: the priority works again.
    pub action: Option<WatchdogDoes>,
}

/// What a watchdog does about a storm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogDoes {
    /// A switch drops the queue and lossless packets from the peer.
    Drop,
    /// A switch sends in spite of the pauses.
    Forward,
    /// A switch reports only.
    Alert,
    /// A NIC sends no pause any more.
    Mute,
}

impl From<WatchdogAction> for WatchdogDoes {
    fn from(action: WatchdogAction) -> WatchdogDoes {
        match action {
            WatchdogAction::Drop => WatchdogDoes::Drop,
            WatchdogAction::Forward => WatchdogDoes::Forward,
            WatchdogAction::Alert => WatchdogDoes::Alert,
        }
    }
}

/// Packets of a lossless class that a switch lost for one reason at one place: a fault of its configuration, or the
/// doing of its watchdog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct LosslessDrops {
    /// When the first was lost.
    pub first: Time,
    /// When the last was lost.
    pub last: Time,
    /// Where they had come in.
    pub ingress: PortRef,
    /// Where they were to leave.
    pub egress: PortRef,
    /// Their class.
    pub priority: u8,
    /// Why.
    pub reason: String,
    /// The buffer profile that did not suffice.
    pub profile: String,
    /// How many.
    pub packets: u64,
}

/// The books of a run do not balance: a fault of the simulator, never of its input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BooksError {
    /// The memory of a switch.
    #[error("switch `{switch}`: {error}")]
    Switch {
        /// The switch.
        switch: String,
        /// What disagrees.
        error: AuditError,
    },
    /// The wires.
    #[error("{sent} frames were sent; {arrived} arrived, {lost} were lost and {flying} are on their way")]
    Wires {
        /// Handed over for sending.
        sent: u64,
        /// Arrived.
        arrived: u64,
        /// Lost on the way.
        lost: u64,
        /// On their way.
        flying: u64,
    },
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
    /// Packets of lossless classes among them.
    pub lossless_drops: u64,
    /// Packets that switches lost, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Polling packets that agents sent.
    pub polls_sent: u64,
    /// Packets that NICs lost because their receive buffers were full.
    pub lost_by_nics: u64,
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
    /// Its round-trip times, as its NIC measures them: from a packet's departure to its acknowledgement. Packets
    /// that were sent twice give none, RDMA READs neither.
    pub rtt: RttStats,
    /// How long its messages took.
    pub messages: MessageStats,
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
