//! The networks of generated scenarios: five families with mixed link rates and delays.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use model::topology::{Link, Node, NodeKind};
use model::{PortRef, Rate, Time, Topology};

use super::dice::Dice;
use super::text;
use crate::paths::Paths;
use crate::topology::{Cable, FatTree, LeafSpine, host_address};

/// A family of networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Family {
    /// Leaf-spine.
    LeafSpine,
    /// Fat-tree of k = 4, 6 or 8.
    FatTree,
    /// Rail-optimised: NIC number n of every server is attached to switch n.
    Rail,
    /// A ring of switches; traffic may go one way round only.
    Ring,
    /// A random connected graph of switches with hosts at each.
    Irregular,
}

impl Family {
    /// All families.
    pub const ALL: [Family; 5] =
        [Family::LeafSpine, Family::FatTree, Family::Rail, Family::Ring, Family::Irregular];

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Family::LeafSpine => "leaf-spine",
            Family::FatTree => "fat-tree",
            Family::Rail => "rail-optimised",
            Family::Ring => "ring",
            Family::Irregular => "irregular",
        }
    }

    /// Whether hosts are attached to edge switches only, and every edge switch has uplinks to switches above it.
    pub(super) fn is_clos(self) -> bool {
        matches!(self, Family::LeafSpine | Family::FatTree | Family::Rail)
    }
}

/// A drawn network.
#[derive(Clone, Debug)]
pub(super) struct Net {
    pub(super) family: Family,
    pub(super) topology: Topology,
    /// The switch of every host.
    pub(super) edges: BTreeMap<String, String>,
    /// Whether all traffic in a ring goes one way round.
    pub(super) one_way: bool,
    /// The `[topology]` section without its links.
    section: String,
    /// Whether links are listed; otherwise only those that differ from the family's.
    listed: bool,
    changed: BTreeSet<usize>,
    loss: BTreeMap<usize, f64>,
}

/// Rates of hosts in Gb/s, with their weights: those of NICs in use (the rates of IEEE 802.3).
const HOST_GBPS: [(u64, u64); 8] =
    [(10, 5), (25, 15), (40, 10), (50, 5), (100, 30), (200, 15), (400, 14), (800, 6)];

/// Highest rate of a link in Gb/s.
const MOST_GBPS: u64 = 800;

impl Net {
    /// Draws a network of a family. `one_way` forces the direction of a ring.
    pub(super) fn draw(dice: &mut Dice, family: Family, one_way: bool) -> Net {
        let host_gbps = dice.weighted(&HOST_GBPS);
        // Rings keep a small factor, so that the few hosts of a switch can fill a link of the ring.
        let factors: &[(u64, u64)] =
            if family == Family::Ring { &[(1, 60), (2, 40)] } else { &[(1, 50), (2, 25), (4, 25)] };
        let fabric_gbps = (host_gbps * dice.weighted(factors)).min(MOST_GBPS);
        let us = |us: f64| Time((us * 1e6).round() as u64 / 10_000 * 10_000);
        let host = Cable { rate: Rate::from_gbps(host_gbps), delay: us(dice.log(0.1, 2.0)) };
        let fabric = Cable { rate: Rate::from_gbps(fabric_gbps), delay: us(dice.log(0.1, 10.0)) };
        let mut net = match family {
            Family::LeafSpine => leaf_spine(dice, host, fabric),
            Family::FatTree => fat_tree(dice, host, fabric),
            Family::Rail => rail(dice, host, fabric),
            Family::Ring => ring(dice, host, fabric),
            Family::Irregular => irregular(dice, host, fabric),
        };
        net.one_way = family == Family::Ring && (one_way || dice.chance(0.5));
        net.mix_rates(dice, host_gbps);
        if family != Family::FatTree && dice.chance(0.12) {
            net.stretch(dice);
        }
        net
    }

    fn new(family: Family, topology: Topology, section: String, listed: bool) -> Net {
        let mut edges = BTreeMap::new();
        for link in &topology.links {
            for (own, peer) in [(&link.a, &link.b), (&link.b, &link.a)] {
                if topology.is_host(&own.switch) {
                    edges.insert(own.switch.clone(), peer.switch.clone());
                }
            }
        }
        let (changed, loss) = (BTreeSet::new(), BTreeMap::new());
        Net { family, topology, edges, one_way: false, section, listed, changed, loss }
    }

