//! The flow that a person means: a 5-tuple, or the names of two hosts.

use std::net::IpAddr;

use anyhow::{Context as _, bail};
use model::flow::PROTO_UDP;
use model::{FlowKey, Topology};

/// The destination port of RoCEv2 (IBTA, annex A17).
const ROCE_PORT: u16 = 4791;

/// A flow as it was typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum FlowName {
    /// All of it.
    Key(FlowKey),
    /// Hosts, perhaps without ports.
    Between { from: End, to: End },
}

/// An end of a flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct End {
    /// The name of a host, or its address.
    host: String,
    port: Option<u16>,
}

/// Reads a flow: `src:sport>dst:dport/proto`, `h1:10000>h3`, `h1>h3`, also with an arrow.
pub(crate) fn parse(text: &str) -> Result<FlowName, String> {
    let key = match text.parse::<FlowKey>() {
        Ok(key) => return Ok(FlowName::Key(key)),
        Err(error) => error.to_string(),
    };
    let ends = ["→", "->", ">"].into_iter().find_map(|arrow| text.split_once(arrow));
    let Some((from, to)) = ends else { return Err(format!("{key}, or two hosts, e.g. `h1>h3`")) };
    let to = match to.rsplit_once('/') {
        None => to,
        Some((to, proto)) if proto.eq_ignore_ascii_case("udp") => to,
        // Another protocol is in a flow of which everything is given.
        Some(_) => return Err(key),
    };
    let end = |text: &str| parse_end(text.trim()).ok_or_else(|| format!("{key}, or two hosts, e.g. `h1>h3`"));
    Ok(FlowName::Between { from: end(from)?, to: end(to)? })
}

fn parse_end(text: &str) -> Option<End> {
    let bare = |host: &str| {
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host).to_string()
    };
    let end = match text.rsplit_once(':') {
        // The last part of an IPv6 address is no port.
        Some((host, port)) if !text.ends_with(']') && text.parse::<IpAddr>().is_err() => {
            End { host: bare(host), port: Some(port.parse().ok()?) }
        }
        _ => End { host: bare(text), port: None },
    };
    (!end.host.is_empty()).then_some(end)
}

/// Returns the flow that the name stands for. `known` are flows that the server has seen: if ports are missing, one of them
/// is meant.
///
/// # Errors
/// A host is unknown, or no known flow, or more than one, has these ends.
pub(crate) fn resolve(name: &FlowName, topology: &Topology, known: &[FlowKey]) -> anyhow::Result<FlowKey> {
    let (from, to) = match name {
        FlowName::Key(key) => return Ok(*key),
        FlowName::Between { from, to } => (from, to),
    };
    let (sources, destinations) = (addresses(from, topology)?, addresses(to, topology)?);
    let is_meant = |flow: &&FlowKey| {
        sources.contains(&flow.src)
            && destinations.contains(&flow.dst)
            && from.port.is_none_or(|port| port == flow.sport)
            && to.port.is_none_or(|port| port == flow.dport)
    };
    let mut meant: Vec<FlowKey> = known.iter().filter(is_meant).copied().collect();
    meant.sort();
    meant.dedup();
    match meant.as_slice() {
        [flow] => return Ok(*flow),
        [] => {}
        several => {
            let list: Vec<String> = several.iter().map(|flow| format!("  {flow}")).collect();
            bail!(
                "several flows from {} to {} are known; ask for one of them:\n{}",
                from.host,
                to.host,
                list.join("\n")
            );
        }
    }
    let sport = from.port.with_context(|| {
        format!(
            "no incident has a flow from {0} to {1}; give its source port: `{0}:PORT>{1}`",
            from.host, to.host
        )
    })?;
    let mut pairs = sources.iter().flat_map(|src| destinations.iter().map(move |dst| (*src, *dst)));
    let (src, dst) = pairs
        .find(|(src, dst)| src.is_ipv4() == dst.is_ipv4())
        .with_context(|| format!("{} and {} have no addresses of one IP version", from.host, to.host))?;
    Ok(FlowKey { src, dst, sport, dport: to.port.unwrap_or(ROCE_PORT), proto: PROTO_UDP })
}

/// The addresses of an end.
fn addresses(end: &End, topology: &Topology) -> anyhow::Result<Vec<IpAddr>> {
    if let Ok(address) = end.host.parse() {
        return Ok(vec![address]);
    }
    match topology.node(&end.host) {
        Some(node) if !node.addresses.is_empty() => Ok(node.addresses.clone()),
        Some(_) => bail!("`{}` has no address: it is no host", end.host),
        None => bail!("`{}` is neither a host of the network nor an address", end.host),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn network() -> Topology {
        let nodes = serde_json::json!({ "nodes": [
            { "name": "h1", "kind": "host", "addresses": ["10.0.0.1"] },
            { "name": "h3", "kind": "host", "addresses": ["fd00::3", "10.0.0.3"] },
            { "name": "sw1", "kind": "switch" },
        ], "links": [] });
        serde_json::from_value(nodes).unwrap()
    }

    /// Resolves `text`, of which the server knows `known`, to a flow or an error.
    #[track_caller]
    fn check(text: &str, known: &[&str], expected: Result<&str, &str>) {
        let known: Vec<FlowKey> = known.iter().map(|flow| flow.parse().unwrap()).collect();
        let name = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        let resolved = resolve(&name, &network(), &known).map(|flow| flow.to_string());
        let resolved = resolved.map_err(|error| error.to_string());
        assert_eq!(resolved, expected.map(str::to_string).map_err(str::to_string), "{text}");
    }

    const FLOW: &str = "10.0.0.1:10000>10.0.0.3:4791/udp";
    const OTHER: &str = "10.0.0.1:10001>10.0.0.3:4791/udp";

    #[test]
    fn a_flow_of_which_everything_is_given_needs_no_server() {
        check(FLOW, &[], Ok(FLOW));
        check("[fd00::1]:1>[fd00::3]:2/tcp", &[], Ok("[fd00::1]:1>[fd00::3]:2/tcp"));
    }

    #[test]
    fn hosts_are_names_or_addresses() {
        check("h1:10000>h3", &[], Ok(FLOW));
        check("h1:10000 → 10.0.0.3:4791/udp", &[], Ok(FLOW));
        check("h1:10000->h3:4792", &[], Ok("10.0.0.1:10000>10.0.0.3:4792/udp"));
        check("fd00::1>h3", &["[fd00::1]:7>[fd00::3]:4791/udp"], Ok("[fd00::1]:7>[fd00::3]:4791/udp"));
        check("h9:1>h3", &[], Err("`h9` is neither a host of the network nor an address"));
        check("h1:1>sw1", &[], Err("`sw1` has no address: it is no host"));
        check("h1:1>fd00::3", &[], Err("h1 and fd00::3 have no addresses of one IP version"));
    }

    #[test]
    fn without_ports_the_one_known_flow_is_meant() {
        check("h1>h3", &[FLOW, FLOW], Ok(FLOW));
        check("h1:10001>h3", &[FLOW, OTHER], Ok(OTHER));
        check(
            "h3>h1",
            &[FLOW],
            Err("no incident has a flow from h3 to h1; give its source port: `h3:PORT>h1`"),
        );
        check(
            "h1>h3",
            &[OTHER, FLOW],
            Err(&format!("several flows from h1 to h3 are known; ask for one of them:\n  {FLOW}\n  {OTHER}")),
        );
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["h1", "h1>", ">h3", "h1:port>h3", "h1:1>h3/icmp", ""] {
            assert!(parse(text).is_err(), "{text}: {:?}", parse(text));
        }
    }
}
