//! Which port waited for which, and where it ended: at a port where flows contended, or at a host that injected.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::{PortRef, Time};

use super::Facts;
use super::replay::{Episode, Replay};

/// Where a chain of pauses starts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    /// A port that nobody had silenced had a queue.
    Contention(PortRef),
    /// The host behind this port silenced it.
    Injection(PortRef),
}

impl Root {
    pub(super) fn port(&self) -> &PortRef {
        match self {
            Root::Contention(port) | Root::Injection(port) => port,
        }
    }
}

/// What was seen of a root.
#[derive(Clone, Debug, Default)]
pub(super) struct Seen {
    /// When a pause came directly from it.
    pub(super) times: Vec<Time>,
    /// How long ports were silent on its account, directly or over others, all together, in picoseconds.
    pub(super) silence: u128,
}

/// Whose fault a pause is, in millionths.
type Shares = BTreeMap<Root, u64>;

/// The waiting of a whole run.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// Paused port -> the ports that what it sends waits at.
    pub(super) edges: BTreeMap<PortRef, BTreeSet<PortRef>>,
    /// Flows that carried a pause over an edge.
    pub(super) carriers: BTreeMap<(PortRef, PortRef), BTreeSet<usize>>,
    /// Where it started.
    pub(super) roots: BTreeMap<Root, Seen>,
}

/// An egress port matters for a pause when it holds this part of what came in by the paused port, in percent.
const SHARE_PERCENT: u64 = 20;

/// What a port that holds packets waits for at a time.
pub(super) enum Waits {
    /// For the wire: flows contend.
    Contention,
    /// For the far end, which is a host.
    Host,
    /// For the far end, which is a switch.
    Switch,
}

pub(super) fn waits(facts: &Facts<'_>, replay: &Replay, port: &PortRef, at: Time) -> Waits {
    // What piled up behind a pause is still there when the pause has just ended.
    let since = replay.busy_at(port, at).map_or(at, |busy| busy.from);
    if !replay.was_silent(port, since, at) {
        return Waits::Contention;
    }
    match facts.peer(port) {
        Some(peer) if facts.scenario.topology.is_host(&peer.switch) => Waits::Host,
        _ => Waits::Switch,
    }
}

impl Episode {
    /// The egress ports that matter for this pause.
    pub(super) fn main_ports(&self) -> impl Iterator<Item = &PortRef> {
        let total: u64 = self.towards.iter().map(|(_, bytes)| bytes).sum();
        self.towards
            .iter()
            .filter(move |(_, bytes)| bytes * 100 >= total * SHARE_PERCENT)
            .map(|(port, _)| port)
    }
}

pub(super) fn tree(facts: &Facts<'_>, replay: &Replay) -> Tree {
    let mut tree = Tree::default();
    // The last pause of every port, and whose fault it was.
    let mut last: BTreeMap<&PortRef, Shares> = BTreeMap::new();
    for episode in &replay.episodes {
        let shares = shares(facts, replay, episode, &last);
        for port in episode.main_ports() {
            tree.add_edge(episode, port);
            let root = match waits(facts, replay, port, episode.at) {
                Waits::Contention => Root::Contention(port.clone()),
                Waits::Host => Root::Injection(port.clone()),
                Waits::Switch => continue,
            };
            tree.roots.entry(root).or_default().times.push(episode.at);
        }
        let lasted = replay.lasted(&episode.upstream, episode.at);
        for (root, millionths) in &shares {
            let seen = tree.roots.entry(root.clone()).or_default();
            seen.silence += u128::from(lasted.0) * u128::from(*millionths) / 1_000_000;
        }
        last.insert(&episode.upstream, shares);
    }
    // A port that a host silences is silent on that host's account, whoever else waits.
    for (port, times) in &replay.silent {
        let far_is_host = facts.peer(port).is_some_and(|peer| facts.scenario.topology.is_host(&peer.switch));
        if far_is_host && !facts.scenario.topology.is_host(&port.switch) {
            let seen = tree.roots.entry(Root::Injection(port.clone())).or_default();
            seen.times.extend(times.iter().map(|(start, _)| *start));
            seen.silence += times.iter().map(|(from, until)| u128::from(until.0 - from.0)).sum::<u128>();
        }
    }
    tree
}

/// Whose fault a pause is: by the bytes that waited for each root, over the ports in between.
fn shares(
    facts: &Facts<'_>,
    replay: &Replay,
    episode: &Episode,
    last: &BTreeMap<&PortRef, Shares>,
) -> Shares {
    let total: u64 = episode.towards.iter().map(|(_, bytes)| bytes).sum();
    let mut shares = Shares::new();
    for (port, bytes) in &episode.towards {
        let part = (u128::from(*bytes) * 1_000_000 / u128::from(total.max(1))) as u64;
        let root = match waits(facts, replay, port, episode.at) {
            Waits::Contention => Root::Contention(port.clone()),
            Waits::Host => Root::Injection(port.clone()),
            Waits::Switch => {
                for (root, behind) in last.get(port).into_iter().flatten() {
                    *shares.entry(root.clone()).or_insert(0) += part * behind / 1_000_000;
                }
                continue;
            }
        };
        *shares.entry(root).or_insert(0) += part;
    }
    shares
}

impl Tree {
    fn add_edge(&mut self, episode: &Episode, port: &PortRef) {
        self.edges.entry(episode.upstream.clone()).or_default().insert(port.clone());
        let carriers = episode.carriers.iter().filter(|(_, egress)| egress == port);
        self.carriers
            .entry((episode.upstream.clone(), port.clone()))
            .or_default()
            .extend(carriers.map(|(flow, _)| *flow));
    }

    /// Every port that waited for `root`, itself included.
    pub(super) fn waiting_for(&self, root: &PortRef) -> BTreeSet<PortRef> {
        let mut back: BTreeMap<&PortRef, Vec<&PortRef>> = BTreeMap::new();
        for (from, to) in self.edges.iter().flat_map(|(from, to)| to.iter().map(move |to| (from, to))) {
            back.entry(to).or_default().push(from);
        }
        let mut found = BTreeSet::from([root.clone()]);
        let mut queue = VecDeque::from([root]);
        while let Some(port) = queue.pop_front() {
            for from in back.get(port).into_iter().flatten() {
                if found.insert((*from).clone()) {
                    queue.push_back(from);
                }
            }
        }
        found
    }

    /// The shortest way from a port to the root along what waits for what; the root comes last.
    pub(super) fn path(&self, from: &PortRef, root: &PortRef) -> Option<Vec<PortRef>> {
        let mut before: BTreeMap<&PortRef, &PortRef> = BTreeMap::new();
        let mut queue = VecDeque::from([from]);
        while let Some(port) = queue.pop_front() {
            if port == root {
                let mut path = vec![root.clone()];
                let mut at = port;
                while at != from {
                    at = before.get(at)?;
                    path.push(at.clone());
                }
                path.reverse();
                return Some(path);
            }
            for to in self.edges.get(port).into_iter().flatten() {
                if to != from && !before.contains_key(to) {
                    before.insert(to, port);
                    queue.push_back(to);
                }
            }
        }
        None
    }
}
