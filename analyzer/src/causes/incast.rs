//! Incast: several senders send to one receiver at the same time.

use std::collections::BTreeSet;

use model::{Cause, FlowKey};

use super::{Case, Judged, host_names};

/// Minimum number of senders of an incast at any port.
const SENDERS: usize = 3;
/// Flows to other receivers may contribute if each has less than this share of the largest excess.
const SMALL_PART: f64 = 0.25;

pub(super) fn judge(case: &Case<'_, '_, '_>) -> Option<Judged> {
    let contention = case.finding.contention.as_ref()?;
    let excess = |flow: &FlowKey| contention.part(*flow).map_or(0.0, |part| part.excess);
    let largest = case.culprits.iter().map(excess).fold(0.0, f64::max);
    let is_main = |flow: &&FlowKey| excess(flow) >= SMALL_PART * largest;
    let receiver = case.culprits.iter().find(is_main)?.dst;
    if case.culprits.iter().filter(is_main).any(|flow| flow.dst != receiver) {
        return None;
    }
    let flows: Vec<&FlowKey> = case.culprits.iter().filter(|flow| flow.dst == receiver).collect();
    let senders: BTreeSet<_> = flows.iter().map(|flow| flow.src).collect();
    let last_hop = {
        let index = case.context.view.index;
        let peer = case.context.view.topo(contention.port).and_then(|p| index.peer(p));
        peer.is_some_and(|p| index.host_of(receiver) == Some(p.node))
    };
    // Two senders are an incast at the receiver's own port, and a collision at any port before it.
    if senders.len() < SENDERS && !(senders.len() == 2 && last_hop) {
        return None;
    }
    let to = host_names(case, std::iter::once(receiver));
    let from = host_names(case, flows.iter().map(|flow| flow.src));
    Some(Judged {
        cause: Cause::Incast,
        factor: 1.0,
        because: format!("an incast of {} flows from {from} to {to} congests that port", flows.len()),
        advice: vec![
            format!("spread the start times of the senders to {to}, or limit how many send at once"),
            "let congestion control act before PFC: set the ECN marking thresholds of the root port's switch below its XOFF threshold".to_string(),
        ],
        config: Vec::new(),
    })
}
