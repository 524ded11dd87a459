//! The types of a scenario: network, settings, traffic, faults and the expected outcome. Plain data; it is read from
//! TOML ([`crate::parse`]) or from the files of the HPCC simulators ([`crate::ns3`]).

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;
use std::ops::Range;
use std::sync::Arc;

use model::{FlowKey, Time, Topology};
use p4_switch::tm::PauseEnd;

use crate::nic::{
    ContextModel, HostBus, HostJobSpec, Messages, MttModel, Operation, PollGapModel, ReceiveWqeModel,
    TenantSpec, WriteOrdering,
};
use crate::problem::Problems;
use crate::random::Random;
use crate::read::{self, Expectation, Routing};
use crate::settings::{HostSettings, SwitchPort, SwitchSettings};
use crate::sonic;
use crate::topology::NodePosition;

/// Everything that a run depends on besides its seed.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its name.
    pub name: String,
    /// A one-line summary.
    pub title: String,
    /// What happens and why.
    pub description: String,
    /// Nodes and links. Every host has exactly one port.
    pub topology: Topology,
    /// When the run ends.
    pub stop: Time,
    /// Serialisation times are rounded down to multiples of this; 1 ps is exact.
    pub grain: Time,
    /// How a received pause ends, at switches and hosts.
    pub pause_end: PauseEnd,
    /// The settings of every switch that is not in `switches`.
    pub switch: SwitchSettings,
    /// The settings of the other switches.
    pub switches: BTreeMap<String, SwitchSettings>,
    /// Tier and pod of the nodes, in a generated network.
    pub places: BTreeMap<String, NodePosition>,
    /// Routes and link outages.
    pub routing: Routing,
    /// The settings of every host that is not in `hosts`.
    pub host: HostSettings,
    /// The settings of the other hosts.
    pub hosts: BTreeMap<String, HostSettings>,
    /// Loss rate by link index, in parts per trillion.
    pub loss_ppt: BTreeMap<usize, u64>,
    /// Traffic.
    pub flows: Vec<FlowSpec>,
    /// Which flows are collective operations.
    pub jobs: Vec<JobSpec>,
    /// Faults of hosts and NICs.
    pub faults: Vec<FaultSpec>,
    /// Tenants that share the NICs of hosts.
    pub tenants: Vec<TenantSpec>,
    /// Jobs that compute on the GPUs of hosts.
    pub host_jobs: Vec<HostJobSpec>,
    /// Agents and collection.
    pub agents: AgentSettings,
    /// The expected outcome; absent: none is specified.
    pub expect: Option<Expectation>,
    /// The text, if another seed gives another instance; absent: instances differ in the jitter of starts only.
    pub source: Option<Arc<ScenarioText>>,
}

/// The text of a scenario whose instances depend on the seed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScenarioText {
    /// The seed of this instance.
    pub seed: u64,
    /// Name of the text.
    pub file: String,
    /// The text.
    pub text: String,
    /// The files that it refers to: path and text, by their name in the scenario.
    pub files: BTreeMap<String, (String, String)>,
}

/// A flow from one host to another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowSpec {
    /// Its label in reports.
    pub label: String,
    /// Sending host.
    pub src: String,
    /// Receiving host.
    pub dst: String,
    /// Source port.
    pub sport: u16,
    /// Destination port.
    pub dport: u16,
    /// Priority.
    pub priority: u8,
    /// Bytes.
    pub bytes: u64,
    /// When it starts ...
    pub start: Time,
    /// ... plus a random time below this.
    pub start_jitter: Time,
    /// How the bytes are divided into messages, and their operation.
    pub messages: Messages,
    /// Flows, by position, that must complete first; `start` is then relative to that.
    pub after: Vec<usize>,
}

impl FlowSpec {
    /// When the flow at this position starts in a run with `seed`.
    pub fn drawn_start(&self, seed: u64, index: usize) -> Time {
        let jitter = Random::new(seed, index as u64).time_below(self.start_jitter);
        Time(self.start.0.saturating_add(jitter.0))
    }
}

/// A collective operation of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JobSpec {
    /// Its name: the label of its workload.
    pub name: String,
    /// Its flows, by position; each depends only on other flows of the job.
    pub flows: Range<usize>,
}

/// A fault of a host or its NIC.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultSpec {
    /// The host.
    pub host: String,
    /// The kind of fault.
    pub kind: FaultKind,
    /// A slow bus: the order of writes that makes it slow; absent if it is the link, and for other faults.
    pub ordering: Option<WriteOrdering>,
    /// When it starts ...
    pub start: Time,
    /// ... plus a random time below this.
    pub start_jitter: Time,
    /// How long it lasts.
    pub duration: Time,
}

impl FaultSpec {
    /// When the fault at this position starts in a run with `seed`.
    pub fn drawn_start(&self, seed: u64, index: usize) -> Time {
        let jitter = Random::new(seed, 1 << 32 | index as u64).time_below(self.start_jitter);
        Time(self.start.0.saturating_add(jitter.0))
    }
}

