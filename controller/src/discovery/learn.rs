//! A topology from what is announced: for networks without a plan.

use std::collections::{BTreeMap, BTreeSet};
use std::net::IpAddr;

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Rate, Time, Topology};

/// What announces itself at a port of a switch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// The port.
    pub port: PortRef,
    /// System and port of the neighbour, `system:port`.
    pub announced: String,
    /// Rate of the port, if the switch reports it.
    pub rate: Option<Rate>,
}

/// A network interface of a host, as its agent reports it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostPort {
    /// The host.
    pub host: String,
    /// The MAC address of the interface, as text.
    pub mac: String,
    /// Its addresses.
    pub addresses: Vec<IpAddr>,
    /// Its speed.
    pub rate: Option<Rate>,
}

/// Returns the topology of the switches at whose ports something announces itself, with everything that is missing.
/// Announcements have no rates and delays: a link has the rate that a switch reports for its port, one of a host otherwise
/// the speed of its interface, and every other one `rate`; all have `delay`.
pub fn learn(
    seen: &[Sighting],
    interfaces: &[HostPort],
    rate: Option<Rate>,
    delay: Time,
) -> (Topology, Vec<String>) {
    let at: BTreeMap<&PortRef, &Sighting> = seen.iter().map(|sighting| (&sighting.port, sighting)).collect();
    let switches: BTreeSet<&str> = at.keys().map(|port| port.switch.as_str()).collect();
    let (mut links, mut problems) = (Vec::new(), Vec::new());
    let mut hosts: BTreeMap<String, (u16, BTreeSet<IpAddr>)> = BTreeMap::new();
    for (port, Sighting { announced, rate: own, .. }) in &at {
        let far: Option<PortRef> = announced.parse().ok();
        if let Some(far) = far.filter(|far| switches.contains(far.switch.as_str())) {
            let back = at.get(&far);
            let sees_back = back.is_some_and(|back| back.announced.parse().ok().as_ref() == Some(*port));
            if !sees_back {
                problems.push(format!("{port} sees {far}, but {far} does not see {port}"));
            } else if **port < far {
                let far_rate = back.and_then(|back| back.rate);
                links.push(((*port).clone(), far, own.or(far_rate).or(rate)));
            }
            continue;
        }
        let (system, interface) = announced.split_once(':').unwrap_or((announced, ""));
        let known = interfaces.iter().find(|known| !known.mac.is_empty() && known.mac == interface);
        let host = known.map_or(system, |known| known.host.as_str());
        let (ports, addresses) = hosts.entry(host.to_owned()).or_default();
        *ports = ports.saturating_add(1);
        addresses.extend(known.into_iter().flat_map(|known| &known.addresses));
        let of_interface = known.and_then(|known| known.rate);
        links.push(((*port).clone(), PortRef::new(host, *ports), own.or(of_interface).or(rate)));
    }
    let mut nodes: Vec<Node> = switches.iter().map(|name| node(name, NodeKind::Switch, Vec::new())).collect();
    for (host, (_, addresses)) in hosts {
        if addresses.is_empty() {
            problems.push(format!(
                "host `{host}` has no address: no agent reports the interface that announces it"
            ));
        }
        nodes.push(node(&host, NodeKind::Host, addresses.into_iter().collect()));
    }
    let links = links.into_iter().filter_map(|(a, b, rate)| {
        let Some(rate) = rate else {
            problems.push(format!("the rate of the link {a} - {b} is unknown"));
            return None;
        };
        Some(Link { a, b, rate, delay })
    });
    let links = links.collect();
    let topology = Topology { nodes, links };
    problems.extend(topology.problems());
    (topology, problems)
}

fn node(name: &str, kind: NodeKind, addresses: Vec<IpAddr>) -> Node {
    Node { name: name.to_owned(), kind, addresses }
}
