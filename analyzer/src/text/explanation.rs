//! The text of a verdict: the summary sentence and the list of missing data.

use model::diagnosis::{Evidence, Record};
use model::{Anomaly, Diagnosis, FlowKey, PortRef};

use crate::facts::gap::{Gap, lines};
use crate::facts::wording::{duration_f64, enumerate, first_flow_names, flow_name};
use crate::findings::contention::Contention;
use crate::findings::signatures::Finding;
use crate::findings::signatures::deadlock::unsettled_ns;
use crate::findings::signatures::path_change;
use crate::graph::context::Context;
use crate::thresholds as t;
use crate::verdict::causes::Judged;
use crate::verdict::ranking::{self, Ranked};

/// Returns the one-sentence summary of a diagnosis. `path` is the pause path, root port last.
pub(crate) fn summary(
    context: &Context<'_, '_>,
    finding: &Finding,
    ranked: &Ranked,
    judged: &Judged,
    path: &[PortRef],
) -> String {
    let name = flow_name(context.view.index, ranked.victim);
    let (victim, is) = match context.is_reverse_path {
        true => (format!("the ACKs of {name} (reverse path)"), "are"),
        false => (name.clone(), "is"),
    };
    let because = &judged.because;
    let root = finding.root.as_ref().map_or_else(|| "an unknown port".to_string(), ToString::to_string);
    let mut text = match finding.anomaly {
        Anomaly::FlowContention => format!("{victim} {is} delayed in the queue of {root}: {because}"),
        Anomaly::PfcBackpressureFlowContention => {
            format!("{victim} {is} delayed by PFC pauses from {root}{}: {because}", spread(path))
        }
        Anomaly::PfcStormHostInjection => {
            let host = finding.host.map_or("?", |host| context.view.index.name(host));
            let spread = spread(path);
            format!("{victim} {is} delayed by PFC pauses that host {host} sends to {root}{spread}: {because}")
        }
        Anomaly::DeadlockInLoopContention
        | Anomaly::DeadlockOutOfLoopContention
        | Anomaly::DeadlockOutOfLoopInjection => {
            format!("{victim} {is} {}: {because}", stuck(context, finding))
        }
        Anomaly::RoutingLoop => format!("{victim} {is} caught in a forwarding loop: {because}"),
        Anomaly::ClassContention => {
            let pauses = match paused_by(path) {
                Some(ports) => format!(", whose PFC pauses spread to {ports}"),
                None => String::new(),
            };
            format!("{victim} {is} delayed by traffic of another class at {root}{pauses}: {because}")
        }
        Anomaly::PacketLoss => format!("{name} is delayed by lost packets at {root}: {because}"),
        Anomaly::PathChange if path_change::of(context).is_some_and(|change| change.is_reverse) => {
            format!(
                "the ACKs of {name} (reverse path) are delayed by a change of their path at {root}: {because}"
            )
        }
        Anomaly::PathChange => format!("{name} is delayed by a change of its path at {root}: {because}"),
        Anomaly::SelfInflicted => {
            format!("{victim} {is} delayed in the queue of its own packets at {root}: {because}")
        }
        Anomaly::HostOnly if context.is_about_operation() => {
            let host = finding.host.map(|host| context.view.index.name(host));
            let waits = host.map_or_else(|| "are slow".to_string(), |host| format!("wait in {host}"));
            format!("operations of {name} {waits}, and their packets are not slow: {because}")
        }
        Anomaly::HostOnly => {
            format!("{name} is slow, and no recorded queue or pause explains the delay: {because}")
        }
        Anomaly::Undetermined => format!("{name} is slow, and the records do not show why: {because}"),
    };
    text.push_str(&spreading(context, finding, ranked));
    text
}

/// Adds the share of a root cause in a delay with several, 0 to 1, to its verdict.
pub(crate) fn add_share(diagnosis: &mut Diagnosis, share: f64) {
    diagnosis.delay_share = Some(share);
    let percent = (100.0 * share).round();
    diagnosis
        .summary
        .push_str(&format!("; this is about {percent} % of the delay, which has several causes"));
    let records = diagnosis.evidence.iter().flat_map(|evidence| &evidence.records);
    let measured = records.into_iter().find(|record| matches!(record, Record::Trigger(_))).cloned();
    let Some(measured) = measured else { return };
    let place = diagnosis.root_cause.port.as_ref().map(|port| format!(" at {port}")).unwrap_or_default();
    diagnosis.evidence.push(Evidence {
        claim: format!(
            "the root cause{place} accounts for about {percent} % of the delay that the verdicts about it explain"
        ),
        template: None,
        switch: diagnosis.root_cause.port.as_ref().map(|port| port.switch.clone()),
        port: diagnosis.root_cause.port.clone(),
        epoch: None,
        records: vec![measured],
    });
}

