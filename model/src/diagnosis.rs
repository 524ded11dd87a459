//! A diagnosis: the anomaly of a victim flow, its root cause, and the evidence.
//!
//! The JSON form of these types is the contract of `harrier run`, `harrier analyze` and REST.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::claim::ClaimTemplate;
use crate::flow::FlowKey;
use crate::job::{JobStep, Transfer};
use crate::port::PortRef;
use crate::snapshot::Trigger;
use crate::telemetry::{FlowRecord, MeterRecord, PauseInterval, PortRecord};
use crate::verification::Verification;
use crate::{ConfigFinding, LossRecord, NetworkEvent};

/// The kind of event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Anomaly {
    /// Flows contend at a port of the victim's path; no pause is involved.
    FlowContention,
    /// PFC pauses spread from a port where flows contend.
    PfcBackpressureFlowContention,
    /// PFC pauses spread from a port that a host pauses; no queue in the fabric causes them.
    PfcStormHostInjection,
    /// The paused ports form a loop; the initial congestion was in the loop.
    DeadlockInLoopContention,
    /// The paused ports form a loop; the initial congestion was outside the loop.
    DeadlockOutOfLoopContention,
    /// The paused ports form a loop; a host outside the loop sent the initial pauses.
    DeadlockOutOfLoopInjection,
    /// Packets return to a switch they have left.
    RoutingLoop,
    /// Traffic of another class starves or pauses the victim's class.
    ClassContention,
    /// Packets were lost: a lossy link, a queue without headroom, or a switch without a route.
    PacketLoss,
    /// The path changed or went down: an outage, a detour or a black hole.
    PathChange,
    /// The victim's own packets are the queue.
    SelfInflicted,
    /// Every hop was clean at that time: sender, receiver or application.
    HostOnly,
    /// The records neither explain the delay nor show that every hop was clean.
    Undetermined,
}

impl Anomaly {
    /// Whether queues and pauses are all there is to it.
    pub fn is_of_buffers(self) -> bool {
        match self {
            Anomaly::FlowContention
            | Anomaly::PfcBackpressureFlowContention
            | Anomaly::PfcStormHostInjection
            | Anomaly::DeadlockInLoopContention
            | Anomaly::DeadlockOutOfLoopContention
            | Anomaly::DeadlockOutOfLoopInjection
            | Anomaly::ClassContention
            | Anomaly::SelfInflicted => true,
            Anomaly::RoutingLoop
            | Anomaly::PacketLoss
            | Anomaly::PathChange
            | Anomaly::HostOnly
            | Anomaly::Undetermined => false,
        }
    }
}

/// The cause that refines an anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
#[allow(missing_docs, reason = "the names are the field's; docs/diagnosis.md explains each")]
pub enum Cause {
    Incast,
    ElephantCollision,
    EcmpImbalance,
    LowRateAttack,
    CollectiveStep,
    NicStorm,
    SlowReceiver,
    LoopbackCongestion,
    IntraHostLink,
    NoisyTenant,
    RnicWorkload,
    HiddenFence,
    CongestionLeaking,
    GoBackNWaste,
    QpCacheThrash,
    PollGap,
    HostControlOverhead,
    GpuCoLocation,
    LegitimatelyNetworkBound,
    Misconfiguration,
    /// The evidence shows the anomaly, but no cause.
    Undetermined,
}

/// How urgent a verdict is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Ordinary queueing: telemetry, not an incident.
    #[default]
    Info,
    /// A flow is slower, and recovers without intervention.
    Minor,
    /// Several flows or a whole job are slower.
    Major,
    /// Traffic stops or packets are lost.
    Critical,
}

/// What an anomaly cost, as far as the snapshot shows it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Cost {
    /// The victim's measured delay above its base round-trip time, in nanoseconds.
    pub delay_ns: u64,
    /// The victim's base round-trip time, in nanoseconds; 0 without a measurement.
    #[serde(default)]
    pub base_rtt_ns: u64,
    /// Bytes that the link could have carried in that time.
    pub bytes: u64,
    /// Number of affected flows, the victim included.
    pub flows: u64,
    /// Number of collective operations that depend on an affected flow.
    pub jobs: u64,
    /// Packets that switches lost, by the records that the evidence cites.
    #[serde(default)]
    pub lost_packets: u64,
}

