//! The simulator: nodes, links and the event loop.

mod build;
mod fault;
mod host;
mod nic_readings;
mod rdma_read;
mod switch_events;
mod wire_counters;

use std::collections::BTreeMap;

use controller::plan::SwitchPlan;
use model::traffic::LosslessDrops;
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::{ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_MAC_CONTROL, Ethernet, Frame};
use model::{LossReason, LossRecord, NetworkChange, NetworkEvent, PortRef, Time};
use p4_switch::tm::DropReason as QueueDrop;
use p4_switch::{Event as SwitchEvent, Switch, SwitchConfig};
use scenario::topology::CPU_PORT;
use scenario::{Scenario, SonicError};

use crate::agent::{HostAgent, PollRequest};
use crate::event::{EventQueue, ScheduledEvent};
use crate::fault_injection::{RandomLoss, is_poll};
use crate::flow::{ReceiveState, SendState};
use crate::link::{End, InFlight, Link};
use crate::losses::Losses;
use crate::nic::{Nic, Outgoing};
use crate::packet_log::PacketLog;
use crate::record::{ConservationError, Counters, PauseRecord, SwitchNotice, WatchdogRecord};
use crate::record_log::RecordLog;
use crate::switch::FabricSwitch;
use fault::Fault;

pub use build::{BuildError, base_rtt};
pub use wire_counters::WireCounters;

/// A switch and the links of its ports.
#[derive(Debug)]
struct SwitchNode<S> {
    name: String,
    switch: S,
    /// Directed link by port number.
    out: Vec<Option<u32>>,
    /// Time of the earliest scheduled wake-up.
    wake_at: Option<Time>,
}

/// The agent of a host, if it has one.
#[derive(Default)]
struct AgentSlot {
    agent: Option<Box<dyn HostAgent>>,
    /// Time of the earliest scheduled wake-up.
    wake_at: Option<Time>,
}

/// A network in virtual time. `S` is the type of its switches, see [`FabricSwitch`].
pub struct Fabric<S = Switch> {
    now: Time,
    queue: EventQueue,
    links: Vec<Link>,
    switches: Vec<SwitchNode<S>>,
    hosts: Vec<Nic>,
    agents: Vec<AgentSlot>,
    /// Senders, one per flow.
    senders: Vec<SendState>,
    /// Receivers, one per flow.
    receivers: Vec<ReceiveState>,
    /// Number of complete flows.
    finished_flows: usize,
    faults: Vec<Fault>,
    counters: Counters,
    pauses: RecordLog<PauseRecord>,
    watchdogs: RecordLog<WatchdogRecord>,
    /// By switch, ingress port, priority, egress port and reason.
    lossless_drops: BTreeMap<(u32, u16, u8, u16, QueueDrop), LosslessDrops>,
    losses: Losses,
    /// Why the packet that a switch is receiving is lost if the program drops it; absent for frames that end at a
    /// switch without loss, and outside an arrival.
    arriving: Option<LossReason>,
    /// The latest changes of links and routes, in order of time.
    network_events: RecordLog<NetworkEvent>,
    notices: Vec<SwitchNotice>,
    triggers: Vec<PollRequest>,
    /// Polling packets of reverse paths that receivers will send, with the host; slots are reused.
    reverse_polls: Vec<Option<(u32, Frame)>>,
    /// Buffer for the events of one switch, kept to avoid allocation.
    scratch: Vec<SwitchEvent>,
    names: BTreeMap<String, NodeIndex>,
    /// The history of every packet; present if the ground truth of the run is computed.
    log: Option<Box<PacketLog>>,
    /// Receives every frame.
    tap: Option<Box<dyn Tap>>,
    /// Drops polling packets, for an evaluation.
    lost_polls: Option<RandomLoss>,
    /// No flow or fault starts after this time.
    stop: Time,
}

/// Receives every frame whose transmission starts. Directed link 2n leads from end `a` of the topology's link n to end
/// `b`, 2n + 1 back.
pub trait Tap: Send {
    /// Called when the transmission of a frame starts on a directed link.
    fn frame(&mut self, now: Time, link: u32, frame: &Frame);
}

/// The index of a node in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum NodeIndex {
    Switch(u32),
    Host(u32),
}

