//! A snapshot: the telemetry of all switches of one event, and the data that is missing.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::flow::FlowKey;
use crate::job::Job;
use crate::missing_data::MissingData;
use crate::port::PortRef;
use crate::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use crate::topology::{NodeKind, Topology};
use crate::{ConfigFinding, LossRecord, NetworkEvent};

/// Version of the snapshot file format that this build writes.
pub const SNAPSHOT_FORMAT: u32 = 1;

/// The telemetry of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Snapshot {
    /// File format version, [`SNAPSHOT_FORMAT`].
    pub format: u32,
    /// The event's id, as in the polling packets.
    pub event: u32,
    /// The source of the telemetry.
    pub source: Source,
    /// The victim; absent if the switches were read without a trigger.
    pub victim: Option<FlowKey>,
    /// The agent's measurement.
    pub trigger: Option<Trigger>,
    /// Length of an epoch in nanoseconds.
    pub epoch_ns: u64,
    /// One entry for each switch that sent telemetry, by name.
    pub switches: Vec<SwitchTelemetry>,
    /// The data that is missing.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::missing_data::InJson>))]
    pub missing: Vec<MissingData>,
    /// Number of polling packets that all switches received.
    pub polls: u64,
    /// Known configuration findings of the network's switches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configuration: Vec<ConfigFinding>,
    /// Known losses of RDMA packets at switches.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<LossRecord>,
    /// Known changes of links and routes, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<NetworkEvent>,
    /// Known collective operations with their progress.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
}

/// Where telemetry comes from, which decides what its numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Harrier's switch program: depths are those of the egress queue.
    Harrier,
    /// The poster's ns-3 prototype: depths are those of the *ingress* queue of the packet's input port, so they do
    /// not describe the egress port and are not comparable across its flows.
    HawkeyeNs3,
    /// The paper's ns-3 prototype: depths are those of the egress queue, and the flows' sums leave out paused
    /// packets. Epochs have times; records within an epoch have none.
    HawkeyeNs3Egress,
}

/// The measurement that made an agent send a polling packet.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trigger {
    /// The host of the agent.
    pub host: String,
    /// The slow flow.
    pub flow: FlowKey,
    /// When, in nanoseconds.
    pub time_ns: u64,
    /// The reason.
    pub reason: TriggerReason,
    /// Base round-trip time of the flow's path.
    pub base_rtt_ns: u64,
    /// The measured round-trip time, the time without an ACK so far, or the time that an operation took.
    pub rtt_ns: u64,
    /// For a slow operation: the time that it should have taken at most, with everything that the host sent meanwhile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_ns: Option<u64>,
    /// Set for a follow-up poll.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<FollowUp>,
}

impl Trigger {
    /// The delay: how much longer the round trip, the silence or the operation lasted than it should.
    pub fn excess_ns(&self) -> u64 {
        self.rtt_ns.saturating_sub(self.at_most_ns())
    }

    /// How many times as long as it should it lasted; `None` if it is unknown how long it should.
    pub fn slowdown(&self) -> Option<f64> {
        let at_most_ns = self.at_most_ns();
        (at_most_ns > 0).then(|| self.rtt_ns as f64 / at_most_ns as f64)
    }

    /// How long it should last.
    fn at_most_ns(&self) -> u64 {
        self.expected_ns.unwrap_or(self.base_rtt_ns)
    }
}

/// The first poll of an event, for a follow-up poll: the first one sees only the start of the event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FollowUp {
    /// The event id of the first poll.
    pub event: u32,
    /// When the first poll was sent, in nanoseconds.
    pub since_ns: u64,
}

/// Why an agent sends a polling packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TriggerReason {
    /// A round trip exceeded the threshold.
    SlowRtt,
    /// Data is outstanding and no ACK has arrived: PFC may have paused the flow completely.
    Silence,
    /// RDMA operations take longer than the host's link needs for them, although round trips are normal.
    SlowOperation,
    /// Iterations of a job take longer than the job states, although round trips are normal.
    SlowJob,
}

impl TriggerReason {
    /// Whether round trips were normal, so that nothing on the path delayed packets: an operation or a job was slow.
    pub fn is_about_operation(self) -> bool {
        match self {
            TriggerReason::SlowRtt | TriggerReason::Silence => false,
            TriggerReason::SlowOperation | TriggerReason::SlowJob => true,
        }
    }
}

/// The content of one switch's frozen bank.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SwitchTelemetry {
    /// The switch's name in the topology.
    pub switch: String,
    /// When its bank was frozen.
    pub frozen_ns: u64,
    /// By how much the times of this switch may be off those of the server at most; absent: not known, or all times are of
    /// one clock.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub clock_error_ns: Option<u64>,
    /// Ports on which polling packets of this event arrived, ascending.
    pub polled_from: Vec<u16>,
    /// Whether the switch was reached on the victim's path (`true`) or only along pauses (`false`).
    pub on_victim_path: bool,
    /// The egress port of the victim's ACKs; absent if the reverse path was not polled.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_port: Option<u16>,
    /// The epochs of the records, ascending.
    pub epochs: Vec<EpochInfo>,
    /// Flow slots and exported evictions.
    pub flows: Vec<FlowRecord>,
    /// Port slots.
    pub ports: Vec<PortRecord>,
    /// Traffic by ingress and egress port.
    pub meters: Vec<MeterRecord>,
    /// Pauses received.
    pub pauses: Vec<PauseInterval>,
    /// Bytes of telemetry that were read, without rows of zeros.
    pub bytes: u64,
}

impl Snapshot {
    /// Returns the telemetry of `switch`, if it sent any.
    pub fn switch(&self, switch: &str) -> Option<&SwitchTelemetry> {
        self.switches.iter().find(|s| s.switch == switch)
    }

    /// Lists inconsistencies, one sentence each: for snapshots that come from outside.
    pub fn problems(&self, topology: &Topology) -> Vec<String> {
        let mut problems = Vec::new();
        if self.epoch_ns == 0 {
            problems.push("epochs of no length (`epoch_ns` is 0)".to_string());
        }
        let mut seen = BTreeSet::new();
        for telemetry in &self.switches {
            let name = &telemetry.switch;
            if !seen.insert(name) {
                problems.push(format!("switch `{name}` is there twice"));
            }
            if topology.node(name).is_none_or(|node| node.kind != NodeKind::Switch) {
                problems.push(format!("the topology has no switch `{name}`"));
            }
            for pause in &telemetry.pauses {
                if let Some(end_ns) = pause.end_ns.filter(|end_ns| *end_ns < pause.start_ns) {
                    let (port, start_ns) = (pause.port, pause.start_ns);
                    problems.push(format!(
                        "a pause of {name}:{port} ends at {end_ns} ns, before it starts at {start_ns} ns"
                    ));
                }
            }
        }
        problems.extend(self.jobs.iter().flat_map(Job::problems));
        problems
    }

    /// Returns the number of paused packets at `port` over all epochs.
    pub fn paused_packets(&self, port: &PortRef) -> u64 {
        self.switch(&port.switch)
            .map_or(0, |s| s.ports.iter().filter(|p| p.port == port.port).map(|p| p.paused_packets).sum())
    }
}