/// The kinds of faults.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FaultKind {
    /// Pause storm: the NIC sends pause frames for a priority continuously, regardless of what it receives.
    Storm {
        /// The priority.
        priority: u8,
        /// Quanta of each frame.
        quanta: u16,
        /// Mean time between frames.
        interval: Time,
        /// Each time between frames is drawn from a range of this width around the mean: no NIC sends on the
        /// nanosecond.
        interval_jitter: Time,
    },
    /// Slow receiver: the NIC drains its receive buffer at this rate and pauses its switch when the buffer fills.
    SlowReceiver {
        /// Bits a second.
        rate: model::Rate,
        /// Buffer occupancy in bytes at which it pauses.
        xoff_bytes: u64,
        /// Buffer occupancy in bytes at which it resumes.
        xon_bytes: u64,
    },
    /// MTT cache misses: the NIC's receive pipeline waits for address translations.
    MttMisses(MttModel),
    /// Context cache misses: the NIC's receive pipeline waits for the contexts of connections.
    ContextMisses(ContextModel),
    /// Receive WQE cache misses: the NIC's receive pipeline waits for receive work requests.
    ReceiveWqeMisses(ReceiveWqeModel),
    /// PCIe bottleneck: the host's bus is slower than the link, or loopback traffic shares it.
    HostBus(HostBus),
    /// The receive pipeline stops: the buffer fills, the NIC pauses its switch permanently, and drops what still
    /// arrives.
    StoppedPipeline,
    /// Poll gaps: the application polls its completion queues too late.
    PollGaps(PollGapModel),
}

/// Settings of agents and collection.
#[derive(Clone, Debug, PartialEq)]
pub struct AgentSettings {
    /// The hosts with an agent; absent: all that send.
    pub hosts: Option<BTreeSet<String>>,
    /// An RTT above this percentage of the base RTT is slow.
    pub threshold_percent: u32,
    /// Delay of a message from a switch or agent to the controller.
    pub read_delay: Time,
    /// Time that a request of the controller takes.
    pub read_time: Time,
    /// The polling of an event is complete when no switch has reported for this long.
    pub quiet: Time,
}

impl Default for AgentSettings {
    fn default() -> AgentSettings {
        AgentSettings {
            hosts: None,
            threshold_percent: 150,
            read_delay: Time::from_us(50),
            read_time: Time::from_us(100),
            quiet: Time::from_ms(1),
        }
    }
}

/// A flow of one run: with its drawn start and resolved addresses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunFlow {
    /// Its specification.
    pub spec: FlowSpec,
    /// Its 5-tuple.
    pub key: FlowKey,
    /// When it starts.
    pub start: Time,
}

impl Scenario {
    /// The instance of this scenario for a seed: what the text leaves to the seed is drawn.
    ///
    /// # Errors
    /// The problems of that instance.
    pub fn instance(&self, seed: u64) -> Result<Cow<'_, Scenario>, Problems> {
        match &self.source {
            Some(source) if source.seed != seed => {
                let mut load = |name: &str| source.files.get(name).cloned().ok_or("no such file".to_string());
                read::read(&source.file, &source.text, seed, &mut load).map(Cow::Owned)
            }
            _ => Ok(Cow::Borrowed(self)),
        }
    }

    /// The settings of a switch.
    pub fn switch_settings(&self, switch: &str) -> &SwitchSettings {
        self.switches.get(switch).unwrap_or(&self.switch)
    }

    /// The ports of a switch that have a link, ascending.
    pub fn switch_ports(&self, switch: &str) -> Vec<SwitchPort> {
        sonic::linked_ports(&self.topology, switch)
    }

    /// The settings of a host.
    pub fn host_settings(&self, host: &str) -> &HostSettings {
        self.hosts.get(host).unwrap_or(&self.host)
    }

    /// The first address of a host.
    pub fn address(&self, host: &str) -> Option<IpAddr> {
        self.topology.node(host)?.addresses.first().copied()
    }

    /// The 5-tuple of a flow's data packets, when both hosts have addresses. The data of an RDMA READ is sent from
    /// `dst` to `src`.
    pub fn key(&self, flow: &FlowSpec) -> Option<FlowKey> {
        let (src, dst) = (self.address(&flow.src)?, self.address(&flow.dst)?);
        let (src, dst) = if flow.messages.operation == Operation::Read { (dst, src) } else { (src, dst) };
        Some(FlowKey::udp(src, flow.sport, dst, flow.dport))
    }

    /// The flows of a run with `seed`. Flows whose hosts have no address are omitted; readers reject them.
    pub fn run_flows(&self, seed: u64) -> Vec<RunFlow> {
        let draw = |(index, spec): (usize, &FlowSpec)| {
            Some(RunFlow { spec: spec.clone(), key: self.key(spec)?, start: spec.drawn_start(seed, index) })
        };
        self.flows.iter().enumerate().filter_map(draw).collect()
    }

    /// UDP destination ports other than 4791 that carry RoCEv2 here, ascending.
    pub fn roce_ports(&self) -> Vec<u16> {
        let ports: BTreeSet<u16> = self.flows.iter().map(|flow| flow.dport).collect();
        ports.into_iter().filter(|port| *port != model::wire::ROCE_V2_PORT).collect()
    }
}
