//! The topology file: `nodes switches links`, the switches' numbers, then `a b rate delay error_rate` a link.
//! What follows the last link is a comment.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv4Addr};

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Rate, Time, Topology};

use super::text::{Source, Word, lines};
use crate::problem::Problem;

/// The contents of a topology file. Nodes are named by their numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopologyFile {
    /// Nodes, ascending, and links in the order of the file; ports are numbered from 1 in that order.
    pub topology: Topology,
    /// Probability that a frame is lost, by link.
    pub error_rates: Vec<f64>,
    /// Position of every link's rate in the text, in bytes.
    pub rate_offsets: Vec<usize>,
}

impl TopologyFile {
    /// The position of the link that joins two nodes.
    pub fn link_between(&self, a: u32, b: u32) -> Option<usize> {
        let (a, b) = (a.to_string(), b.to_string());
        let joins = |link: &Link| {
            let ends = (&link.a.switch, &link.b.switch);
            ends == (&a, &b) || ends == (&b, &a)
        };
        self.topology.links.iter().position(joins)
    }
}

/// The address of host number `id`: `11.x.y.1`, where x and y are the high and low byte of the number.
pub fn host_address(id: u32) -> IpAddr {
    let bits = 0x0b00_0001u32.wrapping_add((id / 256) << 16).wrapping_add((id % 256) << 8);
    IpAddr::V4(Ipv4Addr::from(bits))
}

/// Most nodes that have distinct addresses.
const MAX_NODES: u32 = 65_536;

/// Most links: a switch of 509 ports for every node.
const MAX_LINKS: u32 = MAX_NODES * 509;

/// Reads a topology file. The result contains all valid rows.
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
    let kinds = read_switches(&mut source, &mut rows, nodes, switches, header[1]);
    let mut file = TopologyFile::default();
    file.topology.nodes = (0..nodes)
        .map(|id| {
            let kind = if kinds.contains_key(&id) { NodeKind::Switch } else { NodeKind::Host };
            let addresses = if kind == NodeKind::Host { vec![host_address(id)] } else { Vec::new() };
            Node { name: id.to_string(), kind, addresses }
        })
        .collect();
    let mut next_port: BTreeMap<u32, u16> = BTreeMap::new();
    let mut joined: BTreeMap<(u32, u32), usize> = BTreeMap::new();
    let mut read = 0;
    for (row, _) in rows.by_ref().take(links as usize) {
        read += 1;
        if let Some(link) = read_link(&mut source, &row, nodes) {
            if let Some(first) = joined.insert(link.ends(), link.at) {
                let (line, (a, b)) = (source.line_of(first), link.ends());
                let message = format!(
                    "line {line} already links {a} and {b}; the simulators use one link between two nodes"
                );
                source.problem(link.at, message);
            }
            add_link(&mut source, &mut file, &mut next_port, &kinds, link);
        }
    }
    if read < links {
        source.problem(header[2].offset, format!("{links} links are announced, but the file has {read}"));
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
    let nodes = source.whole(nodes, "the number of nodes, which need distinct addresses", 1..=MAX_NODES);
    let most = nodes.unwrap_or(MAX_NODES);
    let switches = source.whole(switches, "the number of switches among the nodes", 0..=most);
    let links = source.whole(links, "the number of links", 0..=MAX_LINKS);
    let (nodes, switches, links) = (nodes?, switches?, links?);
    Some([nodes, switches, links])
}

/// The switches' numbers, on one or more lines.
fn read_switches<'t>(
    source: &mut Source<'_>,
    rows: &mut impl Iterator<Item = (Vec<Word<'t>>, usize)>,
    nodes: u32,
    count: u32,
    announced: Word<'_>,
) -> BTreeMap<u32, ()> {
    let mut switches = BTreeMap::new();
    let mut left = count as usize;
    while left > 0 {
        let Some((row, _)) = rows.next() else {
            source.problem(announced.offset, format!("{count} switches are announced; {left} are missing"));
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
    source.whole(word, "a node of this network", 0..=nodes - 1)
}

/// A row of the file.
struct LinkRow {
    a: u32,
    b: u32,
    rate: Rate,
    delay: Time,
    error_rate: f64,
    /// Position of the row.
    at: usize,
    /// Position of the rate.
    rate_at: usize,
}

impl LinkRow {
    /// The two nodes, in order.
    fn ends(&self) -> (u32, u32) {
        (self.a.min(self.b), self.a.max(self.b))
    }
}

fn read_link(source: &mut Source<'_>, row: &[Word<'_>], nodes: u32) -> Option<LinkRow> {
    let [a, b, rate, delay, error] = *row else {
        let message = format!("expected a link, `a b rate delay error_rate`, and found {} words", row.len());
        source.problem(row.first().map_or(0, |word| word.offset), message);
        return None;
    };
    let (a_id, b_id) = (read_node(source, a, nodes), read_node(source, b, nodes));
    if a_id.is_some() && a_id == b_id {
        source.problem(b.offset, format!("node {} cannot be linked to itself", b.text));
    }
    let rate_value = source.rate(rate);
    let delay = source.delay(delay);
    let error_rate = source.number(error, "an error rate", 0.0..=1.0);
    Some(LinkRow {
        a: a_id?,
        b: b_id.filter(|b| Some(*b) != a_id)?,
        rate: rate_value?,
        delay: delay?,
        error_rate: error_rate?,
        at: a.offset,
        rate_at: rate.offset,
    })
}

fn add_link(
    source: &mut Source<'_>,
    file: &mut TopologyFile,
    next_port: &mut BTreeMap<u32, u16>,
    switches: &BTreeMap<u32, ()>,
    row: LinkRow,
) {
    let mut port = |id: u32| {
        let port = next_port.entry(id).or_insert(0);
        *port += 1;
        PortRef::new(id.to_string(), *port)
    };
    let link = Link { a: port(row.a), b: port(row.b), rate: row.rate, delay: row.delay };
    for end in [&link.a, &link.b] {
        let id = end.switch.parse().unwrap_or(0);
        if !switches.contains_key(&id) && end.port > 1 {
            source.problem(row.at, format!("host {id} has a second link; a host has one"));
        }
        if end.port >= crate::topology::CPU_PORT {
            source.problem(
                row.at,
                format!("switch {id} has more than {} links", crate::topology::CPU_PORT - 1),
            );
            return;
        }
    }
    file.topology.links.push(link);
    file.error_rates.push(row.error_rate);
    file.rate_offsets.push(row.rate_at);
}