impl<S: FabricSwitch> Fabric<S> {
    /// An empty fabric; [`build`] fills it.
    fn empty() -> Fabric<S> {
        Fabric {
            now: Time::ZERO,
            queue: EventQueue::default(),
            links: Vec::new(),
            switches: Vec::new(),
            hosts: Vec::new(),
            agents: Vec::new(),
            senders: Vec::new(),
            receivers: Vec::new(),
            finished_flows: 0,
            faults: Vec::new(),
            counters: Counters::default(),
            pauses: RecordLog::default(),
            watchdogs: RecordLog::default(),
            lossless_drops: BTreeMap::new(),
            losses: Losses::default(),
            arriving: None,
            network_events: RecordLog::default(),
            notices: Vec::new(),
            triggers: Vec::new(),
            reverse_polls: Vec::new(),
            scratch: Vec::new(),
            names: BTreeMap::new(),
            log: None,
            tap: None,
            lost_polls: None,
            stop: Time::MAX,
        }
    }

    /// Passes every frame from now on to `tap`.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Records the history of every packet from now on, from which the ground truth of the run is computed.
    pub fn keep_log(&mut self) {
        self.log = Some(Box::default());
    }

    /// Keeps all records of pauses and watchdogs from now on. Otherwise only the last [`crate::RECENT_RECORDS`] of each
    /// are certain to be kept, until they are taken.
    pub fn keep_all_records(&mut self) {
        self.pauses.keep_all();
        self.watchdogs.keep_all();
    }

    /// Takes the history of every packet, if it is recorded.
    pub fn take_packet_log(&mut self) -> Option<Box<PacketLog>> {
        self.log.take()
    }

    /// Drops polling packets at random from now on.
    pub(crate) fn lose_polls(&mut self, loss: Option<RandomLoss>) {
        self.lost_polls = loss;
    }

    /// The time up to which all events have been processed.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Time of the next event; absent when no event is left.
    pub fn next_time(&self) -> Option<Time> {
        self.queue.next_time()
    }

    /// Processes the next event. Returns false when there is none.
    pub fn step(&mut self) -> bool {
        let Some((at, event)) = self.queue.pop() else {
            return false;
        };
        self.now = at;
        self.counters.events += 1;
        match event {
            ScheduledEvent::Arrive { link } => self.arrive(link),
            ScheduledEvent::WireFree { link } => self.transmit(link),
            ScheduledEvent::SwitchWake { switch } => self.wake_switch(switch),
            ScheduledEvent::NicWake { host } => self.wake_nic(host),
            ScheduledEvent::NicProcessed { host } => self.nic_processed(host),
            ScheduledEvent::NicRefresh { host, priority } => self.nic_refresh(host, priority),
            ScheduledEvent::NicWatchdog { host } => self.nic_watchdog(host),
            ScheduledEvent::FlowStart { flow } => self.start_flow(flow),
            ScheduledEvent::Retransmit { flow } => self.check_progress(flow),
            ScheduledEvent::Fault { fault } => self.fault(fault),
            ScheduledEvent::AgentWake { host } => self.agent_wake(host),
            ScheduledEvent::ReversePoll { poll } => self.send_reverse_poll(poll),
            ScheduledEvent::Outage { link, up } => self.outage(link, up),
        }
        true
    }

    /// Processes all events up to and including `until`, and advances the time to it.
    pub fn run_until(&mut self, until: Time) {
        while self.next_time().is_some_and(|at| at <= until) {
            self.step();
        }
        self.now = self.now.max(until);
    }

    fn arrive(&mut self, index: u32) {
        let link = &mut self.links[index as usize];
        let Some(InFlight { frame, slot }) = link.in_flight.pop_front() else {
            return;
        };
        if let Some(next) = link.in_flight.front() {
            self.queue.push_at(next.slot, ScheduledEvent::Arrive { link: index });
        }
        if link.loses(slot.at) {
            link.lost_frames += 1;
            let from = link.from;
            self.frame_lost(from, &frame, LossReason::LinkDown);
            return;
        }
        if link.loss.as_mut().is_some_and(|loss| loss.next(&frame)) {
            link.lost_frames += 1;
            let to = link.to;
            self.frame_lost(to, &frame, LossReason::Corrupted);
            return;
        }
        if let Some(losing) = self.lost_polls.as_mut().filter(|_| is_poll(&frame))
            && losing.next()
        {
            link.lost_frames += 1;
            return;
        }
        link.arrived_frames += 1;
        link.arrived_bytes += frame.len();
        if is_mac_control(&frame) {
            link.arrived_control_frames += 1;
        } else {
            self.counters.packet_hops += 1;
        }
        match link.to {
            End::Host { host } => self.host_receive(host, frame),
            End::Switch { switch, port } => {
                let now = self.now;
                if let Some(log) = &mut self.log {
                    log.arrived(now, switch, port, &frame);
                }
                self.arriving = loss_if_dropped(&frame);
                self.switches[switch as usize].switch.receive(now, port, frame);
                self.settle_switch(switch);
                self.arriving = None;
                if let Some(log) = &mut self.log {
                    log.settled();
                }
            }
        }
    }

