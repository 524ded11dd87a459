//! Wording: flows and times as people read them.
//!
//! JSON fields keep the plain 5-tuple; sentences name the hosts first, because an address does not tell a reader which
//! machine it is.

use model::units::readable_ns;
use model::{FlowKey, LossReason};

use crate::facts::topology_index::TopologyIndex;

/// Names at most this many items of a list.
const SHOWN: usize = 8;
/// Names at most this many flows that are not to blame: a summary is read for its culprits.
const BYSTANDERS: usize = 3;

/// Returns a time in us or ms: `0.95 us`, `25.0 us`, `1.250 ms`.
pub(crate) fn duration(ns: u64) -> String {
    if ns < 1_000 { format!("{:.2} us", ns as f64 / 1e3) } else { readable_ns(ns) }
}

/// As [`duration`], for a time in fractions of nanoseconds.
pub(crate) fn duration_f64(ns: f64) -> String {
    duration(ns.round() as u64)
}

/// Returns a flow with the names of its hosts first: `h2 -> h4 (10.0.0.2:10000>10.0.0.4:4791/udp)`. An address that no
/// host of the topology has is shown as it is; a flow of two such addresses only as its 5-tuple.
pub fn flow_name(index: &TopologyIndex<'_>, flow: FlowKey) -> String {
    let (src, dst) = (index.host_of(flow.src), index.host_of(flow.dst));
    if src.is_none() && dst.is_none() {
        return flow.to_string();
    }
    let src = src.map_or_else(|| flow.src.to_string(), |host| index.name(host).to_string());
    let dst = dst.map_or_else(|| flow.dst.to_string(), |host| index.name(host).to_string());
    format!("{src} -> {dst} ({flow})")
}

/// Returns a list of flows, each as [`flow_name`].
pub(crate) fn flow_names<'f>(
    index: &TopologyIndex<'_>,
    flows: impl IntoIterator<Item = &'f FlowKey>,
) -> String {
    let names: Vec<String> = flows.into_iter().map(|flow| flow_name(index, *flow)).collect();
    enumerate(&names)
}

/// Returns the first flows of a list, each as [`flow_name`], and how many more there are.
pub(crate) fn first_flow_names(index: &TopologyIndex<'_>, flows: &[&FlowKey]) -> String {
    let names: Vec<String> = flows.iter().map(|flow| flow_name(index, **flow)).collect();
    shortened(&names, BYSTANDERS)
}

/// Returns a list as text: `a, b and c`.
pub(crate) fn enumerate(names: &[String]) -> String {
    shortened(names, SHOWN)
}

fn shortened(names: &[String], shown: usize) -> String {
    match names {
        [] => "no flow".to_string(),
        [one] => one.clone(),
        many if many.len() > shown => {
            format!("{} and {} more", many[..shown].join(", "), many.len() - shown)
        }
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

/// Why packets were lost, as the end of a sentence.
pub(crate) fn why_lost(reason: LossReason) -> &'static str {
    match reason {
        LossReason::Headroom => " because the headroom of a lossless priority was exhausted",
        LossReason::Lossy => " because their priority is lossy there and the buffer was full",
        LossReason::Watchdog => " because the PFC watchdog flushed the queue",
        LossReason::NoRoute => " because it had no route to their destination",
        LossReason::Ttl => " because their time to live expired",
        LossReason::LinkDown => " because the link of the egress port was down",
        LossReason::Corrupted => " because they arrived damaged (FCS errors)",
        LossReason::Other => ", reason not recorded",
    }
}

#[cfg(test)]
mod tests {
    use model::Topology;
    use model::topology::{Node, NodeKind};

    use super::*;

    #[test]
    fn times_are_in_us_and_ms() {
        assert_eq!([13, 999, 25_000, 1_250_000].map(duration), ["0.01 us", "1.00 us", "25.0 us", "1.250 ms"]);
    }

    #[test]
    fn host_names_precede_the_addresses_as_far_as_they_are_known() {
        let host = |name: &str, address: &str| Node {
            name: name.into(),
            kind: NodeKind::Host,
            addresses: vec![address.parse().unwrap()],
        };
        let topology =
            Topology { nodes: vec![host("h1", "10.0.0.1"), host("h2", "10.0.0.2")], links: Vec::new() };
        let check = |src: &str, dst: &str, expected: &str| {
            let flow = FlowKey::udp(src.parse().unwrap(), 10_000, dst.parse().unwrap(), 4_791);
            assert_eq!(flow_name(&TopologyIndex::new(&topology), flow), expected);
        };
        check("10.0.0.1", "10.0.0.2", "h1 -> h2 (10.0.0.1:10000>10.0.0.2:4791/udp)");
        check("10.0.0.1", "10.0.0.9", "h1 -> 10.0.0.9 (10.0.0.1:10000>10.0.0.9:4791/udp)");
        check("10.0.0.8", "10.0.0.9", "10.0.0.8:10000>10.0.0.9:4791/udp");
    }
}
