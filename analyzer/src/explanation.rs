//! The text of a verdict: the summary sentence and the list of missing data.

use model::{Anomaly, FlowKey, PortRef};

use crate::causes::{Judged, enumerate};
use crate::contention::{Contention, UNACCOUNTED_SHARE};
use crate::context::Context;
use crate::ranking::Ranked;
use crate::signatures::Finding;

/// Returns the one-sentence summary of a diagnosis. `path` is the pause path, root port last.
pub(crate) fn summary(
    context: &Context<'_, '_>,
    finding: &Finding,
    ranked: &Ranked,
    judged: &Judged,
    path: &[PortRef],
) -> String {
    let (victim, is) = match context.is_reverse_path {
        true => (format!("the ACKs of {} (reverse path)", ranked.victim), "are"),
        false => (ranked.victim.to_string(), "is"),
    };
    let because = &judged.because;
    let root = finding.root.as_ref().map_or_else(|| "an unknown port".to_string(), ToString::to_string);
    let spread = spread(path);
    let loops = || {
        let ports: Vec<String> =
            finding.pause_loop.iter().map(|p| context.view.port_ref(*p).to_string()).collect();
        ports.join(" -> ")
    };
    let mut text = match finding.anomaly {
        Anomaly::FlowContention => format!("{victim} {is} delayed in the queue of {root}: {because}"),
        Anomaly::PfcBackpressureFlowContention => {
            format!("{victim} {is} delayed by PFC pauses from {root}{spread}: {because}")
        }
        Anomaly::PfcStormHostInjection => {
            format!("{victim} {is} delayed by PFC pauses that a host sends to {root}{spread}: {because}")
        }
        Anomaly::DeadlockInLoopContention if finding.root.is_none() => {
            format!("{victim} {is} stuck behind a PFC deadlock ({}): {because}", loops())
        }
        Anomaly::DeadlockInLoopContention => format!(
            "{victim} {is} stuck behind a PFC deadlock ({}), which started inside the loop at {root}: {because}",
            loops()
        ),
        Anomaly::DeadlockOutOfLoopContention | Anomaly::DeadlockOutOfLoopInjection => format!(
            "{victim} {is} stuck behind a PFC deadlock ({}), which started outside the loop at {root}: {because}",
            loops()
        ),
        Anomaly::RoutingLoop => format!("{victim} {is} caught in a forwarding loop: {because}"),
        Anomaly::ClassContention => {
            format!("{victim} {is} delayed at {root} by traffic of another class: {because}")
        }
        Anomaly::PacketLoss => {
            format!("{} is delayed by lost packets at {root}: {because}", named(context, ranked.victim))
        }
        Anomaly::PathChange => {
            format!(
                "{} is delayed by a change of its path at {root}: {because}",
                named(context, ranked.victim)
            )
        }
        Anomaly::SelfInflicted => {
            format!("{victim} {is} delayed in the queue of its own packets at {root}: {because}")
        }
        Anomaly::HostOnly | Anomaly::Undetermined => {
            format!(
                "{} is slow, and no recorded queue or pause explains the delay: {because}",
                named(context, ranked.victim)
            )
        }
    };
    if !ranked.spreaders.is_empty() {
        let names: Vec<String> = ranked.spreaders.iter().map(ToString::to_string).collect();
        let role = if names.len() == 1 {
            "spreads the congestion and is a victim itself"
        } else {
            "spread the congestion and are victims themselves"
        };
        text.push_str(&format!("; {} {role}", enumerate(&names)));
    }
    text
}

/// A flow with the names of its hosts first.
fn named(context: &Context<'_, '_>, flow: FlowKey) -> String {
    let index = context.view.index;
    let name = |address| index.host_of(address).map(|host| index.name(host));
    match (name(flow.src), name(flow.dst)) {
        (Some(src), Some(dst)) => format!("{src} to {dst} ({flow})"),
        _ => flow.to_string(),
    }
}

/// The ports between the root and the victim, in the order in which the pause spread.
fn spread(path: &[PortRef]) -> String {
    let before = path.split_last().map_or(&[][..], |(_, before)| before);
    let names: Vec<String> = before.iter().rev().map(ToString::to_string).collect();
    if names.is_empty() { String::new() } else { format!(", which spread to {}", enumerate(&names)) }
}

/// Lists the data that the verdict lacks, without duplicates.
pub(crate) fn missing(context: &Context<'_, '_>, finding: &Finding) -> Vec<String> {
    let mut missing: Vec<String> = Vec::new();
    let of_contention = finding.contention.iter().flat_map(|c| missing_of_contention(context, c));
    let found = finding.caveats.iter().filter_map(|d| d.missing.clone());
    let all = context
        .view
        .snapshot
        .missing
        .iter()
        .map(ToString::to_string)
        .chain(context.path.missing.iter().cloned());
    for text in all.chain(found).chain(of_contention) {
        if !missing.contains(&text) {
            missing.push(text);
        }
    }
    missing
}

/// Lists what the records of a contention do not show.
fn missing_of_contention(context: &Context<'_, '_>, c: &Contention) -> Vec<String> {
    let mut missing = Vec::new();
    if !c.history && c.when.is_some() {
        missing.push(format!(
            "the epoch ring of {} does not cover the time before the event, so long-running flows cannot be distinguished from new ones",
            context.view.switch_of(c.port).name
        ));
    }
    if c.unaccounted > UNACCOUNTED_SHARE {
        missing.push(format!(
            "no flow record accounts for {:.0} % of the packets of {}: records were evicted or lost, and one of those flows may be a contributor",
            100.0 * c.unaccounted,
            context.view.port_ref(c.port)
        ));
    }
    missing
}