impl Cost {
    /// How many times its base round-trip time the slowest measured round trip of the victim took; `None` without a
    /// measurement.
    pub fn slowdown(&self) -> Option<f64> {
        let rtt_ns = self.base_rtt_ns.saturating_add(self.delay_ns);
        (self.base_rtt_ns > 0).then(|| rtt_ns as f64 / self.base_rtt_ns as f64)
    }
}

/// Packets that switches lost because of an anomaly, by the loss records in evidence. A record that two claims cite counts once. Queues
/// and pauses do not take links down or damage frames: such losses at the same time are another verdict's.
pub fn lost_packets(anomaly: Anomaly, evidence: &[Evidence]) -> u64 {
    let mut counted: Vec<&LossRecord> = Vec::new();
    for record in evidence.iter().flat_map(|evidence| &evidence.records) {
        if let Record::Loss(loss) = record
            && (loss.reason.is_of_buffers() || !anomaly.is_of_buffers())
            && !counted.contains(&loss)
        {
            counted.push(loss);
        }
    }
    counted.iter().fold(0, |sum, loss| sum.saturating_add(loss.packets))
}

/// The root cause: port, flows, host or configuration.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RootCause {
    /// The root port.
    pub port: Option<PortRef>,
    /// The culprit flows, largest contribution first.
    pub flows: Vec<FlowKey>,
    /// The host that sends the pauses, or in which the cause is.
    pub host: Option<String>,
    /// Ids of the configuration findings that cause the anomaly.
    pub config: Vec<String>,
}

/// What happened in the network, where no flow and no host causes the anomaly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum NetworkFault {
    /// The link of the root port was down.
    LinkDown,
    /// The switch of the root port had no route; the port is the usual way.
    NoRoute,
    /// Packets no longer use the root port, and their path is longer.
    LongerPath,
    /// Frames arrived damaged at the far end of the root port's link.
    DamagedFrames,
}

/// What of a switch the first advice changes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum AdviceTarget {
    /// The setting of a configuration finding.
    Finding {
        /// The id of the finding.
        id: String,
    },
    /// A port.
    Port {
        /// The port.
        port: PortRef,
    },
}

/// A record that supports a claim.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Record {
    /// A flow slot.
    Flow(FlowRecord),
    /// A port slot.
    Port(PortRecord),
    /// A meter slot.
    Meter(MeterRecord),
    /// A pause interval.
    Pause(PauseInterval),
    /// What the agent measured.
    Trigger(Trigger),
    /// A finding about a switch's configuration.
    Configuration(ConfigFinding),
    /// Packets that a switch lost.
    Loss(LossRecord),
    /// A change of a link or a route.
    Event(NetworkEvent),
    /// A transfer of a collective operation.
    Transfer(Transfer),
    /// A value in the report of a host.
    Host {
        /// The host.
        host: String,
        /// Where the value is in the report: a JSON Pointer (RFC 6901).
        pointer: String,
        /// The value as JSON text.
        value: String,
    },
    /// A counter of an ordinary switch over an interval.
    Counter {
        /// The port.
        port: PortRef,
        /// The switch's own name of the port, e.g. `Ethernet0`.
        name: String,
        /// The counter, by the name that its source gives it, e.g. `SAI_PORT_STAT_PFC_3_RX_PKTS`.
        counter: String,
        /// The beginning of the interval, in nanoseconds since 1970.
        from_ns: u64,
        /// The end of the interval, in nanoseconds since 1970.
        to_ns: u64,
        /// What it grew by in the interval; for a watermark or a state, its value at the end.
        value: u64,
    },
    /// A computed sum: the pauses of a port in the time under analysis.
    PauseTotal {
        /// The paused port.
        port: PortRef,
        /// Number of pauses.
        pauses: u64,
        /// Time in the paused state, up to when the switch was read, in nanoseconds.
        paused_ns: u64,
    },
    /// A computed weight: a wait-for edge between ports.
    PortEdge {
        /// The paused port.
        from: PortRef,
        /// The port it waits for.
        to: PortRef,
        /// Edge weight.
        weight: f64,
    },
    /// A computed weight: a flow's contribution to a queue.
    Contribution {
        /// The flow.
        flow: FlowKey,
        /// Positive: queueing of others that it caused. Negative: its own queueing.
        weight: f64,
    },
}

