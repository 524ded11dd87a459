//! The wait-for edges of every time, up to the root: a port where flows contended, or a host that injected pauses.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use model::{PortRef, Time};

use super::Facts;
use super::replay::{Episode, Replay};

/// Where a chain of pauses starts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Root {
    /// A port that was not paused had a queue.
    Contention(PortRef),
    /// The host at this port paused it.
    Injection(PortRef),
}

impl Root {
    pub(super) fn port(&self) -> &PortRef {
        match self {
            Root::Contention(port) | Root::Injection(port) => port,
        }
    }
}

/// The shares of roots in a pause, in millionths.
type Shares = BTreeMap<Root, u64>;

/// A pause and the roots that it is attributed to.
#[derive(Clone, Debug)]
pub(super) struct AttributedPause {
    /// When it was sent.
    pub(super) at: Time,
    /// How long it lasted.
    lasted: Time,
    /// The paused port.
    upstream: PortRef,
    /// The downstream ports that hold its traffic.
    main: Vec<PortRef>,
    /// Flows with packets that are held, with the egress port.
    spreaders: Vec<(usize, PortRef)>,
    /// Its direct roots.
    direct: Vec<Root>,
    shares: Shares,
}

/// All pauses of a run, attributed.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) attributed: Vec<AttributedPause>,
}

/// The wait-for edges of a period.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Paused port -> the downstream ports that hold its traffic.
    edges: BTreeMap<PortRef, BTreeSet<PortRef>>,
    /// Spreaders by edge.
    pub(super) spreaders: BTreeMap<(PortRef, PortRef), BTreeSet<usize>>,
}

/// An egress port counts for a pause if it holds at least this part of the traffic from the paused port, in percent.
const SHARE_PERCENT: u64 = 20;

/// What a port with queued packets waits for.
pub(super) enum Waits {
    /// For the link: flows contend.
    Contention,
    /// For a host at the far end, which paused it.
    Host,
    /// For a switch at the far end, which paused it.
    Switch,
}

pub(super) fn waits(facts: &Facts<'_>, replay: &Replay, port: &PortRef, at: Time) -> Waits {
    // The queue behind a pause drains only after the pause has ended.
    let since = replay.head(port, at).unwrap_or(at);
    if !replay.was_paused(port, since, at) {
        return Waits::Contention;
    }
    match facts.peer(port) {
        Some(peer) if facts.scenario.topology.is_host(&peer.switch) => Waits::Host,
        _ => Waits::Switch,
    }
}

impl Episode {
    /// The egress ports that count for this pause.
    pub(super) fn main_ports(&self) -> impl Iterator<Item = &PortRef> {
        let total: u64 = self.towards.iter().map(|(_, bytes)| bytes).sum();
        self.towards
            .iter()
            .filter(move |(_, bytes)| bytes * 100 >= total * SHARE_PERCENT)
            .map(|(port, _)| port)
    }
}

/// Attributes each pause of a run to its roots.
pub(super) fn waiting(facts: &Facts<'_>, replay: &Replay) -> Waiting {
    let mut attributed: Vec<AttributedPause> = Vec::new();
    // The shares of the last pause of every port.
    let mut last: BTreeMap<&PortRef, Shares> = BTreeMap::new();
    for episode in &replay.episodes {
        let shares = shares(facts, replay, episode, &last);
        let main: Vec<PortRef> = episode.main_ports().cloned().collect();
        let root = |port: &PortRef| match waits(facts, replay, port, episode.at) {
            Waits::Contention => Some(Root::Contention(port.clone())),
            Waits::Host => Some(Root::Injection(port.clone())),
            Waits::Switch => None,
        };
        attributed.push(AttributedPause {
            at: episode.at,
            lasted: replay.lasted(&episode.upstream, episode.at),
            upstream: episode.upstream.clone(),
            direct: main.iter().filter_map(root).collect(),
            main,
            spreaders: episode.spreaders.clone(),
            shares: shares.clone(),
        });
        last.insert(&episode.upstream, shares);
    }
    Waiting { attributed }
}

impl Waiting {
    /// The times of the pauses that each root caused directly.
    pub(super) fn roots(&self) -> BTreeMap<&Root, Vec<Time>> {
        let mut roots: BTreeMap<&Root, Vec<Time>> = BTreeMap::new();
        for attributed in &self.attributed {
            for root in &attributed.direct {
                roots.entry(root).or_default().push(attributed.at);
            }
        }
        roots
    }

    fn during(&self, from: Time, until: Time) -> impl Iterator<Item = &AttributedPause> {
        let first = self.attributed.partition_point(|attributed| attributed.at < from);
        self.attributed[first..].iter().take_while(move |attributed| attributed.at <= until)
    }

    /// The total paused time of all ports that is attributed to a root, directly or through other ports, in
    /// picoseconds.
    pub(super) fn paused_time(&self, root: &Root, from: Time, until: Time) -> u128 {
        let of = |attributed: &AttributedPause| {
            let millionths = attributed.shares.get(root).copied().unwrap_or(0);
            u128::from(attributed.lasted.0) * u128::from(millionths) / 1_000_000
        };
        self.during(from, until).map(of).sum()
    }

    /// The wait-for edges of a period.
    pub(super) fn tree(&self, from: Time, until: Time) -> Tree {
        let mut tree = Tree::default();
        for attributed in self.during(from, until) {
            for port in &attributed.main {
                tree.edges.entry(attributed.upstream.clone()).or_default().insert(port.clone());
                let spreaders = attributed.spreaders.iter().filter(|(_, egress)| egress == port);
                let edge = (attributed.upstream.clone(), port.clone());
                tree.spreaders.entry(edge).or_default().extend(spreaders.map(|(flow, _)| *flow));
            }
        }
        tree
    }
}

/// The shares of roots in a pause: by the queued bytes that waited for each root, directly or through other ports.
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

    /// The shortest path from a port to the root along wait-for edges; the root comes last.
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
