//! The capacity of a network, of which loads are a fraction.

use std::collections::{BTreeMap, VecDeque};

use model::Topology;

/// Bits a second from the first half of `hosts` to the second half: the maximum flow (Dinic's algorithm) over
/// all links.
pub fn bisection(topology: &Topology, hosts: &[String]) -> u64 {
    let mut graph = Graph::new(topology);
    let (source, sink) = (graph.add_node(), graph.add_node());
    for (position, host) in hosts.iter().enumerate() {
        let Some(node) = graph.index.get(host.as_str()).copied() else { continue };
        if position < hosts.len() / 2 {
            graph.add_arc(source, node, u64::MAX / 4);
        } else {
            graph.add_arc(node, sink, u64::MAX / 4);
        }
    }
    graph.max_flow(source, sink)
}

/// The highest rate in bits a second that `hosts` can send when all pairs are equally likely: limited by their NICs or
/// by the bisection. This is a load of 1.
pub fn capacity(topology: &Topology, hosts: &[String]) -> u64 {
    let n = hosts.len() as u128;
    let near = |host: &String| topology.links.iter().find(|l| l.a.switch == *host || l.b.switch == *host);
    let nics: u128 = hosts.iter().filter_map(near).map(|link| u128::from(link.rate.0)).sum();
    // Of n (n - 1) ordered pairs, (n / 2) (n - n / 2) lead from the first half to the second.
    let crossing = (n / 2) * (n - n / 2);
    let through = u128::from(bisection(topology, hosts)) * n * n.saturating_sub(1) / crossing.max(1);
    u64::try_from(nics.min(through)).unwrap_or(u64::MAX)
}

#[derive(Clone, Copy)]
struct Arc {
    to: usize,
    left: u64,
}

struct Graph<'t> {
    index: BTreeMap<&'t str, usize>,
    /// Arcs by node, as positions in `arcs`; arc n and n ^ 1 are each other's reverse.
    out: Vec<Vec<usize>>,
    arcs: Vec<Arc>,
}

impl<'t> Graph<'t> {
    fn new(topology: &'t Topology) -> Graph<'t> {
        let mut graph = Graph { index: BTreeMap::new(), out: Vec::new(), arcs: Vec::new() };
        for node in &topology.nodes {
            let index = graph.add_node();
            graph.index.insert(&node.name, index);
        }
        for link in &topology.links {
            let ends = (graph.index.get(link.a.switch.as_str()), graph.index.get(link.b.switch.as_str()));
            if let (Some(a), Some(b)) = (ends.0.copied(), ends.1.copied()) {
                // Hosts do not forward; this need not be modelled, since they have one link.
                graph.add_arc(a, b, link.rate.0);
                graph.add_arc(b, a, link.rate.0);
            }
        }
        graph
    }

    fn add_node(&mut self) -> usize {
        self.out.push(Vec::new());
        self.out.len() - 1
    }

    fn add_arc(&mut self, from: usize, to: usize, capacity: u64) {
        self.out[from].push(self.arcs.len());
        self.arcs.push(Arc { to, left: capacity });
        self.out[to].push(self.arcs.len());
        self.arcs.push(Arc { to: from, left: 0 });
    }

    fn max_flow(&mut self, source: usize, sink: usize) -> u64 {
        let mut total: u64 = 0;
        loop {
            let levels = self.levels(source);
            if levels[sink].is_none() {
                return total;
            }
            let mut next = vec![0; self.out.len()];
            while let Some(pushed) = self.push(source, sink, &levels, &mut next) {
                total = total.saturating_add(pushed);
            }
        }
    }

    /// Distance of every node from the source over arcs with residual capacity.
    fn levels(&self, source: usize) -> Vec<Option<u32>> {
        let mut levels = vec![None; self.out.len()];
        levels[source] = Some(0);
        let mut queue = VecDeque::from([(source, 0)]);
        while let Some((node, level)) = queue.pop_front() {
            for arc in &self.out[node] {
                let Arc { to, left } = self.arcs[*arc];
                if left > 0 && levels[to].is_none() {
                    levels[to] = Some(level + 1);
                    queue.push_back((to, level + 1));
                }
            }
        }
        levels
    }

    /// Pushes flow along one path of increasing levels. `next` skips arcs that are dead ends.
    fn push(
        &mut self,
        source: usize,
        sink: usize,
        levels: &[Option<u32>],
        next: &mut [usize],
    ) -> Option<u64> {
        let mut path: Vec<usize> = Vec::new();
        let mut node = source;
        while node != sink {
            let good = |arc: usize| {
                let Arc { to, left } = self.arcs[arc];
                left > 0 && levels[to].is_some() && levels[to] == levels[node].map(|level| level + 1)
            };
            match self.out[node][next[node]..].iter().position(|arc| good(*arc)) {
                Some(skip) => {
                    next[node] += skip;
                    let arc = self.out[node][next[node]];
                    path.push(arc);
                    node = self.arcs[arc].to;
                }
                None => {
                    next[node] = self.out[node].len();
                    let back = path.pop()?;
                    node = self.arcs[back ^ 1].to;
                    next[node] += 1;
                }
            }
        }
        let least = path.iter().map(|arc| self.arcs[*arc].left).min()?;
        for arc in path {
            self.arcs[arc].left -= least;
            self.arcs[arc ^ 1].left = self.arcs[arc ^ 1].left.saturating_add(least);
        }
        Some(least)
    }
}
