//! Actors: everything that can be taken out of a run.

use std::collections::BTreeSet;
use std::fmt;
use std::net::IpAddr;

use model::diagnosis::Record;
use model::{Anomaly, Cause, Diagnosis, FlowKey, LossReason, PortRef};
use scenario::{Scenario, place_of};

use crate::GroundTruth;

/// Something that may delay a victim, and that a run can be repeated without.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Actor {
    /// The victim's own packets: without them, it has one packet outstanding at a time and cannot queue behind itself.
    Victim,
    /// Another flow.
    Flow(FlowKey),
    /// The faults and receive limits of a host.
    Host(String),
    /// A setting of a switch, by the identifier of a finding about it.
    Setting(String),
    /// The losses and outages of the link at this port.
    Link(PortRef),
    /// The static routes of a switch.
    Routes(String),
}

impl Actor {
    /// Returns the address of the sender of a flow.
    pub(super) fn sender(&self) -> Option<IpAddr> {
        match self {
            Actor::Flow(flow) => Some(flow.src),
            _ => None,
        }
    }
}

impl fmt::Display for Actor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Actor::Victim => f.write_str("the victim itself"),
            Actor::Flow(flow) => write!(f, "{flow}"),
            Actor::Host(host) => write!(f, "host {host}"),
            Actor::Setting(id) => write!(f, "setting {id}"),
            Actor::Link(port) => write!(f, "the link at {port}"),
            Actor::Routes(switch) => write!(f, "the routes of {switch}"),
        }
    }
}

/// What a verdict claims about guilt.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Claim {
    /// These actors delayed the victim.
    Accused(BTreeSet<Actor>),
    /// Nothing in the fabric and no other flow delayed the victim.
    FabricIsClean,
    /// A port is congested; who congests it is not said.
    PlaceOnly,
    /// Nothing.
    Silent,
}

/// Returns what a verdict claims.
pub fn claim(verdict: &Diagnosis, scenario: &Scenario) -> Claim {
    let root = &verdict.root_cause;
    let mut accused: BTreeSet<Actor> = root.config.iter().map(|id| setting(id)).collect();
    // That a job wants more than its link carries accuses no actor.
    let is_accused = |_: &&String| verdict.cause != Cause::LegitimatelyNetworkBound;
    accused.extend(root.host.iter().filter(is_accused).cloned().map(Actor::Host));
    for flow in &root.flows {
        accused.insert(if Some(*flow) == verdict.victim { Actor::Victim } else { Actor::Flow(*flow) });
    }
    match verdict.anomaly {
        Anomaly::Undetermined => return Claim::Silent,
        Anomaly::HostOnly if accused.is_empty() => return Claim::FabricIsClean,
        Anomaly::SelfInflicted => {
            accused.insert(Actor::Victim);
        }
        // Traffic fills a buffer; whose, the verdict leaves open.
        Anomaly::PacketLoss if accused.is_empty() && is_full_buffer(verdict) => {}
        Anomaly::PacketLoss | Anomaly::PathChange if accused.is_empty() => {
            accused.extend(root.port.iter().flat_map(|port| of_place(port, scenario)));
        }
        Anomaly::RoutingLoop if accused.is_empty() => {
            let ports = verdict.pause_loop.iter().chain(&verdict.pause_path).chain(&root.port);
            accused.extend(ports.map(|port| Actor::Routes(port.switch.clone())));
        }
        _ => {}
    }
    match (accused.is_empty(), &root.port) {
        (false, _) => Claim::Accused(accused),
        (true, Some(_)) => Claim::PlaceOnly,
        (true, None) => Claim::Silent,
    }
}

/// Whether a verdict cites losses, and all of them for lack of buffer.
fn is_full_buffer(verdict: &Diagnosis) -> bool {
    let records = verdict.evidence.iter().flat_map(|evidence| &evidence.records);
    let mut reasons = records.filter_map(|record| match record {
        Record::Loss(loss) => Some(loss.reason),
        _ => None,
    });
    let is_buffer = |reason| matches!(reason, LossReason::Headroom | LossReason::Lossy);
    reasons.next().is_some_and(is_buffer) && reasons.all(is_buffer)
}

/// Returns the accused actors of a verdict in its order: host, settings, then flows, largest contribution first.
pub fn ranked(verdict: &Diagnosis, scenario: &Scenario) -> Vec<Actor> {
    let Claim::Accused(mut left) = claim(verdict, scenario) else { return Vec::new() };
    let root = &verdict.root_cause;
    let of_flow =
        |flow: &FlowKey| if Some(*flow) == verdict.victim { Actor::Victim } else { Actor::Flow(*flow) };
    let hosts = root.host.iter().cloned().map(Actor::Host);
    let stated = hosts.chain(root.config.iter().map(|id| setting(id))).chain(root.flows.iter().map(of_flow));
    let mut ranked: Vec<Actor> = stated.filter(|actor| left.remove(actor)).collect();
    ranked.extend(left);
    ranked
}

/// What a verdict about a loss or a path means by a port: the link there, if anything happened to it; else the routes of
/// the switch, if it has any of its own. A port without either stands for its link, whose removal changes nothing.
fn of_place(port: &PortRef, scenario: &Scenario) -> Vec<Actor> {
    let links = &scenario.topology.links;
    let at = links.iter().position(|link| link.a == *port || link.b == *port);
    let is_disturbed = at.is_some_and(|at| {
        scenario.loss_ppt.contains_key(&at)
            || scenario.routing.failures.iter().any(|failure| failure.link == at)
    });
    let has_routes = scenario.routing.routes.iter().any(|timed| timed.route.switch == port.switch);
    if has_routes && !is_disturbed {
        return vec![Actor::Routes(port.switch.clone())];
    }
    at.map(|at| Actor::Link(links[at].a.clone())).into_iter().collect()
}

/// Findings about one setting are one actor: its identifier names the switch and the setting.
fn setting(id: &str) -> Actor {
    match place_of(id) {
        Some((_, model::Setting::Route)) | None => {}
        Some((switch, setting)) => return Actor::Setting(format!("{switch}/{}", setting.name())),
    }
    match place_of(id) {
        Some((switch, _)) => Actor::Routes(switch.to_string()),
        None => Actor::Setting(id.to_string()),
    }
}

/// The actors of an intended event, from the root cause that the ground truth of its scenario states.
pub fn of_truth(truth: &GroundTruth) -> BTreeSet<Actor> {
    let root = &truth.root_cause;
    let mut actors: BTreeSet<Actor> = root.config.iter().map(|id| setting(id)).collect();
    actors.extend(root.host.iter().cloned().map(Actor::Host));
    actors.extend(root.flows.iter().chain(&truth.minor).copied().map(Actor::Flow));
    actors.extend(truth.phases.iter().flat_map(|phase| &phase.flows).copied().map(Actor::Flow));
    if truth.anomaly == Some(Anomaly::RoutingLoop) {
        actors.extend(truth.pause_loop.iter().map(|port| Actor::Routes(port.switch.clone())));
    }
    actors
}
