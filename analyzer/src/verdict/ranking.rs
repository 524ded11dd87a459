//! Derives culprits, spreaders, victims and the confidence from a finding.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use model::{Anomaly, FlowKey};

use super::confidence;
use crate::facts::view::{PortIx, saturating};
use crate::findings::signatures::Finding;
use crate::graph::context::Context;

/// The flows of a verdict, by role.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub(crate) victim: FlowKey,
    /// Largest contribution first.
    pub(crate) culprits: Vec<FlowKey>,
    pub(crate) spreaders: Vec<FlowKey>,
    /// [`Ranked::victim`] first.
    pub(crate) victims: Vec<FlowKey>,
    pub(crate) confidence: f64,
}

/// Assigns the roles; `None` if no flow is delayed.
pub(crate) fn rank(context: &Context<'_, '_>, finding: &Finding) -> Option<Ranked> {
    let mut culprits: Vec<FlowKey> =
        finding.contention.iter().flat_map(|c| c.contributors()).map(|part| part.flow).collect();
    let paused = paused_flows(context, finding);
    let victim = match context.victim {
        Some(victim) => victim,
        None => most_affected(context, finding, &paused, &culprits)?,
    };
    if finding.anomaly == Anomaly::SelfInflicted {
        culprits = vec![victim];
    } else if context.victim.is_none() {
        culprits.retain(|f| *f != victim);
    }
    let spreaders: Vec<FlowKey> =
        spreaders(context, finding).into_iter().filter(|f| *f != victim && !culprits.contains(f)).collect();
    let mut others: Vec<FlowKey> = paused.into_keys().chain(delayed(context, finding)).collect();
    others.sort_unstable();
    others.dedup();
    let is_large_spreader = |flow: &FlowKey| spreaders.contains(flow) && is_as_large(finding, *flow);
    others.retain(|f| *f != victim && !culprits.contains(f) && !is_large_spreader(f));
    let victims = std::iter::once(victim).chain(others).collect();
    let confidence = confidence::of_records(context, finding);
    Some(Ranked { victim, culprits, spreaders, victims, confidence })
}

/// Whether a flow that does not contribute has at least the excess of the smallest contributor: it is paused on its way
/// to the root port, so the records do not show that it built the queue, but it is no bystander either.
pub(crate) fn is_as_large(finding: &Finding, flow: FlowKey) -> bool {
    let Some(queue) = finding.contention.as_ref().filter(|queue| queue.changed) else { return false };
    let smallest = queue.contributors().map(|part| part.excess).fold(f64::INFINITY, f64::min);
    queue.part(flow).is_some_and(|part| !part.contributes && part.excess >= smallest)
}

fn crossed<'f>(finding: &'f Finding) -> impl Iterator<Item = PortIx> + 'f {
    finding.path.iter().chain(&finding.pause_loop).copied()
}

/// Flows with paused packets at the ports that the pause crossed, each with the number of these packets.
fn paused_flows(context: &Context<'_, '_>, finding: &Finding) -> BTreeMap<FlowKey, u64> {
    let mut paused: BTreeMap<FlowKey, u64> = BTreeMap::new();
    for port in crossed(finding) {
        let when = context.when(port);
        for f in context.view.flows(port) {
            if f.paused_packets > 0 && context.view.flow_in(port, f, when) {
                let sum = paused.entry(f.flow).or_default();
                *sum = sum.saturating_add(f.paused_packets);
            }
        }
    }
    paused
}

/// Flows that were queued at the root port because of the contributors.
fn delayed(context: &Context<'_, '_>, finding: &Finding) -> Vec<FlowKey> {
    let parts = finding.contention.iter().flat_map(|c| &c.flows);
    parts
        .filter(|p| !p.contributes && -p.weight >= context.settings.min_wait_packets)
        .map(|p| p.flow)
        .collect()
}

/// Spreaders: flows that were paused at one port of the pause path and have packets at the next.
fn spreaders(context: &Context<'_, '_>, finding: &Finding) -> Vec<FlowKey> {
    let mut found = Vec::new();
    let around = finding.pause_loop.iter().zip(finding.pause_loop.iter().cycle().skip(1));
    for (from, to) in finding.path.iter().zip(finding.path.iter().skip(1)).chain(around) {
        let (at_from, at_to) = (context.when(*from), context.when(*to));
        let paused = context.paused_flows(*from, at_from);
        found.extend(paused.into_iter().filter(|f| context.passes(*to, *f, at_to)));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// Selects the victim of an incident without one: the most affected flow that is not a culprit. Flows that do not
/// cross the root port come first, by paused packets; then flows that are queued at the root port.
fn most_affected(
    context: &Context<'_, '_>,
    finding: &Finding,
    paused: &BTreeMap<FlowKey, u64>,
    culprits: &[FlowKey],
) -> Option<FlowKey> {
    let at_root = |flow: FlowKey| finding.contention.as_ref().and_then(|c| c.part(flow));
    let most_paused = paused
        .iter()
        .filter(|(flow, _)| !culprits.contains(flow))
        .max_by_key(|(flow, packets)| (at_root(**flow).is_none(), **packets, Reverse(**flow)));
    if let Some((flow, _)) = most_paused {
        return Some(*flow);
    }
    let parts = || finding.contention.iter().flat_map(|c| &c.flows);
    let waiting = parts().filter(|p| !p.contributes && p.weight < 0.0);
    if let Some(part) = waiting.min_by(|a, b| a.weight.total_cmp(&b.weight).then(a.flow.cmp(&b.flow))) {
        return Some(part.flow);
    }
    // If all flows are contributors, they delay each other, and the smallest of at least two is affected most.
    if culprits.len() > 1 {
        return culprits.last().copied();
    }
    // Flows behind a paused port without packets that were counted as paused.
    let port = *finding.path.last()?;
    let flows = context.view.flows(port).iter();
    flows.filter(|f| !culprits.contains(&f.flow)).map(|f| f.flow).min()
}

/// Returns flows in the order of their packets that were counted as paused over the ports that the pause crossed.
pub(crate) fn most_paused_first(
    context: &Context<'_, '_>,
    finding: &Finding,
    flows: &[FlowKey],
) -> Vec<FlowKey> {
    let mut ordered = flows.to_vec();
    ordered.sort_by_cached_key(|flow| (Reverse(paused_packets_of(context, finding, *flow)), *flow));
    ordered
}

/// Packets of `flow` that were counted as paused over the ports that the pause crossed.
pub(crate) fn paused_packets_of(context: &Context<'_, '_>, finding: &Finding, flow: FlowKey) -> u64 {
    saturating(crossed(finding).flat_map(|port| {
        let when = context.when(port);
        let records = context.view.flows(port).iter();
        records
            .filter(move |f| f.flow == flow && context.view.flow_in(port, f, when))
            .map(|f| f.paused_packets)
            .collect::<Vec<u64>>()
    }))
}
