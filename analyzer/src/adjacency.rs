//! Graphs as two arrays, and their strongly connected components (Tarjan 1972) without recursion, so that a long path cannot
//! overflow the stack. `cargo bench -p harrier-analyzer --bench adjacency` sets it beside petgraph.

/// A graph whose vertices are numbered from 0.
pub trait Successors {
    /// How many vertices there are.
    fn vertices(&self) -> usize;

    /// Where edge `edge` of vertex `vertex` leads; edges are counted from 0.
    fn successor(&self, vertex: usize, edge: usize) -> Option<usize>;
}

/// The components of a graph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Components {
    /// The component of each vertex. Components are numbered so that edges lead to equal or smaller numbers.
    pub of: Vec<usize>,
    /// The vertices of each component, ascending.
    pub members: Vec<Vec<usize>>,
}

/// Edges in one array, ordered by where they begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Adjacency {
    first: Vec<usize>,
    targets: Vec<usize>,
}

impl Adjacency {
    /// The graph of `vertices` vertices with these edges; edges of other vertices are left out.
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

    /// Where the edges of a vertex lead, in the order in which they were given.
    pub fn targets(&self, vertex: usize) -> &[usize] {
        &self.targets[self.first[vertex]..self.first[vertex + 1]]
    }
}

impl Successors for Adjacency {
    fn vertices(&self) -> usize {
        self.first.len().saturating_sub(1)
    }

    fn successor(&self, vertex: usize, edge: usize) -> Option<usize> {
        self.targets(vertex).get(edge).copied()
    }
}

/// The strongly connected components of a graph.
pub fn components(graph: &impl Successors) -> Components {
    const UNSEEN: usize = usize::MAX;
    let n = graph.vertices();
    let mut number = vec![UNSEEN; n];
    let mut low = vec![0; n];
    let mut on_stack = vec![false; n];
    let mut stack: Vec<usize> = Vec::new();
    let mut calls: Vec<(usize, usize)> = Vec::new();
    let mut result = Components { of: vec![UNSEEN; n], members: Vec::new() };
    let mut next = 0;
    for root in 0..n {
        if number[root] != UNSEEN {
            continue;
        }
        calls.push((root, 0));
        while let Some((v, edge)) = calls.pop() {
            if edge == 0 {
                number[v] = next;
                low[v] = next;
                next += 1;
                stack.push(v);
                on_stack[v] = true;
            }
            if let Some(to) = graph.successor(v, edge) {
                calls.push((v, edge + 1));
                if number[to] == UNSEEN {
                    calls.push((to, 0));
                } else if on_stack[to] {
                    low[v] = low[v].min(number[to]);
                }
                continue;
            }
            if low[v] == number[v] {
                let mut members = Vec::new();
                while let Some(member) = stack.pop() {
                    on_stack[member] = false;
                    result.of[member] = result.members.len();
                    members.push(member);
                    if member == v {
                        break;
                    }
                }
                members.sort_unstable();
                result.members.push(members);
            }
            if let Some((parent, _)) = calls.last() {
                low[*parent] = low[*parent].min(low[v]);
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(vertices: usize, edges: &[(usize, usize)], members: &[&[usize]]) {
        let found = components(&Adjacency::new(vertices, edges.iter().copied()));
        assert_eq!(found.members, members);
        for (from, to) in edges.iter().filter(|(_, to)| *to < vertices) {
            assert!(found.of[*from] >= found.of[*to], "{from} leads to {to}");
        }
    }

    #[test]
    fn loops_are_components() {
        check(0, &[], &[]);
        check(2, &[(0, 1), (0, 7)], &[&[1], &[0]]);
        check(5, &[(0, 1), (1, 2), (2, 1), (2, 3), (4, 4)], &[&[3], &[1, 2], &[0], &[4]]);
    }

    #[test]
    fn a_million_vertices_in_a_row_are_no_problem() {
        let edges: Vec<(usize, usize)> = (1..1_000_000).map(|to| (to - 1, to)).collect();
        assert_eq!(components(&Adjacency::new(1_000_000, edges)).members.len(), 1_000_000);
    }
}