/// How a victim is stuck in a deadlock, and where the deadlock started.
fn stuck(context: &Context<'_, '_>, finding: &Finding) -> String {
    let ports: Vec<String> =
        finding.pause_loop.iter().map(|port| context.view.port_ref(*port).to_string()).collect();
    let ports = ports.join(" -> ");
    let place = match finding.anomaly {
        Anomaly::DeadlockInLoopContention => "inside",
        _ => "outside",
    };
    let started =
        finding.root.as_ref().map(|root| format!("started {place} the loop at {root}")).unwrap_or_default();
    match (unsettled_ns(context, &finding.pause_loop), started.is_empty()) {
        (Some(ns), is_unknown) => {
            let so_far = duration_f64(ns);
            let started = if is_unknown { started } else { format!("; it {started}") };
            format!(
                "stuck behind a loop of PFC pauses ({ports}) that has stood still for {so_far} so far and may resolve itself{started}"
            )
        }
        (None, true) => format!("stuck behind a PFC deadlock ({ports})"),
        (None, false) => format!("stuck behind a PFC deadlock ({ports}), which {started}"),
    }
}

/// The clauses about flows that spread the congestion.
fn spreading(context: &Context<'_, '_>, finding: &Finding, ranked: &Ranked) -> String {
    let is_large = |flow: &&FlowKey| ranking::is_as_large(finding, **flow);
    let most_paused = ranking::most_paused_first(context, finding, &ranked.spreaders);
    let (large, small): (Vec<&FlowKey>, Vec<&FlowKey>) = most_paused.iter().partition(is_large);
    let mut text = String::new();
    if !small.is_empty() {
        let names = first_flow_names(context.view.index, &small);
        let role = match small.len() {
            1 => "spreads the congestion and is a victim itself",
            _ => "spread the congestion and are victims themselves",
        };
        text.push_str(&format!("; {names} {role}"));
    }
    if !large.is_empty() {
        let names = first_flow_names(context.view.index, &large);
        let role = match large.len() {
            1 => "sends as much to that port and spreads the congestion",
            _ => "send as much to that port and spread the congestion",
        };
        text.push_str(&format!("; {names} {role}"));
    }
    text
}

fn spread(path: &[PortRef]) -> String {
    paused_by(path).map(|ports| format!(", which spread to {ports}")).unwrap_or_default()
}

/// The ports between the root and the victim, in the order in which the pause spread; `None` if there are none.
fn paused_by(path: &[PortRef]) -> Option<String> {
    let before = path.split_last().map_or(&[][..], |(_, before)| before);
    let names: Vec<String> = before.iter().rev().map(ToString::to_string).collect();
    (!names.is_empty()).then(|| enumerate(&names))
}

/// Lists the data that the verdict lacks: one line for each switch, without duplicates.
pub(crate) fn missing(context: &Context<'_, '_>, finding: &Finding) -> Vec<String> {
    let of_snapshot = context.view.missing().iter().map(Gap::of);
    let found = finding.caveats.iter().filter_map(|caveat| caveat.missing.clone());
    let of_contention = finding.contention.iter().flat_map(|c| missing_of_contention(context, c));
    lines(of_snapshot.chain(context.path.missing.iter().cloned()).chain(found).chain(of_contention))
}

/// Lists what the records of a contention do not show.
fn missing_of_contention(context: &Context<'_, '_>, c: &Contention) -> Vec<Gap> {
    let mut missing = Vec::new();
    let switch = context.view.switch_of(c.port).name;
    if !c.history && c.when.is_some() {
        missing.push(Gap::of_switch(
            switch,
            "has an epoch ring that does not cover the time before the event, so long-running flows cannot be distinguished from new ones",
        ));
    }
    if c.unaccounted > context.settings.value(&t::UNACCOUNTED_SHARE) {
        missing.push(Gap::of_switch(
            switch,
            format!(
                "has no flow record for {:.0} % of the packets of {}: records were evicted or lost, and one of those flows may be a contributor",
                100.0 * c.unaccounted,
                context.view.port_ref(c.port)
            ),
        ));
    }
    missing
}
