//! Accounting: how much of a delay the recorded pauses and queues of a path can have caused.
//!
//! A verdict that names a queue of 10 us for a delay of 100 us names the wrong queue: the rest of the delay has a cause
//! that the records of this path do not show. So the pauses and queues that a slow packet can have met on its path are
//! added up, each at its maximum, and compared with the delay that the agent measured.

use model::snapshot::Source;
use model::{Anomaly, PortRef};

use super::signatures::{Caveat, Finding, explained_share as explained_by, path_change};
use crate::facts::gap::Gap;
use crate::facts::span::Span;
use crate::facts::view::PortIx;
use crate::facts::wording::duration;
use crate::graph::context::Context;
use crate::settings::Tuning;
use crate::thresholds as t;

/// Returns the longest delay that the pauses and queues of the victim's path can have caused while the slow packet was
/// in flight, relative to the delay that the agent measured. `None` where that is not known: without a measurement, if
/// a switch of the path did not report, or if records have no times.
pub(crate) fn explained_share(context: &Context<'_, '_>) -> Option<f64> {
    let (trigger, analysed) = (context.trigger?, context.analysed?);
    let is_incomplete = context.path.reported < context.path.switches || !context.path.missing.is_empty();
    if is_incomplete || context.view.source() == Source::HawkeyeNs3 {
        return None;
    }
    let extra_ns = trigger.excess_ns();
    let most_ns = most_of_path_ns(context, analysed);
    (extra_ns > 0).then(|| most_ns / extra_ns as f64)
}

/// Returns the longest delay that the recorded pauses and queues of the victim's path can have caused in `time`.
pub(crate) fn most_of_path_ns(context: &Context<'_, '_>, time: Span) -> f64 {
    context.path.ports.iter().map(|port| most_ns(context, *port, time)).sum()
}

/// Returns the longest delay at a port in `time`: for its pauses, and behind its deepest queue.
fn most_ns(context: &Context<'_, '_>, port: PortIx, time: Span) -> f64 {
    let view = context.view;
    let paused_ns: f64 = view.pause_spans(port).iter().map(|pause| pause.shared_ns(time)).sum();
    let mut deepest: f64 = 0.0;
    for record in view.flows(port) {
        let queued = record.queued_packets.unwrap_or(record.packets);
        let is_in_time = record.queued_ns.is_none_or(|(from, to)| Span::new(from, to).overlaps(time));
        if queued > 0 && is_in_time {
            deepest = deepest.max(record.depth_sum as f64 / queued as f64);
        }
    }
    paused_ns + context.settings.value(&t::PEAK) * deepest * view.packet_ns(port)
}

/// Returns the caveat of a finding about a lost packet or a changed path, if another port of the path had a queue or
/// pauses that can account for the delay as well: the packet would have been about as late without what happened at
/// `root`. The records do not show which of the two was the cause.
pub(crate) fn rival(context: &Context<'_, '_>, root: &PortRef) -> Option<Caveat> {
    let (trigger, analysed) = (context.trigger?, context.analysed?);
    if !context.settings.applies("accounting.rival") {
        return None;
    }
    let extra_ns = trigger.excess_ns();
    let others = context.path.ports.iter().filter(|port| context.view.port_ref(**port) != *root);
    let delays = others.map(|port| (most_ns(context, *port, analysed), *port));
    let (most_ns, port) = delays.max_by(|a, b| a.0.total_cmp(&b.0))?;
    let suffices = extra_ns > 0 && most_ns >= context.settings.value(&t::QUEUES_EXPLAIN) * extra_ns as f64;
    suffices.then(|| {
        let text = format!(
            "also recorded queues or pauses of {} that can account for up to {}: the records do not show which of the two delayed the packet",
            context.view.port_ref(port),
            duration(most_ns as u64)
        );
        let switch = context.view.switch_of(port).name;
        Caveat::new(context.settings.value(&t::RIVAL), Gap::of_switch(switch, text))
    })
}

/// Whether a finding explains the delay by a queue or by pauses alone, so that the accounting applies. Loops, storms and
/// logged events stop packets in other ways.
pub(crate) fn is_accounted(finding: &Finding) -> bool {
    let is_queue = matches!(
        finding.anomaly,
        Anomaly::FlowContention | Anomaly::SelfInflicted | Anomaly::PfcBackpressureFlowContention
    );
    is_queue && finding.pause_loop.is_empty() && finding.host.is_none()
}

