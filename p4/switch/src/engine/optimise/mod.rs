//! Makes compiled code shorter, with the same results.
//!
//! Compilation is simple-minded: it copies arguments in and results out, takes every field out of every header and
//! clears all locals before every block. Here the whole program is looked at once: which limbs are read before
//! they are written again ([`liveness`]), which copies still hold what was copied ([`copies`]), which fields of a
//! header can have changed since it was extracted ([`headers`]). What turns out not to be needed goes, and neighbours
//! that often go together become one operation ([`fuse`]).

mod bitset;
mod copies;
mod effects;
mod flow;
mod fuse;
mod headers;
mod jumps;
mod liveness;

use super::code::{Code, Emission, Extraction};
use crate::machine::Field;
use flow::Flow;
use liveness::Liveness;

/// Rounds of all passes; each makes new work for the others, less and less.
const ROUNDS: usize = 4;
/// Operations times limbs up to which the analyses are made; beyond, the program runs as it was compiled.
const MOST_WORK: usize = 1 << 29;

/// Optimises a compiled program.
pub(crate) fn optimise(code: &mut Code) {
    if code.ops.len().saturating_mul(code.frame.len()) > MOST_WORK {
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
