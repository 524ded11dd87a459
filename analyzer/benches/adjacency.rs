//! Strongly connected components of 10^5 vertices and 10^6 edges: the analyzer's two arrays and search, and petgraph's.
//!
//! `cargo bench -p harrier-analyzer --bench adjacency`

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use harrier_analyzer::adjacency::Adjacency;
use harrier_analyzer::graph_search::components;
use petgraph::graph::DiGraph;

const VERTICES: usize = 100_000;
const EDGES: usize = 1_000_000;

/// Edges that lead mostly forward, as pauses do, and sometimes back (xorshift64, Marsaglia 2003).
fn edges() -> Vec<(usize, usize)> {
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let edge = |_| {
        let from = random(VERTICES);
        let ahead = random(1_000) + 1;
        let to =
            if random(1_000) == 0 { from.saturating_sub(ahead) } else { (from + ahead).min(VERTICES - 1) };
        (from, to)
    };
    (0..EDGES).map(edge).collect()
}

fn adjacency(c: &mut Criterion) {
    let edges = edges();
    let ours = Adjacency::new(VERTICES, edges.iter().copied());
    let build = || DiGraph::<(), ()>::from_edges(edges.iter().map(|(a, b)| (*a as u32, *b as u32)));
    let theirs = build();
    assert_eq!(components(&ours).members.len(), petgraph::algo::kosaraju_scc(&theirs).len());
    let mut group = c.benchmark_group("10^5 vertices, 10^6 edges");
    group.sample_size(10);
    group.bench_function("build, two arrays", |b| {
        b.iter(|| Adjacency::new(VERTICES, black_box(&edges).iter().copied()))
    });
    group.bench_function("build, petgraph", |b| b.iter(build));
    group.bench_function("components, two arrays", |b| b.iter(|| components(black_box(&ours))));
    group.bench_function("components, petgraph tarjan_scc (recursive)", |b| {
        b.iter(|| petgraph::algo::tarjan_scc(black_box(&theirs)));
    });
    group.bench_function("components, petgraph kosaraju_scc", |b| {
        b.iter(|| petgraph::algo::kosaraju_scc(black_box(&theirs)));
    });
    group.finish();
}

#[allow(missing_docs, reason = "made by the macro")]
mod harness {
    use super::*;
    criterion_group!(benches, adjacency);
}
criterion_main!(harness::benches);
