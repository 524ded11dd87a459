//! The flow file: the number of flows, then `src dst priority dst_port size_bytes start_s` a flow. What follows
//! the last flow is a comment.

use std::collections::BTreeMap;

use model::Time;

use super::text::{Source, Word, lines};
use super::topology::TopologyFile;
use crate::problem::Problem;
use crate::scenario::parse_time;

/// First source port between two hosts.
const FIRST_SOURCE_PORT: u16 = 10_000;

/// A flow of the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlowRow {
    /// Sending host.
    pub src: u32,
    /// Receiving host.
    pub dst: u32,
    /// Priority.
    pub priority: u8,
    /// Source port: from 10000 for each pair of hosts, in the order of the file.
    pub sport: u16,
    /// Destination port.
    pub dport: u16,
    /// Size.
    pub bytes: u64,
    /// Start.
    pub start: Time,
}

/// Reads a flow file. With a topology the hosts are checked too. The result holds what could be understood.
pub fn parse_flows(name: &str, text: &str, topology: Option<&TopologyFile>) -> (Vec<FlowRow>, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut rows = lines(text);
    let count = match rows.next() {
        None => {
            source.problem(0, "the file is empty; expected the number of flows in the first line");
            None
        }
        Some((header, _)) => {
            if let Some(extra) = header.get(1) {
                source.problem(extra.offset, "the first line holds the number of flows and nothing else");
            }
            source.read(header[0], "the number of flows", |w| w.parse::<usize>().ok())
        }
    };
    let Some(count) = count else {
        return (Vec::new(), source.problems);
    };
    let mut ports: BTreeMap<(u32, u32), u16> = BTreeMap::new();
    let mut flows = Vec::new();
    let mut read = 0;
    for (row, _) in rows.by_ref().take(count) {
        read += 1;
        if let Some(mut flow) = read_flow(&mut source, &row, topology) {
            let port = ports.entry((flow.src, flow.dst)).or_insert(FIRST_SOURCE_PORT);
            flow.sport = *port;
            match port.checked_add(1) {
                Some(next) => *port = next,
                None => source.problem(row[0].offset, "no source port is left for this pair of hosts"),
            }
            flows.push(flow);
        }
    }
    if read < count {
        source.problem(text.len(), format!("{count} flows are announced and {read} are there"));
    }
    (flows, source.problems)
}

fn read_flow(source: &mut Source<'_>, row: &[Word<'_>], topology: Option<&TopologyFile>) -> Option<FlowRow> {
    let [src, dst, priority, dport, bytes, start] = *row else {
        let message =
            format!("expected a flow, `src dst priority dst_port size start`, and found {} words", row.len());
        source.problem(row.first().map_or(0, |word| word.offset), message);
        return None;
    };
    let (src_id, dst_id) = (read_host(source, src, topology), read_host(source, dst, topology));
    let priority =
        source.read(priority, "a priority from 0 to 7", |w| w.parse::<u8>().ok().filter(|p| *p < 8));
    let dport = source.read(dport, "a port from 1 to 65535", |w| w.parse::<u16>().ok().filter(|p| *p > 0));
    let bytes =
        source.read(bytes, "a size in bytes, at least 1", |w| w.parse::<u64>().ok().filter(|n| *n > 0));
    let start = source.read(start, "a start in seconds, at least 0", |w| parse_time(&format!("{w}s")));
    let (src, dst_value) = (src_id?, dst_id?);
    if src == dst_value {
        source.problem(dst.offset, format!("host {src} cannot send to itself"));
        return None;
    }
    Some(FlowRow {
        src,
        dst: dst_value,
        priority: priority?,
        sport: 0,
        dport: dport?,
        bytes: bytes?,
        start: start?,
    })
}

fn read_host(source: &mut Source<'_>, word: Word<'_>, topology: Option<&TopologyFile>) -> Option<u32> {
    let id = source.read(word, "a host's number", |w| w.parse::<u32>().ok())?;
    let Some(file) = topology else {
        return Some(id);
    };
    let name = id.to_string();
    let problem = match file.topology.node(&name) {
        None => Some(format!("node {id} does not exist")),
        Some(_) if !file.topology.is_host(&name) => Some(format!("node {id} is a switch, not a host")),
        Some(_) if file.topology.ports_of(&name).is_empty() => Some(format!("host {id} has no link")),
        Some(_) => None,
    };
    match problem {
        Some(message) => {
            source.problem(word.offset, message);
            None
        }
        None => Some(id),
    }
}
