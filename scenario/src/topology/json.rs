//! A network from Harrier's own JSON: the form in which `harrier run --save-snapshots` writes topologies and REST
//! returns them.

use model::Topology;
use model::topology::NodeKind;

use super::{MAX_PORTS, Network, host_address};
use crate::problem::Problem;

/// Reads a topology. Hosts without an address get the next free one of `10.x.y.1`.
///
/// # Errors
/// All problems of the text; those of its content are reported at its first line, since parsed JSON has no positions.
pub fn parse_json(file: &str, text: &str) -> Result<Network, Vec<Problem>> {
    let problem = |line, column, message| Problem { file: file.to_string(), line, column, message };
    let mut topology: Topology = serde_json::from_str(text).map_err(|error| {
        let message = format!("not a topology: {error}");
        vec![problem(error.line().max(1), error.column().max(1), message)]
    })?;
    let mut messages = topology.problems();
    let bad_ports = topology.links.iter().flat_map(|link| [&link.a, &link.b]);
    messages.extend(
        bad_ports
            .filter(|end| !(1..=MAX_PORTS).contains(&end.port))
            .map(|end| format!("port of `{end}` is not between 1 and {MAX_PORTS}")),
    );
    messages.extend(
        topology
            .links
            .iter()
            .filter(|link| link.a.switch == link.b.switch)
            .map(|link| format!("link from `{}` to `{}` connects a node with itself", link.a, link.b)),
    );
    if !messages.is_empty() {
        return Err(messages.into_iter().map(|message| problem(1, 1, message)).collect());
    }
    let mut taken: std::collections::BTreeSet<_> =
        topology.nodes.iter().flat_map(|node| node.addresses.clone()).collect();
    let mut next = 0;
    for node in topology.nodes.iter_mut().filter(|n| n.kind == NodeKind::Host && n.addresses.is_empty()) {
        while !taken.insert(host_address(next)) {
            next += 1;
        }
        node.addresses.push(host_address(next));
    }
    Ok(Network { topology, places: Default::default() })
}
