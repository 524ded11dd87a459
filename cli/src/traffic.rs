//! The traffic of a run: flows, pauses, drops and watchdog actions, for programs and for people.

use std::collections::{BTreeMap, BTreeSet};

use fabric::{FlowRecord, RunOutcome, WatchdogRecord};
use model::Time;
use model::traffic::{FlowOutcome, LosslessDrops, Traffic, WatchdogAct};

use crate::output::name;
use crate::units::{bytes, count, time};

/// Maximum number of unfinished flows that are listed.
const LISTED_FLOWS: usize = 5;

/// Summarises the traffic of a run.
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
    let watchdog = |act: &WatchdogRecord| WatchdogAct {
        at_ns: act.at.as_ns(),
        port: act.port.clone(),
        priority: act.priority,
        action: act.action.map(|action| name(&action)),
    };
    let mut paused_ports = BTreeMap::new();
    // Counts changes from resumed to paused: a refreshed pause is not a new one.
    let mut paused = BTreeSet::new();
    for pause in &outcome.pauses {
        let queue = (&pause.port, pause.priority);
        if !pause.on {
            paused.remove(&queue);
        } else if paused.insert(queue) {
            *paused_ports.entry(pause.port.clone()).or_default() += 1;
        }
    }
    Traffic {
        flows: outcome.flows.iter().map(flow).collect(),
        pauses_sent: outcome.counters.pauses_sent,
        paused_ports,
        drops: outcome.counters.drops.clone(),
        lost_by_nics: outcome.counters.lost_by_nics,
        lossless_drops: outcome.lossless_drops.clone(),
        watchdogs: outcome.watchdogs.iter().map(watchdog).collect(),
    }
}

/// Returns a summary as text for people. Without pauses, drops and watchdog actions it is one line about the flows.
pub(crate) fn describe(traffic: &Traffic) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| text.push_str(&format!("{label:>12}  {value}\n"));
    line("flows", describe_flows(&traffic.flows));
    let unfinished: Vec<&FlowOutcome> =
        traffic.flows.iter().filter(|flow| flow.finish_ns.is_none()).collect();
    for flow in unfinished.iter().take(LISTED_FLOWS) {
        let share = 100.0 * flow.acknowledged_bytes as f64 / flow.bytes.max(1) as f64;
        line(
            "unfinished",
            format!("{} ({}): {share:.0} % of {} acknowledged", flow.flow, flow.label, bytes(flow.bytes)),
        );
    }
    if unfinished.len() > LISTED_FLOWS {
        line("unfinished", format!("and {} more", unfinished.len() - LISTED_FLOWS));
    }
    if !traffic.paused_ports.is_empty() {
        let ports: Vec<String> = traffic
            .paused_ports
            .iter()
            .map(|(port, times)| format!("{port} ({})", count(*times, "time")))
            .collect();
        line("paused", ports.join(", "));
    }
    for (reason, packets) in &traffic.drops {
        line("dropped", format!("{} by switches: {}", count(*packets, "packet"), fabric::drop_words(reason)));
    }
    if traffic.lost_by_nics > 0 {
        line("dropped", format!("{} by NICs: receive buffer full", count(traffic.lost_by_nics, "packet")));
    }
    for loss in &traffic.lossless_drops {
        let LosslessDrops { ingress, egress, priority, reason, profile, packets, first_ns, .. } = loss;
        line(
            "lossless",
            format!(
                "{} of priority {priority} dropped from {ingress} to {egress}: {}, profile `{profile}`, first at {}",
                count(*packets, "packet"),
                fabric::drop_words(reason),
                time(*first_ns)
            ),
        );
    }
    for act in &traffic.watchdogs {
        let action = act.action.as_deref().unwrap_or("restore");
        line("watchdog", format!("{} priority {}: {action} at {}", act.port, act.priority, time(act.at_ns)));
    }
    text
}

fn describe_flows(flows: &[FlowOutcome]) -> String {
    let duration_ns = |flow: &FlowOutcome| flow.finish_ns.map(|finish| finish.saturating_sub(flow.start_ns));
    let finished = flows.iter().filter_map(|flow| Some((duration_ns(flow)?, flow)));
    let slowest = finished.clone().max_by_key(|(duration_ns, _)| *duration_ns);
    let retransmitted: u64 = flows.iter().map(|flow| flow.retransmitted_packets).sum();
    let mut text = format!("{} of {} finished", finished.count(), flows.len());
    if let Some((duration_ns, flow)) = slowest {
        text.push_str(&format!(", the slowest in {} ({})", time(duration_ns), flow.flow));
    }
    if retransmitted > 0 {
        text.push_str(&format!("; {} retransmitted", count(retransmitted, "packet")));
    }
    text
}
