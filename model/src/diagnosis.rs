//! A diagnosis: what happened to a victim flow, who caused it, and the evidence.
//!
//! The JSON form of these types is the contract of `harrier run`, `harrier analyze` and REST.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::flow::FlowKey;
use crate::job::{JobStep, Transfer};
use crate::port::PortRef;
use crate::snapshot::Trigger;
use crate::telemetry::{FlowRecord, MeterRecord, PauseInterval, PortRecord};
use crate::traffic::Traffic;
use crate::verification::Verification;
use crate::{ConfigFinding, LossRecord};

/// What kind of thing happened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum Anomaly {
    /// Flows contend on the victim's own path; no pause is involved.
    FlowContention,
    /// Pauses lead to a port where flows contend.
    PfcBackpressureFlowContention,
    /// Pauses lead to a device that injects them without contention.
    PfcStormHostInjection,
    /// The pauses form a loop, started by contention inside it.
    DeadlockInLoopContention,
    /// The pauses form a loop, started by contention outside it.
    DeadlockOutOfLoopContention,
    /// The pauses form a loop, started by a device outside it.
    DeadlockOutOfLoopInjection,
    /// Packets come back to a port they left.
    RoutingLoop,
    /// The fabric is clean: sender, receiver or application.
    HostOnly,
}

/// What refines an anomaly.
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
    Misconfiguration,
    /// The evidence names the anomaly and not what is behind it.
    Undetermined,
}

/// Who or what is to blame.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RootCause {
    /// The port where it starts.
    pub port: Option<PortRef>,
    /// The culprit flows, heaviest contribution first.
    pub flows: Vec<FlowKey>,
    /// The host that injects pauses.
    pub host: Option<String>,
    /// Identifiers of the configuration findings that made it possible.
    pub config: Vec<String>,
}

/// One record that a claim rests on.
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
    /// A transfer of a collective operation.
    Transfer(Transfer),
    /// A weight that was computed: a port edge.
    PortEdge {
        /// The paused port.
        from: PortRef,
        /// The port it waits for.
        to: PortRef,
        /// Edge weight.
        weight: f64,
    },
    /// A weight that was computed: a flow's contribution to a queue.
    Contribution {
        /// The flow.
        flow: FlowKey,
        /// Positive causes, negative suffers.
        weight: f64,
    },
}

/// A claim and the records it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Evidence {
    /// One sentence for people.
    pub claim: String,
    /// The switch whose records these are.
    pub switch: Option<String>,
    /// The port they speak of.
    pub port: Option<PortRef>,
    /// The epoch they speak of, where it is one.
    pub epoch: Option<u64>,
    /// The records.
    pub records: Vec<Record>,
}

/// What the collection cost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Collected {
    /// Switches that were read.
    pub switches: u64,
    /// Telemetry bytes, rows of zeros left out.
    pub bytes: u64,
    /// Polling packets seen by switches.
    pub polls: u64,
}

/// A verdict.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Diagnosis {
    /// Stable id: the same snapshot gives the same id.
    pub id: String,
    /// When the victim was found slow, in nanoseconds of the fabric's clock.
    pub time_ns: u64,
    /// The flow that suffers.
    pub victim: FlowKey,
    /// What happened.
    pub anomaly: Anomaly,
    /// What is behind it.
    pub cause: Cause,
    /// The verdict in one sentence, for people.
    pub summary: String,
    /// How certain, 0 to 1.
    pub confidence: f64,
    /// Who is to blame.
    pub root_cause: RootCause,
    /// Ports that the pause crossed, from the victim's side to the root; the last one is the root port.
    pub pause_path: Vec<PortRef>,
    /// Ports of the loop, for deadlocks.
    #[serde(rename = "loop")]
    pub pause_loop: Vec<PortRef>,
    /// Flows that carried the pause towards the victim: themselves victims at the root.
    pub spreaders: Vec<FlowKey>,
    /// Every flow that suffers, the asked one first.
    pub victims: Vec<FlowKey>,
    /// What the verdict rests on.
    pub evidence: Vec<Evidence>,
    /// What would have been needed and was not there.
    pub missing: Vec<String>,
    /// What to do.
    pub advice: Vec<String>,
    /// What the collection cost.
    pub collected: Collected,
    /// The steps of collective operations that victim and culprits belong to.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<JobStep>,
    /// Whether the victim recovered in a replay without the named culprit; absent when nobody tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verified: Option<bool>,
    /// That replay beside the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
}

