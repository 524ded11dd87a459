//! The trace file: a count, then as many node numbers, whose packets the simulator dumps. Here packets are dumped
//! on demand and for whole links, so the file is checked and has no further effect.

use super::text::{Source, lines};
use crate::problem::Problem;

/// Reads a trace file for a network of `nodes` nodes. What follows the last number is a comment.
pub fn parse_trace(name: &str, text: &str, nodes: usize) -> (Vec<u32>, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut words = lines(text).flat_map(|(words, _)| words);
    let Some(first) = words.next() else {
        source.problem(0, "the file is empty; expected the number of nodes in the first line");
        return (Vec::new(), source.problems);
    };
    let Some(count) = source.read(first, "the number of nodes", |w| w.parse::<usize>().ok()) else {
        return (Vec::new(), source.problems);
    };
    let (mut traced, mut read) = (Vec::new(), 0);
    for word in words.take(count) {
        read += 1;
        let Some(node) = source.read(word, "a node number", |w| w.parse::<u32>().ok()) else {
            continue;
        };
        if node as usize >= nodes {
            source.problem(word.offset, format!("node {node} does not exist"));
        } else {
            traced.push(node);
        }
    }
    if read < count {
        source.problem(text.len(), format!("{count} nodes are announced and {read} are there"));
    }
    (traced, source.problems)
}
