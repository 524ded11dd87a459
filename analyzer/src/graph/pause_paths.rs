//! Pause paths: where pauses lead, and the loops they form. Nothing here is recursive, so a long pause path cannot
//! overflow the stack.

use crate::graph::graph_search::{Components, components, shortest_cycle};
use crate::graph::port_graph::{PortGraph, VertexIx};

/// Whether a component is a loop: more than one vertex, or an edge to itself.
fn is_loop(comps: &Components, graph: &PortGraph, component: usize) -> bool {
    let members = &comps.members[component];
    members.len() > 1 || members.iter().any(|v| graph.edges(*v).iter().any(|e| e.to == *v))
}

/// A pause path and the share of the pause at its end.
#[derive(Clone, Debug)]
pub(crate) struct PausePath {
    /// From the victim's side to the end, by vertex. The end is a vertex without edges, or a loop's first one.
    pub(crate) path: Vec<VertexIx>,
    /// The vertices of the loop in which the path ends or that it crosses, in edge order; empty without a loop.
    pub(crate) pause_loop: Vec<VertexIx>,
    /// The share of the pause that originates here, 0 to 1.
    pub(crate) share: f64,
    /// Whether an edge of the path is the most likely one, not a recorded one.
    pub(crate) weak: bool,
}

/// Returns all pause paths from `starts` (in the order of the victim's path, each with its share of the pause),
/// largest share first, and the share of each vertex.
pub(crate) fn pause_paths(graph: &PortGraph, starts: &[(VertexIx, f64)]) -> (Vec<PausePath>, Vec<f64>) {
    let comps = components(graph);
    let shares = shares(graph, &comps, starts);
    let vertices: Vec<VertexIx> = starts.iter().map(|(start, _)| *start).collect();
    let parents = Parents::new(graph, &comps, &vertices);
    let mut pause_paths: Vec<PausePath> = ends(graph, &comps)
        .into_iter()
        .filter(|c| shares[*c] > 0.0)
        .filter_map(|c| path_to_end(graph, &comps, &parents, c, shares[c]))
        .collect();
    pause_paths.sort_by(|a, b| b.share.total_cmp(&a.share).then_with(|| a.path.cmp(&b.path)));
    let of_vertex = comps.of.iter().map(|c| shares[*c]).collect();
    (pause_paths, of_vertex)
}

/// Components without outgoing edges.
fn ends(graph: &PortGraph, comps: &Components) -> Vec<usize> {
    (0..comps.members.len())
        .filter(|c| {
            let leaves = |v: &VertexIx| graph.edges(*v).iter().any(|e| comps.of[e.to] != *c);
            !comps.members[*c].iter().any(leaves)
        })
        .collect()
}

/// Returns each component's share of the pause: it enters at the starts and divides by weight.
fn shares(graph: &PortGraph, comps: &Components, starts: &[(VertexIx, f64)]) -> Vec<f64> {
    let mut share = vec![0.0; comps.members.len()];
    let total: f64 = starts.iter().map(|(_, weight)| weight).sum();
    for (start, weight) in starts {
        share[comps.of[*start]] += weight / total;
    }
    for c in (0..comps.members.len()).rev() {
        let leaving =
            || comps.members[c].iter().flat_map(|v| graph.edges(*v)).filter(|e| comps.of[e.to] != c);
        let total: f64 = leaving().map(|e| e.split).sum();
        for e in leaving() {
            share[comps.of[e.to]] += share[c] * e.split / total;
        }
    }
    share
}

/// The path from every vertex back to the start that is furthest upstream on the victim's path.
///
/// Components are visited from the starts downstream, so the longest path is known when a component is left. A start
/// on the path of an earlier start does not begin a path of its own.
struct Parents {
    best: Vec<Option<(usize, VertexIx)>>,
    length: Vec<Option<usize>>,
}

impl Parents {
    fn new(graph: &PortGraph, comps: &Components, starts: &[VertexIx]) -> Parents {
        let mut p = Parents { best: vec![None; graph.len()], length: vec![None; graph.len()] };
        let mut weight = vec![0.0_f64; graph.len()];
        for start in starts {
            p.length[*start] = Some(0);
        }
        for c in (0..comps.members.len()).rev() {
            p.spread_inside(graph, comps, c);
            for v in &comps.members[c] {
                let Some(length) = p.length[*v] else { continue };
                for e in graph.edges(*v).iter().filter(|e| comps.of[e.to] != c) {
                    let longer = p.length[e.to].is_none_or(|l| l < length + 1);
                    let heavier = p.length[e.to] == Some(length + 1) && e.weight > weight[e.to];
                    if longer || heavier {
                        p.length[e.to] = Some(length + 1);
                        p.best[e.to] = Some((length, *v));
                        weight[e.to] = e.weight;
                    }
                }
            }
        }
        p
    }

    /// In a loop, the path is the shortest one from the entry of the loop.
    fn spread_inside(&mut self, graph: &PortGraph, comps: &Components, c: usize) {
        let members = &comps.members[c];
        if members.len() < 2 {
            return;
        }
        let entered = members.iter().copied().filter(|v| self.length[*v].is_some());
        let Some(entry) = entered.max_by_key(|v| (self.length[*v], usize::MAX - v)) else { return };
        let base = self.length[entry];
        let mut reached = vec![entry];
        for v in members.iter().filter(|v| **v != entry) {
            self.length[*v] = None;
            self.best[*v] = None;
        }
        let mut at = 0;
        while let Some(v) = reached.get(at).copied() {
            at += 1;
            for e in graph.edges(v).iter().filter(|e| comps.of[e.to] == c) {
                if self.length[e.to].is_none() {
                    let length = self.length[v].or(base).unwrap_or(0);
                    self.length[e.to] = Some(length + 1);
                    self.best[e.to] = Some((length, v));
                    reached.push(e.to);
                }
            }
        }
    }

    fn path_to(&self, end: VertexIx) -> Vec<VertexIx> {
        let mut path = vec![end];
        let mut v = end;
        while let Some((_, parent)) = self.best[v] {
            path.push(parent);
            v = parent;
            if path.len() > self.best.len() {
                break;
            }
        }
        path.reverse();
        path
    }
}

fn path_to_end(
    graph: &PortGraph,
    comps: &Components,
    parents: &Parents,
    end: usize,
    share: f64,
) -> Option<PausePath> {
    let members = &comps.members[end];
    let last = members.iter().copied().filter(|v| parents.length[*v].is_some());
    let last = last.min_by_key(|v| (parents.length[*v], *v))?;
    let path = parents.path_to(last);
    let looping = path.iter().map(|v| comps.of[*v]).find(|c| is_loop(comps, graph, *c));
    let pause_loop = looping.map(|c| cycle(graph, comps, c)).unwrap_or_default();
    let weak = path.windows(2).any(|pair| match pair {
        [from, to] => graph.edges(*from).iter().any(|e| e.to == *to && e.weak),
        _ => false,
    });
    Some(PausePath { path, pause_loop, share, weak })
}

/// Returns the shortest cycle through the smallest vertex of a component, in edge order.
fn cycle(graph: &PortGraph, comps: &Components, component: usize) -> Vec<VertexIx> {
    let Some(first) = comps.members[component].first() else { return Vec::new() };
    shortest_cycle(graph, *first, |vertex| comps.of[vertex] == component).unwrap_or_default()
}
