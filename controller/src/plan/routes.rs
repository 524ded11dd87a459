//! Changes of routes: what differs between the forwarding tables of a switch before and after it is reprogrammed.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::NetworkChange;

use super::{MatchValue, SwitchPlan, TableEntry};

/// The changes of routes between two plans of one switch, by prefix.
pub fn route_changes(before: &SwitchPlan, after: &SwitchPlan) -> Vec<NetworkChange> {
    let (before, after) = (routes(before), routes(after));
    let prefixes: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let ports = |of: &BTreeMap<String, Vec<u16>>, prefix| of.get(prefix).cloned().unwrap_or_default();
    let changes = prefixes.into_iter().map(|prefix| NetworkChange::Route {
        prefix: prefix.clone(),
        before: ports(&before, prefix),
        after: ports(&after, prefix),
    });
    changes
        .filter(|change| !matches!(change, NetworkChange::Route { before, after, .. } if before == after))
        .collect()
}

/// The egress ports of every prefix, ascending.
fn routes(plan: &SwitchPlan) -> BTreeMap<String, Vec<u16>> {
    let mut members: BTreeMap<u16, Vec<u16>> = BTreeMap::new();
    for entry in plan.entries.iter().filter(|entry| entry.table == "ecmp_members") {
        if let (Some(group), Some(port)) = (exact(entry, "group"), parameter(entry, "port")) {
            members.entry(group).or_default().push(port);
        }
    }
    let mut routes = BTreeMap::new();
    for entry in plan.entries.iter().filter(|e| e.table == "ipv4_routes" || e.table == "ipv6_routes") {
        let Some(prefix) = prefix(entry) else { continue };
        let group = parameter(entry, "group_id").and_then(|group| members.get(&group).cloned());
        let mut ports = group.or_else(|| parameter(entry, "port").map(|port| vec![port])).unwrap_or_default();
        ports.sort_unstable();
        routes.insert(prefix, ports);
    }
    routes
}

fn prefix(entry: &TableEntry) -> Option<String> {
    entry.key.iter().find_map(|(_, value)| match value {
        MatchValue::Lpm { value, prefix_length } => {
            let v4 = || <[u8; 4]>::try_from(value.as_slice()).ok().map(IpAddr::from);
            let v6 = || <[u8; 16]>::try_from(value.as_slice()).ok().map(IpAddr::from);
            Some(format!("{}/{prefix_length}", v4().or_else(v6)?))
        }
        MatchValue::Exact(_) => None,
    })
}

fn exact(entry: &TableEntry, name: &str) -> Option<u16> {
    entry.key.iter().find_map(|(key, value)| match value {
        MatchValue::Exact(bytes) if *key == name => number(bytes),
        _ => None,
    })
}

fn parameter(entry: &TableEntry, name: &str) -> Option<u16> {
    entry.params.iter().find(|(key, _)| *key == name).and_then(|(_, bytes)| number(bytes))
}

fn number(bytes: &[u8]) -> Option<u16> {
    <[u8; 2]>::try_from(bytes).ok().map(u16::from_be_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(entries: Vec<TableEntry>) -> SwitchPlan {
        SwitchPlan { switch: "sw1".to_string(), entries, ..SwitchPlan::default() }
    }

    fn lpm(last: u8) -> Vec<(&'static str, MatchValue)> {
        vec![("destination", MatchValue::Lpm { value: vec![10, 0, 0, last], prefix_length: 32 })]
    }

    fn single(last: u8, port: u8) -> TableEntry {
        let params = vec![("port", vec![0, port])];
        TableEntry { table: "ipv4_routes", key: lpm(last), action: "set_port", params }
    }

    fn group(last: u8, ports: &[u8]) -> Vec<TableEntry> {
        let params = vec![("group_id", vec![0, 1]), ("size", vec![0, ports.len() as u8])];
        let route = TableEntry { table: "ipv4_routes", key: lpm(last), action: "set_group", params };
        let members = ports.iter().enumerate().map(|(member, port)| TableEntry {
            table: "ecmp_members",
            key: vec![
                ("group", MatchValue::Exact(vec![0, 1])),
                ("member", MatchValue::Exact(vec![0, member as u8])),
            ],
            action: "set_port",
            params: vec![("port", vec![0, *port])],
        });
        std::iter::once(route).chain(members).collect()
    }

    fn change(prefix: &str, before: &[u16], after: &[u16]) -> NetworkChange {
        NetworkChange::Route { prefix: prefix.to_string(), before: before.to_vec(), after: after.to_vec() }
    }

    #[test]
    fn withdrawn_added_and_changed_routes_are_listed_by_prefix() {
        let mut before = group(1, &[4, 3]);
        before.extend([single(2, 1), single(3, 1)]);
        let after = vec![single(1, 3), single(3, 1), single(4, 2)];
        assert_eq!(
            route_changes(&plan(before.clone()), &plan(after)),
            [
                change("10.0.0.1/32", &[3, 4], &[3]),
                change("10.0.0.2/32", &[1], &[]),
                change("10.0.0.4/32", &[], &[2]),
            ]
        );
        assert!(route_changes(&plan(before.clone()), &plan(before)).is_empty());
    }
}
