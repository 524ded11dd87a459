//! Draws a scenario for a terminal: its network, tier by tier, and a timeline of its flows and faults.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use model::{PortRef, Rate, Time};

use crate::topology::Tier;
use crate::{FaultKind, Scenario};

/// Columns of the timeline's bars.
const BAR: usize = 48;
/// Most rows of the timeline, and most switches of a tier; further ones are counted.
const ROWS: usize = 24;

/// Draws network and timeline of an instance.
pub fn draw(scenario: &Scenario) -> String {
    let mut text = format!("{}: {}\n", scenario.name, scenario.title);
    if !scenario.description.trim().is_empty() {
        let _ = writeln!(text, "\n{}", scenario.description.trim());
    }
    text.push_str("\nnetwork\n");
    network(scenario, &mut text);
    text.push_str("\ntimeline\n");
    timeline(scenario, &mut text);
    text
}

fn network(scenario: &Scenario, text: &mut String) {
    let topology = &scenario.topology;
    let mut peers: BTreeMap<&str, Vec<(u16, &PortRef, Rate)>> = BTreeMap::new();
    for link in &topology.links {
        peers.entry(&link.a.switch).or_default().push((link.a.port, &link.b, link.rate));
        peers.entry(&link.b.switch).or_default().push((link.b.port, &link.a, link.rate));
    }
    let hosts: BTreeSet<&str> =
        topology.nodes.iter().map(|n| n.name.as_str()).filter(|name| topology.is_host(name)).collect();
    let tier = |name: &str| match scenario.places.get(name) {
        Some(place) => place.tier,
        None if peers
            .get(name)
            .into_iter()
            .flatten()
            .any(|(_, peer, _)| hosts.contains(peer.switch.as_str())) =>
        {
            Tier::Edge
        }
        None => Tier::Core,
    };
    for (level, title) in [(Tier::Core, "core"), (Tier::Aggregation, "aggregation"), (Tier::Edge, "edge")] {
        let switches: Vec<&str> = topology
            .nodes
            .iter()
            .map(|node| node.name.as_str())
            .filter(|name| !hosts.contains(name) && tier(name) == level)
            .collect();
        for (row, switch) in switches.iter().take(ROWS).enumerate() {
            let mut ports = peers.get(switch).cloned().unwrap_or_default();
            ports.sort_unstable();
            let head = if row == 0 { title } else { "" };
            let _ = writeln!(text, "  {head:<12} {switch:<12} {}", ends(&ports));
        }
        if switches.len() > ROWS {
            let _ = writeln!(text, "  {:<12} and {} more", "", switches.len() - ROWS);
        }
    }
    let _ = writeln!(text, "  {:<12} {}", "hosts", hosts.len());
}

/// The peers of a switch's ports, e.g. `1 h1  2 h2 | 100 Gb/s`.
fn ends(ports: &[(u16, &PortRef, Rate)]) -> String {
    let mut parts: Vec<String> =
        ports.iter().take(ROWS).map(|(port, peer, _)| format!("{port} {}", peer.switch)).collect();
    if ports.len() > ROWS {
        parts.push(format!("and {} more", ports.len() - ROWS));
    }
    let rates: BTreeSet<Rate> = ports.iter().map(|(_, _, rate)| *rate).collect();
    let rates: Vec<String> = rates.iter().map(Rate::to_string).collect();
    format!("{} | {}", parts.join("  "), rates.join(", "))
}

/// A row of the timeline.
struct Row {
    start: Time,
    end: Time,
    sign: char,
    what: String,
}

fn timeline(scenario: &Scenario, text: &mut String) {
    let mut rows: Vec<Row> = Vec::new();
    let rate = |host: &str| {
        let own = |port: &PortRef| port.switch == host;
        scenario.topology.links.iter().find(|l| own(&l.a) || own(&l.b)).map_or(Rate(0), |link| link.rate)
    };
    for flow in scenario.flows.iter().filter(|flow| flow.after.is_empty()) {
        // The duration without other traffic.
        let alone = rate(&flow.src).min(rate(&flow.dst)).serialisation(flow.bytes);
        rows.push(Row {
            start: flow.start,
            end: Time(flow.start.0.saturating_add(alone.0)),
            sign: '=',
            what: format!("{}  {} -> {}, {} B", flow.label, flow.src, flow.dst, flow.bytes),
        });
    }
    for fault in &scenario.faults {
        let kind = match &fault.kind {
            FaultKind::Storm { .. } => "pause storm".to_string(),
            FaultKind::SlowReceiver { rate, .. } => format!("slow receiver, {rate}"),
            FaultKind::MttMisses(_) => "MTT cache misses".to_string(),
            FaultKind::ContextMisses(_) => "connection context misses".to_string(),
            FaultKind::ReceiveWqeMisses(_) => "receive WQE misses".to_string(),
            FaultKind::HostBus(_) => "PCIe bottleneck".to_string(),
            FaultKind::StoppedPipeline => "stopped receive pipeline".to_string(),
            FaultKind::PollGaps(model) => format!("gaps of {} between polls", model.gap),
        };
        let end = Time(fault.start.0.saturating_add(fault.duration.0));
        rows.push(Row { start: fault.start, end, sign: '#', what: format!("{kind} at {}", fault.host) });
    }
    for failure in &scenario.routing.failures {
        let link = scenario.topology.links.get(failure.link);
        let what = link.map_or(String::new(), |link| format!("link {} - {} is down", link.a, link.b));
        rows.push(Row { start: failure.down, end: failure.up, sign: 'x', what });
    }
    for timed in &scenario.routing.routes {
        let ports: Vec<String> = timed.route.ports.iter().map(u16::to_string).collect();
        let what = format!("{} sends {} out of {}", timed.route.switch, timed.route.host, ports.join(", "));
        rows.push(Row { start: timed.start, end: timed.end, sign: '~', what });
    }
    // Faults come first, in case not all rows fit.
    rows.sort_by_key(|row| (row.sign == '=', row.start));
    let width = scenario.stop.0.max(1);
    let column = |time: Time| ((u128::from(time.0.min(width)) * BAR as u128) / u128::from(width)) as usize;
    for row in rows.iter().take(ROWS) {
        let (from, to) = (column(row.start), column(row.end));
        let bar: String =
            (0..BAR).map(|at| if at == from || from < at && at < to { row.sign } else { '.' }).collect();
        let _ = writeln!(text, "  |{bar}| {:>10}  {}", row.start.to_string(), row.what);
    }
    if rows.len() > ROWS {
        let _ = writeln!(text, "  and {} more", rows.len() - ROWS);
    }
    let waiting = scenario.flows.iter().filter(|flow| !flow.after.is_empty()).count();
    if waiting > 0 {
        let _ = writeln!(text, "  and {waiting} messages that start after others");
    }
    let _ = writeln!(text, "   0{:>width$}", scenario.stop.to_string(), width = BAR);
    text.push_str(
        "   = flow, as long as it takes without other traffic   # fault   x link down   ~ static route\n",
    );
}
