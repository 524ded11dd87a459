//! The headline of an incident: the culprit first, then its effect, in the words of the dashboard
//! (`web/ui/src/domain/headline.ts`).

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::FlowKey;

use super::answers::Incident;
use crate::units::count;

/// Returns the headline, e.g. `NIC storm at h11 stops 12 flows, sw4:1`. Names that are not known become plain words.
pub(crate) fn headline(incident: &Incident, hosts: &BTreeMap<IpAddr, String>) -> String {
    let root = &incident.root_cause;
    let place = root.port.as_ref().or(incident.pause_loop.first());
    let flows = affected(incident, hosts);
    let is_named = !root.config.is_empty() || root.host.is_some() || !root.flows.is_empty();
    let text = match incident.anomaly.as_str() {
        "undetermined" => return format!("Cause not found: {flows} slow"),
        "host_only" => return format!("No anomaly in the network; {flows} slow: host or application"),
        "self_inflicted" => format!("{flows} behind its own packets"),
        "routing_loop" if !is_named => format!("Forwarding loop slows {flows}"),
        "packet_loss" if !is_named => format!("Packet loss slows {flows}"),
        "path_change" if !is_named => format!("Path change slows {flows}"),
        anomaly => format!("{} {}", culprit(incident, hosts), effect(anomaly, &flows)),
    };
    match place.filter(|place| !text.contains(place.as_str())) {
        Some(place) => format!("{text}, {place}"),
        None => text,
    }
}

fn effect(anomaly: &str, flows: &str) -> String {
    match anomaly {
        "pfc_backpressure_flow_contention" => format!("pauses {flows}"),
        "pfc_storm_host_injection" => format!("stops {flows}"),
        "routing_loop" => format!("sends packets of {flows} in a loop"),
        "class_contention" => format!("in another class delays {flows}"),
        "packet_loss" => format!("drops packets of {flows}"),
        "path_change" => format!("delays {flows}"),
        deadlock if deadlock.starts_with("deadlock") => format!("closes a deadlock and stops {flows}"),
        _ => format!("slows {flows}"),
    }
}

fn affected(incident: &Incident, hosts: &BTreeMap<IpAddr, String>) -> String {
    match incident.victims.first().filter(|_| incident.victim_count <= 1) {
        Some(victim) => {
            ends(victim, hosts).map_or_else(|| victim.clone(), |(from, to)| format!("{from} -> {to}"))
        }
        None => count(incident.victim_count, "flow"),
    }
}

fn culprit(incident: &Incident, hosts: &BTreeMap<IpAddr, String>) -> String {
    let root = &incident.root_cause;
    if let Some(finding) = root.config.first() {
        return format!("Configuration {finding}");
    }
    let place = root.host.as_ref().or(root.port.as_ref()).map_or_else(String::new, |at| format!(" at {at}"));
    let of = match root.flows.len() {
        0 => place.clone(),
        flows => format!(" of {}{}", count(flows as u64, "flow"), receiver(incident, hosts)),
    };
    match incident.cause.as_str() {
        "nic_storm" => format!("NIC storm{place}"),
        "incast" => format!("Incast{of}"),
        "elephant_collision" => format!("Collision{of}"),
        "ecmp_imbalance" => format!("ECMP imbalance{of}"),
        "low_rate_attack" => format!("Low-rate attack{of}"),
        "collective_step" => format!("Collective step{of}"),
        "undetermined" if root.host.is_some() => format!("Pausing host{}", place.replacen(" at", "", 1)),
        "undetermined" if !root.flows.is_empty() => format!("Contention{of}"),
        "undetermined" => format!("Congestion{place}"),
        other => {
            let words = other.replace('_', " ");
            let first = words.chars().next().map(|first| first.to_ascii_uppercase());
            format!("{}{place}", first.into_iter().chain(words.chars().skip(1)).collect::<String>())
        }
    }
}

/// Returns ` to h3` if all culprits have one receiver.
fn receiver(incident: &Incident, hosts: &BTreeMap<IpAddr, String>) -> String {
    let flows = &incident.root_cause.flows;
    let receivers: BTreeSet<String> =
        flows.iter().filter_map(|flow| ends(flow, hosts)).map(|(_, to)| to).collect();
    match receivers.first() {
        Some(only) if receivers.len() == 1 => format!(" to {only}"),
        _ => String::new(),
    }
}

/// Returns sender and receiver of a flow, as names if the hosts are known.
fn ends(flow: &str, hosts: &BTreeMap<IpAddr, String>) -> Option<(String, String)> {
    let key: FlowKey = flow.parse().ok()?;
    let name = |address: IpAddr| hosts.get(&address).cloned().unwrap_or_else(|| address.to_string());
    Some((name(key.src), name(key.dst)))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(incident: Value, expected: &str) {
        let hosts = BTreeMap::from([("10.0.3.1".parse().unwrap(), "h3".to_owned())]);
        let incident: Incident = serde_json::from_value(incident).unwrap();
        assert_eq!(headline(&incident, &hosts), expected);
    }

    #[test]
    fn the_culprit_is_first_and_the_place_last() {
        let flow = "10.0.0.1:10000>10.0.3.1:4791/udp";
        let root = json!({ "port": "sw4:1", "host": "h11" });
        check(
            json!({ "anomaly": "pfc_storm_host_injection", "cause": "nic_storm", "victim_count": 12, "root_cause": root }),
            "NIC storm at h11 stops 12 flows, sw4:1",
        );
        check(
            json!({ "anomaly": "pfc_backpressure_flow_contention", "cause": "incast", "victim_count": 1,
                    "victims": [flow], "root_cause": { "port": "sw4:1", "flows": [flow, flow] } }),
            "Incast of 2 flows to h3 pauses 10.0.0.1 -> h3, sw4:1",
        );
        check(
            json!({ "anomaly": "flow_contention", "cause": "undetermined", "victim_count": 2, "root_cause": { "port": "sw1:1" } }),
            "Congestion at sw1:1 slows 2 flows",
        );
        check(
            json!({ "anomaly": "packet_loss", "cause": "undetermined", "victim_count": 2, "root_cause": { "port": "sw1:1" } }),
            "Packet loss slows 2 flows, sw1:1",
        );
        check(json!({ "anomaly": "undetermined", "victim_count": 3 }), "Cause not found: 3 flows slow");
        check(
            json!({ "anomaly": "later_kind", "cause": "qp_cache_thrash", "victim_count": 1, "root_cause": { "host": "h1" } }),
            "Qp cache thrash at h1 slows 1 flow",
        );
        check(
            json!({ "anomaly": "deadlock_in_loop_contention", "cause": "misconfiguration", "victim_count": 3,
                    "loop": ["a:1", "b:1"], "root_cause": { "config": ["sw1/alpha"] } }),
            "Configuration sw1/alpha closes a deadlock and stops 3 flows, a:1",
        );
    }
}