impl Diagnosis {
    /// What it blames of the configuration, whoever found it: `switch/setting`. Several findings may be about one setting.
    pub fn blamed_settings(&self) -> BTreeSet<String> {
        let records = self.evidence.iter().flat_map(|claim| &claim.records);
        let place = |id: &String| {
            let found = records.clone().find_map(|record| match record {
                Record::Configuration(finding) if finding.id == *id => Some(finding.place()),
                _ => None,
            });
            found.unwrap_or_else(|| id.clone())
        };
        self.root_cause.config.iter().map(place).collect()
    }
}

/// What really happened in a simulated run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroundTruth {
    /// The anomaly; absent for a quiet network.
    pub anomaly: Option<Anomaly>,
    /// What is behind it.
    pub cause: Option<Cause>,
    /// Who is to blame.
    pub root_cause: RootCause,
    /// Ports that the pause crossed.
    pub pause_path: Vec<PortRef>,
    /// Ports of the loop, for deadlocks.
    #[serde(rename = "loop")]
    pub pause_loop: Vec<PortRef>,
    /// Flows that carried the pause.
    pub spreaders: Vec<FlowKey>,
    /// Flows that suffered.
    pub victims: Vec<FlowKey>,
    /// From when to when it went on, in nanoseconds; what a verdict says of another time cannot be judged by it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time_ns: Option<(u64, u64)>,
    /// Flows with a small part in it: naming them is neither required nor wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub minor: Vec<FlowKey>,
    /// Who was to blame as it stood earlier, where that was somebody else; in order of time. Whoever asks then cannot know
    /// who comes later.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub phases: Vec<Phase>,
    /// The same trouble at other times of the run.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub again: Vec<GroundTruth>,
    /// Further anomalies of the same run that were meant to happen; absent when there was one at most.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub others: Vec<GroundTruth>,
    /// What else held up watched flows: a verdict that names it is not wrong.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<GroundTruth>,
    /// Links that were down for a time, in order of time.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub outages: Vec<Outage>,
}

/// A link that was down.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outage {
    /// Its two ends.
    pub between: [PortRef; 2],
    /// When it went down, in nanoseconds.
    pub down_ns: u64,
    /// When it came up again, in nanoseconds; absent when it did not.
    pub up_ns: Option<u64>,
}

/// The blame for a trouble as it stood at a time before its end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Phase {
    /// Until when it stood like this, in nanoseconds.
    pub until_ns: u64,
    /// Those who had added most by then.
    pub flows: Vec<FlowKey>,
    /// Flows with a small part by then.
    pub minor: Vec<FlowKey>,
}

/// What a run cost. Besides the hops and events it differs from run to run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunFigures {
    /// Frames that crossed a link, flow control not included.
    pub packet_hops: u64,
    /// Events of the simulation.
    pub events: u64,
    /// Simulated time in nanoseconds.
    pub simulated_ns: u64,
    /// Processor time in seconds; absent where it is not accounted.
    pub cpu_seconds: Option<f64>,
    /// Elapsed time in seconds.
    pub wall_seconds: f64,
    /// Most memory that was ever in use, in bytes; absent where it is not accounted.
    pub peak_rss: Option<u64>,
}

/// What `harrier run` and `harrier analyze` print with `--json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunReport {
    /// Name of the scenario, or of the input.
    pub scenario: String,
    /// The seed of a run; absent for an analysis.
    pub seed: Option<u64>,
    /// The truth of a run; absent when it is not known.
    pub ground_truth: Option<GroundTruth>,
    /// The verdicts.
    pub diagnoses: Vec<Diagnosis>,
    /// What a run cost; absent for an analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunFigures>,
    /// What became of a run's traffic; absent for an analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub traffic: Option<Traffic>,
    /// Why there is no verdict on what was collected; absent when there is one, or when nothing was slow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub missing: Vec<String>,
}
