//! Signatures: which anomaly the end of a pause path, or the victim's path without pauses, shows.
//!
//! Source: Hawkeye, SIGCOMM 2025, section "diagnosis": the table of anomalies over the port graph. One file for each
//! anomaly. A signature reads the analysis context (and one pause path) and returns a finding or `None`; the first
//! signature that matches a path decides. To add an anomaly, add a file and a line here.

mod arrived;
mod backpressure;
mod beside_host;
mod beside_pauses;
pub(crate) mod class_contention;
mod contention;
pub(crate) mod deadlock;
mod deadlock_period;
mod expired;
mod flushed;
pub(crate) mod host_only;
mod moving_loop;
pub(crate) mod packet_loss;
pub(crate) mod path_change;
mod routing_loop;
pub(crate) mod self_inflicted;
mod slow_operation;
mod storm;
mod unknown_end;
mod untimed_loop;

use model::{Anomaly, PortRef};

use crate::facts::gap::Gap;
use crate::facts::span::Span;
use crate::facts::topology_index::NodeId;
use crate::facts::view::PortIx;
use crate::findings::accounting;
use crate::findings::contention::Contention;
use crate::graph::context::Context;
use crate::graph::pause_paths::PausePath;
use crate::thresholds as t;

/// The match of a signature.
#[derive(Clone, Debug)]
pub(crate) struct Finding {
    pub(crate) anomaly: Anomaly,
    /// The root port, if known.
    pub(crate) root: Option<PortRef>,
    /// Ports of the pause path that have telemetry; the root port is last if it is one of them.
    pub(crate) path: Vec<PortIx>,
    pub(crate) pause_loop: Vec<PortIx>,
    pub(crate) host: Option<NodeId>,
    pub(crate) contention: Option<Contention>,
    pub(crate) when: Option<Span>,
    pub(crate) caveats: Vec<Caveat>,
}

/// A reason for lower confidence.
#[derive(Clone, Debug)]
pub(crate) struct Caveat {
    /// Factor on the confidence, 0 to 1.
    pub(crate) factor: f64,
    /// The data that is missing, for people.
    pub(crate) missing: Option<Gap>,
}

impl Caveat {
    pub(crate) fn new(factor: f64, missing: impl Into<Gap>) -> Caveat {
        Caveat { factor, missing: Some(missing.into()) }
    }
}

type OnPausePath = fn(&Context<'_, '_>, &PausePath) -> Option<Finding>;

/// Signatures of a pause path; the first match decides.
const ON_PAUSE_PATH: [(&str, OnPausePath); 6] = [
    ("signatures.deadlock", deadlock::find),
    ("signatures.storm", storm::find),
    ("signatures.backpressure", backpressure::find),
    ("signatures.self_inflicted", self_inflicted::find),
    ("signatures.moving_loop", moving_loop::find),
    ("signatures.unknown_end", unknown_end::find),
];

/// Returns all findings, the best explanation first.
pub(crate) fn find(context: &Context<'_, '_>) -> Vec<Finding> {
    // Looping packets fill queues and cause pauses, so a forwarding loop explains everything else.
    let applies = |rule: &str| context.settings.applies(rule);
    if applies("signatures.routing_loop")
        && let Some(found) = routing_loop::find(context)
    {
        return vec![found];
    }
    // Its packets were not delayed, whatever queues and pauses the path had.
    if context.is_about_operation() {
        return host_only::find(context).into_iter().collect();
    }
    if context.victim.is_none() {
        let mut findings: Vec<Finding> =
            context.pause_paths.iter().filter_map(|t| on_pause_path(context, t)).filter(is_named).collect();
        findings.extend(contention::everywhere(context, &findings));
        return findings;
    }
    // What switches log is certain; other queues and pauses are small, or its consequences.
    let changed = applies("signatures.path_change").then(|| path_change::find(context)).flatten();
    if let Some((finding, true)) = changed {
        return vec![finding];
    }
    let mut findings = queues_and_pauses(context);
    if findings.is_empty() {
        let changed = changed.map(|(finding, _)| finding);
        let other = || {
            let lost = applies("signatures.packet_loss").then(|| packet_loss::find(context)).flatten();
            let host_only = || applies("signatures.host_only").then(|| host_only::find(context)).flatten();
            lost.or_else(host_only)
        };
        findings.extend(changed.or_else(other));
    }
    findings
}

