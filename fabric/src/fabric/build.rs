//! Builds a fabric from a scenario.

use std::collections::BTreeMap;

use controller::plan::PlanSettings;
use model::topology::{Link as TopologyLink, NodeKind};
use model::wire::ethernet;
use model::{FlowKey, PortRef, Rate, Time, Topology};
use p4_switch::SwitchConfig;
use scenario::nic::{ControlConfig, HostJobSpec, Operation, Preparation, Reliability};
use scenario::topology::CPU_PORT;
use scenario::{HostSettings, Paths, Problems, Random, RunFlow, Scenario, SonicError};

use crate::event::ScheduledEvent;
use crate::flow::{ReceiveState, Receiver, RttStats, SendState};
use crate::link::{End, Link, cut};
use crate::link_loss::LinkLoss;
use crate::nic::busy::BusyTime;
use crate::nic::control::Control;
use crate::nic::message::{Layout, MessageGate};
use crate::nic::pacing::Pacer;
use crate::nic::packet::{Template, mac};
use crate::nic::pfc::ReceivedPauses;
use crate::nic::read::{Requester, Responder};
use crate::nic::receive::ReceivePipeline;
use crate::nic::sender::Sender;
use crate::nic::shared::{SharedPart, SharingTenant};
use crate::nic::watchdog::NicWatchdog;
use crate::nic::{HostJob, Nic};
use crate::switch::FabricSwitch;

use super::fault::Fault;
use super::host::queue_pair;
use super::{AgentSlot, Fabric, NodeIndex, SwitchNode};

/// What the path of a flow is like without other traffic.
#[derive(Clone, Copy, Debug)]
struct FlowPath {
    /// Round-trip time.
    base_rtt: Option<Time>,
    /// Rate of the slowest link; absent for a flow that is one message, whose operations are not reported.
    slowest: Option<Rate>,
}

/// Why a scenario cannot be built. Scenarios that were read from files have been checked, so that only drawing can
/// fail.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BuildError {
    /// Two nodes have the same name.
    #[error("two nodes are called `{0}`")]
    DuplicateNode(String),
    /// A link ends at a node that does not exist.
    #[error("link `{0}` ends at a node that does not exist")]
    UnknownNode(PortRef),
    /// Two links use the same port.
    #[error("two links use port `{0}`")]
    DuplicatePort(PortRef),
    /// A port number that a switch cannot have.
    #[error("port `{0}` is not between 1 and 509")]
    PortNumber(PortRef),
    /// A link without rate.
    #[error("the link at `{0}` has rate 0")]
    ZeroRate(PortRef),
    /// A host that does not have exactly one link.
    #[error("host `{host}` has {links} links; a host has one, at port 1")]
    HostLinks {
        /// The host.
        host: String,
        /// Its links.
        links: usize,
    },
    /// A flow or fault at a node that is not a host with an address.
    #[error("`{0}` is not a host with an address")]
    NotAHost(String),
    /// A SONiC configuration that does not fit the switch.
    #[error("switch `{switch}`: its SONiC configuration cannot be used: {error}")]
    Sonic {
        /// The switch.
        switch: String,
        /// Why.
        error: SonicError,
    },
    /// More flows than queue pair numbers.
    #[error("{0} flows; at most 16777213 are possible")]
    TooManyFlows(usize),
    /// A flow that starts after itself or after a flow that does not exist.
    #[error("flow `{0}` starts after a flow that is not listed before it")]
    Order(String),
    /// The instance of this seed cannot be drawn.
    #[error(transparent)]
    Draw(#[from] Problems),
}