    /// Gives some hosts another rate, in three of ten networks.
    fn mix_rates(&mut self, dice: &mut Dice, usual: u64) {
        if !dice.chance(0.3) {
            return;
        }
        let near: Vec<u64> = HOST_GBPS.iter().map(|(gbps, _)| *gbps).collect();
        let near: Vec<u64> =
            near.into_iter().filter(|gbps| gbps * 4 >= usual && *gbps <= usual * 4).collect();
        for host in self.hosts() {
            if dice.chance(0.3)
                && let Some(gbps) = dice.one(&near)
            {
                self.set_host_rate(&host, Rate::from_gbps(gbps));
            }
        }
    }

    /// Makes the site of one switch remote: its links to other switches, or one link of a ring, are long-haul fibres.
    fn stretch(&mut self, dice: &mut Dice) {
        let delay = Time((dice.log(10.0, 5_000.0) * 1e6).round() as u64 / 100_000 * 100_000);
        let Some(site) = dice.one(&self.edge_switches()) else { return };
        let mut links: Vec<usize> = self.switch_links();
        links.retain(|index| self.joins(*index, &site));
        if self.family == Family::Ring {
            links.truncate(1);
        }
        for index in links {
            self.topology.links[index].delay = delay;
            self.changed.insert(index);
        }
    }

    fn joins(&self, index: usize, node: &str) -> bool {
        let link = &self.topology.links[index];
        link.a.switch == node || link.b.switch == node
    }

    /// All hosts, in the order of the topology.
    pub(super) fn hosts(&self) -> Vec<String> {
        let hosts = self.topology.nodes.iter().filter(|node| node.kind == NodeKind::Host);
        hosts.map(|node| node.name.clone()).collect()
    }

    /// All switches, in the order of the topology.
    pub(super) fn switches(&self) -> Vec<String> {
        let switches = self.topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
        switches.map(|node| node.name.clone()).collect()
    }

