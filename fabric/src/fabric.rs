//! The simulator: nodes, links and the loop that lets them act in order.

use std::collections::BTreeMap;

use model::wire::{ETHERTYPE_MAC_CONTROL, Ethernet, Frame};
use model::{LossRecord, PortRef, Time};
use p4_switch::tm::{DropReason as QueueDrop, WatchdogAction};
use p4_switch::{DropReason, Event as SwitchEvent, Switch, SwitchConfig};
use scenario::topology::CPU_PORT;
use scenario::{Random, Scenario, SonicError};

use crate::agent::{HostAgent, Question};
use crate::event::{Event, EventQueue};
use crate::fault::Fault;
use crate::fault_injection::{RandomLoss, is_poll};
use crate::flow::{ReceiveState, SendState};
use crate::link::{End, InFlight, Link};
use crate::losses::Losses;
use crate::nic::{Nic, Outgoing};
use crate::record::{BooksError, Counters, LosslessDrops, PauseRecord, SwitchNotice, WatchdogRecord};
use crate::switching::FabricSwitch;
use crate::truth::PacketLog;

/// A switch and where its ports lead.
#[derive(Debug)]
pub(crate) struct SwitchNode<S> {
    pub(crate) name: String,
    pub(crate) switch: S,
    /// Directed link by port number.
    pub(crate) out: Vec<Option<u32>>,
    /// Time of the earliest scheduled wake-up.
    pub(crate) wake_at: Option<Time>,
}

/// The agent of a host, if it has one.
#[derive(Default)]
pub(crate) struct AgentSlot {
    pub(crate) agent: Option<Box<dyn HostAgent>>,
    /// Time of the earliest scheduled wake-up.
    pub(crate) wake_at: Option<Time>,
}

/// A network in virtual time. `S` is how switches are held, see [`FabricSwitch`].
pub struct Fabric<S = Switch> {
    pub(crate) now: Time,
    pub(crate) queue: EventQueue,
    pub(crate) links: Vec<Link>,
    pub(crate) switches: Vec<SwitchNode<S>>,
    pub(crate) hosts: Vec<Nic>,
    pub(crate) agents: Vec<AgentSlot>,
    /// Sending ends, one a flow.
    pub(crate) senders: Vec<SendState>,
    /// Receiving ends, one a flow.
    pub(crate) receivers: Vec<ReceiveState>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) random: Random,
    pub(crate) pauses: Vec<PauseRecord>,
    pub(crate) counters: Counters,
    pub(crate) watchdogs: Vec<WatchdogRecord>,
    /// By switch, ingress port, priority, egress port and reason.
    losses: BTreeMap<(u32, u16, u8, u16, QueueDrop), LosslessDrops>,
    lost: Losses,
    notices: Vec<SwitchNotice>,
    pub(crate) triggers: Vec<Question>,
    /// Questions about the way back that are under way, each with the host that asks it; places are used again.
    pub(crate) asked_back: Vec<Option<(u32, Frame)>>,
    /// Room for events of one switch, kept to avoid allocation.
    scratch: Vec<SwitchEvent>,
    pub(crate) names: BTreeMap<String, NodeIndex>,
    /// What happens to every packet, where the truth of the run is wanted.
    pub(crate) log: Option<Box<PacketLog>>,
    /// Sees every frame.
    pub(crate) tap: Option<Box<dyn Tap>>,
    /// What loses polling packets, where an evaluation wants that.
    pub(crate) lost_polls: Option<RandomLoss>,
    /// Nothing new starts after that.
    pub(crate) stop: Time,
}

/// Sees every frame that starts onto a wire. Directed link 2n leads from end `a` of the topology's link n to end `b`,
/// 2n + 1 back.
pub trait Tap: Send {
    /// A frame starts onto a directed link.
    fn frame(&mut self, now: Time, link: u32, frame: &Frame);
}

/// Where a node is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NodeIndex {
    Switch(u32),
    Host(u32),
}

impl<S: FabricSwitch> Fabric<S> {
    /// An empty fabric; [`crate::build`] fills it.
    pub(crate) fn empty(seed: u64) -> Fabric<S> {
        Fabric {
            now: Time::ZERO,
            queue: EventQueue::default(),
            links: Vec::new(),
            switches: Vec::new(),
            hosts: Vec::new(),
            agents: Vec::new(),
            senders: Vec::new(),
            receivers: Vec::new(),
            faults: Vec::new(),
            random: Random::new(seed, u64::MAX),
            pauses: Vec::new(),
            counters: Counters::default(),
            watchdogs: Vec::new(),
            losses: BTreeMap::new(),
            lost: Losses::default(),
            notices: Vec::new(),
            triggers: Vec::new(),
            asked_back: Vec::new(),
            scratch: Vec::new(),
            names: BTreeMap::new(),
            log: None,
            tap: None,
            lost_polls: None,
            stop: Time::MAX,
        }
    }