impl<S: FabricSwitch> Fabric<S> {
    /// Builds the network of a scenario. `make` makes each switch, in the order of the topology, from its name and
    /// configuration; forwarding must be programmed before packets arrive. Equal scenarios and seeds give equal runs.
    pub fn new(
        scenario: &Scenario,
        seed: u64,
        mut make: impl FnMut(&str, SwitchConfig) -> S,
    ) -> Result<Fabric<S>, BuildError> {
        let scenario = &*scenario.instance(seed)?;
        let mut fabric = Fabric::empty();
        fabric.stop = scenario.stop;
        fabric.add_nodes(scenario, seed, &mut make)?;
        for (index, link) in scenario.topology.links.iter().enumerate() {
            let loss_ppt = scenario.loss_ppt.get(&index).copied().unwrap_or(0);
            fabric.add_link(link, scenario.grain, (seed, loss_ppt))?;
        }
        fabric.check_hosts(&scenario.topology)?;
        let mut paths = Paths::new(&scenario.topology);
        let plan = scenario.plan_settings(seed, Time::ZERO);
        for flow in scenario.run_flows(seed) {
            let path = FlowPath {
                base_rtt: base_rtt(scenario, &mut paths, &plan, &flow),
                slowest: slowest_link(&mut paths, &plan, &flow),
            };
            fabric.add_flow(&flow, scenario.grain, path)?;
        }
        fabric.add_faults(scenario, seed)?;
        fabric.add_tenants(scenario, seed)?;
        fabric.add_jobs(scenario)?;
        fabric.add_outages(scenario);
        fabric.schedule_start();
        Ok(fabric)
    }

    fn add_nodes(
        &mut self,
        scenario: &Scenario,
        seed: u64,
        make: &mut impl FnMut(&str, SwitchConfig) -> S,
    ) -> Result<(), BuildError> {
        for (number, node) in scenario.topology.nodes.iter().enumerate() {
            let index = match node.kind {
                NodeKind::Switch => {
                    let own_seed = Random::new(seed, u64::MAX - 1 - number as u64).next();
                    let config = Self::switch_config(scenario, &node.name, own_seed)
                        .map_err(|error| BuildError::Sonic { switch: node.name.clone(), error })?;
                    let switch = make(&node.name, config);
                    self.switches.push(SwitchNode {
                        name: node.name.clone(),
                        switch,
                        out: Vec::new(),
                        wake_at: None,
                    });
                    NodeIndex::Switch(self.switches.len() as u32 - 1)
                }
                NodeKind::Host => {
                    let settings = scenario.host_settings(&node.name).clone();
                    self.hosts.push(nic(&node.name, number as u32, settings, scenario, seed));
                    self.agents.push(AgentSlot::default());
                    NodeIndex::Host(self.hosts.len() as u32 - 1)
                }
            };
            if self.names.insert(node.name.clone(), index).is_some() {
                return Err(BuildError::DuplicateNode(node.name.clone()));
            }
        }
        Ok(())
    }

    /// `loss_ppt` is the probability of a loss in parts per trillion.
    fn add_link(
        &mut self,
        link: &TopologyLink,
        grain: Time,
        (seed, loss_ppt): (u64, u64),
    ) -> Result<(), BuildError> {
        if link.rate.0 == 0 {
            return Err(BuildError::ZeroRate(link.a.clone()));
        }
        let (a, b) = (self.end(&link.a)?, self.end(&link.b)?);
        for (from, to, port) in [(a, b, &link.a), (b, a, &link.b)] {
            let index = self.links.len() as u32;
            match from {
                End::Host { host } => {
                    let nic = &mut self.hosts[host as usize];
                    nic.link = index;
                    nic.line_rate = link.rate;
                    nic.received_pauses.set_rate(link.rate, nic.settings.pfc_reaction.time(link.rate));
                }
                End::Switch { switch, port: number } => {
                    let out = &mut self.switches[switch as usize].out;
                    let at = usize::from(number);
                    if out.len() <= at {
                        out.resize(at + 1, None);
                    }
                    if out[at].replace(index).is_some() {
                        return Err(BuildError::DuplicatePort(port.clone()));
                    }
                }
            }
            let loss = (loss_ppt > 0).then(|| LinkLoss::new(seed, self.links.len(), loss_ppt));
            self.links.push(Link::new(from, to, link.rate, link.delay, grain, loss));
        }
        Ok(())
    }

