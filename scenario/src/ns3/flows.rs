//! The flow file: the number of flows, then `src dst priority dst_port size_bytes start_s` a flow. What follows
//! the last flow is a comment.

use std::collections::BTreeMap;

use model::Time;

use super::text::{Source, Word, lines};
use super::topology::TopologyFile;
use crate::problem::Problem;

/// First source port between two hosts.
const FIRST_SOURCE_PORT: u16 = 10_000;

/// Largest flow: 2^50 bytes take a day at 100 Gb/s.
const MAX_BYTES: u64 = 1 << 50;

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
    /// Position of the receiving host in the text, in bytes.
    pub dst_offset: usize,
    /// Position of the start in the text, in bytes.
    pub start_offset: usize,
}

/// Reads a flow file. With a topology the hosts are checked too. The result contains all valid rows.
pub fn parse_flows(name: &str, text: &str, topology: Option<&TopologyFile>) -> (Vec<FlowRow>, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut rows = lines(text);
    let Some((header, _)) = rows.next() else {
        source.problem(0, "the file is empty; expected the number of flows in the first line");
        return (Vec::new(), source.problems);
    };
    if let Some(extra) = header.get(1) {
        source.problem(extra.offset, "the first line holds the number of flows and nothing else");
    }
    let Some(count) = source.whole(header[0], "the number of flows", 1..=u32::MAX) else {
        return (Vec::new(), source.problems);
    };
    let mut ports: BTreeMap<(u32, u32), u16> = BTreeMap::new();
    let mut flows = Vec::new();
    let mut read = 0;
    for (row, _) in rows.by_ref().take(count as usize) {
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
        source.problem(header[0].offset, format!("{count} flows are announced, but the file has {read}"));
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
    if src_id.is_some() && src_id == dst_id {
        source.problem(dst.offset, format!("host {} cannot send to itself", dst.text));
    }
    let priority = read_priority(source, priority);
    let dport = source.whole(dport, "a port", 1..=u16::MAX);
    let bytes = source.whole(bytes, "a size in bytes", 1..=MAX_BYTES);
    let start_time = source.seconds(start, "a start", Time::ZERO);
    Some(FlowRow {
        src: src_id?,
        dst: dst_id.filter(|dst| Some(*dst) != src_id)?,
        priority: priority?,
        sport: 0,
        dport: dport?,
        bytes: bytes?,
        start: start_time?,
        dst_offset: dst.offset,
        start_offset: start.offset,
    })
}

/// A priority. The simulators use queue 0 for control frames: it has strict priority, no flow control and no marking,
/// so that it is not suitable for data of a lossless network.
fn read_priority(source: &mut Source<'_>, word: Word<'_>) -> Option<u8> {
    let priority = source.whole(word, "a priority", 0..=7)?;
    if priority == 0 {
        source.problem(
            word.offset,
            "priority 0 is the simulators' queue for control frames, without flow control; data needs 1 to 7",
        );
        return None;
    }
    Some(priority)
}

fn read_host(source: &mut Source<'_>, word: Word<'_>, topology: Option<&TopologyFile>) -> Option<u32> {
    let id = source.whole(word, "a host", 0..=u32::MAX)?;
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
