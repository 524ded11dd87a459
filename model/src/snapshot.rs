//! A snapshot: everything that one event's collection brought in, and what it did not.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::flow::FlowKey;
use crate::job::Job;
use crate::missing_data::MissingData;
use crate::port::PortRef;
use crate::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use crate::topology::{NodeKind, Topology};
use crate::{ConfigFinding, LossRecord};

/// Version of the snapshot file format that this build writes.
pub const SNAPSHOT_FORMAT: u32 = 1;

/// The telemetry of one event.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Snapshot {
    /// File format version, [`SNAPSHOT_FORMAT`].
    pub format: u32,
    /// The event's id, as the polling packets carried it.
    pub event: u32,
    /// Which telemetry this is.
    pub source: Source,
    /// The flow that was found slow; absent when switches were read without an agent's question.
    pub victim: Option<FlowKey>,
    /// What the agent saw.
    pub trigger: Option<Trigger>,
    /// Length of an epoch in nanoseconds.
    pub epoch_ns: u64,
    /// One entry a switch that answered, ordered by name.
    pub switches: Vec<SwitchTelemetry>,
    /// Everything that should be here and is not.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<crate::missing_data::InJson>))]
    pub missing: Vec<MissingData>,
    /// Polling packets seen by all switches together.
    pub polls: u64,
    /// What is wrong with the configuration of the network's switches, as far as it is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub configuration: Vec<ConfigFinding>,
    /// Packets of RDMA classes that switches lost, as far as their counters are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub losses: Vec<LossRecord>,
    /// Collective operations that run on the network, as far as they are known, with how far each has come.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub jobs: Vec<Job>,
}

/// Where telemetry came from, which decides what its numbers mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// Harrier's switch program: depths are those of the egress queue.
    Harrier,
    /// The poster's ns-3 prototype: depths are those of the *ingress* queue of the packet's input port, so
    /// they neither describe the egress port nor compare across its flows.
    HawkeyeNs3,
    /// The paper's ns-3 prototype: depths are those of the egress queue, packets that a pause held up left out of the
    /// flows' sums. Epochs have times, what happened within them has none.
    HawkeyeNs3Egress,
}

/// Why the agent asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Trigger {
    /// The host that asked.
    pub host: String,
    /// The slow flow.
    pub flow: FlowKey,
    /// When, in nanoseconds.
    pub time_ns: u64,
    /// What was noticed.
    pub reason: TriggerReason,
    /// Round-trip time of the flow's path without load.
    pub base_rtt_ns: u64,
    /// Round-trip time that was measured, or the silence so far.
    pub rtt_ns: u64,
    /// Set when the trouble was asked about before, at its beginning.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub follows: Option<FollowUp>,
}

/// A second question about one trouble: the first one saw only its beginning.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FollowUp {
    /// The event of the first question.
    pub event: u32,
    /// When that was asked, in nanoseconds.
    pub since_ns: u64,
}

/// What makes an agent ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum TriggerReason {
    /// A round trip took longer than the threshold allows.
    SlowRtt,
    /// Data is outstanding and no acknowledgement has come: the flow may be stopped by PFC.
    Silence,
}

/// What one switch's frozen bank held.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct SwitchTelemetry {
    /// The switch's name in the topology.
    pub switch: String,
    /// When its bank was frozen.
    pub frozen_ns: u64,
    /// Ports by which polling packets of this event came in, ascending.
    pub polled_from: Vec<u16>,
    /// Whether it was reached on the victim's path (`true`) or only along pauses (`false`).
    pub on_victim_path: bool,
    /// The port by which answers to the victim leave; absent where nobody asked about their way.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub back_port: Option<u16>,
    /// The epochs that the records speak of, ascending.
    pub epochs: Vec<EpochInfo>,
    /// Flow slots and exported evictions.
    pub flows: Vec<FlowRecord>,
    /// Port slots.
    pub ports: Vec<PortRecord>,
    /// Ingress to egress traffic.
    pub meters: Vec<MeterRecord>,
    /// Pauses received.
    pub pauses: Vec<PauseInterval>,
    /// Bytes of telemetry read, after rows of zeros were left out.
    pub bytes: u64,
}

impl Snapshot {
    /// The telemetry of `switch`, if it answered.
    pub fn switch(&self, switch: &str) -> Option<&SwitchTelemetry> {
        self.switches.iter().find(|s| s.switch == switch)
    }

    /// What does not hold together in this network, one sentence each: for snapshots that come from outside.
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

    /// Paused packets at `port` over all epochs.
    pub fn paused_packets(&self, port: &PortRef) -> u64 {
        self.switch(&port.switch)
            .map_or(0, |s| s.ports.iter().filter(|p| p.port == port.port).map(|p| p.paused_packets).sum())
    }
}
