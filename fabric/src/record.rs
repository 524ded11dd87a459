//! The records and counters of a run.

use std::collections::BTreeMap;

use model::{FlowKey, PortRef, Time};
use p4_switch::tm::{AuditError, WatchdogAction};
use serde::Serialize;

use crate::flow::RttStats;
use crate::nic::message::MessageStats;

/// A pause or resume that took effect at a node.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PauseRecord {
    /// When the frame arrived, or when the pause expired.
    pub at: Time,
    /// The egress port that is paused or resumed, of a switch or a host.
    pub port: PortRef,
    /// The priority.
    pub priority: u8,
    /// Pause (a refresh included) or resume.
    pub on: bool,
}

/// An action of a PFC watchdog or a NIC watchdog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct WatchdogRecord {
    /// When.
    pub at: Time,
    /// The port of a switch that was paused for too long, or of a host whose NIC sent pauses for too long.
    pub port: PortRef,
    /// The priority.
    pub priority: u8,
    /// What the watchdog does from now on; absent: the priority is restored.
    pub action: Option<WatchdogDoes>,
}

/// The response of a watchdog to a storm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogDoes {
    /// A switch drops the queue and arriving packets of the lossless priority.
    Drop,
    /// A switch ignores the pauses and forwards.
    Forward,
    /// A switch reports only.
    Alert,
    /// A NIC sends no more pauses.
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

/// Frames or bytes are not conserved: a defect of the simulator, never of its input.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ConservationError {
    /// In the memory of a switch.
    #[error("switch `{switch}`: {error}")]
    Switch {
        /// The switch.
        switch: String,
        /// The totals that differ.
        error: AuditError,
    },
    /// On the links.
    #[error("{sent} frames were sent; {arrived} arrived, {lost} were lost and {flying} are in flight")]
    Wires {
        /// Frames sent.
        sent: u64,
        /// Frames that arrived.
        arrived: u64,
        /// Frames that were lost.
        lost: u64,
        /// Frames in flight.
        flying: u64,
    },
}

/// The counters of a fabric.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counters {
    /// Events processed.
    pub events: u64,
    /// Frames that crossed a link, PFC not included.
    pub packet_hops: u64,
    /// Data packets that hosts accepted.
    pub data_packets_accepted: u64,
    /// Data packets that hosts discarded: out of order or duplicate.
    pub data_packets_discarded: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked_packets: u64,
    /// CNPs, and ACKs with an echoed mark, that reached senders.
    pub notifications: u64,
    /// Pause frames that switches sent, refreshes included.
    pub pauses_sent: u64,
    /// Resume frames that switches sent.
    pub resumes_sent: u64,
    /// Packets that end in the switches' program: PFC frames, polling packets after their last hop, and packets without
    /// a route.
    pub ended_by_program: u64,
    /// Packets that switches dropped: no buffer space, no program or no receiver.
    pub dropped_packets: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
    /// Packets of lossless priorities among them.
    pub lossless_drops: u64,
    /// Packets that switches dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Polling packets that agents sent.
    pub polls_sent: u64,
    /// Packets that NICs dropped because their receive buffers were full.
    pub lost_by_nics: u64,
    /// Frames that hosts do not process, polling packets among them.
    pub foreign_frames: u64,
}

/// The record of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct FlowRecord {
    /// Its label in the scenario.
    pub label: String,
    /// Its 5-tuple.
    pub flow: FlowKey,
    /// Its size.
    pub bytes: u64,
    /// When it started.
    pub start: Time,
    /// When the last packet was acknowledged; absent when the run ended before.
    pub finish: Option<Time>,
    /// Bytes acknowledged.
    pub acknowledged_bytes: u64,
    /// Packets sent, retransmissions included.
    pub sent_packets: u64,
    /// Packets retransmitted.
    pub retransmitted_packets: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked_packets: u64,
    /// Its RTTs, as measured by the NIC: from a packet's departure to its ACK. Retransmitted packets and RDMA READs
    /// give no samples.
    pub rtt: RttStats,
    /// Completion times of its messages.
    pub messages: MessageStats,
}

impl FlowRecord {
    /// Completion time.
    pub fn duration(&self) -> Option<Time> {
        Some(self.finish?.saturating_sub(self.start))
    }
}

/// A message of a switch to its controller.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchNotice {
    /// When.
    pub at: Time,
    /// The switch, see [`crate::Fabric::switch_name`].
    pub switch: u32,
    /// The message.
    pub event: p4_switch::Event,
}