    /// The switches with hosts.
    pub(super) fn edge_switches(&self) -> Vec<String> {
        self.edges.values().cloned().collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The hosts of a switch.
    pub(super) fn under(&self, switch: &str) -> Vec<String> {
        let hosts = self.edges.iter().filter(|(_, edge)| *edge == switch);
        hosts.map(|(host, _)| host.clone()).collect()
    }

    /// The links between switches, by index.
    pub(super) fn switch_links(&self) -> Vec<usize> {
        let is_fabric = |end: &PortRef| !self.topology.is_host(&end.switch);
        let links = self.topology.links.iter().enumerate();
        links.filter(|(_, link)| is_fabric(&link.a) && is_fabric(&link.b)).map(|(index, _)| index).collect()
    }

    /// The links between two nodes, by index.
    pub(super) fn between(&self, a: &str, b: &str) -> Vec<usize> {
        (0..self.topology.links.len())
            .filter(|index| self.joins(*index, a) && self.joins(*index, b))
            .collect()
    }

    /// The link of a host.
    pub(super) fn host_link(&self, host: &str) -> &Link {
        let index = self.host_link_index(host);
        &self.topology.links[index]
    }

    fn host_link_index(&self, host: &str) -> usize {
        (0..self.topology.links.len()).find(|index| self.joins(*index, host)).unwrap_or(0)
    }

    /// The rate of a host's link.
    pub(super) fn host_rate(&self, host: &str) -> Rate {
        self.host_link(host).rate
    }

    /// Changes the rate of a host's link.
    pub(super) fn set_host_rate(&mut self, host: &str, rate: Rate) {
        let index = self.host_link_index(host);
        self.set_rate(index, rate);
    }

    /// Changes the rate of a link.
    pub(super) fn set_rate(&mut self, index: usize, rate: Rate) {
        self.topology.links[index].rate = rate;
        self.changed.insert(index);
    }

    /// Changes the loss rate of a link.
    pub(super) fn set_loss(&mut self, index: usize, loss: f64) {
        self.loss.insert(index, loss);
        self.changed.insert(index);
    }

    /// The switches after `from` on the paths to `host`: all equal-cost ones, or the next one of a ring.
    pub(super) fn next_switches(&self, from: &str, host: &str) -> Vec<String> {
        if self.edges.get(host).is_some_and(|edge| edge == from) {
            return Vec::new();
        }
        if self.one_way {
            return vec![self.clockwise(from)];
        }
        let next = self.topology.next_hops(host);
        let ports = next.get(from).map_or(&[][..], Vec::as_slice);
        let peer =
            |port: &u16| self.topology.peer(&PortRef::new(from, *port)).map(|peer| peer.switch.clone());
        ports.iter().filter_map(peer).collect::<BTreeSet<_>>().into_iter().collect()
    }

    /// The next switch of a ring.
    pub(super) fn clockwise(&self, switch: &str) -> String {
        let switches = self.switches();
        let at = switches.iter().position(|name| name == switch).unwrap_or(0);
        switches[(at + 1) % switches.len()].clone()
    }

    /// The links from one host to another, on the first shortest path or one way round the ring.
    pub(super) fn path(&self, src: &str, dst: &str) -> Vec<Link> {
        if !self.one_way {
            let links = Paths::new(&self.topology).links(src, dst);
            return links.unwrap_or_default().into_iter().cloned().collect();
        }
        let mut links = vec![self.host_link(src).clone()];
        let (mut at, end) = (self.edges[src].clone(), &self.edges[dst]);
        while at != *end {
            let next = self.clockwise(&at);
            links.extend(self.between(&at, &next).first().map(|index| self.topology.links[*index].clone()));
            at = next;
        }
        links.push(self.host_link(dst).clone());
        links
    }

    /// The static routes of a ring that is used one way round: switch, hosts, next switch.
    pub(super) fn one_way_routes(&self) -> Vec<(String, Vec<String>, String)> {
        if !self.one_way {
            return Vec::new();
        }
        let others = |switch: &str| -> Vec<String> {
            self.hosts().into_iter().filter(|host| self.edges[host] != switch).collect()
        };
        self.switches().into_iter().map(|s| (s.clone(), others(&s), self.clockwise(&s))).collect()
    }

    /// The top-level `link` list and the `[topology]` section.
    pub(super) fn write(&self) -> (String, String) {
        let mut links = String::new();
        for (index, link) in self.topology.links.iter().enumerate() {
            if !self.listed && !self.changed.contains(&index) {
                continue;
            }
            let loss = self.loss.get(&index).map(|loss| format!(", loss = {}", text::number(*loss)));
            // Ports are written where the order of links does not determine them.
            let end = |port: &PortRef| {
                if self.listed { text::name(&port.switch) } else { text::name(&port.to_string()) }
            };
            let _ = writeln!(
                links,
                "    {{ a = {}, b = {}, rate = {}, delay = {}{} }},",
                end(&link.a),
                end(&link.b),
                text::rate(link.rate),
                text::time(link.delay.as_ns() as f64),
                loss.unwrap_or_default()
            );
        }
        let list = if links.is_empty() { links } else { format!("link = [\n{links}]\n") };
        (list, self.section.clone())
    }
}

fn cables(host: Cable, fabric: Cable) -> String {
    format!(
        "rate = {}\ndelay = {}\nhost_rate = {}\nhost_delay = {}\n",
        text::rate(fabric.rate),
        text::time(fabric.delay.as_ns() as f64),
        text::rate(host.rate),
        text::time(host.delay.as_ns() as f64)
    )
}

fn leaf_spine(dice: &mut Dice, host: Cable, fabric: Cable) -> Net {
    let [leaves, spines, hosts_per_leaf] = [(2, 6), (1, 4), (3, 8)].map(|(a, b)| dice.integer(a, b) as u32);
    let links_per_pair = dice.weighted(&[(1, 85), (2, 15)]);
    let shape = LeafSpine { leaves, spines, hosts_per_leaf, links_per_pair, host, fabric };
    let network = shape.build().expect("small leaf-spine networks are valid");
    let section = format!(
        "kind = \"leaf-spine\"\nleaves = {leaves}\nspines = {spines}\nhosts_per_leaf = {hosts_per_leaf}\nlinks_per_pair = {links_per_pair}\n{}",
        cables(host, fabric)
    );
    Net::new(Family::LeafSpine, network.topology, section, false)
}

fn fat_tree(dice: &mut Dice, host: Cable, fabric: Cable) -> Net {
    let k = dice.weighted(&[(4, 70), (6, 20), (8, 10)]);
    let network = FatTree { k, host, fabric }.build().expect("small fat-trees are valid");
    let section = format!("kind = \"fat-tree\"\nk = {k}\n{}", cables(host, fabric));
    Net::new(Family::FatTree, network.topology, section, false)
}

/// Builds a listed network, with ports in the order of links as the reader numbers them.
#[derive(Default)]
struct Lists {
    topology: Topology,
    hosts: Vec<String>,
    switches: Vec<String>,
    ports: BTreeMap<String, u16>,
}

impl Lists {
    fn link(&mut self, a: &str, b: &str, cable: Cable) {
        let [a, b] = [a, b].map(|node| {
            let port = self.ports.entry(node.to_string()).or_insert(0);
            *port += 1;
            PortRef::new(node, *port)
        });
        self.topology.links.push(Link { a, b, rate: cable.rate, delay: cable.delay });
    }