/// Returns the pauses and queues of the victim's path that may delay it, the best explanation first.
pub(crate) fn queues_and_pauses(context: &Context<'_, '_>) -> Vec<Finding> {
    let applies = |rule: &str| context.settings.applies(rule);
    let mut findings = on_pause_paths(context);
    // A path whose end is not identified is reported only if no other path explains the pause; a queue in which no
    // flow exceeds its previous rate, only if no rate changed elsewhere.
    if !applies("signatures.named_first") {
        // Every path is reported.
    } else if findings.iter().any(is_named) {
        findings.retain(is_named);
    } else {
        findings.truncate(1);
    }
    if applies("signatures.one_per_loop") {
        one_per_loop(&mut findings);
    }
    if applies("signatures.after_deadlock") {
        drop_pauses_after_deadlock(context, &mut findings);
    }
    if applies("signatures.long_standing") && findings.iter().any(|f| !is_long_standing(f)) {
        findings.retain(|f| !is_long_standing(f));
    }
    let findings = beside_host::add(context, findings);
    // Pauses of another time explain a slow packet only if nothing at its own time does.
    if context.aligned && !findings.is_empty() {
        return beside_pauses::add(context, findings);
    }
    let queues = if applies("signatures.contention") { contention::find(context) } else { Vec::new() };
    if let Some(longest) = queues.first() {
        let leaves_most = explained_share(context, longest) < context.settings.value(&t::LOSS_QUEUE_SHARE);
        if !leaves_most
            || !applies("signatures.packet_loss")
            || !packet_loss::is_independent_of_queues(context)
        {
            return queues;
        }
    }
    findings
}

/// The share of the additional round-trip time that a queue accounts for.
pub(crate) fn explained_share(context: &Context<'_, '_>, finding: &Finding) -> f64 {
    let (Some(trigger), Some(queue)) = (context.trigger, &finding.contention) else { return 1.0 };
    let extra_ns = trigger.excess_ns().max(1) as f64;
    let depth = context.victim.and_then(|victim| queue.part(victim)).map_or(queue.depth, |part| part.depth);
    depth * context.view.packet_ns(queue.port) / extra_ns
}

/// Returns the share of each finding in the delay that they explain together, 0 to 1: of queues by their delays, which
/// add up, and of detours by how much longer they are; of pauses by the ends of the pause paths. Absent for a single finding,
/// and where the parts are not comparable.
pub(crate) fn shares<'f>(
    context: &Context<'_, '_>,
    findings: impl Iterator<Item = &'f Finding>,
) -> Vec<Option<f64>> {
    let all: Vec<&Finding> = findings.collect();
    let are_beside = beside_host::are_beside(&all);
    let are_mixed = !are_beside && beside_pauses::are_mixed(&all);
    let part = |finding: &Finding| match finding.anomaly {
        _ if are_beside => {
            let end = context.vertex(beside_host::port(finding)?)?;
            Some((false, context.shares.get(end)? * beside_host::part(context, finding, &all)))
        }
        _ if are_mixed => {
            let extra_ns = accounting::extra_ns(context).max(1.0);
            Some((true, accounting::likely_ns(context, finding) / extra_ns))
        }
        Anomaly::FlowContention if context.trigger.is_some() => {
            Some((true, explained_share(context, finding)))
        }
        Anomaly::PathChange => {
            let extra_ns = accounting::extra_ns(context).max(1.0);
            Some((true, accounting::likely_ns(context, finding) / extra_ns))
        }
        Anomaly::PfcBackpressureFlowContention | Anomaly::PfcStormHostInjection => {
            let end = context.vertex(*finding.path.last()?)?;
            Some((false, *context.shares.get(end)?))
        }
        _ => None,
    };
    let parts: Vec<Option<(bool, f64)>> = all.iter().map(|finding| part(finding)).collect();
    let known: Option<Vec<(bool, f64)>> = parts.iter().copied().collect();
    let known = known.filter(|known| known.len() > 1 && known.windows(2).all(|pair| pair[0].0 == pair[1].0));
    let all = known.iter().flatten().map(|(_, part)| part).sum::<f64>();
    match known.filter(|_| all > 0.0) {
        Some(known) => known.into_iter().map(|(_, part)| Some(part / all)).collect(),
        None => vec![None; parts.len()],
    }
}