    /// Shows every frame from now on to `tap`.
    pub fn set_tap(&mut self, tap: Box<dyn Tap>) {
        self.tap = Some(tap);
    }

    /// Keeps from now on what happens to every packet, so that the truth of the run can be told.
    pub fn keep_log(&mut self) {
        self.log = Some(Box::default());
    }

    /// The time up to which everything has happened.
    pub fn now(&self) -> Time {
        self.now
    }

    /// Time of the next event; absent when nothing will ever happen again.
    pub fn next_time(&self) -> Option<Time> {
        self.queue.next_time()
    }

    /// Lets the next event happen. False when there is none.
    pub fn step(&mut self) -> bool {
        let Some((at, event)) = self.queue.pop() else {
            return false;
        };
        self.now = at;
        self.counters.events += 1;
        match event {
            Event::Arrive { link } => self.arrive(link),
            Event::WireFree { link } => self.transmit(link),
            Event::SwitchWake { switch } => self.wake_switch(switch),
            Event::NicWake { host } => self.wake_nic(host),
            Event::NicProcessed { host } => self.nic_processed(host),
            Event::NicRefresh { host, priority } => self.nic_refresh(host, priority),
            Event::NicWatchdog { host } => self.nic_watchdog(host),
            Event::FlowStart { flow } => self.start_flow(flow),
            Event::Retransmit { flow } => self.check_progress(flow),
            Event::Fault { fault } => self.fault(fault),
            Event::AgentWake { host } => self.agent_wake(host),
            Event::AskBack { question } => self.ask_back(question),
            Event::Outage { link, up } => self.links[link as usize].switch_over(at, up),
        }
        true
    }

