//! Random draws: nodes, sizes and times that a scenario leaves to the seed.
//!
//! A `[[pick]]` names randomly chosen nodes that meet conditions; `$name` then refers to all of them and `$name.2` to
//! the second. Reading the same text with another seed gives another instance. Every draw has its own stream of random
//! numbers, named after what is drawn, so that a new draw does not change the others.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::Hasher;
use std::ops::Range;

use fnv::FnvHasher;
use model::topology::NodeKind;
use model::{Time, Topology};

use super::table::{Placed, Reader, Section};
use crate::random::Random;
use crate::topology::{Network, Tier};

/// The draws so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Draws {
    seed: u64,
    names: BTreeMap<String, Vec<String>>,
    taken: BTreeSet<String>,
    /// Whether the instance depends on the seed.
    pub(super) used: bool,
}

impl Draws {
    pub(super) fn new(seed: u64) -> Draws {
        Draws { seed, ..Draws::default() }
    }

    /// The generator of everything drawn under this name.
    pub(super) fn random(&mut self, stream: &str) -> Random {
        self.used = true;
        let mut hasher = FnvHasher::default();
        hasher.write(stream.as_bytes());
        Random::new(self.seed, hasher.finish() | 1 << 63)
    }

    /// `time` plus a random time below `jitter`.
    pub(super) fn later(&mut self, stream: &str, time: Time, jitter: Time) -> Time {
        if jitter == Time::ZERO {
            return time;
        }
        let more = self.random(stream).time_below(jitter);
        Time(time.0.saturating_add(more.0))
    }

    /// `bytes` times a random factor between `1 - spread` and `1 + spread`, at least 1.
    pub(super) fn about(&mut self, stream: &str, bytes: u64, spread: f64) -> u64 {
        if spread <= 0.0 {
            return bytes;
        }
        let millionths = (spread * 1e6).round() as u64;
        let factor = 1_000_000 - millionths.min(1_000_000) + self.random(stream).below(2 * millionths + 1);
        ((u128::from(bytes) * u128::from(factor) / 1_000_000) as u64).max(1)
    }

    /// Resolves `text`: to itself, or to the nodes of a pick.
    pub(super) fn resolve(&self, text: &str) -> Result<Vec<String>, String> {
        let Some(name) = text.strip_prefix('$') else {
            return Ok(vec![text.to_string()]);
        };
        let (name, number) = match name.rsplit_once('.') {
            Some((name, number)) => (name, Some(number)),
            None => (name, None),
        };
        let Some(nodes) = self.names.get(name) else {
            let known: Vec<String> = self.names.keys().map(|name| format!("${name}")).collect();
            return Err(match known.as_slice() {
                [] => format!("there is no pick `{name}`"),
                known => format!("there is no pick `{name}`; there are {}", known.join(", ")),
            });
        };
        let Some(number) = number else {
            return Ok(nodes.clone());
        };
        match number.parse::<usize>().ok().and_then(|number| nodes.get(number.checked_sub(1)?)) {
            Some(node) => Ok(vec![node.clone()]),
            None => {
                Err(format!("`${name}` has {} node(s), counted from 1; there is no `.{number}`", nodes.len()))
            }
        }
    }
}

impl Reader<'_> {
    /// The names that a text refers to; none for an unknown pick.
    pub(super) fn names(&mut self, text: &Placed<String>) -> Vec<Placed<String>> {
        match self.draws.resolve(&text.value) {
            Ok(names) => names.into_iter().map(|value| Placed { value, span: text.span.clone() }).collect(),
            Err(message) => {
                self.problem(&text.span, message);
                Vec::new()
            }
        }
    }

    /// The single name that a text refers to.
    pub(super) fn name(&mut self, text: &Placed<String>) -> Option<Placed<String>> {
        let mut names = self.names(text);
        if names.len() > 1 {
            let message = format!("`{}` refers to {} nodes; one is expected", text.value, names.len());
            self.problem(&text.span, message);
        }
        (names.len() == 1).then(|| names.remove(0))
    }
}

/// Conditions on a node. Names are those of hosts and switches.
#[derive(Default)]
struct Conditions {
    tier: Option<Tier>,
    among: Option<BTreeSet<String>>,
    under: Vec<String>,
    apart: Vec<String>,
    pod_of: Vec<String>,
    other_pod: Vec<String>,
    above: Vec<String>,
}

/// Draws every `[[pick]]`, in order.
pub(super) fn read_picks(reader: &mut Reader<'_>, root: &mut Section<'_>, network: &Network) {
    let edges = edges(&network.topology);
    for mut section in root.sections(reader, "pick") {
        let span = section.span.clone();
        let name = section.text(reader, "name");
        if name.is_none() {
            section.missing(reader, "name");
        }
        let count = section.integer::<u32>(reader, "count", 1..=65_535).unwrap_or(1);
        let conditions = read_conditions(reader, &mut section, network);
        section.finish(reader);
        let (Some(name), Some(conditions)) = (name, conditions) else { continue };
        if name.value.is_empty() || name.value.contains(['.', '$']) {
            reader.problem(&name.span, "a pick's name must not be empty nor contain `.` or `$`");
            continue;
        }
        let candidates = candidates(network, &edges, &conditions, &reader.draws.taken);
        let picked = draw(reader, &name.value, candidates, count as usize, &span);
        reader.draws.taken.extend(picked.iter().cloned());
        if reader.draws.names.insert(name.value.clone(), picked).is_some() {
            reader.problem(&name.span, format!("two picks have the name `{}`", name.value));
        }
    }
}

