//! What became of a run's traffic, for machines and for people.

use std::collections::{BTreeMap, BTreeSet};

use fabric::{FlowRecord, LosslessDrops, RunOutcome, WatchdogRecord};
use model::Time;
use model::traffic::{FlowOutcome, LosslessDropSummary, Traffic, WatchdogAct};

use crate::output::name;

/// Unfinished flows that are named.
const MOST_NAMED: usize = 5;

/// What became of a run's traffic.
pub(crate) fn summary(outcome: &RunOutcome) -> Traffic {
    let flow = |flow: &FlowRecord| FlowOutcome {
        label: flow.label.clone(),
        flow: flow.flow,
        bytes: flow.bytes,
        start_ns: flow.start.as_ns(),
        finish_ns: flow.finish.map(Time::as_ns),
        acknowledged_bytes: flow.acknowledged_bytes,
        sent_packets: flow.sent_packets,
        retransmitted_packets: flow.retransmitted_packets,
        marked_packets: flow.marked_packets,
    };
    let loss = |loss: &LosslessDrops| LosslessDropSummary {
        ingress: loss.ingress.clone(),
        egress: loss.egress.clone(),
        priority: loss.priority,
        reason: loss.reason.clone(),
        profile: loss.profile.clone(),
        packets: loss.packets,
        first_ns: loss.first.as_ns(),
        last_ns: loss.last.as_ns(),
    };
    let watchdog = |act: &WatchdogRecord| WatchdogAct {
        at_ns: act.at.as_ns(),
        port: act.port.clone(),
        priority: act.priority,
        action: act.action.map(|action| name(&action)),
    };
    let mut paused_ports = BTreeMap::new();
    let mut silent = BTreeSet::new();
    for pause in &outcome.pauses {
        let place = (&pause.port, pause.priority);
        if !pause.on {
            silent.remove(&place);
        } else if silent.insert(place) {
            *paused_ports.entry(pause.port.clone()).or_default() += 1;
        }
    }
    Traffic {
        flows: outcome.flows.iter().map(flow).collect(),
        pauses_sent: outcome.counters.pauses_sent,
        paused_ports,
        drops: outcome.counters.drops.clone(),
        lost_by_nics: outcome.counters.lost_by_nics,
        lossless_drops: outcome.lossless_drops.iter().map(loss).collect(),
        watchdogs: outcome.watchdogs.iter().map(watchdog).collect(),
    }
}

/// The same for people: nothing but a line about the flows when nothing was lost and nobody paused.
pub(crate) fn describe(traffic: &Traffic) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| text.push_str(&format!("{label:>12}  {value}\n"));
    line("flows", describe_flows(&traffic.flows));
    let unfinished: Vec<&FlowOutcome> =
        traffic.flows.iter().filter(|flow| flow.finish_ns.is_none()).collect();
    for flow in unfinished.iter().take(MOST_NAMED) {
        let share = 100.0 * flow.acknowledged_bytes as f64 / flow.bytes.max(1) as f64;
        line(
            "unfinished",
            format!("{} ({}): {share:.0} % of {} B acknowledged", flow.flow, flow.label, flow.bytes),
        );
    }
    if unfinished.len() > MOST_NAMED {
        line("unfinished", format!("and {} more", unfinished.len() - MOST_NAMED));
    }
    if !traffic.paused_ports.is_empty() {
        let ports: Vec<String> =
            traffic.paused_ports.iter().map(|(port, times)| format!("{port} {times} times")).collect();
        line("paused", ports.join(", "));
    }
    for (reason, packets) in &traffic.drops {
        line("lost", format!("{packets} packets by switches: {reason}"));
    }
    if traffic.lost_by_nics > 0 {
        line("lost", format!("{} packets by NICs: their receive buffers were full", traffic.lost_by_nics));
    }
    for loss in &traffic.lossless_drops {
        let LosslessDropSummary { ingress, egress, priority, reason, profile, packets, first_ns, .. } = loss;
        line(
            "lossless",
            format!(
                "{packets} packets of priority {priority} lost from {ingress} to {egress}: {reason}, profile \
                 `{profile}`, the first at {first_ns} ns"
            ),
        );
    }
    for act in &traffic.watchdogs {
        let does = act.action.as_deref().unwrap_or("restore");
        line("watchdog", format!("{} priority {}: {does} at {} ns", act.port, act.priority, act.at_ns));
    }
    text
}

fn describe_flows(flows: &[FlowOutcome]) -> String {
    let duration_ns = |flow: &FlowOutcome| flow.finish_ns.map(|finish| finish.saturating_sub(flow.start_ns));
    let finished = flows.iter().filter_map(|flow| Some((duration_ns(flow)?, flow)));
    let slowest = finished.clone().max_by_key(|(duration_ns, _)| *duration_ns);
    let again: u64 = flows.iter().map(|flow| flow.retransmitted_packets).sum();
    let mut text = format!("{} of {} finished", finished.count(), flows.len());
    if let Some((duration_ns, flow)) = slowest {
        text.push_str(&format!(", the slowest in {} ({})", Time::from_ns(duration_ns), flow.flow));
    }
    if again > 0 {
        text.push_str(&format!("; {again} packets were sent again"));
    }
    text
}