    /// An outage of a directed link begins or ends; the port that sends on it logs its new status.
    fn outage(&mut self, index: u32, up: bool) {
        let link = &mut self.links[index as usize];
        let was_up = link.outages == 0;
        link.switch_over(self.now, up);
        let is_up = link.outages == 0;
        if was_up != is_up {
            let PortRef { switch, port } = self.port_of(self.links[index as usize].from);
            let change = match is_up {
                true => NetworkChange::LinkUp { port },
                false => NetworkChange::LinkDown { port },
            };
            self.network_events.push(NetworkEvent { time_ns: self.now.as_ns(), switch, change });
        }
    }

    /// Counts a frame that a link has lost: a discard of the port that sent it if the link is down, else a damaged
    /// frame at the port that received it. Counters of ports do not distinguish priorities.
    fn frame_lost(&mut self, at: End, frame: &Frame, reason: LossReason) {
        if is_mac_control(frame) || is_poll(frame) {
            return;
        }
        let PortRef { switch, port } = self.port_of(at);
        let ports = match reason {
            LossReason::LinkDown => (None, Some(port)),
            _ => (Some(port), None),
        };
        self.losses.count(self.now, &switch, ports, None, reason);
    }

    fn port_of(&self, end: End) -> PortRef {
        match end {
            End::Switch { switch, port } => PortRef::new(self.switches[switch as usize].name.clone(), port),
            End::Host { host } => PortRef::new(self.hosts[host as usize].name.clone(), NIC_PORT),
        }
    }

    /// A link has become idle: its near end sends the next frame.
    fn transmit(&mut self, index: u32) {
        self.kick(index);
        if let End::Switch { switch, .. } = self.links[index as usize].from {
            self.settle_switch(switch);
        }
    }

    fn put_on_wire(&mut self, index: u32, frame: Frame) {
        let link = &mut self.links[index as usize];
        let free_at = self.now + link.serialisation(frame.len());
        link.busy_until = free_at;
        link.sent_frames += 1;
        link.sent_bytes += frame.len();
        self.queue.push(free_at, ScheduledEvent::WireFree { link: index });
        let slot = self.queue.reserve(free_at + link.delay);
        if link.in_flight.is_empty() {
            self.queue.push_at(slot, ScheduledEvent::Arrive { link: index });
        }
        link.in_flight.push_back(InFlight { slot, frame });
    }

    fn next_nic_frame(&mut self, host: u32) -> Option<Frame> {
        let nic = &mut self.hosts[host as usize];
        let Some(Outgoing { frame, resumed }) = nic.next_frame(self.now, &mut self.senders) else {
            if let Some(at) = nic.next_chance(self.now, &self.senders)
                && nic.wake_at.is_none_or(|scheduled| at < scheduled)
            {
                nic.wake_at = Some(at);
                self.queue.push(at, ScheduledEvent::NicWake { host });
            }
            return None;
        };
        if let Some(flow) = resumed {
            self.notify_agent_of_send(host, flow);
        }
        Some(frame)
    }

    fn wake_switch(&mut self, index: u32) {
        let now = self.now;
        let node = &mut self.switches[index as usize];
        if node.wake_at.is_some_and(|at| at <= now) {
            node.wake_at = None;
        }
        if node.switch.next_wake().is_some_and(|at| at <= now) {
            node.switch.wake(now);
        }
        self.settle_switch(index);
    }

    /// Starts the next transmission on a link, if it is idle and a frame is ready.
    fn kick(&mut self, link: u32) {
        let now = self.now;
        let wire = &self.links[link as usize];
        if wire.busy_until > now {
            // The end of the present transmission is scheduled and starts the next one.
            return;
        }
        let frame = match wire.from {
            End::Host { host } => self.next_nic_frame(host),
            End::Switch { switch, port } => {
                let frame = self.switches[switch as usize].switch.transmit(now, port);
                if let (Some(frame), Some(log)) = (&frame, &mut self.log) {
                    log.left(now, switch, port, frame);
                }
                frame
            }
        };
        if let Some(frame) = frame {
            if let Some(tap) = &mut self.tap {
                tap.frame(now, link, &frame);
            }
            self.put_on_wire(link, frame);
        }
    }