    fn end(&self, port: &PortRef) -> Result<End, BuildError> {
        match self.names.get(&port.switch) {
            None => Err(BuildError::UnknownNode(port.clone())),
            Some(NodeIndex::Host(host)) => Ok(End::Host { host: *host }),
            Some(NodeIndex::Switch(switch)) if (1..CPU_PORT).contains(&port.port) => {
                Ok(End::Switch { switch: *switch, port: port.port })
            }
            Some(NodeIndex::Switch(_)) => Err(BuildError::PortNumber(port.clone())),
        }
    }

    fn check_hosts(&self, topology: &Topology) -> Result<(), BuildError> {
        let mut links: BTreeMap<&str, usize> = BTreeMap::new();
        for end in topology.links.iter().flat_map(|link| [&link.a, &link.b]) {
            *links.entry(&end.switch).or_default() += 1;
        }
        for nic in &self.hosts {
            let links = links.get(nic.name.as_str()).copied().unwrap_or(0);
            if links > 1 {
                return Err(BuildError::HostLinks { host: nic.name.clone(), links });
            }
        }
        Ok(())
    }

    fn host(&self, name: &str) -> Result<u32, BuildError> {
        match self.names.get(name) {
            Some(NodeIndex::Host(index)) if self.hosts[*index as usize].link != NO_LINK => Ok(*index),
            _ => Err(BuildError::NotAHost(name.to_string())),
        }
    }

    fn add_flow(&mut self, flow: &RunFlow, grain: Time, path: FlowPath) -> Result<(), BuildError> {
        let number = self.senders.len();
        if number >= 0xff_fffd {
            return Err(BuildError::TooManyFlows(number + 1));
        }
        // The data of a READ is sent by the flow's destination.
        let (source, target) = match flow.spec.messages.operation {
            Operation::Read => (&flow.spec.dst, &flow.spec.src),
            Operation::Write | Operation::Send => (&flow.spec.src, &flow.spec.dst),
        };
        let ends = (self.host(source)?, self.host(target)?);
        for before in &flow.spec.after {
            match self.senders.get_mut(*before) {
                Some(earlier) => earlier.followers.push(number as u32),
                None => return Err(BuildError::Order(flow.spec.label.clone())),
            }
        }
        let send = self.send_state(number, flow, ends, grain, path);
        let receive = self.receive_state(number, flow, ends);
        self.senders.push(send);
        self.receivers.push(receive);
        Ok(())
    }

    /// The sender of flow `number`, from host `from` to host `to`.
    fn send_state(
        &self,
        number: usize,
        flow: &RunFlow,
        (from, to): (u32, u32),
        grain: Time,
        path: FlowPath,
    ) -> SendState {
        let (nic, receiver_nic) = (&self.hosts[from as usize], &self.hosts[to as usize]);
        let settings = &nic.settings;
        let messages = flow.spec.messages;
        let is_read = messages.operation == Operation::Read;
        let priority = flow.spec.priority & 7;
        let layout = layout(flow, settings);
        SendState {
            key: flow.key,
            label: flow.spec.label.clone(),
            host: from,
            priority,
            bytes: flow.spec.bytes,
            start: flow.start,
            sender: Sender::new(layout, reliability(flow, settings)),
            control: settings
                .instead_of_dcqcn
                .or(settings.dcqcn.map(ControlConfig::Dcqcn))
                .map(|config| Control::new(config, nic.line_rate)),
            line_rate: nic.line_rate,
            grain,
            window_bytes: messages.window_bytes.or(settings.window_bytes).filter(|_| !is_read),
            variable_window: settings.variable_window,
            ack_every: settings.ack_every,
            template: Template::new(
                flow.key,
                priority,
                nic.mac,
                receiver_nic.mac,
                queue_pair(number),
                settings.header_bytes,
            ),
            operation: messages.operation,
            gate: MessageGate::new(layout, messages, settings.fences_registrations),
            responder: is_read.then(|| Responder::new(layout, messages.outstanding)),
            pacer: Pacer::new(settings.burst_bytes),
            is_paced: settings.is_paced,
            finished: None,
            base_rtt: path.base_rtt,
            slowest_link: path.slowest,
            expected_iteration: None,
            rtt: RttStats::default(),
            last_rtt: None,
            sent_bytes: 0,
            paced: Time::ZERO,
            rate_busy: BusyTime::default(),
            repeated: None,
            progress: 0,
            waits_for: flow.spec.after.len(),
            followers: Vec::new(),
        }
    }

