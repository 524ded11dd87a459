//! `[topology]` and `[[link]]`: the network of a scenario.

use std::collections::{BTreeMap, BTreeSet};

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Rate, Time, Topology};

use super::table::{Load, Placed, Reader, Section};
use super::units::{A_RATE, A_TIME, parse_length, parse_rate, parse_time};
use crate::problem::Problem;
use crate::topology::{
    Cable, FatTree, LeafSpine, MAX_PORTS, Network, PS_PER_METRE, Podset, TopologyError, host_address,
    parse_json,
};

/// A network, and the loss rate of its links by index, in parts per trillion.
#[derive(Default)]
pub(super) struct Read {
    pub(super) network: Network,
    pub(super) loss_ppt: BTreeMap<usize, u64>,
}

/// The defaults of links.
#[derive(Clone, Copy)]
struct Defaults {
    rate: Option<Rate>,
    delay: Option<Time>,
}

impl Defaults {
    fn cable(self, fallback: Cable) -> Cable {
        Cable { rate: self.rate.unwrap_or(fallback.rate), delay: self.delay.unwrap_or(fallback.delay) }
    }
}

const USUAL: Cable = Cable { rate: Rate::from_gbps(100), delay: Time::from_us(1) };

pub(super) fn read_network(reader: &mut Reader<'_>, root: &mut Section<'_>, load: Load<'_>) -> Read {
    let mut read = Read::default();
    let mut defaults = Defaults { rate: None, delay: None };
    let mut listed = true;
    if let Some(mut section) = root.section(reader, "topology") {
        defaults = read_cable(reader, &mut section, ["rate", "delay", "length"]);
        let kind = section.text(reader, "kind");
        let made = match kind.as_ref().map(|text| text.value.as_str()) {
            None | Some("links") => {
                read.network.topology = read_nodes(reader, &mut section);
                None
            }
            Some("fat-tree") => Some(fat_tree(reader, &mut section, defaults)),
            Some("leaf-spine") => Some(leaf_spine(reader, &mut section, defaults)),
            Some("podset") => Some(podset(reader, &mut section, defaults)),
            Some("json" | "ns3") => {
                listed = false;
                read = from_file(reader, &mut section, load);
                None
            }
            Some(_) => {
                let expected = "\"links\", \"fat-tree\", \"leaf-spine\", \"podset\", \"json\" or \"ns3\"";
                if let Some(kind) = &kind {
                    reader.problem(&kind.span, format!("`kind` must be {expected}"));
                }
                // The valid keys depend on `kind`, so the others are not checked.
                return read;
            }
        };
        listed &= made.is_none();
        match made {
            Some(Ok(network)) => read.network = network,
            Some(Err(error)) => reader.problem(&section.span, error.to_string()),
            None => {}
        }
        section.finish(reader);
    } else {
        root.missing(reader, "topology");
    }
    read_links(reader, root, &mut read, defaults, listed);
    read
}

