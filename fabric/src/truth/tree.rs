//! Which port waited for which, when, and where it ended: at a port where flows contended, or at a host that injected.

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

/// Whose fault a pause is, in millionths.
type Shares = BTreeMap<Root, u64>;

/// A pause and what it is laid at the door of.
#[derive(Clone, Debug)]
pub(super) struct Laid {
    /// When it was sent.
    pub(super) at: Time,
    /// How long it lasted.
    lasted: Time,
    /// The paused port.
    upstream: PortRef,
    /// The ports that what it sends waits at.
    main: Vec<PortRef>,
    /// Flows whose data are held, with the egress port.
    carriers: Vec<(usize, PortRef)>,
    /// The roots that it came directly from.
    direct: Vec<Root>,
    shares: Shares,
}

/// The waiting of a whole run, pause by pause.
#[derive(Debug, Default)]
pub(super) struct Waiting {
    pub(super) laid: Vec<Laid>,
}

/// Who waited for whom during a time.
#[derive(Clone, Debug, Default)]
pub(super) struct Tree {
    /// Paused port -> the ports that what it sends waits at.
    edges: BTreeMap<PortRef, BTreeSet<PortRef>>,
    /// Flows that carried a pause over an edge.
    pub(super) carriers: BTreeMap<(PortRef, PortRef), BTreeSet<usize>>,
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
    // What piled up behind a pause is still there when the pause has just ended, and for as long as it takes to leave.
    let since = replay.head(port, at).unwrap_or(at);
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

/// Lays every pause of a run at the door of somebody.
pub(super) fn waiting(facts: &Facts<'_>, replay: &Replay) -> Waiting {
    let mut laid: Vec<Laid> = Vec::new();
    // The last pause of every port, and whose fault it was.
    let mut last: BTreeMap<&PortRef, Shares> = BTreeMap::new();
    for episode in &replay.episodes {
        let shares = shares(facts, replay, episode, &last);
        let main: Vec<PortRef> = episode.main_ports().cloned().collect();
        let root = |port: &PortRef| match waits(facts, replay, port, episode.at) {
            Waits::Contention => Some(Root::Contention(port.clone())),
            Waits::Host => Some(Root::Injection(port.clone())),
            Waits::Switch => None,
        };
        laid.push(Laid {
            at: episode.at,
            lasted: replay.lasted(&episode.upstream, episode.at),
            upstream: episode.upstream.clone(),
            direct: main.iter().filter_map(root).collect(),
            main,
            carriers: episode.carriers.clone(),
            shares: shares.clone(),
        });
        last.insert(&episode.upstream, shares);
    }
    Waiting { laid }
}

impl Waiting {
    /// When pauses came directly from each root.
    pub(super) fn roots(&self) -> BTreeMap<&Root, Vec<Time>> {
        let mut roots: BTreeMap<&Root, Vec<Time>> = BTreeMap::new();
        for laid in &self.laid {
            for root in &laid.direct {
                roots.entry(root).or_default().push(laid.at);
            }
        }
        roots
    }

    fn during(&self, from: Time, until: Time) -> impl Iterator<Item = &Laid> {
        let first = self.laid.partition_point(|laid| laid.at < from);
        self.laid[first..].iter().take_while(move |laid| laid.at <= until)
    }

    /// How long ports were silent on a root's account, directly or over others, all together, in picoseconds.
    pub(super) fn silence(&self, root: &Root, from: Time, until: Time) -> u128 {
        let of = |laid: &Laid| {
            let millionths = laid.shares.get(root).copied().unwrap_or(0);
            u128::from(laid.lasted.0) * u128::from(millionths) / 1_000_000
        };
        self.during(from, until).map(of).sum()
    }

    /// Who waited for whom.
    pub(super) fn tree(&self, from: Time, until: Time) -> Tree {
        let mut tree = Tree::default();
        for laid in self.during(from, until) {
            for port in &laid.main {
                tree.edges.entry(laid.upstream.clone()).or_default().insert(port.clone());
                let carriers = laid.carriers.iter().filter(|(_, egress)| egress == port);
                let edge = (laid.upstream.clone(), port.clone());
                tree.carriers.entry(edge).or_default().extend(carriers.map(|(flow, _)| *flow));
            }
        }
        tree
    }
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
