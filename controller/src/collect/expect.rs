//! Which questions should have been answered, by what is known.
//!
//! Two rules, those of the polling packet itself (`p4/hawkeye/polling.p4`): the victim's path goes on from every switch on it,
//! and from a switch that followed pauses the question goes on through every recently paused port that a port it came by
//! feeds. What the switches that did report say about both is enough to notice a question that got lost, and by which
//! port of which switch it should have come.

use std::collections::{BTreeMap, BTreeSet};

use model::missing_data::Expected;
use model::telemetry::PauseInterval;
use model::wire::polling::Follow;
use model::{FlowKey, PortRef, SwitchTelemetry, Topology};

use super::event::{Event, Part};
use super::switch::Switch;

/// A switch that should have reported, and why.
pub(super) type Missing = (String, Expected);

/// A question that should have come to a switch by a port, and that the switch has not answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Unanswered {
    pub(super) switch: String,
    pub(super) port: u16,
    pub(super) follow: Follow,
    /// The flow whose path it follows: the victim, or what answers it.
    pub(super) flow: FlowKey,
    pub(super) why: Expected,
}

/// What is known about an event when it is asked what is missing.
pub(super) struct Known<'c> {
    pub(super) topology: &'c Topology,
    pub(super) event: &'c Event,
    /// What the switches that were read brought, by name.
    pub(super) telemetry: &'c BTreeMap<String, SwitchTelemetry>,
    /// The switches that are under control.
    pub(super) switches: &'c BTreeMap<String, Switch>,
}

impl Known<'_> {
    /// Switches that should have reported and did not, ordered by name. Those of the way back are not among them: the
    /// verdict needs them only where answers are late.
    pub(super) fn missing_switches(&self) -> Vec<Missing> {
        let victim = self.event.asked_flow();
        let open = self.unanswered().into_iter();
        let mut missing: Vec<Missing> = open
            .filter(|question| !self.event.parts.contains_key(&question.switch))
            .filter(|question| Some(question.flow) == victim)
            .map(|question| (question.switch, question.why))
            .collect();
        missing.sort();
        missing.dedup_by(|a, b| a.0 == b.0);
        missing
    }

    /// Every question that should have been answered and was not, ordered by switch and port.
    pub(super) fn unanswered(&self) -> Vec<Unanswered> {
        let Some(victim) = self.event.asked_flow() else { return Vec::new() };
        let mut open: BTreeMap<(String, u16, bool), Unanswered> = BTreeMap::new();
        let mut add = |at: &PortRef, follow: u8, is_back: bool, why: Expected| {
            let flow = if is_back { backwards(&victim) } else { victim };
            let fresh = Unanswered {
                switch: at.switch.clone(),
                port: at.port,
                follow: Follow::Nothing,
                flow,
                why: why.clone(),
            };
            let known = open.entry((at.switch.clone(), at.port, is_back)).or_insert(fresh);
            known.follow = Follow::from_bits(known.follow as u8 | follow);
            known.why = known.why.clone().min(why);
        };
        for at in path(self.topology, self.event, &victim, false) {
            if !self.event.parts.get(&at.switch).is_some_and(|part| part.on_victim_path) {
                add(&at, Follow::VictimPath as u8, false, Expected::OnVictimPath);
            }
        }
        for at in self.way_back(&victim) {
            if self.event.parts.get(&at.switch).is_none_or(|part| part.back_port.is_none()) {
                add(&at, Follow::VictimPath as u8, true, Expected::OnVictimPath);
            }
        }
        for (name, part) in &self.event.parts {
            for port in self.traced_ports(name, part) {
                let Some(peer) = self.topology.peer(&port) else { continue };
                let is_answered = |part: &Part| part.traced_from.contains(&peer.port);
                if !self.topology.is_host(&peer.switch)
                    && !self.event.parts.get(&peer.switch).is_some_and(is_answered)
                {
                    add(peer, Follow::Pauses as u8, false, Expected::Pauses(port));
                }
            }
        }
        open.into_values().collect()
    }

    /// The way of what answers the victim; empty while no switch has reported to be asked about it.
    fn way_back(&self, victim: &FlowKey) -> Vec<PortRef> {
        let is_asked = self.event.parts.values().any(|part| part.back_port.is_some());
        if is_asked { path(self.topology, self.event, &backwards(victim), true) } else { Vec::new() }
    }

    /// Ports of a switch through which a question about pauses goes on.
    fn traced_ports(&self, name: &str, part: &Part) -> Vec<PortRef> {
        let (Some(telemetry), Some(switch)) = (self.telemetry.get(name), self.switches.get(name)) else {
            return Vec::new();
        };
        let priority = part.priority.or(self.event.priority);
        let newest = telemetry.frozen_ns >> switch.layout.epoch_shift;
        let is_recent = |pause: &PauseInterval| {
            pause.end_ns.is_none_or(|end_ns| {
                newest.saturating_sub(end_ns >> switch.layout.epoch_shift) < switch.layout.epochs
            })
        };
        let paused: BTreeSet<u16> = telemetry
            .pauses
            .iter()
            .filter(|pause| priority.is_none_or(|priority| pause.priority == priority) && is_recent(pause))
            .map(|pause| pause.port)
            .collect();
        let is_fed = |port: u16| {
            telemetry.meters.iter().any(|meter| {
                meter.egress_port == port && part.traced_from.contains(&meter.ingress_port) && meter.bytes > 0
            })
        };
        let on_path = |port: u16| part.victim_port == Some(port) || part.back_port == Some(port);
        paused
            .into_iter()
            .filter(|port| on_path(*port) || is_fed(*port))
            .map(|port| PortRef::new(name, port))
            .collect()
    }
}