    /// Processes the events of all switches. To be called after a switch was changed from outside.
    pub fn poll_switches(&mut self) {
        for index in 0..self.switches.len() as u32 {
            self.settle_switch(index);
        }
    }

    /// The switch called `name`. After changing it so that it may send, call [`Fabric::poll_switches`].
    pub fn switch_mut(&mut self, name: &str) -> Option<&mut S> {
        match self.names.get(name)? {
            NodeIndex::Switch(index) => Some(&mut self.switches[*index as usize].switch),
            NodeIndex::Host(_) => None,
        }
    }

    /// The switch called `name`.
    pub fn switch(&self, name: &str) -> Option<&S> {
        match self.names.get(name)? {
            NodeIndex::Switch(index) => Some(&self.switches[*index as usize].switch),
            NodeIndex::Host(_) => None,
        }
    }

    /// Bytes that every switch port has sent, PFC frames included, in the order of switches and ports.
    pub fn sent_bytes(&self) -> impl Iterator<Item = (PortRef, u64)> {
        self.switches.iter().flat_map(|node| {
            let ports = node.out.iter().enumerate();
            ports.filter_map(|(port, link)| {
                let sent = self.links[(*link)? as usize].sent_bytes;
                Some((PortRef::new(node.name.clone(), port as u16), sent))
            })
        })
    }

    /// Name and switch, in the order of the topology.
    pub fn switches(&self) -> impl Iterator<Item = (&str, &S)> {
        self.switches.iter().map(|node| (node.name.as_str(), &node.switch))
    }

    /// The name of the switch of a [`SwitchNotice`].
    pub fn switch_name(&self, switch: u32) -> &str {
        &self.switches[switch as usize].name
    }

    /// Whether switches or agents have messages for the controller.
    pub fn has_notices(&self) -> bool {
        !self.notices.is_empty() || !self.triggers.is_empty()
    }

    /// Removes and returns the messages of switches to their controller (digests, packets, timeouts, logs).
    pub fn take_notices(&mut self) -> Vec<SwitchNotice> {
        std::mem::take(&mut self.notices)
    }

    /// Removes and returns the polling packets that agents have sent, with their triggers.
    pub fn take_triggers(&mut self) -> Vec<PollRequest> {
        std::mem::take(&mut self.triggers)
    }

    /// Replaces the agent of a host. The new one observes flows that start from now on. False when there is no such
    /// host.
    pub fn set_agent(&mut self, host: &str, agent: Box<dyn HostAgent>) -> bool {
        let Some(NodeIndex::Host(index)) = self.names.get(host).copied() else {
            return false;
        };
        self.agents[index as usize] = AgentSlot { agent: Some(agent), wake_at: None };
        true
    }

    /// Removes all agents.
    pub fn dismiss_agents(&mut self) {
        self.agents.iter_mut().for_each(|slot| slot.agent = None);
    }

    /// Whether all flows are complete, all faults are over, and no agent has anything scheduled.
    pub fn is_through(&self) -> bool {
        let is_idle = |slot: &AgentSlot| slot.agent.as_ref().is_none_or(|agent| agent.next_wake().is_none());
        self.all_finished()
            && self.faults.iter().all(|fault| fault.end <= self.now)
            && self.agents.iter().all(is_idle)
    }

    /// Pauses and resumes that nodes have received, in order of time; see [`Fabric::keep_all_records`].
    pub fn pauses(&self) -> &[PauseRecord] {
        self.pauses.records()
    }

    /// Removes and returns the records of [`Fabric::pauses`].
    pub fn take_pauses(&mut self) -> Vec<PauseRecord> {
        self.pauses.take()
    }

    /// Actions of the watchdogs of switches and NICs, in order of time; see [`Fabric::keep_all_records`].
    pub fn watchdogs(&self) -> &[WatchdogRecord] {
        self.watchdogs.records()
    }

    /// Records of pauses and watchdogs that were discarded because their log was full.
    pub fn discarded_records(&self) -> u64 {
        self.pauses.discarded() + self.watchdogs.discarded()
    }