/// A claim and the records that support it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// One sentence for people.
    pub claim: String,
    /// The same sentence with places for its values; absent where the claim is the text of another source.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub template: Option<ClaimTemplate>,
    /// The switch whose records these are.
    pub switch: Option<String>,
    /// The port of the records.
    pub port: Option<PortRef>,
    /// The epoch of the records, if all are of one epoch.
    pub epoch: Option<u64>,
    /// The records.
    pub records: Vec<Record>,
}

/// The cost of a collection.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Collected {
    /// Number of switches that were read.
    pub switches: u64,
    /// Bytes of telemetry, without rows of zeros.
    pub bytes: u64,
    /// Number of polling packets that switches received.
    pub polls: u64,
}

/// The counters of ordinary switches that a verdict rests on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct CounterInterval {
    /// The beginning of the interval, in nanoseconds since 1970. For a single reading it equals the end: its counters are
    /// totals since the switch booted.
    pub from_ns: u64,
    /// The end of the interval, in nanoseconds since 1970.
    pub to_ns: u64,
    /// The `harrier watch` that has uploaded the verdict; absent if it was not uploaded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watcher: Option<String>,
}

/// How a hop of a path is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Known {
    /// A record shows the flow at this port.
    Recorded,
    /// There is no record, and the topology and the records of other hops leave one choice.
    Derived,
    /// One of several possible hops.
    Assumed,
}

/// What a flow is in a verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum FlowRole {
    /// The victim.
    Victim,
    /// The ACKs of the victim, if they are what is delayed; the path is that from the receiver.
    Acks,
    /// A culprit.
    Culprit,
}

/// A hop of a flow's path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Hop {
    /// The egress port of a switch.
    pub port: PortRef,
    /// How it is known.
    pub known: Known,
}

/// The path of a flow.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct FlowPath {
    /// The flow.
    pub flow: FlowKey,
    /// What it is in this verdict.
    pub role: FlowRole,
    /// The egress ports of switches that it leaves by, in order from the sender (for ACKs from the receiver). Incomplete where a switch has no route
    /// to the receiver.
    pub hops: Vec<Hop>,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnosis {
    /// Stable id: the same snapshot gives the same id.
    pub id: String,
    /// When the victim was measured as slow, in nanoseconds of switch time.
    pub time_ns: u64,
    /// The victim; absent in verdicts about ports, from the counters of switches that record no flows.
    pub victim: Option<FlowKey>,
    /// The anomaly.
    pub anomaly: Anomaly,
    /// The cause that refines the anomaly.
    pub cause: Cause,
    /// The verdict in one sentence, for people.
    pub summary: String,
    /// The confidence, 0 to 1.
    pub confidence: f64,
    /// How urgent the verdict is.
    #[serde(default)]
    pub severity: Severity,
    /// What the anomaly cost.
    #[serde(default)]
    pub cost: Cost,
    /// The part of the delay that the root cause accounts for, 0 to 1, if several verdicts explain it together; absent if this
    /// one explains it alone, or if the parts cannot be compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay_share: Option<f64>,
    /// The root cause.
    pub root_cause: RootCause,
    /// What happened at the root port, if a fault of the network is the cause and known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fault: Option<NetworkFault>,
    /// The port at the other end of the root port's link, if the link is at fault and its other end is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub far_port: Option<PortRef>,
    /// The pause path, from the victim's side to the root port, which is last.
    pub pause_path: Vec<PortRef>,
    /// Ports of the loop, for deadlocks.
    #[serde(rename = "loop")]
    pub pause_loop: Vec<PortRef>,
    /// The path of the victim, that of its ACKs if they are delayed, and one of each culprit, in this order. Flows whose ends are not hosts of the topology
    /// are left out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub paths: Vec<FlowPath>,
    /// Flows through which congestion spread towards the victim; they are also victims of the root cause.
    pub spreaders: Vec<FlowKey>,
    /// Every affected flow, the victim first. Empty if no flow is known.
    pub victims: Vec<FlowKey>,
    /// The claims that support the verdict.
    pub evidence: Vec<Evidence>,
    /// The data that is missing, for people.
    pub missing: Vec<String>,
    /// What else is to be known about the verdict, for people.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the operator can do.
    pub advice: Vec<String>,
    /// What the first advice changes; absent if that is the root port, the last port of the pause path where no root port is
    /// known, or no part of a switch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub advice_target: Option<AdviceTarget>,
    /// The cost of the collection.
    pub collected: Collected,
    /// The interval of the counters, if the verdict comes from those of ordinary switches and not from telemetry.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counters: Option<CounterInterval>,
    /// The steps of collective operations that the victim and the culprits belong to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<JobStep>,
    /// Whether the victim recovered in a counterfactual run without the root cause; null without such a run.
    #[serde(default)]
    pub verified: Option<bool>,
    /// The counterfactual run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
}

