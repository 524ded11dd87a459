//! The route file: the number of routes, then `switch host next_node` a route. What follows the last route is a comment.
//!
//! The simulators compute shortest paths; a simulation with other routes has them in its source code, as the deadlock
//! example of Hawkeye's paper does. `ROUTE_FILE` is an addition that moves such routes into a file; the simulators
//! ignore keys that they do not know.

use std::collections::BTreeMap;

use controller::plan::StaticRoute;
use model::Time;

use super::text::{Source, Word, lines};
use super::topology::TopologyFile;
use crate::problem::Problem;
use crate::read::TimedRoute;

/// Reads a route file. Several rows of one switch and host are equal-cost next hops. The result contains all valid rows.
pub fn parse_routes(name: &str, text: &str, topology: &TopologyFile) -> (Vec<TimedRoute>, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut rows = lines(text);
    let Some((header, _)) = rows.next() else {
        source.problem(0, "the file is empty; expected the number of routes in the first line");
        return (Vec::new(), source.problems);
    };
    if let Some(extra) = header.get(1) {
        source.problem(extra.offset, "the first line holds the number of routes and nothing else");
    }
    let Some(count) = source.whole(header[0], "the number of routes", 0..=u32::MAX) else {
        return (Vec::new(), source.problems);
    };
    let mut ports: BTreeMap<(u32, u32), Vec<u16>> = BTreeMap::new();
    let mut read = 0;
    for (row, _) in rows.by_ref().take(count as usize) {
        read += 1;
        if let Some((switch, host, port)) = read_route(&mut source, &row, topology) {
            let of_pair = ports.entry((switch, host)).or_default();
            if !of_pair.contains(&port) {
                of_pair.push(port);
            }
        }
    }
    if read < count {
        source.problem(header[0].offset, format!("{count} routes are announced, but the file has {read}"));
    }
    let route = |((switch, host), mut ports): ((u32, u32), Vec<u16>)| {
        ports.sort_unstable();
        let route = StaticRoute { switch: switch.to_string(), host: host.to_string(), ports };
        TimedRoute { route, start: Time::ZERO, end: Time::MAX }
    };
    (ports.into_iter().map(route).collect(), source.problems)
}

/// Reads the switch, the host, and the switch's port to the next node.
fn read_route(source: &mut Source<'_>, row: &[Word<'_>], file: &TopologyFile) -> Option<(u32, u32, u16)> {
    let [switch, host, next] = *row else {
        let message = format!("expected a route, `switch host next_node`, and found {} words", row.len());
        source.problem(row.first().map_or(0, |word| word.offset), message);
        return None;
    };
    let topology = &file.topology;
    let is_host = |id: u32| topology.is_host(&id.to_string());
    let ids = [switch, host, next].map(|word| read_node(source, word, file));
    let [Some(switch_id), Some(host_id), Some(next_id)] = ids else { return None };
    if is_host(switch_id) {
        source.problem(switch.offset, format!("node {switch_id} is a host, and only switches have routes"));
        return None;
    }
    if !is_host(host_id) {
        source.problem(host.offset, format!("node {host_id} is a switch, not a host"));
        return None;
    }
    if is_host(next_id) && next_id != host_id {
        source
            .problem(next.offset, format!("node {next_id} is a host and does not forward packets of others"));
        return None;
    }
    let next_name = next_id.to_string();
    let own = topology.ports_of(&switch_id.to_string());
    let port = own.into_iter().find(|(_, peer)| peer.switch == next_name).map(|(port, _)| port);
    if port.is_none() {
        source.problem(next.offset, format!("node {next_id} is not linked to switch {switch_id}"));
    }
    Some((switch_id, host_id, port?))
}

fn read_node(source: &mut Source<'_>, word: Word<'_>, file: &TopologyFile) -> Option<u32> {
    let id = source.whole(word, "a node", 0..=u32::MAX)?;
    if file.topology.node(&id.to_string()).is_none() {
        source.problem(word.offset, format!("node {id} does not exist"));
        return None;
    }
    Some(id)
}