    /// Dropped packets of lossless priorities, one entry for each pair of ports, priority and reason.
    pub fn lossless_drops(&self) -> impl Iterator<Item = &LosslessDrops> {
        self.lossless_drops.values()
    }

    /// Packets that switches have dropped, and frames that links have lost: one entry for each pair of ports, priority
    /// and reason.
    pub fn losses(&self) -> impl Iterator<Item = &LossRecord> {
        self.losses.iter()
    }

    /// The latest changes of links and routes, in order of time.
    pub fn network_events(&self) -> &[NetworkEvent] {
        self.network_events.records()
    }

    /// Adds the changes of routes of a switch that was reprogrammed at `at`, from one plan to another.
    pub fn routes_changed(&mut self, at: Time, before: &SwitchPlan, after: &SwitchPlan) {
        for change in controller::plan::route_changes(before, after) {
            let event = NetworkEvent { time_ns: at.as_ns(), switch: after.switch.clone(), change };
            self.network_events.push(event);
        }
    }

    /// Checks conservation. In every switch, ingress totals equal egress totals equal the bytes in its memory; on the
    /// links, every frame sent has arrived, was lost or is in flight.
    pub fn check_conservation(&self) -> Result<(), ConservationError> {
        for node in &self.switches {
            let audit = node.switch.audit();
            audit.map_err(|error| ConservationError::Switch { switch: node.name.clone(), error })?;
        }
        let (sent, arrived, lost, flying) = self.frame_balance();
        match sent == arrived + lost + flying {
            true => Ok(()),
            false => Err(ConservationError::Wires { sent, arrived, lost, flying }),
        }
    }

    /// The counters of the fabric.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Frames of all links: sent, arrived, lost, in flight. The first is the sum of the others.
    pub fn frame_balance(&self) -> (u64, u64, u64, u64) {
        self.links.iter().fold((0, 0, 0, 0), |sum, link| {
            (
                sum.0 + link.sent_frames,
                sum.1 + link.arrived_frames,
                sum.2 + link.lost_frames,
                sum.3 + link.in_flight.len() as u64,
            )
        })
    }

    /// Schedules the first event of every flow and fault.
    fn schedule_start(&mut self) {
        let starts = |flow: &SendState| flow.waits_for == 0 && flow.start <= self.stop;
        for (index, flow) in self.senders.iter().enumerate().filter(|(_, flow)| starts(flow)) {
            self.queue.push(flow.start, ScheduledEvent::FlowStart { flow: index as u32 });
        }
        for (index, fault) in self.faults.iter().enumerate().filter(|(_, fault)| fault.start <= self.stop) {
            self.queue.push(fault.start, ScheduledEvent::Fault { fault: index as u32 });
        }
    }

    /// The configuration of a scenario's switch.
    fn switch_config(scenario: &Scenario, name: &str, seed: u64) -> Result<SwitchConfig, SonicError> {
        let settings = scenario.switch_settings(name);
        let tm =
            settings.traffic_manager(&scenario.switch_ports(name), CPU_PORT, scenario.pause_end, seed)?;
        Ok(SwitchConfig { seed, ..SwitchConfig::new(tm) })
    }
}

/// Why a packet is lost if the program of a switch drops it at ingress; absent for PFC frames and polling packets.
fn loss_if_dropped(frame: &Frame) -> Option<LossReason> {
    if is_mac_control(frame) || is_poll(frame) {
        return None;
    }
    Some(if time_to_live(frame).is_some_and(|ttl| ttl <= 1) { LossReason::Ttl } else { LossReason::NoRoute })
}

/// The time to live or hop limit of an IP packet.
fn time_to_live(frame: &Frame) -> Option<u8> {
    let header = Ethernet::from_bytes(&frame.head)?;
    let offset = match header.ethertype {
        ETHERTYPE_IPV4 => IPV4_TTL,
        ETHERTYPE_IPV6 => IPV6_HOP_LIMIT,
        _ => return None,
    };
    frame.head.get(ETHERNET_BYTES + offset).copied()
}

/// Offsets of the time to live in an IPv4 header (RFC 791) and of the hop limit in an IPv6 header (RFC 8200).
const IPV4_TTL: usize = 8;
const IPV6_HOP_LIMIT: usize = 7;

/// The number of a NIC's only port.
const NIC_PORT: u16 = 1;

fn is_mac_control(frame: &Frame) -> bool {
    Ethernet::from_bytes(&frame.head).is_some_and(|header| header.ethertype == ETHERTYPE_MAC_CONTROL)
}
