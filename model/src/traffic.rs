//! The traffic of a run: flows, pauses, losses, watchdogs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FlowKey, PortRef};

/// The traffic of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// All flows, in the scenario's order.
    pub flows: Vec<FlowOutcome>,
    /// Pause frames that switches sent, refreshes included.
    pub pauses_sent: u64,
    /// Number of pauses of each port that was paused; refreshes are not counted.
    pub paused_ports: BTreeMap<PortRef, u64>,
    /// Packets that switches dropped, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Packets that NICs dropped because their receive buffers were full.
    pub lost_by_nics: u64,
    /// Packets of lossless priorities that switches dropped, by place and reason.
    pub lossless_drops: Vec<LosslessDrops>,
    /// Actions of PFC watchdogs, in order of time.
    pub watchdogs: Vec<WatchdogAct>,
}

/// One flow of a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Its label in the scenario.
    pub label: String,
    /// Its 5-tuple.
    pub flow: FlowKey,
    /// Its size in bytes.
    pub bytes: u64,
    /// When it started.
    pub start_ns: u64,
    /// When the last ACK arrived; absent if the run ended before.
    pub finish_ns: Option<u64>,
    /// Bytes acknowledged.
    pub acknowledged_bytes: u64,
    /// Packets sent, retransmissions included.
    pub sent_packets: u64,
    /// Packets retransmitted.
    pub retransmitted_packets: u64,
    /// Data packets that arrived ECN-marked.
    pub marked_packets: u64,
}

/// Packets of a lossless priority that a switch dropped for one reason, between one pair of ports: because of its
/// configuration or its watchdog.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LosslessDrops {
    /// Their ingress port.
    pub ingress: PortRef,
    /// Their egress port.
    pub egress: PortRef,
    /// Their priority.
    pub priority: u8,
    /// The reason.
    pub reason: String,
    /// The buffer profile that was too small.
    pub profile: String,
    /// Number of packets.
    pub packets: u64,
    /// When the first was dropped.
    pub first_ns: u64,
    /// When the last was dropped.
    pub last_ns: u64,
}

/// A PFC watchdog detected a storm, or restored a priority.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchdogAct {
    /// The time.
    pub at_ns: u64,
    /// The port: of a switch, or of a host whose NIC paused for too long.
    pub port: PortRef,
    /// The priority.
    pub priority: u8,
    /// The action from now on: `drop`, `forward`, `alert`, `mute`; absent when the priority is restored.
    pub action: Option<String>,
}