    fn build(mut self, family: Family) -> Net {
        let switch = |name: &String| Node { name: name.clone(), kind: NodeKind::Switch, addresses: vec![] };
        self.topology.nodes.extend(self.switches.iter().map(switch));
        for (index, name) in self.hosts.iter().enumerate() {
            let addresses = vec![host_address(index)];
            self.topology.nodes.push(Node { name: name.clone(), kind: NodeKind::Host, addresses });
        }
        let list = |names: &[String]| {
            format!("[{}]", names.iter().map(|name| text::name(name)).collect::<Vec<_>>().join(", "))
        };
        let section = format!("switches = {}\nhosts = {}\n", list(&self.switches), list(&self.hosts));
        Net::new(family, self.topology, section, true)
    }
}

fn rail(dice: &mut Dice, host: Cable, fabric: Cable) -> Net {
    let [rails, servers, spines] = [(2, 8), (3, 6), (1, 4)].map(|(a, b)| dice.integer(a, b));
    let mut lists = Lists::default();
    lists.switches.extend((1..=rails).map(|rail| format!("rail{rail}")));
    lists.switches.extend((1..=spines).map(|spine| format!("spine{spine}")));
    for rail in 1..=rails {
        for server in 1..=servers {
            let nic = format!("s{server}n{rail}");
            lists.hosts.push(nic.clone());
            lists.link(&nic, &format!("rail{rail}"), host);
        }
        for spine in 1..=spines {
            lists.link(&format!("rail{rail}"), &format!("spine{spine}"), fabric);
        }
    }
    lists.build(Family::Rail)
}

/// Switches `s1`... with hosts `s1h1`...
fn with_hosts(dice: &mut Dice, switches: u64, hosts: (u64, u64), host: Cable) -> Lists {
    let mut lists = Lists::default();
    for switch in 1..=switches {
        lists.switches.push(format!("s{switch}"));
        for number in 1..=dice.integer(hosts.0, hosts.1) {
            let name = format!("s{switch}h{number}");
            lists.link(&name, &format!("s{switch}"), host);
            lists.hosts.push(name);
        }
    }
    lists
}

fn ring(dice: &mut Dice, host: Cable, fabric: Cable) -> Net {
    let switches = dice.integer(3, 6);
    let mut lists = with_hosts(dice, switches, (3, 5), host);
    for switch in 1..=switches {
        lists.link(&format!("s{switch}"), &format!("s{}", switch % switches + 1), fabric);
    }
    lists.build(Family::Ring)
}

fn irregular(dice: &mut Dice, host: Cable, fabric: Cable) -> Net {
    let switches = dice.integer(4, 9);
    let mut lists = with_hosts(dice, switches, (2, 4), host);
    let mut joined: BTreeSet<(u64, u64)> = BTreeSet::new();
    // A random tree connects all switches; further links close circles.
    for switch in 2..=switches {
        joined.insert((dice.integer(1, switch - 1), switch));
    }
    for _ in 0..dice.integer(2, switches) {
        let (a, b) = (dice.integer(1, switches), dice.integer(1, switches));
        if a != b {
            joined.insert((a.min(b), a.max(b)));
        }
    }
    for (a, b) in joined {
        let slower = if dice.chance(0.2) { fabric.rate.0 / 2 } else { fabric.rate.0 };
        lists.link(&format!("s{a}"), &format!("s{b}"), Cable { rate: Rate(slower), ..fabric });
    }
    lists.build(Family::Irregular)
}
