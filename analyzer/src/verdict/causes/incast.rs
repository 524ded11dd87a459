//! Incast: several senders send to one receiver at the same time.

use std::collections::BTreeSet;
use std::net::IpAddr;

use model::{Cause, FlowKey};

use super::{Case, Judged, host_names};
use crate::findings::contention::Contention;
use crate::thresholds as t;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    let excess = |flow: &FlowKey| contention.part(*flow).map_or(0.0, |part| part.excess);
    let largest = case.culprits.iter().map(excess).fold(0.0, f64::max);
    let is_main = |flow: &&FlowKey| excess(flow) >= case.context.settings.value(&t::SMALL_PART) * largest;
    let receiver = case.culprits.iter().find(is_main)?.dst;
    if case.culprits.iter().filter(is_main).any(|flow| flow.dst != receiver) {
        return None;
    }
    let flows: Vec<&FlowKey> = case.culprits.iter().filter(|flow| flow.dst == receiver).collect();
    let senders: BTreeSet<_> = flows.iter().map(|flow| flow.src).collect();
    if senders.len() < case.context.settings.count(&t::SENDERS)
        && !(senders.len() == 2 && is_bottleneck(case, receiver, contention))
    {
        return None;
    }
    let to = host_names(case, std::iter::once(receiver));
    let from = host_names(case, flows.iter().map(|flow| flow.src));
    Some(Judged {
        cause: Cause::Incast,
        factor: 1.0,
        because: format!("an incast of {} flows from {from} to {to} congests that port", flows.len()),
        advice: advice(case, &to),
        config: Vec::new(),
    })
}

fn advice(case: &Case<'_, '_, '_>, to: &str) -> Vec<String> {
    let mut advice =
        vec![format!("spread the start times of the senders to {to}, or limit how many send at once")];
    if !case.finding.path.is_empty() {
        advice.push("let congestion control act before PFC: set the ECN marking thresholds of the root port's switch below its XOFF threshold".to_string());
    }
    advice
}

/// Whether the receiver's link is no faster than the root port: then two senders overload the receiver, wherever their
/// flows meet first. Otherwise they collide at the root port only.
fn is_bottleneck(case: &Case<'_, '_, '_>, receiver: IpAddr, contention: &Contention) -> bool {
    let (view, index) = (case.context.view, case.context.view.index);
    let Some(host) = index.host_of(receiver) else { return false };
    let of_receiver = index.ports_of(host).iter().map(|port| port.rate.0).max();
    let of_root = view.topo(contention.port).map(|port| index.info(port).rate.0);
    of_receiver.zip(of_root).is_some_and(|(receiver, root)| receiver <= root)
}
