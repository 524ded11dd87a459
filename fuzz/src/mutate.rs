//! A simple mutator for runs without coverage feedback: reproducible from a seed, and sufficient to detect
//! regressions on any machine. libFuzzer searches for new failures.

use rand_core::Rng;
use rand_xoshiro::SplitMix64;

/// Returns a number below `bound`; 0 if `bound` is 0.
fn below(random: &mut SplitMix64, bound: usize) -> usize {
    (random.next_u64() % bound.max(1) as u64) as usize
}

/// Numbers at the limits of lengths and widths.
const EDGES: &[u64] = &[0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];

/// Maximum length of an input.
const LENGTH: usize = 1 << 16;

/// Returns one of the seeds with a few random edits.
pub fn mutated(seeds: &[Vec<u8>], words: &[&str], rng: &mut SplitMix64) -> Vec<u8> {
    let mut bytes = seeds.get(below(rng, seeds.len())).cloned().unwrap_or_default();
    for _ in 0..=below(rng, 6) {
        edit(&mut bytes, seeds, words, rng);
    }
    bytes.truncate(LENGTH);
    bytes
}

fn edit(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], rng: &mut SplitMix64) {
    let (from, to) = range(bytes.len(), rng);
    match below(rng, 7) {
        0 => drop(bytes.drain(from..to)),
        1 => {
            let copy = bytes.get(from..to).unwrap_or_default().to_vec();
            let at = below(rng, bytes.len() + 1);
            bytes.splice(at..at, copy);
        }
        2 => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte ^= 1 << below(rng, 8);
            }
        }
        3 => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte = rng.next_u64() as u8;
            }
        }
        4 => {
            let edge = EDGES.get(below(rng, EDGES.len())).copied().unwrap_or_default().to_be_bytes();
            let width = 1 << below(rng, 4);
            bytes.splice(from..to.min(from + width), edge.into_iter().skip(8 - width));
        }
        5 => {
            let other = seeds.get(below(rng, seeds.len())).map(Vec::as_slice).unwrap_or_default();
            let (start, end) = range(other.len(), rng);
            bytes.splice(from..from, other.get(start..end).unwrap_or_default().iter().copied());
        }
        _ => {
            let word = words.get(below(rng, words.len())).copied().unwrap_or_default();
            bytes.splice(from..from, word.bytes());
        }
    }
}

/// Returns a range within `0..len`, usually a short one.
fn range(len: usize, rng: &mut SplitMix64) -> (usize, usize) {
    let from = below(rng, len + 1);
    let longest = if below(rng, 4) == 0 { len } else { 24 };
    let to = from + below(rng, (len - from).min(longest) + 1);
    (from, to)
}