    /// Lets everything happen that is due up to and including `until`, and advances the time to it.
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
            self.queue.push_at(next.slot, Event::Arrive { link: index });
        }
        if link.loses(slot.at) || link.loss_ppt > 0 && self.random.chance_ppt(link.loss_ppt) {
            link.lost_frames += 1;
            return;
        }
        if let Some(losing) = self.lost_polls.as_mut().filter(|_| is_poll(&frame))
            && losing.next()
        {
            link.lost_frames += 1;
            return;
        }
        link.arrived_frames += 1;
        if !is_mac_control(&frame) {
            self.counters.packet_hops += 1;
        }
        match link.to {
            End::Host { host } => self.host_receive(host, frame),
            End::Switch { switch, port } => {
                let now = self.now;
                if let Some(log) = &mut self.log {
                    log.arrived(now, switch, port, &frame);
                }
                self.switches[switch as usize].switch.receive(now, port, frame);
                self.settle_switch(switch);
                if let Some(log) = &mut self.log {
                    log.settled();
                }
            }
        }
    }

    /// A link has become free: its near end sends the next frame.
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
        self.queue.push(free_at, Event::WireFree { link: index });
        let slot = self.queue.reserve(free_at + link.delay);
        if link.in_flight.is_empty() {
            self.queue.push_at(slot, Event::Arrive { link: index });
        }
        link.in_flight.push_back(InFlight { slot, frame });
    }

    fn nics_next_frame(&mut self, host: u32) -> Option<Frame> {
        let nic = &mut self.hosts[host as usize];
        let Some(Outgoing { frame, woken }) = nic.next_frame(self.now, &mut self.senders) else {
            if let Some(at) = nic.next_chance(self.now, &self.senders)
                && nic.wake_at.is_none_or(|scheduled| at < scheduled)
            {
                nic.wake_at = Some(at);
                self.queue.push(at, Event::NicWake { host });
            }
            return None;
        };
        if let Some(flow) = woken {
            self.tell_sent(host, flow);
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

    /// Takes a switch's events, lets its ready ports send and schedules its next wake-up.
    pub(crate) fn settle_switch(&mut self, index: u32) {
        let mut events = std::mem::take(&mut self.scratch);
        loop {
            self.switches[index as usize].switch.drain_events(&mut events);
            if events.is_empty() {
                break;
            }
            // A port that sends may make another one ready, hence the loop.
            for event in events.drain(..) {
                self.switch_event(index, event);
            }
        }
        self.scratch = events;
        let node = &mut self.switches[index as usize];
        if let Some(at) = node.switch.next_wake() {
            let at = at.max(self.now);
            if node.wake_at.is_none_or(|scheduled| at < scheduled) {
                node.wake_at = Some(at);
                self.queue.push(at, Event::SwitchWake { switch: index });
            }
        }
    }

    fn switch_event(&mut self, index: u32, event: SwitchEvent) {
        match event {
            SwitchEvent::PortReady(port) => {
                let out = self.switches[index as usize].out.get(usize::from(port)).copied().flatten();
                if let Some(link) = out {
                    self.kick(link);
                }
            }
            SwitchEvent::PauseReceived { port, priority, quanta, .. } => {
                self.record_pause(NodeIndex::Switch(index), port, priority, quanta > 0);
            }
            SwitchEvent::PauseExpired { port, priority, .. } => {
                self.record_pause(NodeIndex::Switch(index), port, priority, false);
            }
            SwitchEvent::PauseSent { port, quanta, refresh, .. } => {
                if let Some(log) = self.log.as_mut().filter(|_| quanta > 0 && !refresh) {
                    log.pause_sent(self.now, index, port);
                }
                let counter =
                    if quanta > 0 { &mut self.counters.pauses_sent } else { &mut self.counters.resumes_sent };
                *counter += 1;
            }
            // Flow control frames and polling packets end where the program has used them.
            SwitchEvent::Dropped { reason: DropReason::Ingress | DropReason::Egress, .. } => {
                if let Some(log) = &mut self.log {
                    log.dropped(index);
                }
                self.counters.ended_by_program += 1;
            }
            SwitchEvent::Dropped { bytes, reason, ingress_port, egress_port, priority, stored, .. } => {
                match (&mut self.log, egress_port) {
                    (Some(log), Some(egress_port)) if stored => {
                        log.thrown_out(self.now, index, (ingress_port, egress_port), bytes);
                    }
                    (Some(log), _) => log.dropped(index),
                    (None, _) => {}
                }
                self.counters.dropped_packets += 1;
                self.counters.dropped_bytes += bytes;
                *self.counters.drops.entry(format!("{reason:?}")).or_default() += 1;
                if let (DropReason::Queue(reason), Some(egress_port), Some(priority)) =
                    (reason, egress_port, priority)
                {
                    let switch = (index, self.switches[index as usize].name.as_str());
                    self.lost.count(self.now, switch, (ingress_port, egress_port), priority, reason);
                }
            }
            SwitchEvent::LosslessDrop {
                at, ingress_port, egress_port, priority, reason, profile, ..
            } => {
                self.counters.lossless_drops += 1;
                let switch = &self.switches[index as usize].name;
                let loss = self
                    .losses
                    .entry((index, ingress_port, priority, egress_port, reason))
                    .or_insert_with(|| LosslessDrops {
                        first: at,
                        last: at,
                        ingress: PortRef::new(switch.clone(), ingress_port),
                        egress: PortRef::new(switch.clone(), egress_port),
                        priority,
                        reason: format!("{reason:?}"),
                        profile,
                        packets: 0,
                    });
                loss.last = at;
                loss.packets += 1;
            }
            SwitchEvent::WatchdogFired { at, port, priority, action } => {
                self.record_watchdog(index, at, port, priority, Some(action));
            }
            SwitchEvent::WatchdogRestored { at, port, priority } => {
                self.record_watchdog(index, at, port, priority, None);
            }
            other => self.notices.push(SwitchNotice { at: self.now, switch: index, event: other }),
        }
    }

    /// Makes a link that may be idle look for something to send.
    pub(crate) fn kick(&mut self, link: u32) {
        let now = self.now;
        let wire = &self.links[link as usize];
        if wire.busy_until > now {
            // The end of the frame on the wire is scheduled and will look.
            return;
        }
        let frame = match wire.from {
            End::Host { host } => self.nics_next_frame(host),
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

    fn record_watchdog(
        &mut self,
        switch: u32,
        at: Time,
        port: u16,
        priority: u8,
        action: Option<WatchdogAction>,
    ) {
        let port = PortRef::new(self.switches[switch as usize].name.clone(), port);
        self.watchdogs.push(WatchdogRecord { at, port, priority, action: action.map(Into::into) });
    }

    pub(crate) fn record_pause(&mut self, node: NodeIndex, port: u16, priority: u8, on: bool) {
        let name = match node {
            NodeIndex::Switch(index) => &self.switches[index as usize].name,
            NodeIndex::Host(index) => &self.hosts[index as usize].name,
        };
        self.pauses.push(PauseRecord { at: self.now, port: PortRef::new(name.clone(), port), priority, on });
    }

    /// Looks at every switch for something to send or report: to be called after a switch was changed from
    /// outside.
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

    /// Bytes that every switch port has put on its wire, flow control included, in the order of switches and ports.
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

    /// Whether switches or agents have something for the controller.
    pub fn has_notices(&self) -> bool {
        !self.notices.is_empty() || !self.triggers.is_empty()
    }

    /// What switches have for their controller (digests, packets, timeouts, logs) since the last call.
    pub fn take_notices(&mut self) -> Vec<SwitchNotice> {
        std::mem::take(&mut self.notices)
    }

    /// Questions that agents have sent into the network since the last call: the controller learns why.
    pub fn take_triggers(&mut self) -> Vec<Question> {
        std::mem::take(&mut self.triggers)
    }

    /// Gives a host an agent in place of the one it has; it learns of flows that start from now on. False when
    /// there is no such host.
    pub fn set_agent(&mut self, host: &str, agent: Box<dyn HostAgent>) -> bool {
        let Some(NodeIndex::Host(index)) = self.names.get(host).copied() else {
            return false;
        };
        self.agents[index as usize] = AgentSlot { agent: Some(agent), wake_at: None };
        true
    }

    /// Nobody watches any more.
    pub(crate) fn dismiss_agents(&mut self) {
        self.agents.iter_mut().for_each(|slot| slot.agent = None);
    }

    /// Whether nothing is left that this scenario set going: all flows have come to their end, all faults are over, and
    /// no agent has anything more to ask.
    pub fn is_through(&self) -> bool {
        let is_idle = |slot: &AgentSlot| slot.agent.as_ref().is_none_or(|agent| agent.next_wake().is_none());
        self.all_finished()
            && self.faults.iter().all(|fault| fault.end <= self.now)
            && self.agents.iter().all(is_idle)
    }

    /// Pauses and resumes that nodes have received, in order of time.
    pub fn pauses(&self) -> &[PauseRecord] {
        &self.pauses
    }

    /// What watchdogs of switches and NICs have done, in order of time.
    pub fn watchdogs(&self) -> &[WatchdogRecord] {
        &self.watchdogs
    }

    /// Where packets of lossless classes were lost, each place and reason once.
    pub fn lossless_drops(&self) -> impl Iterator<Item = &LosslessDrops> {
        self.losses.values()
    }

    /// What the memory management of switches has lost, each place and reason once.
    pub fn losses(&self) -> impl Iterator<Item = &LossRecord> {
        self.lost.iter()
    }

    /// Checks that nothing was lost between the books: in every switch, ingress totals equal egress totals equal
    /// the bytes in its memory; on the wires, what was sent has arrived, was lost or is on its way.
    pub fn check_books(&self) -> Result<(), BooksError> {
        for node in &self.switches {
            let audit = node.switch.audit();
            audit.map_err(|error| BooksError::Switch { switch: node.name.clone(), error })?;
        }
        let (sent, arrived, lost, flying) = self.frame_balance();
        match sent == arrived + lost + flying {
            true => Ok(()),
            false => Err(BooksError::Wires { sent, arrived, lost, flying }),
        }
    }

    /// What the fabric has counted.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Frames on all wires: handed over, arrived, lost, in flight. The first is the sum of the others.
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
    pub(crate) fn schedule_start(&mut self) {
        let starts = |flow: &SendState| flow.waits_for == 0 && flow.start <= self.stop;
        for (index, flow) in self.senders.iter().enumerate().filter(|(_, flow)| starts(flow)) {
            self.queue.push(flow.start, Event::FlowStart { flow: index as u32 });
        }
        for (index, fault) in self.faults.iter().enumerate().filter(|(_, fault)| fault.start <= self.stop) {
            self.queue.push(fault.start, Event::Fault { fault: index as u32 });
        }
    }

    /// The settings of a switch that has these ports in a scenario.
    pub(crate) fn switch_config(
        scenario: &Scenario,
        name: &str,
        seed: u64,
    ) -> Result<SwitchConfig, SonicError> {
        let settings = scenario.switch_settings(name);
        let tm =
            settings.traffic_manager(&scenario.switch_ports(name), CPU_PORT, scenario.pause_end, seed)?;
        Ok(SwitchConfig { seed, ..SwitchConfig::new(tm) })
    }
}

fn is_mac_control(frame: &Frame) -> bool {
    Ethernet::from_bytes(&frame.head).is_some_and(|header| header.ethertype == ETHERTYPE_MAC_CONTROL)
}
