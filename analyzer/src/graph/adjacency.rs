//! A directed graph in two arrays (compressed sparse rows), behind petgraph's visit traits, so that petgraph's algorithms
//! and those of [`graph_search`](crate::graph::graph_search) work on it.
//!
//! `cargo bench -p harrier-analyzer --bench adjacency` compares it with petgraph's own graph.

use petgraph::visit::{GraphBase, IntoNeighbors, NodeCompactIndexable, NodeCount, NodeIndexable};

/// Edges in one array, ordered by their source. Vertices are numbered from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    first: Vec<usize>,
    targets: Vec<usize>,
}

impl Adjacency {
    /// Creates a graph of `vertices` vertices with these edges; edges of other vertices are left out.
    pub fn new(vertices: usize, edges: impl IntoIterator<Item = (usize, usize)> + Clone) -> Adjacency {
        let mut first = vec![0; vertices + 1];
        let inside = || edges.clone().into_iter().filter(|(from, to)| *from < vertices && *to < vertices);
        for (from, _) in inside() {
            first[from + 1] += 1;
        }
        for vertex in 0..vertices {
            first[vertex + 1] += first[vertex];
        }
        let mut next = first.clone();
        let mut targets = vec![0; first[vertices]];
        for (from, to) in inside() {
            targets[next[from]] = to;
            next[from] += 1;
        }
        Adjacency { first, targets }
    }

    /// The targets of a vertex's edges, in the order in which they were given.
    pub fn targets(&self, vertex: usize) -> &[usize] {
        &self.targets[self.first[vertex]..self.first[vertex + 1]]
    }
}

impl GraphBase for Adjacency {
    type NodeId = usize;
    type EdgeId = usize;
}

impl NodeCount for Adjacency {
    fn node_count(&self) -> usize {
        self.first.len().saturating_sub(1)
    }
}

impl NodeIndexable for Adjacency {
    fn node_bound(&self) -> usize {
        self.node_count()
    }

    fn to_index(&self, vertex: usize) -> usize {
        vertex
    }

    fn from_index(&self, index: usize) -> usize {
        index
    }
}

impl NodeCompactIndexable for Adjacency {}

impl<'g> IntoNeighbors for &'g Adjacency {
    type Neighbors = std::iter::Copied<std::slice::Iter<'g, usize>>;

    fn neighbors(self, vertex: usize) -> Self::Neighbors {
        self.targets(vertex).iter().copied()
    }
}
