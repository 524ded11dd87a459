//! The trace file: a count and as many node numbers: the simulator dumps the packets of these nodes. Harrier captures
//! whole links on demand, so that the file is checked and has no further effect.

use super::text::{Source, lines};
use crate::problem::Problem;

/// Reads a trace file for a network of `nodes` nodes. What follows the last number is a comment. Nodes that
/// do not exist are ignored, as in the simulator, so that one file serves networks of all sizes.
pub fn parse_trace(name: &str, text: &str, nodes: usize) -> (Vec<u32>, Vec<Problem>) {
    let mut source = Source::new(name, text);
    let mut words = lines(text).flat_map(|(words, _)| words);
    let Some(first) = words.next() else {
        source.problem(0, "the file is empty; expected the number of nodes in the first line");
        return (Vec::new(), source.problems);
    };
    let Some(count) = source.whole(first, "the number of nodes", 0..=u32::MAX) else {
        return (Vec::new(), source.problems);
    };
    let (mut traced, mut read) = (Vec::new(), 0);
    for word in words.take(count as usize) {
        read += 1;
        match source.whole(word, "a node", 0..=u32::MAX) {
            Some(node) if (node as usize) < nodes => traced.push(node),
            _ => {}
        }
    }
    if read < count {
        source.problem(first.offset, format!("{count} nodes are announced, but the file has {read}"));
    }
    (traced, source.problems)
}