    /// The receiver of flow `number`, from host `from` to host `to`.
    fn receive_state(&self, number: usize, flow: &RunFlow, (from, to): (u32, u32)) -> ReceiveState {
        let (sender_nic, nic) = (&self.hosts[from as usize], &self.hosts[to as usize]);
        let settings = &sender_nic.settings;
        let messages = flow.spec.messages;
        let is_read = messages.operation == Operation::Read;
        // ACKs are sent to the same RoCE port, from the flow's own source port: that is how RoCEv2 NICs keep the two
        // directions of a connection on one path where the hash is symmetric.
        let back = FlowKey { src: flow.key.dst, dst: flow.key.src, ..flow.key };
        let template = |priority| {
            Template::new(back, priority, nic.mac, sender_nic.mac, queue_pair(number), settings.header_bytes)
        };
        let ack_priority = nic.settings.ack_priority.filter(|_| !is_read).unwrap_or(flow.spec.priority & 7);
        let layout = layout(flow, settings);
        ReceiveState {
            host: to,
            receiver: Receiver::new(reliability(flow, settings), chunk_packets(settings)),
            packets: layout.packets(),
            requester: is_read.then(|| Requester::new(layout, messages.outstanding)),
            template: template(ack_priority),
            ack_priority,
            cnp_template: template(nic.settings.cnp_priority),
            notified: None,
            marked_packets: 0,
            naks: 0,
        }
    }

    fn add_outages(&mut self, scenario: &Scenario) {
        for failure in &scenario.routing.failures {
            for link in [2 * failure.link as u32, 2 * failure.link as u32 + 1] {
                self.queue.push(failure.down, ScheduledEvent::Outage { link, up: false });
                if failure.up < Time::MAX {
                    self.queue.push(failure.up, ScheduledEvent::Outage { link, up: true });
                }
            }
        }
    }

    fn add_tenants(&mut self, scenario: &Scenario, seed: u64) -> Result<(), BuildError> {
        let mut by_host: BTreeMap<u32, Vec<SharingTenant>> = BTreeMap::new();
        for spec in &scenario.tenants {
            let host = self.host(&spec.host)?;
            let owned = self.senders.iter().zip(0u32..);
            let owned = owned.filter(|(flow, _)| flow.host == host && spec.owns(&flow.label));
            let flows = owned.map(|(_, number)| number).collect();
            by_host.entry(host).or_default().push(SharingTenant { spec: spec.clone(), flows });
        }
        for (host, tenants) in by_host {
            let random = Random::new(seed, 1 << 35 | u64::from(host));
            let nic = &mut self.hosts[host as usize];
            nic.shared = Some(Box::new(SharedPart::new(nic.settings.translations, tenants, random)));
        }
        Ok(())
    }

    fn add_jobs(&mut self, scenario: &Scenario) -> Result<(), BuildError> {
        for job in &scenario.host_jobs {
            let host = self.host(&job.host)?;
            let others = scenario.host_jobs.iter().filter(|other| other.shares_gpu(job));
            let preparation = Preparation {
                compute: job.compute,
                control_overhead: job.control_overhead,
                others: others.filter_map(HostJobSpec::gpu_use).collect(),
            };
            let owned = self.senders.iter_mut().zip(0u32..);
            let owned = owned.filter(|(flow, _)| flow.host == host && job.owns(&flow.label));
            let mut flows = Vec::new();
            for (flow, number) in owned {
                flow.gate.prepare(preparation.clone());
                flow.expected_iteration = job.usual.or(job.wanted);
                flows.push(number);
            }
            self.hosts[host as usize].jobs.push(HostJob { spec: job.clone(), flows });
        }
        Ok(())
    }

    fn add_faults(&mut self, scenario: &Scenario, seed: u64) -> Result<(), BuildError> {
        for (index, fault) in scenario.faults.iter().enumerate() {
            let host = self.host(&fault.host)?;
            let start = fault.drawn_start(seed, index);
            let end = Time(start.0.saturating_add(fault.duration.0));
            let random = Random::new(seed, 1 << 34 | index as u64);
            let (kind, ordering) = (fault.kind.clone(), fault.ordering);
            self.faults.push(Fault { host, kind, ordering, start, end, active: false, random });
        }
        Ok(())
    }
}

