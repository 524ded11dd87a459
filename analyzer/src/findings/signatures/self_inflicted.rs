//! `self_inflicted`: the victim's own packets are the queue that delays it. Its path leads into a slower link, or its
//! window exceeds what the path holds; other flows of the queue are too small to have made it.

use model::Anomaly;
use model::snapshot::Source;

use super::{Caveat, Finding, common_caveats};
use crate::facts::gap::Gap;
use crate::facts::queue_episode::{Bounds, QueueScope};
use crate::facts::span::Span;
use crate::findings::contention::{Contention, contention};
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::thresholds as t;

/// The pause path ends at an unpaused port whose queue is the victim's own: it causes the pauses that stop it.
pub(super) fn find(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    let end = *pause_path.path.last()?;
    let contention = queue_of_the_victim(context, pause_path)?;
    Some(Finding {
        anomaly: Anomaly::SelfInflicted,
        root: Some(context.view.port_ref(contention.port)),
        path: context.ports(&pause_path.path),
        pause_loop: Vec::new(),
        host: None,
        when: contention.when.or(context.graph.when[end]),
        contention: Some(contention),
        caveats: common_caveats(context, pause_path),
    })
}

/// Returns the queue at the end of a path, if the victim alone made it.
pub(super) fn queue_of_the_victim(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Contention> {
    let end = *pause_path.path.last()?;
    let port = context.graph.port(end)?;
    let victim = context.victim?;
    let at_end =
        pause_path.path.len() > 1 && pause_path.pause_loop.is_empty() && context.graph.edges(end).is_empty();
    // The prototype records the depth of the input queue, which does not describe this port.
    if !at_end || context.view.source() == Source::HawkeyeNs3 {
        return None;
    }
    // The victim crosses few of the ports at which pauses end, so this check comes first.
    let when = context.graph.when[end];
    let queued = context.view.records_of(port, victim).into_iter().any(|r| {
        let in_time = when.is_none_or(|w| r.queued_ns.is_none_or(|(a, b)| Span::new(a, b).overlaps(w)));
        r.queued_packets != Some(0) && r.depth_sum > 0 && in_time
    });
    if !queued {
        return None;
    }
    let paused_upstream = context.paused_upstream_of(&pause_path.path, end);
    let waiting_upstream = context.waiting_upstream_of(end);
    let scope = QueueScope {
        victim: context.victim,
        paused_upstream: &paused_upstream,
        waiting_upstream: &waiting_upstream,
        near: when,
        ahead: None,
        bounds: Bounds::default(),
    };
    contention(context.view, context.settings, port, scope).filter(|found| found.self_made)
}

/// Returns the finding without culprits if it is about a queue that the victim cannot have made and no other class explains: the
/// records do not show what else the port sent.
pub(crate) fn without_culprits_if_of_others(context: &Context<'_, '_>, finding: Finding) -> Finding {
    let Some(queue) = finding.contention.as_ref().filter(|queue| queue.is_of_unknown_others()) else {
        return finding;
    };
    let port = context.view.port_ref(queue.port);
    let missing = format!(
        "does not record what {port} sent while the victim's packets were queued there, which arrive no faster than it sends"
    );
    let gap = Gap::of_switch(&port.switch, missing);
    let mut open = Finding { anomaly: Anomaly::PfcBackpressureFlowContention, contention: None, ..finding };
    open.caveats.push(Caveat::new(context.settings.value(&t::PORT_ONLY), gap));
    open
}