/// Whether pauses and queues with this share of the delay explain it.
pub(crate) fn is_enough(context: &Context<'_, '_>, share: f64) -> bool {
    share >= context.settings.value(&t::LEAST_EXPLAINED)
}

/// Whether all of these findings explain the delay by queues or pauses.
pub(crate) fn are_queues(findings: &[Finding]) -> bool {
    !findings.is_empty() && findings.iter().all(is_accounted)
}

/// Which of several causes of a delay are named: the longest first, until those named explain [`t::QUEUES_EXPLAIN`] of what
/// all cause, and no small part of the longest.
pub(crate) fn are_named(settings: &Tuning, delays_ns: &[f64]) -> Vec<bool> {
    let mut order: Vec<usize> = (0..delays_ns.len()).collect();
    // Stable: of equal delays the first one.
    order.sort_by(|a, b| delays_ns[*b].total_cmp(&delays_ns[*a]));
    let all_ns: f64 = delays_ns.iter().sum();
    let least_ns = order.first().map_or(0.0, |at| delays_ns[*at]) * settings.branch_share;
    let mut are_named = vec![false; delays_ns.len()];
    let mut named_ns = 0.0;
    for (rank, at) in order.into_iter().enumerate() {
        let is_open = named_ns < settings.value(&t::QUEUES_EXPLAIN) * all_ns;
        if rank == 0 || is_open && delays_ns[at] >= least_ns {
            are_named[at] = true;
            named_ns += delays_ns[at];
        }
    }
    are_named
}

/// Returns the delay that the agent measured, in nanoseconds ([`model::Trigger::excess_ns`]); 0 without a measurement.
pub(crate) fn extra_ns(context: &Context<'_, '_>) -> f64 {
    context.trigger.map_or(0, |trigger| trigger.excess_ns()) as f64
}

/// Returns the delay that a finding is likely to have caused: a queue, behind the mean depth that the victim's packets met;
/// pauses, for as long as the ports of the path were paused; a detour, by how much it is longer.
pub(crate) fn likely_ns(context: &Context<'_, '_>, finding: &Finding) -> f64 {
    if finding.anomaly == Anomaly::PathChange {
        let longer_ns = path_change::detour_part(context).map(|(_, longer_ns)| longer_ns as f64);
        return longer_ns.unwrap_or_else(|| extra_ns(context));
    }
    let is_pause = match finding.anomaly {
        Anomaly::PfcBackpressureFlowContention => true,
        // Without the times of its pauses, a host accounts for the whole delay.
        Anomaly::PfcStormHostInjection => {
            finding.path.iter().any(|port| !context.view.pause_spans(*port).is_empty())
        }
        _ => false,
    };
    if !is_pause {
        return explained_by(context, finding) * extra_ns(context);
    }
    let Some(analysed) = context.analysed else { return 0.0 };
    let spans = |port: &PortIx| context.view.pause_spans(*port).iter();
    let paused = context.path.ports.iter().flat_map(spans).map(|pause| pause.shared_ns(analysed));
    let share = finding.path.last().and_then(|end| context.shares.get(context.vertex(*end)?)).copied();
    paused.sum::<f64>() * share.unwrap_or(1.0)
}

/// Whether these findings blame queues and pauses that cannot have caused the delay.
pub(crate) fn leaves_most(context: &Context<'_, '_>, findings: &[Finding]) -> bool {
    !findings.is_empty()
        && findings.iter().all(is_accounted)
        && context.settings.applies("accounting")
        && explained_share(context).is_some_and(|share| !is_enough(context, share))
}

/// Returns the finding that the records do not show what delays the victim, because its queues and pauses explain too
/// little.
pub(crate) fn unexplained(context: &Context<'_, '_>) -> Option<Finding> {
    let trigger = context.trigger?;
    let share = explained_share(context)?;
    let extra_ns = trigger.excess_ns();
    let text = format!(
        "the recorded queues and pauses of the path account for at most {} of the {} of delay",
        duration((share * extra_ns as f64) as u64),
        duration(extra_ns)
    );
    Some(Finding {
        anomaly: Anomaly::Undetermined,
        root: None,
        path: Vec::new(),
        pause_loop: Vec::new(),
        host: None,
        contention: None,
        when: context.analysed,
        caveats: vec![Caveat::new(context.settings.value(&t::UNEXPLAINED), text)],
    })
}
