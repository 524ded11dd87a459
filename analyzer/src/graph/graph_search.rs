//! Searches on any graph with petgraph's visit traits: strongly connected components and shortest cycles.
//!
//! The components are Tarjan's (1972) with a stack of its own. petgraph has two algorithms for them: `tarjan_scc` is
//! recursive, so a pause path of a million ports overflows the call stack, and `kosaraju_scc` needs the reversed edges and
//! takes several times as long (`cargo bench -p harrier-analyzer --bench adjacency`).

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, VecDeque};

use petgraph::visit::{IntoNeighbors, NodeCompactIndexable};

/// The strongly connected components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each vertex. Components are numbered so that edges lead to equal or smaller numbers.
    pub of: Vec<usize>,
    /// The vertices of each component, ascending.
    pub members: Vec<Vec<usize>>,
}

/// Returns the strongly connected components of a graph, in time linear in its vertices and edges.
pub fn components<G>(graph: G) -> Components
where
    G: IntoNeighbors<NodeId = usize> + NodeCompactIndexable,
{
    const UNSEEN: usize = usize::MAX;
    let n = graph.node_count();
    let mut number = vec![UNSEEN; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let mut stack: Vec<usize> = Vec::new();
    let mut calls: Vec<(usize, G::Neighbors)> = Vec::new();
    let mut result = Components { of: vec![UNSEEN; n], members: Vec::new() };
    let mut next = 0;
    for root in 0..n {
        if number[root] != UNSEEN {
            continue;
        }
        let mut entered = Some(root);
        while entered.is_some() || !calls.is_empty() {
            if let Some(vertex) = entered.take() {
                (number[vertex], low[vertex]) = (next, next);
                next += 1;
                stack.push(vertex);
                on_stack[vertex] = true;
                calls.push((vertex, graph.neighbors(vertex)));
            }
            let Some((vertex, neighbors)) = calls.last_mut() else { break };
            let vertex = *vertex;
            if let Some(to) = neighbors.next() {
                if number[to] == UNSEEN {
                    entered = Some(to);
                } else if on_stack[to] {
                    low[vertex] = low[vertex].min(number[to]);
                }
                continue;
            }
            calls.pop();
            if low[vertex] == number[vertex] {
                let start = stack.iter().rposition(|member| *member == vertex).unwrap_or(0);
                let mut members = stack.split_off(start);
                for member in &members {
                    on_stack[*member] = false;
                    result.of[*member] = result.members.len();
                }
                members.sort_unstable();
                result.members.push(members);
            }
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[vertex]);
            }
        }
    }
    result
}

/// Returns the shortest cycle through `start` over vertices that satisfy `is_inside`, in edge order, by breadth-first
/// search; of equally short ones the first in the order of edges. `None` if there is no cycle.
pub fn shortest_cycle<G>(graph: G, start: usize, is_inside: impl Fn(usize) -> bool) -> Option<Vec<usize>>
where
    G: IntoNeighbors<NodeId = usize>,
{
    let mut parents: BTreeMap<usize, usize> = BTreeMap::new();
    let mut queue = VecDeque::from([start]);
    while let Some(vertex) = queue.pop_front() {
        for to in graph.neighbors(vertex).filter(|to| is_inside(*to)) {
            if to == start {
                let parent_of = |vertex: &usize| parents.get(vertex).copied();
                let mut cycle: Vec<usize> = std::iter::successors(Some(vertex), parent_of).collect();
                cycle.reverse();
                return Some(cycle);
            }
            if let Entry::Vacant(unseen) = parents.entry(to) {
                unseen.insert(vertex);
                queue.push_back(to);
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::adjacency::Adjacency;

    fn check(vertices: usize, edges: &[(usize, usize)], members: &[&[usize]]) {
        let graph = Adjacency::new(vertices, edges.iter().copied());
        let found = components(&graph);
        assert_eq!(found.members, members);
        for (from, to) in edges.iter().filter(|(_, to)| *to < vertices) {
            assert!(found.of[*from] >= found.of[*to], "{from} leads to {to}");
        }
        let petgraph = petgraph::graph::DiGraph::<(), ()>::from_edges(
            edges.iter().filter(|(_, to)| *to < vertices).map(|(from, to)| (*from as u32, *to as u32)),
        );
        let loops = petgraph::algo::tarjan_scc(&petgraph).into_iter().filter(|members| members.len() > 1);
        assert_eq!(found.members.iter().filter(|members| members.len() > 1).count(), loops.count());
    }

    #[test]
    fn loops_are_components() {
        check(0, &[], &[]);
        check(2, &[(0, 1), (0, 7)], &[&[1], &[0]]);
        check(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 4)], &[&[3], &[1, 2], &[0], &[4]]);
    }

    #[test]
    fn a_path_of_a_million_vertices_does_not_overflow_the_call_stack() {
        let edges: Vec<(usize, usize)> = (1..1_000_000).map(|to| (to - 1, to)).collect();
        assert_eq!(components(&Adjacency::new(1_000_000, edges)).members.len(), 1_000_000);
    }

    #[test]
    fn the_shortest_cycle_is_found_in_edge_order() {
        let graph = Adjacency::new(6, [(0, 1), (1, 2), (2, 0), (0, 3), (3, 0), (4, 4), (4, 5)]);
        let cycle = |start| shortest_cycle(&graph, start, |_| true);
        assert_eq!(cycle(0), Some(vec![0, 3]));
        assert_eq!(cycle(1), Some(vec![1, 2, 0]));
        assert_eq!(cycle(4), Some(vec![4]));
        assert_eq!(cycle(5), None);
        assert_eq!(shortest_cycle(&graph, 0, |vertex| vertex != 3), Some(vec![0, 1, 2]));
    }
}
