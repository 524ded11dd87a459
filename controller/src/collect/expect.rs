//! Which switches should have been polled, according to the reports of the others.
//!
//! The rules are those of the switch program (`p4/hawkeye/polling.p4`): a polling packet on the victim's path continues
//! along that path, and a switch that follows pauses forwards the packet through every recently paused port that
//! receives traffic from the packet's ingress port. The reports and telemetry of the switches that were polled
//! therefore show which polling packets were lost, and at which ingress port of which switch they should have arrived.

use std::collections::{BTreeMap, BTreeSet};

use model::missing_data::Expected;
use model::telemetry::PauseInterval;
use model::wire::polling::Follow;
use model::{FlowKey, PortRef, SwitchTelemetry, Topology};

use super::open_event::{OpenEvent, Part};
use super::switch::Switch;

/// A switch that should have reported, and why.
pub(super) type Missing = (String, Expected);

/// A polling packet that should have arrived at a port of a switch, and that the switch has not reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct MissingPoll {
    pub(super) switch: String,
    pub(super) port: u16,
    pub(super) follow: Follow,
    /// The flow whose path it follows: the victim, or its ACKs on the reverse path.
    pub(super) flow: FlowKey,
    pub(super) why: Expected,
}

/// The reports and telemetry of an event.
pub(super) struct Known<'c> {
    pub(super) topology: &'c Topology,
    pub(super) event: &'c OpenEvent,
    /// Telemetry of the switches that were read, by name.
    pub(super) telemetry: &'c BTreeMap<String, SwitchTelemetry>,
    /// The switches that the controller is connected to.
    pub(super) switches: &'c BTreeMap<String, Switch>,
}

impl Known<'_> {
    /// Switches that should have reported and did not, ordered by name. Excludes the reverse path, which the verdict
    /// needs only when ACKs are delayed.
    pub(super) fn missing_switches(&self) -> Vec<Missing> {
        let victim = self.event.victim_flow();
        let polls = self.missing_polls().into_iter();
        let mut missing: Vec<Missing> = polls
            .filter(|poll| !self.event.parts.contains_key(&poll.switch))
            .filter(|poll| Some(poll.flow) == victim)
            .map(|poll| (poll.switch, poll.why))
            .collect();
        missing.sort();
        missing.dedup_by(|a, b| a.0 == b.0);
        missing
    }

    /// All polls that should have been reported and were not, ordered by switch and port.
    pub(super) fn missing_polls(&self) -> Vec<MissingPoll> {
        let Some(victim) = self.event.victim_flow() else { return Vec::new() };
        let mut missing: BTreeMap<(String, u16, bool), MissingPoll> = BTreeMap::new();
        let mut add = |at: &PortRef, follow: u8, is_reverse: bool, why: Expected| {
            let flow = if is_reverse { reverse(&victim) } else { victim };
            let fresh = MissingPoll {
                switch: at.switch.clone(),
                port: at.port,
                follow: Follow::Nothing,
                flow,
                why: why.clone(),
            };
            let known = missing.entry((at.switch.clone(), at.port, is_reverse)).or_insert(fresh);
            known.follow = Follow::from_bits(known.follow as u8 | follow);
            known.why = known.why.clone().min(why);
        };
        for at in path(self.topology, self.event, &victim, false) {
            if !self.event.parts.get(&at.switch).is_some_and(|part| part.on_victim_path) {
                add(&at, Follow::VictimPath as u8, false, Expected::OnVictimPath);
            }
        }
        for at in self.reverse_path(&victim) {
            if self.event.parts.get(&at.switch).is_none_or(|part| part.back_port.is_none()) {
                add(&at, Follow::VictimPath as u8, true, Expected::OnVictimPath);
            }
        }
        for (name, part) in &self.event.parts {
            for port in self.traced_ports(name, part) {
                let Some(peer) = self.topology.peer(&port) else { continue };
                let is_reported = |part: &Part| part.traced_from.contains(&peer.port);
                if !self.topology.is_host(&peer.switch)
                    && !self.event.parts.get(&peer.switch).is_some_and(is_reported)
                {
                    add(peer, Follow::Pauses as u8, false, Expected::Pauses(port));
                }
            }
        }
        missing.into_values().collect()
    }

    /// The path of the victim's ACKs; empty if no switch has reported a poll of the reverse path.
    fn reverse_path(&self, victim: &FlowKey) -> Vec<PortRef> {
        let is_polled = self.event.parts.values().any(|part| part.back_port.is_some());
        if is_polled { path(self.topology, self.event, &reverse(victim), true) } else { Vec::new() }
    }

    /// Ports of a switch through which a polling packet that follows pauses is forwarded.
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

/// The flow that carries the ACKs of `flow`, for routing: RoCEv2 ACKs have the same UDP destination port.
fn reverse(flow: &FlowKey) -> FlowKey {
    FlowKey { src: flow.dst, dst: flow.src, ..*flow }
}

/// Switches of the victim's path, from the source's switch on. Each switch follows from the egress port that the
/// previous one reported. If a report is missing and the route has several equal-cost next hops, the path continues at
/// one that reported.
pub(super) fn victim_path(topology: &Topology, event: &OpenEvent, victim: &FlowKey) -> Vec<String> {
    path(topology, event, victim, false).into_iter().map(|at| at.switch).collect()
}

/// The ingress ports of a flow at the switches of its path; `is_reverse`: the flow carries the victim's ACKs.
fn path(topology: &Topology, event: &OpenEvent, flow: &FlowKey, is_reverse: bool) -> Vec<PortRef> {
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
        let known = part.and_then(|part| if is_reverse { part.back_port } else { part.victim_port });
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
