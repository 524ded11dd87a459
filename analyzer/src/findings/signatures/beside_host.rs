//! A queue beside the pauses of a host: the host holds its port for a part of the delay only, and for the rest the packets
//! wait for each other at that port. Both are causes, each with its share.
//!
//! A packet that waits at a port does so while the port is paused, and while others are sent before it. So the pauses of
//! the port while the slow packet was in flight are what the host accounts for, whatever their share of a longer time is.

use model::Anomaly;

use super::Finding;
use super::path_change::slow_span;
use crate::facts::queue_episode::{Bounds, QueueScope};
use crate::facts::view::PortIx;
use crate::findings::accounting;
use crate::findings::contention::contention;
use crate::graph::context::Context;

/// Adds the queue at the port that a host pauses to each finding about such a host, if it accounts for a substantial part of
/// the delay; a host that accounts for next to nothing of it is dropped.
pub(super) fn add(context: &Context<'_, '_>, findings: Vec<Finding>) -> Vec<Finding> {
    if !context.settings.applies("signatures.beside_host") {
        return findings;
    }
    findings.into_iter().flat_map(|finding| with_queue(context, finding)).collect()
}

fn with_queue(context: &Context<'_, '_>, finding: Finding) -> Vec<Finding> {
    let Some(share) = paused_share(context, &finding) else { return vec![finding] };
    let [host, rest] = are_named(context, share);
    let Some(queue) = rest.then(|| queue(context, &finding)).flatten() else { return vec![finding] };
    match (host, share < 0.5) {
        (false, _) => vec![queue],
        (true, true) => vec![queue, finding],
        (true, false) => vec![finding, queue],
    }
}

/// Whether the pauses of a host that are this share of a delay are named, and whether the rest is.
fn are_named(context: &Context<'_, '_>, share: f64) -> [bool; 2] {
    let are_named = accounting::are_named(context.settings, &[share, 1.0 - share]);
    [are_named.first() == Some(&true), are_named.get(1) == Some(&true)]
}

/// Returns the share of the delay for which the host of a finding paused its port, 0 to 1; `None` if that is not known, or if
/// the pauses are a part of a loop.
fn paused_share(context: &Context<'_, '_>, finding: &Finding) -> Option<f64> {
    let is_host = finding.anomaly == Anomaly::PfcStormHostInjection && finding.pause_loop.is_empty();
    let port = *finding.path.last().filter(|_| is_host)?;
    let slow = slow_span(context.trigger?);
    let pauses = context.view.pause_spans(port);
    let extra_ns = accounting::extra_ns(context);
    if pauses.is_empty() || extra_ns <= 0.0 {
        return None;
    }
    let paused_ns: f64 = pauses.iter().map(|pause| pause.shared_ns(slow)).sum();
    Some((paused_ns / extra_ns).min(1.0))
}

/// Returns the finding about the queue at the port of a finding about a host, if it is attributed to flows.
fn queue(context: &Context<'_, '_>, finding: &Finding) -> Option<Finding> {
    let port = *finding.path.last()?;
    let end = context.vertex(port)?;
    let path: Vec<_> = finding.path.iter().filter_map(|port| context.vertex(*port)).collect();
    let paused_upstream = context.paused_upstream_of(&path, end);
    let waiting_upstream = context.waiting_upstream_of(end);
    // The queue that the slow packet met may have been recorded as one that began with the pauses.
    let found = [context.analysed, context.graph.when[end]].into_iter().find_map(|near| {
        let scope = QueueScope {
            victim: context.victim,
            paused_upstream: &paused_upstream,
            waiting_upstream: &waiting_upstream,
            near,
            ahead: None,
            bounds: Bounds::default(),
        };
        let found = contention(context.view, context.settings, port, scope)?;
        // A queue that the victim cannot have made waits there for the host alone.
        (found.is_attributed() && !found.is_of_unknown_others()).then_some(found)
    })?;
    let anomaly = match finding.path.len() {
        _ if found.self_made => Anomaly::SelfInflicted,
        0 | 1 => Anomaly::FlowContention,
        _ => Anomaly::PfcBackpressureFlowContention,
    };
    Some(Finding {
        anomaly,
        root: Some(context.view.port_ref(port)),
        path: if finding.path.len() > 1 { finding.path.clone() } else { Vec::new() },
        pause_loop: Vec::new(),
        host: None,
        when: found.when.or(finding.when),
        contention: Some(found),
        caveats: finding.caveats.clone(),
    })
}

/// Returns the share of a finding in what a host's pauses and the queue there cause at one port; 1 for others.
pub(super) fn part(context: &Context<'_, '_>, finding: &Finding, all: &[&Finding]) -> f64 {
    let is_beside =
        |other: &&&Finding| other.root == finding.root && other.host.is_some() != finding.host.is_some();
    let Some(other) = all.iter().find(is_beside) else { return 1.0 };
    match (paused_share(context, finding), paused_share(context, other)) {
        (Some(share), _) => share,
        (None, Some(share)) => 1.0 - share,
        (None, None) => 1.0,
    }
}

/// Whether one of the findings is about a host, and another one about the queue at its port.
pub(super) fn are_beside(all: &[&Finding]) -> bool {
    all.iter().any(|host| {
        host.anomaly == Anomaly::PfcStormHostInjection
            && all
                .iter()
                .any(|queue| queue.host.is_none() && queue.contention.is_some() && queue.root == host.root)
    })
}

/// Returns the port of a finding: the end of its pause path, or that of its queue.
pub(super) fn port(finding: &Finding) -> Option<PortIx> {
    finding.path.last().copied().or_else(|| finding.contention.as_ref().map(|queue| queue.port))
}
