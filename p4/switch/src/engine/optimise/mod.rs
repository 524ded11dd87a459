//! Optimises bytecode without changing its results.
//!
//! The compiler is simple: it copies arguments in and results out, extracts every field of every header and clears
//! all locals before every block. The optimiser analyses the whole program: which limbs are read before they are
//! written again ([`liveness`]), which copies still equal their original ([`copies`]), and which header fields can
//! have changed since extraction ([`headers`]). It removes redundant operations and fuses adjacent ones ([`fuse`]).

mod bitset;
mod copies;
pub(crate) mod effects;
pub(crate) mod flow;
mod fuse;
mod headers;
mod jumps;
pub(crate) mod liveness;

use super::code::{Code, Emission, Extraction};
use crate::machine::Field;
use flow::Flow;
use liveness::Liveness;

/// Number of rounds of all passes. Each round enables further, smaller improvements.
const ROUNDS: usize = 4;
/// Limit of operations times limbs for the analyses; larger programs run unoptimised.
const MAX_WORK: usize = 1 << 29;

/// Whether a program is too large for the analyses.
pub(crate) fn is_too_large(code: &Code) -> bool {
    code.ops.len().saturating_mul(code.frame.len()) > MAX_WORK
}

/// Optimises a compiled program.
pub(crate) fn optimise(code: &mut Code) {
    if is_too_large(code) {
        return;
    }
    headers::plan(code);
    jumps::compact(code);
    for _ in 0..ROUNDS {
        let copied = copies::propagate(code, &Flow::new(code));
        let live = Liveness::new(code, &Flow::new(code));
        let removed = liveness::remove_dead(code, &live);
        jumps::compact(code);
        if !copied && !removed {
            break;
        }
    }
    let live = Liveness::new(code, &Flow::new(code));
    fuse::test_bits(code, &live);
    code.clears = live.clears(code);
    code.carry = live.carry(code);
    for field in Field::ALL {
        if code.standard.slot(*field).is_some_and(|slot| live.is_unused(*field, slot)) {
            code.standard.forget(*field);
        }
    }
    fuse::gather(code, &live);
    jumps::compact(code);
    code.extracts.iter_mut().for_each(Extraction::settle);
    code.emits.iter_mut().for_each(Emission::settle);
}