/// The packets of a flow whose sender has these settings.
fn layout(flow: &RunFlow, settings: &HostSettings) -> Layout {
    Layout::new(flow.spec.bytes, flow.spec.messages.bytes, settings.payload_bytes)
}

/// The reliability of a flow whose sender has these settings. READ responses are always accepted in order only.
fn reliability(flow: &RunFlow, settings: &HostSettings) -> Reliability {
    match flow.spec.messages.operation {
        Operation::Read => Reliability::GoBackN,
        Operation::Write | Operation::Send => settings.reliability,
    }
}

/// Packets of a chunk. A NAK names the first packet of the chunk that the missing packet is in.
fn chunk_packets(settings: &HostSettings) -> u64 {
    let payload = u64::from(settings.payload_bytes.max(1));
    settings.nak_chunk_bytes.map_or(1, |bytes| (bytes / payload).max(1))
}

/// The link index of a NIC that is not connected.
const NO_LINK: u32 = u32::MAX;

fn nic(name: &str, number: u32, settings: HostSettings, scenario: &Scenario, seed: u64) -> Nic {
    Nic {
        name: name.to_string(),
        pipeline: ReceivePipeline::new(settings.receive, Random::new(seed, 1 << 33 | u64::from(number))),
        watchdog: NicWatchdog::new(settings.watchdog),
        shared: None,
        totals: Default::default(),
        settings,
        mac: mac(number),
        line_rate: Rate(0),
        link: NO_LINK,
        control: Default::default(),
        transport: Default::default(),
        active: Vec::new(),
        last_served: 0,
        poll_gaps: Vec::new(),
        jobs: Vec::new(),
        link_busy: BusyTime::default(),
        received_pauses: ReceivedPauses::new(scenario.pause_end, Rate(0)),
        wake_at: None,
    }
}

/// Base RTT: the round-trip time of a full data packet of a flow and its ACK without queueing, along the shortest paths
/// that the hashes of their 5-tuples select; equal-cost paths can differ in rate and length. Absent when no path exists.
pub fn base_rtt(
    scenario: &Scenario,
    paths: &mut Paths<'_>,
    plan: &PlanSettings,
    flow: &RunFlow,
) -> Option<Time> {
    // ACKs are sent from the flow's own source port (RoCEv2).
    let (key, back) = (flow.key, FlowKey { src: flow.key.dst, dst: flow.key.src, ..flow.key });
    let (from, to) = match flow.spec.messages.operation {
        Operation::Read => (&flow.spec.dst, &flow.spec.src),
        Operation::Write | Operation::Send => (&flow.spec.src, &flow.spec.dst),
    };
    let settings = scenario.host_settings(from);
    let data = u64::from(settings.payload_bytes) + u64::from(settings.header_bytes);
    let ack = u64::from(ethernet::ETHERNET_MIN_FRAME_BYTES);
    let mut one_way = |key: &FlowKey, from: &str, to: &str, bytes: u64| {
        let hop = |link: &TopologyLink| cut(link.rate.serialisation(bytes), scenario.grain) + link.delay;
        let links = paths.links_of(key, from, to, |switch| plan.ecmp_seed_of(switch))?;
        Some(links.into_iter().map(hop).fold(Time::ZERO, |sum, time| sum + time))
    };
    Some(one_way(&key, from, to, data)? + one_way(&back, to, from, ack)?)
}

/// The rate of the slowest link from the source to the destination of a flow of messages.
fn slowest_link(paths: &mut Paths<'_>, plan: &PlanSettings, flow: &RunFlow) -> Option<Rate> {
    flow.spec.messages.bytes?;
    let ends = (&flow.spec.src, &flow.spec.dst);
    let links = paths.links_of(&flow.key, ends.0, ends.1, |switch| plan.ecmp_seed_of(switch))?;
    links.into_iter().map(|link| link.rate).min()
}
