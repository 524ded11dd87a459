//! A small mutator for the runs without coverage feedback: reproducible from a seed, good enough to notice a
//! regression on any machine. The search for new faults is libFuzzer's.

/// A sequence of numbers from a seed (SplitMix64; Steele, Lea and Flood, OOPSLA 2014).
#[derive(Clone, Copy, Debug)]
pub struct Rng(pub u64);

impl Rng {
    /// The next number.
    pub fn next_u64(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`; 0 when that is 0.
    pub fn below(&mut self, bound: usize) -> usize {
        (self.next_u64() % bound.max(1) as u64) as usize
    }
}

/// Numbers that sit at the edges of lengths and widths.
const EDGES: &[u64] = &[0, 1, 0x7f, 0x80, 0xff, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff, u64::MAX];

/// Longest input that is made.
const LENGTH: usize = 1 << 16;

/// A few random edits of one of the seeds.
pub fn mutated(seeds: &[Vec<u8>], words: &[&str], rng: &mut Rng) -> Vec<u8> {
    let mut bytes = seeds.get(rng.below(seeds.len())).cloned().unwrap_or_default();
    for _ in 0..=rng.below(6) {
        edit(&mut bytes, seeds, words, rng);
    }
    bytes.truncate(LENGTH);
    bytes
}

fn edit(bytes: &mut Vec<u8>, seeds: &[Vec<u8>], words: &[&str], rng: &mut Rng) {
    let (from, to) = range(bytes.len(), rng);
    match rng.below(7) {
        0 => drop(bytes.drain(from..to)),
        1 => {
            let copy = bytes.get(from..to).unwrap_or_default().to_vec();
            let at = rng.below(bytes.len() + 1);
            bytes.splice(at..at, copy);
        }
        2 => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte ^= 1 << rng.below(8);
            }
        }
        3 => {
            if let Some(byte) = bytes.get_mut(from) {
                *byte = rng.next_u64() as u8;
            }
        }
        4 => {
            let edge = EDGES.get(rng.below(EDGES.len())).copied().unwrap_or_default().to_be_bytes();
            let width = 1 << rng.below(4);
            bytes.splice(from..to.min(from + width), edge.into_iter().skip(8 - width));
        }
        5 => {
            let other = seeds.get(rng.below(seeds.len())).map(Vec::as_slice).unwrap_or_default();
            let (start, end) = range(other.len(), rng);
            bytes.splice(from..from, other.get(start..end).unwrap_or_default().iter().copied());
        }
        _ => {
            let word = words.get(rng.below(words.len())).copied().unwrap_or_default();
            bytes.splice(from..from, word.bytes());
        }
    }
}

/// A range within `0..len`, short more often than long.
fn range(len: usize, rng: &mut Rng) -> (usize, usize) {
    let from = rng.below(len + 1);
    let longest = if rng.below(4) == 0 { len } else { 24 };
    let to = from + rng.below((len - from).min(longest) + 1);
    (from, to)
}
