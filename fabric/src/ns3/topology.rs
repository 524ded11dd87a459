//! The topology file: `nodes switches links`, the switches' numbers, then `a b rate delay error_rate` a link.
//! What follows the last link is a comment.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Topology};

use super::text::{Source, Word, lines};
use crate::problem::Problem;
use crate::scenario::{parse_rate, parse_time};

/// What a topology file says. Nodes are called by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopologyFile {
    /// Nodes, ascending, and links in the order of the file; ports are numbered from 1 in that order.
    pub topology: Topology,
    /// Probability that a frame is lost, by link.
    pub error_rates: Vec<f64>,
}

/// The address of host number `id`: `11.x.y.1`, where x and y are the high and low byte of the number.
pub fn host_address(id: u32) -> IpAddr {
    let bits = 0x0b00_0001u32.wrapping_add((id / 256) << 16).wrapping_add((id % 256) << 8);
    IpAddr::V4(Ipv4Addr::from(bits))
}

/// Most nodes that have distinct addresses.
const MAX_NODES: u32 = 65_536;

/// Reads a topology file. The result holds what could be understood.
pub fn parse_topology(name: &str, text: &str) -> (TopologyFile, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut rows = lines(text);
    let Some((header, _)) = rows.next() else {
        source.problem(0, "the file is empty; expected `nodes switches links` in the first line");
        return (TopologyFile::default(), source.problems);
    };
    let Some([nodes, switches, links]) = read_header(&mut source, &header) else {
        return (TopologyFile::default(), source.problems);
    };
    let kinds = read_switches(&mut source, &mut rows, nodes, switches);
    let mut file = TopologyFile::default();
    file.topology.nodes = (0..nodes)
        .map(|id| {
            let kind = if kinds.contains_key(&id) { NodeKind::Switch } else { NodeKind::Host };
            let addresses = if kind == NodeKind::Host { vec![host_address(id)] } else { Vec::new() };
            Node { name: id.to_string(), kind, addresses }
        })
        .collect();
    let mut next_port: BTreeMap<u32, u16> = BTreeMap::new();
    let mut read = 0;
    for (row, _) in rows.by_ref().take(links as usize) {
        read += 1;
        if let Some((ends, link)) = read_link(&mut source, &row, nodes) {
            add_link(&mut source, &mut file, &mut next_port, &kinds, row[0], ends, link);
        }
    }
    if read < links {
        source.problem(text.len(), format!("{links} links are announced and {read} are there"));
    }
    (file, source.problems)
}

fn read_header(source: &mut Source<'_>, header: &[Word<'_>]) -> Option<[u32; 3]> {
    let [nodes, switches, links] = *header else {
        let offset = header.first().map_or(0, |word| word.offset);
        source.problem(
            offset,
            format!("expected three numbers, `nodes switches links`, and found {}", header.len()),
        );
        return None;
    };
    let number = |source: &mut Source<'_>, word| source.read(word, "a number", |w| w.parse::<u32>().ok());
    let (nodes_word, nodes) = (nodes, number(source, nodes));
    let (switches, links) = (number(source, switches), number(source, links));
    let (nodes, switches, links) = (nodes?, switches?, links?);
    if nodes > MAX_NODES {
        source.problem(
            nodes_word.offset,
            format!("{nodes} nodes; at most {MAX_NODES} have distinct addresses"),
        );
        return None;
    }
    if switches > nodes {
        source.problem(nodes_word.offset, format!("{switches} switches among {nodes} nodes"));
    }
    Some([nodes, switches, links])
}

/// The switches' numbers, on as many lines as it takes.
fn read_switches<'t>(
    source: &mut Source<'_>,
    rows: &mut impl Iterator<Item = (Vec<Word<'t>>, usize)>,
    nodes: u32,
    count: u32,
) -> BTreeMap<u32, ()> {
    let mut switches = BTreeMap::new();
    let mut left = count as usize;
    while left > 0 {
        let Some((row, _)) = rows.next() else {
            source.problem(source.text.len(), format!("{count} switches are announced; {left} are missing"));
            return switches;
        };
        if row.len() > left {
            source.problem(row[left].offset, format!("{count} switches are announced; this is one too many"));
        }
        for word in row.iter().take(left) {
            if let Some(id) = read_node(source, *word, nodes)
                && switches.insert(id, ()).is_some()
            {
                source.problem(word.offset, format!("switch {id} is listed twice"));
            }
        }

        left = left.saturating_sub(row.len());
    }
    switches
}

fn read_node(source: &mut Source<'_>, word: Word<'_>, nodes: u32) -> Option<u32> {
    let id = source.read(word, "a node number", |w| w.parse::<u32>().ok())?;
    if id >= nodes {
        source.problem(word.offset, format!("node {id} does not exist; there are {nodes}, from 0"));
        return None;
    }
    Some(id)
}

type LinkRow = (model::Rate, model::Time, f64);

fn read_link(source: &mut Source<'_>, row: &[Word<'_>], nodes: u32) -> Option<((u32, u32), LinkRow)> {
    let [a, b, rate, delay, error] = *row else {
        let message = format!("expected a link, `a b rate delay error_rate`, and found {} words", row.len());
        source.problem(row.first().map_or(0, |word| word.offset), message);
        return None;
    };
    let (a_id, b_id) = (read_node(source, a, nodes), read_node(source, b, nodes));
    let rate_value = source.read(rate, "a rate, e.g. `100Gbps`", parse_rate);
    if rate_value == Some(model::Rate(0)) {
        source.problem(rate.offset, "a link cannot have rate 0");
    }
    let delay = source.read(delay, "a delay, e.g. `0.001ms`", parse_time);
    let error = source.read(error, "an error rate between 0 and 1", |w| {
        w.parse::<f64>().ok().filter(|p| (0.0..=1.0).contains(p))
    });
    let (a_id, b_id) = (a_id?, b_id?);
    if a_id == b_id {
        source.problem(b.offset, format!("node {a_id} cannot be linked to itself"));
        return None;
    }
    Some(((a_id, b_id), (rate_value.filter(|rate| rate.0 > 0)?, delay?, error?)))
}

fn add_link(
    source: &mut Source<'_>,
    file: &mut TopologyFile,
    next_port: &mut BTreeMap<u32, u16>,
    switches: &BTreeMap<u32, ()>,
    at: Word<'_>,
    (a, b): (u32, u32),
    (rate, delay, error): LinkRow,
) {
    let mut port = |id: u32| {
        let port = next_port.entry(id).or_insert(0);
        *port += 1;
        PortRef::new(id.to_string(), *port)
    };
    let link = Link { a: port(a), b: port(b), rate, delay };
    for end in [&link.a, &link.b] {
        let id = end.switch.parse().unwrap_or(0);
        if !switches.contains_key(&id) && end.port > 1 {
            source.problem(at.offset, format!("host {id} has a second link; a host has one"));
        }
        if end.port >= crate::fabric::CPU_PORT {
            source.problem(
                at.offset,
                format!("switch {id} has more than {} links", crate::fabric::CPU_PORT - 1),
            );
            return;
        }
    }
    file.topology.links.push(link);
    file.error_rates.push(error);
}
