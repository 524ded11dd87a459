//! Queues beside pauses: pauses that account for less than half of a delay do not explain it if a queue at another port of the
//! victim's path accounts for more.

use std::collections::BTreeSet;

use model::Anomaly;

use super::path_change::slow_span;
use super::{Finding, contention};
use crate::facts::view::PortIx;
use crate::findings::accounting;
use crate::graph::context::Context;
use crate::thresholds as t;

/// Adds the queues of other ports of the victim's path to findings about pauses that explain little of the delay, and drops the
/// pauses if they are a small part of it beside those queues.
pub(super) fn add(context: &Context<'_, '_>, findings: Vec<Finding>) -> Vec<Finding> {
    let applies = context.settings.applies("signatures.beside_pauses");
    if !applies || !findings.iter().all(is_pause) {
        return findings;
    }
    let Some(share) = paused_share(context) else { return findings };
    if share >= context.settings.value(&t::LEAST_EXPLAINED) {
        return findings;
    }
    // The queue of a paused port is that of its pauses, unless these are a small part of the delay.
    let is_small =
        share < context.settings.branch_share && context.settings.applies("beside_pauses.same_port");
    let paused = findings.iter().filter(|_| !is_small).flat_map(|finding| &finding.path);
    let known: BTreeSet<PortIx> = paused.copied().collect();
    let mut queues = contention::find(context);
    queues.retain(|queue| queue.contention.as_ref().is_some_and(|found| !known.contains(&found.port)));
    let mut shares = vec![share];
    shares.extend(queues.iter().map(|queue| super::explained_share(context, queue)));
    let are_named = accounting::are_named(context.settings, &shares);
    let mut named: Vec<Finding> =
        queues.into_iter().zip(&are_named[1..]).filter(|(_, is_named)| **is_named).map(|(q, _)| q).collect();
    if named.is_empty() || are_named[0] {
        named.extend(findings);
    }
    named
}

/// Returns the share of the delay for which the ports of the victim's path were paused while the slow packet was in flight, 0 to
/// 1; `None` without a measurement, or if the times of the pauses are not known.
fn paused_share(context: &Context<'_, '_>) -> Option<f64> {
    let (slow, extra_ns) = (slow_span(context.trigger?), accounting::extra_ns(context));
    let pauses = || context.path.ports.iter().flat_map(|port| context.view.pause_spans(*port));
    if extra_ns <= 0.0 || pauses().next().is_none() {
        return None;
    }
    Some((pauses().map(|pause| pause.shared_ns(slow)).sum::<f64>() / extra_ns).min(1.0))
}

/// Whether a finding explains a delay by pauses, which are no loop.
fn is_pause(finding: &Finding) -> bool {
    let is_pause =
        matches!(finding.anomaly, Anomaly::PfcBackpressureFlowContention | Anomaly::PfcStormHostInjection);
    is_pause && finding.pause_loop.is_empty()
}

/// Whether some of the findings are about pauses, and some about queues at other ports.
pub(super) fn are_mixed(all: &[&Finding]) -> bool {
    let is_queue = |finding: &&&Finding| finding.anomaly == Anomaly::FlowContention;
    all.iter().any(|finding| is_pause(finding)) && all.iter().any(|finding| is_queue(&finding))
}