impl Diagnosis {
    /// The measurement that the verdict explains, from its evidence; `None` for one from counters, and without a question of an
    /// agent.
    pub fn trigger(&self) -> Option<&Trigger> {
        self.evidence.iter().flat_map(|evidence| &evidence.records).find_map(|record| match record {
            Record::Trigger(trigger) => Some(trigger),
            _ => None,
        })
    }

    /// A verdict about `victim` that names nothing: anomaly and cause undetermined, without confidence, evidence and
    /// costs. The base of verdicts that know some fields only.
    pub fn undetermined(victim: impl Into<Option<FlowKey>>) -> Diagnosis {
        let victim = victim.into();
        Diagnosis {
            id: String::new(),
            time_ns: 0,
            victim,
            anomaly: Anomaly::Undetermined,
            cause: Cause::Undetermined,
            summary: String::new(),
            confidence: 0.0,
            severity: Severity::default(),
            cost: Cost::default(),
            delay_share: None,
            root_cause: RootCause::default(),
            fault: None,
            far_port: None,
            pause_path: Vec::new(),
            pause_loop: Vec::new(),
            paths: Vec::new(),
            spreaders: Vec::new(),
            victims: victim.into_iter().collect(),
            evidence: Vec::new(),
            missing: Vec::new(),
            notes: Vec::new(),
            advice: Vec::new(),
            advice_target: None,
            collected: Collected::default(),
            counters: None,
            steps: Vec::new(),
            verified: None,
            verification: None,
        }
    }

    /// Adds advice, and what it changes.
    pub fn advise(&mut self, target: AdviceTarget, advice: String) {
        if self.advice.is_empty() {
            self.advice_target = Some(target);
        }
        self.advice.push(advice);
    }

    /// Adds the fix of a finding to the advice.
    pub fn advise_fix(&mut self, finding: &ConfigFinding) {
        self.advise(AdviceTarget::Finding { id: finding.id.clone() }, finding.fix.clone());
    }

    /// Returns the settings that the root cause names (`switch/setting`). Several findings may be about one setting.
    pub fn blamed_settings(&self) -> BTreeSet<String> {
        let records = self.evidence.iter().flat_map(|claim| &claim.records);
        let setting = |id: &String| {
            let found = records.clone().find_map(|record| match record {
                Record::Configuration(finding) if finding.id == *id => Some(finding.place()),
                _ => None,
            });
            found.unwrap_or_else(|| id.clone())
        };
        self.root_cause.config.iter().map(setting).collect()
    }
}