fn read_conditions(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    network: &Network,
) -> Option<Conditions> {
    let mut conditions = Conditions::default();
    let mut is_valid = true;
    if let Some(text) = section.text(reader, "tier") {
        conditions.tier = Tier::parse(&text.value);
        if conditions.tier.is_none() {
            reader.problem(&text.span, "`tier` must be \"host\", \"edge\", \"aggregation\" or \"core\"");
            is_valid = false;
        }
    }
    let mut nodes = |reader: &mut Reader<'_>, key| -> Option<Vec<String>> {
        let texts = section.texts_or_text(reader, key)?;
        let mut names = Vec::new();
        for text in texts {
            for name in reader.names(&text) {
                match network.topology.node(&name.value) {
                    Some(_) => names.push(name.value),
                    None => reader.problem(&name.span, format!("node `{}` does not exist", name.value)),
                }
            }
        }
        Some(names)
    };
    conditions.among = nodes(reader, "among").map(|names| names.into_iter().collect());
    conditions.under = nodes(reader, "under").unwrap_or_default();
    conditions.apart = nodes(reader, "apart").unwrap_or_default();
    conditions.pod_of = nodes(reader, "pod_of").unwrap_or_default();
    conditions.other_pod = nodes(reader, "other_pod").unwrap_or_default();
    conditions.above = nodes(reader, "above").unwrap_or_default();
    is_valid.then_some(conditions)
}

/// The switches that a node is attached to: of a host its neighbours, of a switch itself.
type Edges<'t> = BTreeMap<&'t str, BTreeSet<&'t str>>;

fn edges(topology: &Topology) -> Edges<'_> {
    let mut edges: Edges<'_> = BTreeMap::new();
    for node in &topology.nodes {
        let own = edges.entry(&node.name).or_default();
        if node.kind == NodeKind::Switch {
            own.insert(&node.name);
        }
    }
    for link in &topology.links {
        for (own, peer) in [(&link.a, &link.b), (&link.b, &link.a)] {
            if topology.is_host(&own.switch) {
                edges.entry(&own.switch).or_default().insert(&peer.switch);
            }
        }
    }
    edges
}

fn candidates(
    network: &Network,
    edges: &Edges<'_>,
    conditions: &Conditions,
    taken: &BTreeSet<String>,
) -> Vec<String> {
    let all_edges = |names: &[String]| -> BTreeSet<&str> {
        names.iter().flat_map(|name| edges.get(name.as_str()).into_iter().flatten().copied()).collect()
    };
    let pods = |names: &[String]| -> BTreeSet<Option<u32>> {
        names.iter().map(|name| network.places.get(name).and_then(|place| place.pod)).collect()
    };
    let (under, apart, above) =
        (all_edges(&conditions.under), all_edges(&conditions.apart), all_edges(&conditions.above));
    let (pod_of, other_pod) = (pods(&conditions.pod_of), pods(&conditions.other_pod));
    let fits = |name: &str, kind: NodeKind| {
        let place = network.places.get(name);
        let own = edges.get(name);
        let shares =
            |with: &BTreeSet<&str>| own.is_some_and(|own| own.iter().any(|edge| with.contains(edge)));
        let pod = place.and_then(|place| place.pod);
        let tier = match (conditions.tier, place) {
            _ if !conditions.above.is_empty() => kind == NodeKind::Switch && above.contains(name),
            (None, _) => conditions.among.is_some() || kind == NodeKind::Host,
            (Some(Tier::Host), _) => kind == NodeKind::Host,
            (Some(tier), Some(place)) => place.tier == tier,
            // Without tiers, a switch with hosts counts as an edge switch.
            (Some(tier), None) => {
                let has_hosts = edges.iter().any(|(host, at)| *host != name && at.contains(name));
                kind == NodeKind::Switch && (tier == Tier::Edge) == has_hosts
            }
        };
        tier && conditions.among.as_ref().is_none_or(|among| among.contains(name))
            && (under.is_empty() || shares(&under))
            && !shares(&apart)
            && (conditions.pod_of.is_empty() || pod_of.contains(&pod))
            && (conditions.other_pod.is_empty() || !other_pod.contains(&pod))
            && !taken.contains(name)
    };
    let nodes = network.topology.nodes.iter();
    nodes.filter(|node| fits(&node.name, node.kind)).map(|node| node.name.clone()).collect()
}

/// Draws `count` of the candidates, in random order.
fn draw(
    reader: &mut Reader<'_>,
    name: &str,
    mut candidates: Vec<String>,
    count: usize,
    span: &Range<usize>,
) -> Vec<String> {
    if candidates.len() < count {
        let found = candidates.len();
        reader.problem(span, format!("pick `{name}` needs {count} node(s); {found} meet its conditions"));
        return candidates;
    }
    let mut random = reader.draws.random(&format!("pick {name}"));
    (0..count).map(|_| candidates.swap_remove(random.below(candidates.len() as u64) as usize)).collect()
}
