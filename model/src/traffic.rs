//! What became of a run's traffic: flows, pauses, losses, watchdogs.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::{FlowKey, PortRef};

/// What a run did to its traffic.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Traffic {
    /// All flows, in the order in which the scenario has them.
    pub flows: Vec<FlowOutcome>,
    /// Pause frames that switches sent, refreshes included.
    pub pauses_sent: u64,
    /// Ports that were paused, with how often; refreshes are not counted again.
    pub paused_ports: BTreeMap<PortRef, u64>,
    /// Packets that switches lost, by reason.
    pub drops: BTreeMap<String, u64>,
    /// Packets that NICs lost because their receive buffers were full.
    pub lost_by_nics: u64,
    /// Packets of lossless classes that switches lost, by place and reason.
    pub lossless_drops: Vec<LosslessDropSummary>,
    /// What PFC watchdogs did, in order of time.
    pub watchdogs: Vec<WatchdogAct>,
}

/// What became of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// What the scenario calls it.
    pub label: String,
    /// Its 5-tuple.
    pub flow: FlowKey,
    /// Its size.
    pub bytes: u64,
    /// When it started.
    pub start_ns: u64,
    /// When the last acknowledgement came; absent when the run ended before.
    pub finish_ns: Option<u64>,
    /// Bytes acknowledged.
    pub acknowledged_bytes: u64,
    /// Packets sent, those sent again included.
    pub sent_packets: u64,
    /// Packets sent again.
    pub retransmitted_packets: u64,
    /// Data packets that arrived with a congestion mark.
    pub marked_packets: u64,
}

/// Packets of a lossless class that a switch lost for one reason at one place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LosslessDropSummary {
    /// Where they came in.
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
    /// When the first was lost.
    pub first_ns: u64,
    /// When the last was lost.
    pub last_ns: u64,
}

/// A PFC watchdog detected a storm, or let a priority go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchdogAct {
    /// When.
    pub at_ns: u64,
    /// The port: of a switch, or of a host whose NIC paused for too long.
    pub port: PortRef,
    /// The priority.
    pub priority: u8,
    /// What it does from now on: `drop`, `forward`, `alert`, `mute`; absent when the priority works again.
    pub action: Option<String>,
}