/// Rate and delay under these three keys; the third is a length instead of the delay.
fn read_cable(reader: &mut Reader<'_>, section: &mut Section<'_>, keys: [&'static str; 3]) -> Defaults {
    let [rate, delay, length] = keys;
    let both = section.has(delay) && section.has(length);
    if both {
        let message = format!("`{delay}` and `{length}` exclude each other");
        reader.problem(&section.span, message);
    }
    let above_zero = |text: &str| parse_rate(text).filter(|rate| rate.0 > 0);
    let rate = section.quantity(reader, rate, A_RATE, above_zero);
    let delay = section.quantity(reader, delay, A_TIME, parse_time);
    let metres = section.quantity(reader, length, "a length, e.g. \"300m\" or \"80km\"", parse_length);
    let delay = delay.or(metres.map(|metres| Time(metres.saturating_mul(PS_PER_METRE))));
    Defaults { rate, delay }
}

fn count(reader: &mut Reader<'_>, section: &mut Section<'_>, key: &'static str, default: u32) -> u32 {
    section.integer::<u32>(reader, key, 1..=65_535).unwrap_or(default)
}

fn fat_tree(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    defaults: Defaults,
) -> Result<Network, TopologyError> {
    let k = count(reader, section, "k", 4);
    let fabric = defaults.cable(USUAL);
    let host = read_cable(reader, section, ["host_rate", "host_delay", "host_length"]).cable(fabric);
    FatTree { k, host, fabric }.build()
}

fn leaf_spine(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    defaults: Defaults,
) -> Result<Network, TopologyError> {
    let fabric = defaults.cable(USUAL);
    LeafSpine {
        leaves: count(reader, section, "leaves", 4),
        spines: count(reader, section, "spines", 2),
        hosts_per_leaf: count(reader, section, "hosts_per_leaf", 4),
        links_per_pair: count(reader, section, "links_per_pair", 1),
        host: read_cable(reader, section, ["host_rate", "host_delay", "host_length"]).cable(fabric),
        fabric,
    }
    .build()
}

fn podset(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    defaults: Defaults,
) -> Result<Network, TopologyError> {
    let usual = Podset::default();
    let own = |usual: Cable| defaults.cable(usual);
    Podset {
        podsets: count(reader, section, "podsets", usual.podsets),
        tors: count(reader, section, "tors", usual.tors),
        leaves: count(reader, section, "leaves", usual.leaves),
        servers_per_tor: count(reader, section, "servers_per_tor", usual.servers_per_tor),
        spines: count(reader, section, "spines", usual.spines),
        host: read_cable(reader, section, ["host_rate", "host_delay", "host_length"]).cable(own(usual.host)),
        fabric: own(usual.fabric),
        spine: read_cable(reader, section, ["spine_rate", "spine_delay", "spine_length"])
            .cable(own(usual.spine)),
    }
    .build()
}

/// Reads a topology file: Harrier's JSON, or the format of the HPCC family of simulators.
fn from_file(reader: &mut Reader<'_>, section: &mut Section<'_>, load: Load<'_>) -> Read {
    let kind = section.text(reader, "kind").map_or(String::new(), |text| text.value);
    let Some(file) = section.text(reader, "file") else {
        section.missing(reader, "file");
        return Read::default();
    };
    let (path, text) = match load(&file.value) {
        Ok(found) => found,
        Err(message) => {
            reader.problem(&file.span, format!("cannot read `{}`: {message}", file.value));
            return Read::default();
        }
    };
    let (read, problems) = if kind == "ns3" {
        let (file, problems) = crate::ns3::parse_topology(&path, &text);
        let losses = file.error_rates.iter().enumerate().filter(|(_, rate)| **rate > 0.0);
        let loss_ppt = losses.map(|(link, rate)| (link, (rate * 1e12).round() as u64)).collect();
        let network = Network { topology: file.topology, ..Network::default() };
        (Read { network, loss_ppt }, problems)
    } else {
        match parse_json(&path, &text) {
            Ok(network) => (Read { network, ..Read::default() }, Vec::new()),
            Err(problems) => (Read::default(), problems),
        }
    };
    let hosts = single_homed(&read.network.topology, &path);
    reader.problems.extend(problems.into_iter().chain(hosts));
    read
}

/// Hosts of a file with more than one link, or with a port that is not 1.
fn single_homed<'t>(topology: &'t Topology, path: &'t str) -> impl Iterator<Item = Problem> + 't {
    let ends = topology.links.iter().flat_map(|link| [&link.a, &link.b]);
    let wrong = ends.filter(|end| topology.is_host(&end.switch) && end.port != 1);
    wrong.map(|end| Problem {
        file: path.to_string(),
        line: 1,
        column: 1,
        message: format!("`{end}`: a host has one port, 1"),
    })
}

fn read_nodes(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Topology {
    let mut topology = Topology::default();
    let mut names: BTreeSet<String> = BTreeSet::new();
    for (key, kind) in [("switches", NodeKind::Switch), ("hosts", NodeKind::Host)] {
        for (index, name) in section.texts(reader, key).unwrap_or_default().into_iter().enumerate() {
            if name.value.is_empty() || name.value.contains([':', '$']) {
                reader.problem(&name.span, "a node's name must not be empty nor contain `:` or `$`");
            }
            if !names.insert(name.value.clone()) {
                reader.problem(&name.span, format!("two nodes have the name `{}`", name.value));
            }
            let addresses = if kind == NodeKind::Host { vec![host_address(index)] } else { Vec::new() };
            topology.nodes.push(Node { name: name.value, kind, addresses });
        }
    }
    topology
}

/// An end of a link: a port, or a node whose next free port is used.
enum End {
    Port(PortRef),
    Node(String),
}

fn read_links(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    read: &mut Read,
    defaults: Defaults,
    listed: bool,
) {
    let mut used: BTreeSet<PortRef> = BTreeSet::new();
    for mut section in root.sections(reader, "link") {
        let topology = &read.network.topology;
        let a = read_end(reader, &mut section, "a", topology);
        let b = read_end(reader, &mut section, "b", topology);
        let cable = read_cable(reader, &mut section, ["rate", "delay", "length"]);
        let loss = section.fraction(reader, "loss").filter(|loss| {
            let is_link = *loss < 1.0;
            if !is_link {
                let message =
                    "`loss` must be below 1: a link that loses every frame is no link; use [[failure]]";
                reader.problem(&section.place("loss"), message);
            }
            is_link
        });
        let loss_ppt = loss.map(|loss| (loss * 1e12).round() as u64);
        if listed {
            let cable =
                Defaults { rate: cable.rate.or(defaults.rate), delay: cable.delay.or(defaults.delay) };
            if cable.rate.is_none() {
                section.missing(reader, "rate");
            }
            if let (Some(a), Some(b)) = (a, b) {
                add_link(reader, &section, read, &mut used, (a, b), cable, loss_ppt);
            }
        } else if let (Some(a), Some(b)) = (a, b) {
            change_links(reader, &section, read, (a, b), cable, loss_ppt);
        }
        section.finish(reader);
    }
}

fn add_link(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    read: &mut Read,
    used: &mut BTreeSet<PortRef>,
    (a, b): (End, End),
    cable: Defaults,
    loss_ppt: Option<u64>,
) {
    let own = |end: End| match end {
        End::Port(port) => port,
        End::Node(node) => {
            let mut port = PortRef::new(node, 1);
            while used.contains(&port) && port.port < MAX_PORTS {
                port.port += 1;
            }
            port
        }
    };
    let (a, b) = (own(a), own(b));
    if a.switch == b.switch {
        reader.problem(&section.span, format!("`{}` cannot be linked to itself", a.switch));
    }
    for end in [&a, &b] {
        if !used.insert(end.clone()) {
            reader.problem(&section.span, format!("port `{end}` has another link"));
        }
        if read.network.topology.is_host(&end.switch) && end.port != 1 {
            reader.problem(&section.span, format!("`{end}`: a host has one port, 1"));
        }
    }
    let Some(rate) = cable.rate else { return };
    if let Some(loss) = loss_ppt.filter(|loss| *loss > 0) {
        read.loss_ppt.insert(read.network.topology.links.len(), loss);
    }
    read.network.topology.links.push(Link { a, b, rate, delay: cable.delay.unwrap_or(Time::from_us(1)) });
}

/// In a network that is generated or read from a file, `[[link]]` changes existing links.
fn change_links(
    reader: &mut Reader<'_>,
    section: &Section<'_>,
    read: &mut Read,
    (a, b): (End, End),
    cable: Defaults,
    loss_ppt: Option<u64>,
) {
    let is = |end: &End, port: &PortRef| match end {
        End::Port(wanted) => wanted == port,
        End::Node(node) => *node == port.switch,
    };
    let mut found = false;
    for (index, link) in read.network.topology.links.iter_mut().enumerate() {
        if !(is(&a, &link.a) && is(&b, &link.b) || is(&a, &link.b) && is(&b, &link.a)) {
            continue;
        }
        found = true;
        link.rate = cable.rate.unwrap_or(link.rate);
        link.delay = cable.delay.unwrap_or(link.delay);
        if let Some(loss) = loss_ppt {
            read.loss_ppt.insert(index, loss);
        }
    }
    if !found {
        let message = "there is no such link; in a generated network, `[[link]]` changes existing links";
        reader.problem(&section.span, message);
    }
}

fn read_end(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    topology: &Topology,
) -> Option<End> {
    let Some(text) = section.text(reader, key) else {
        section.missing(reader, key);
        return None;
    };
    if text.value.contains(':') {
        return read_port(reader, &text, topology).map(End::Port);
    }
    if topology.node(&text.value).is_none() {
        reader.problem(&text.span, format!("node `{}` does not exist", text.value));
        return None;
    }
    Some(End::Node(text.value))
}

/// A port of a node that exists.
pub(super) fn read_port(
    reader: &mut Reader<'_>,
    text: &Placed<String>,
    topology: &Topology,
) -> Option<PortRef> {
    match text.value.parse::<PortRef>() {
        Err(error) => reader.problem(&text.span, error.to_string()),
        Ok(port) if topology.node(&port.switch).is_none() => {
            reader.problem(&text.span, format!("node `{}` does not exist", port.switch));
        }
        Ok(port) if !(1..=MAX_PORTS).contains(&port.port) => {
            reader.problem(&text.span, format!("port {} is not between 1 and {MAX_PORTS}", port.port));
        }
        Ok(port) => return Some(port),
    }
    None
}
