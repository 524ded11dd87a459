//! Causes: what refines an anomaly. One file for each cause; the first one that matches is used.
//!
//! To add a cause, add a file and a line in [`JUDGES`], specific causes before general ones.

mod collective_step;
mod ecmp_imbalance;
mod elephant_collision;
mod incast;
mod low_rate_attack;
pub(crate) mod misconfiguration;
pub(crate) mod network;
mod nic_storm;
mod other_class;
mod own_queue;
mod slow_receiver;
mod undetermined;

use model::diagnosis::AdviceTarget;
use model::{Anomaly, Cause, FlowKey};

use crate::facts::topology_index::NodeId;
use crate::facts::view::PortIx;
use crate::facts::wording::{enumerate, flow_name, flow_names};
use crate::findings::signatures::Finding;
use crate::findings::signatures::deadlock::unsettled_ns;
use crate::graph::context::Context;

/// The input of every cause.
pub(crate) struct Case<'c, 's, 'a> {
    pub(crate) context: &'c Context<'s, 'a>,
    pub(crate) finding: &'c Finding,
    pub(crate) culprits: &'c [FlowKey],
}

impl Case<'_, '_, '_> {
    /// The time that the verdict refers to: the agent's trigger, else the end of the event, else the last freeze.
    pub(crate) fn time_ns(&self) -> u64 {
        match (self.context.trigger, self.finding.when) {
            (Some(trigger), _) => trigger.time_ns,
            (None, Some(when)) => when.to,
            (None, None) => self.context.view.read_ns(),
        }
    }
}

/// A cause and its text.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) cause: Cause,
    /// Factor of the confidence, 0 to 1.
    pub(crate) factor: f64,
    /// The clause that ends the summary; `that port` in it is the root port.
    pub(crate) because: String,
    /// What the operator can do.
    pub(crate) advice: Vec<String>,
    /// Identifiers of the configuration findings that explain it.
    pub(crate) config: Vec<String>,
}

type Judge = fn(&Case<'_, '_, '_>) -> Option<Judged>;

const JUDGES: [(&str, Judge); 10] = [
    ("causes.other_class", other_class::judge),
    ("causes.misconfiguration", misconfiguration::judge),
    ("causes.own_queue", own_queue::judge),
    ("causes.low_rate_attack", low_rate_attack::judge),
    ("causes.collective_step", collective_step::judge),
    ("causes.incast", incast::judge),
    ("causes.ecmp_imbalance", ecmp_imbalance::judge),
    ("causes.elephant_collision", elephant_collision::judge),
    ("causes.slow_receiver", slow_receiver::judge),
    ("causes.nic_storm", nic_storm::judge),
];

pub(crate) fn judge(case: &Case<'_, '_, '_>) -> Judged {
    let applies = |rule: &str| case.context.settings.applies(rule);
    let mut judged = JUDGES
        .iter()
        .filter(|(name, _)| applies(name))
        .find_map(|(_, judge)| judge(case))
        .or_else(|| applies("causes.network").then(|| network::judge(case)).flatten())
        .unwrap_or_else(|| undetermined::judge(case));
    if judged.advice.is_empty() {
        judged.advice.push(undetermined::advice(case));
    }
    // Losses of a lossless class are worse than any delay.
    judged.advice.splice(0..0, misconfiguration::risk_advice(case));
    if let Some(first) = break_the_loop(case) {
        judged.advice.insert(0, first);
    }
    judged
}

/// A deadlock lasts even when its cause is gone, so the first advice is how to end it.
fn break_the_loop(case: &Case<'_, '_, '_>) -> Option<String> {
    let port = looped_port(case)?;
    let first = match unsettled_ns(case.context, &case.finding.pause_loop) {
        Some(_) => "if the loop still stands, break it first",
        None => "break the loop first",
    };
    Some(format!(
        "{first}: reset one of its ports, for example {}, or let the PFC watchdog flush it; then remove the route that closes the loop",
        case.context.view.port_ref(port)
    ))
}

/// The first port of a deadlock's loop.
fn looped_port(case: &Case<'_, '_, '_>) -> Option<PortIx> {
    let is_deadlock = matches!(
        case.finding.anomaly,
        Anomaly::DeadlockInLoopContention
            | Anomaly::DeadlockOutOfLoopContention
            | Anomaly::DeadlockOutOfLoopInjection
    );
    case.finding.pause_loop.first().copied().filter(|_| is_deadlock)
}

/// What the first advice of [`judge`] changes, if it is not the root port.
pub(crate) fn advice_target(case: &Case<'_, '_, '_>, judged: &Judged) -> Option<AdviceTarget> {
    if let Some(port) = looped_port(case) {
        return Some(AdviceTarget::Port { port: case.context.view.port_ref(port) });
    }
    let risks = misconfiguration::risks(case);
    let first = risks.first().map(|finding| &finding.id).or(judged.config.first());
    first.map(|id| AdviceTarget::Finding { id: id.clone() })
}

/// Whether an equal-cost path of a flow avoids the root port. If not, no ECMP hash moves the flow away from it. A flow
/// that uses a port on no shortest path follows a route of its own, which no hash changes either.
pub(crate) fn has_other_path(case: &Case<'_, '_, '_>, flow: FlowKey) -> bool {
    let index = case.context.view.index;
    let (Some(source), Some(destination)) = (index.host_of(flow.src), index.host_of(flow.dst)) else {
        return false;
    };
    let mut reached: Vec<NodeId> =
        index.ports_of(source).iter().map(|port| index.info(port.peer).node).collect();
    let (mut crosses_root, mut arrives) = (false, false);
    let mut at = 0;
    while let Some(node) = reached.get(at).copied() {
        at += 1;
        arrives |= node == destination;
        if index.is_host(node) {
            continue;
        }
        for number in index.next_hops(index.name(node), destination) {
            let Some(port) = index.port(node, *number) else { continue };
            let is_root = case.finding.root.as_ref() == Some(&index.port_ref(port));
            crosses_root |= is_root;
            let Some(peer) = index.peer(port).filter(|_| !is_root) else { continue };
            if !reached.contains(&peer.node) {
                reached.push(peer.node);
            }
        }
    }
    crosses_root && arrives
}

/// A flow with the names of its hosts first.
pub(crate) fn named(case: &Case<'_, '_, '_>, flow: FlowKey) -> String {
    flow_name(case.context.view.index, flow)
}

/// The culprits, with the names of their hosts first.
fn culprit_names(case: &Case<'_, '_, '_>) -> String {
    flow_names(case.context.view.index, case.culprits)
}

/// Lists the hosts of some addresses by name, without duplicates; an unknown address is listed as it is.
pub(crate) fn host_names(
    case: &Case<'_, '_, '_>,
    addresses: impl Iterator<Item = std::net::IpAddr>,
) -> String {
    let index = case.context.view.index;
    let mut names: Vec<String> = Vec::new();
    for address in addresses {
        let name = index.host_of(address).map_or_else(|| address.to_string(), |h| index.name(h).to_string());
        if !names.contains(&name) {
            names.push(name);
        }
    }
    enumerate(&names)
}