/// The flow that carries answers to `flow`, as far as routing is concerned: RoCEv2 answers go to the same port.
fn backwards(flow: &FlowKey) -> FlowKey {
    FlowKey { src: flow.dst, dst: flow.src, ..*flow }
}

/// Switches of the victim's path: from the source's switch on, each by the port that the one before it reported.
/// Where a switch is missing its successor is unknown if it has several equal ones; one that reported is taken then.
pub(super) fn victim_path(topology: &Topology, event: &Event, victim: &FlowKey) -> Vec<String> {
    path(topology, event, victim, false).into_iter().map(|at| at.switch).collect()
}

/// The ports by which a flow comes into the switches of its path; `is_back`: it carries the answers to the victim.
fn path(topology: &Topology, event: &Event, flow: &FlowKey, is_back: bool) -> Vec<PortRef> {
    let Some(source) = topology.host_of(flow.src) else { return Vec::new() };
    let next_hops = topology.host_of(flow.dst).map(|host| topology.next_hops(&host.name)).unwrap_or_default();
    let is_reported = |at: &&&PortRef| event.parts.get(&at.switch).is_some_and(|p| !p.report_lost);
    let pick = |candidates: Vec<&PortRef>| -> Option<PortRef> {
        let switches: Vec<&PortRef> =
            candidates.into_iter().filter(|at| !topology.is_host(&at.switch)).collect();
        match (switches.iter().find(is_reported), switches.as_slice()) {
            (Some(at), _) => Some((*at).clone()),
            (None, [only]) => Some((*only).clone()),
            (None, _) => None,
        }
    };

    let mut path: Vec<PortRef> = Vec::new();
    let mut next = pick(topology.ports_of(&source.name).into_iter().map(|(_, peer)| peer).collect());
    while let Some(at) = next {
        if path.iter().any(|known| known.switch == at.switch) {
            break;
        }
        let part = event.parts.get(&at.switch);
        let known = part.and_then(|part| if is_back { part.back_port } else { part.victim_port });
        let ports = match known {
            Some(port) => vec![port],
            None => next_hops.get(at.switch.as_str()).cloned().unwrap_or_default(),
        };
        let leaves = |port: &u16| topology.peer(&PortRef::new(&at.switch, *port));
        next = pick(ports.iter().filter_map(leaves).collect());
        path.push(at);
    }
    path
}
