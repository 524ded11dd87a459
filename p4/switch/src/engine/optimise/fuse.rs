//! Operations that do what several did.
//!
//! Choosing the next operation costs more than most operations themselves, so neighbours become one where that
//! is frequent: a test of some bits of a limb, and everything that puts values together from pieces.

use super::liveness::{Liveness, nothing};
use crate::engine::code::{At, Code, Op, Piece};
use crate::limbs;

/// Operations that something jumps to.
fn targets(code: &Code) -> Vec<bool> {
    let mut found = vec![false; code.ops.len() + 1];
    let mut mark = |pc: u32| {
        if let Some(slot) = found.get_mut(pc as usize) {
            *slot = true;
        }
    };
    for (pc, op) in code.ops.iter().enumerate() {
        op.target().into_iter().for_each(&mut mark);
        // An action returns behind its call.
        if matches!(op, Op::Apply(_) | Op::Call { .. }) {
            mark(pc as u32 + 1);
        }
    }
    for table in &code.switches {
        table.targets.iter().copied().chain([table.otherwise]).for_each(&mut mark);
    }
    code.actions.iter().for_each(|action| mark(action.entry));
    super::flow::entries(code).into_iter().for_each(&mut mark);
    found
}

/// New limbs that hold constants, one behind the other.
fn constants<const N: usize>(code: &mut Code, values: [u64; N]) -> At {
    let known = code.constants.windows(N.max(1)).find(|window| {
        let first = window[0].0;
        window
            .iter()
            .zip(values)
            .enumerate()
            .all(|(i, ((at, value), wanted))| *at == first + i as At && *value == wanted)
    });
    if let Some(window) = known {
        return window[0].0;
    }
    let at = code.frame.len() as At;
    for (i, value) in values.into_iter().enumerate() {
        code.frame.push(value);
        code.constants.push((at + i as At, value));
    }
    at
}

/// Tests bits where they are instead of taking them out first.
pub(super) fn test_bits(code: &mut Code, live: &Liveness) {
    let targets = targets(code);
    for pc in 0..code.ops.len().saturating_sub(1) {
        let Op::Slice { dst, a, by, cut } = code.ops[pc] else { continue };
        if targets[pc + 1] || live.any_after(pc + 1, (dst, 1)) {
            continue;
        }
        let mask = limbs::low_mask(64 - u32::from(cut));
        let (wanted, when_same, to) = match code.ops[pc + 1] {
            Op::JumpIf { a, to } if a == dst => (Some(0), false, to),
            Op::JumpUnless { a, to } if a == dst => (Some(0), true, to),
            Op::JumpNotEqual { a, b, to } if a == dst => (code.constant(b), false, to),
            Op::JumpEqual { a, b, to } if a == dst => (code.constant(b), true, to),
            _ => continue,
        };
        let Some(wanted) = wanted.filter(|value| *value <= mask >> by.saturating_sub(cut)) else { continue };
        let mask = constants(code, [mask << by, wanted << by]);
        code.ops[pc] = nothing(pc);
        code.ops[pc + 1] =
            if when_same { Op::JumpMasked { a, mask, to } } else { Op::JumpNotMasked { a, mask, to } };
    }
}

/// Puts neighbouring operations that move bits into one.
pub(super) fn gather(code: &mut Code) {
    let targets = targets(code);
    let zero = constants(code, [0]);
    let mut pc = 0;
    while pc < code.ops.len() {
        let first = code.pieces.len();
        let mut end = pc;
        while let Some(piece) = code.ops.get(end).and_then(|op| piece(op, zero)) {
            if end > pc && targets[end] {
                break;
            }
            code.pieces.push(piece);
            end += 1;
        }
        match end - pc {
            0 => pc += 1,
            1 => {
                code.pieces.truncate(first);
                pc = end;
            }
            count => {
                code.ops[pc] = Op::Pieces { first: first as u32, count: count as u32 };
                (pc + 1..end).for_each(|rest| code.ops[rest] = nothing(rest));
                pc = end;
            }
        }
    }
}

/// An operation that moves bits as a piece.
fn piece(op: &Op, zero: At) -> Option<Piece> {
    let made = |dst: At, a: At, base: At, cut: u8, by: u8, to: u8| {
        Some(Piece { dst: dst as u16, a: a as u16, base: base as u16, cut, by, to })
    };
    match *op {
        Op::Copy { dst, src } => made(dst, src, zero, 0, 0, 0),
        Op::Cut { dst, src, cut } => made(dst, src, zero, cut, cut, 0),
        // Nothing is above what a shift beyond the cut leaves.
        Op::Slice { dst, a, by, cut } if by > cut => made(dst, a, zero, 0, by, 0),
        Op::Slice { dst, a, by, cut } => made(dst, a, zero, cut - by, cut, 0),
        Op::Place { dst, a, base, cut, by, to } => made(dst, a, base, cut, by, to),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_do_what_operations_do(a: u64, base: u64, by in 0u8..64, cut in 0u8..64) {
            let frame = [0, a, base];
            let slice = piece(&Op::Slice { dst: 0, a: 1, by, cut }, 0).unwrap();
            prop_assert_eq!(slice.value(&frame), a >> by << cut >> cut);
            let low = piece(&Op::Cut { dst: 0, src: 1, cut }, 0).unwrap();
            prop_assert_eq!(low.value(&frame), a << cut >> cut);
            let copy = piece(&Op::Copy { dst: 0, src: 1 }, 0).unwrap();
            prop_assert_eq!(copy.value(&frame), a);
        }
    }

    impl Piece {
        fn value(&self, frame: &[u64; 3]) -> u64 {
            let at = |limb: u16| frame[usize::from(limb)];
            at(self.base) | at(self.a) << self.cut >> self.by << self.to
        }
    }
}