/// A flow that is blocked by a deadlock does not reach the ports behind it: a pause elsewhere on its path that paused
/// none of its packets did not slow it down.
fn drop_pauses_after_deadlock(context: &Context<'_, '_>, findings: &mut Vec<Finding>) {
    let Some(victim) = context.victim else { return };
    if findings.iter().all(|f| f.pause_loop.is_empty()) {
        return;
    }
    let paused_victim = |f: &Finding| {
        let Some(records) = f.path.first().map(|port| context.view.records_of(*port, victim)) else {
            return true;
        };
        records.is_empty() || records.iter().any(|r| r.paused_packets > 0)
    };
    findings.retain(|f| !f.pause_loop.is_empty() || paused_victim(f));
}

/// Keeps one finding for each loop. If the loop started outside, findings that end inside are consequences; of several
/// outside, the one with the largest share of the pause is kept.
fn one_per_loop(findings: &mut Vec<Finding>) {
    let outside = |f: &Finding| f.anomaly != Anomaly::DeadlockInLoopContention && !f.pause_loop.is_empty();
    let sorted = |f: &Finding| {
        let mut ports = f.pause_loop.clone();
        ports.sort_unstable();
        ports
    };
    let explained: Vec<Vec<PortIx>> = findings.iter().filter(|f| outside(f)).map(sorted).collect();
    let mut named: Vec<Vec<PortIx>> = Vec::new();
    findings.retain(|f| match (f.anomaly, outside(f)) {
        (Anomaly::DeadlockInLoopContention, _) => !explained.contains(&sorted(f)),
        (_, true) if named.contains(&sorted(f)) => false,
        (_, true) => {
            named.push(sorted(f));
            true
        }
        _ => true,
    });
}

/// Returns the findings of all pause paths with a substantial share of the pause, largest share first.
///
/// A queue of the victim's own packets (its path leads into a slower link) exists without any incident: if anything
/// else explains the pause, shares are relative to the rest.
fn on_pause_paths(context: &Context<'_, '_>) -> Vec<Finding> {
    let own = |t: &&PausePath| {
        t.share >= context.settings.graph_share && self_inflicted::queue_of_the_victim(context, t).is_some()
    };
    let own_share: f64 = context.pause_paths.iter().filter(own).map(|t| t.share).sum();
    let (least, others_only) = match 1.0 - own_share {
        rest if context.settings.applies("signatures.own_queue_aside")
            && rest >= context.settings.value(&t::REST_SHARE) =>
        {
            (context.settings.branch_share * rest, true)
        }
        _ => (context.settings.branch_share, false),
    };
    let substantial = context.pause_paths.iter().filter(|t| t.share >= least);
    substantial.filter(|t| !others_only || !own(t)).filter_map(|t| on_pause_path(context, t)).collect()
}

fn on_pause_path(context: &Context<'_, '_>, pause_path: &PausePath) -> Option<Finding> {
    let applied = ON_PAUSE_PATH.iter().filter(|(name, _)| context.settings.applies(name));
    applied.map(|(_, signature)| signature).find_map(|signature| signature(context, pause_path))
}

/// Whether the epoch ring shows that no flow at the root port exceeds its previous rate.
fn is_long_standing(finding: &Finding) -> bool {
    finding.host.is_none()
        && finding.pause_loop.is_empty()
        && finding.contention.as_ref().is_some_and(|c| c.history && !c.has_grown)
}

/// Whether a finding identifies a culprit (the victim itself is one), a host or a loop.
fn is_named(finding: &Finding) -> bool {
    finding.host.is_some()
        || !finding.pause_loop.is_empty()
        || finding.contention.as_ref().is_some_and(Contention::is_attributed)
}

/// Caveats that apply to every finding on a pause path.
fn common_caveats(context: &Context<'_, '_>, pause_path: &PausePath) -> Vec<Caveat> {
    let mut caveats = Vec::new();
    if pause_path.weak {
        caveats.push(Caveat::new(
            context.settings.value(&t::WEAK_EDGE),
            "the queue that held the paused packets is no longer in the registers: one edge of the pause path is the most likely one, not a recorded one",
        ));
    }
    if !context.aligned {
        caveats.push(Caveat::new(
            context.settings.value(&t::NOT_ALIGNED),
            "the victim's path was not paused during the slow round trip: the verdict explains the nearest earlier pause",
        ));
    }
    caveats
}
