//! Fuses adjacent operations into one.
//!
//! Dispatch costs more than most operations themselves. Two frequent patterns are fused: tests of some bits of a
//! limb, and operations that assemble values from pieces.

use p4_lang::ir::HashAlgorithm;

use super::liveness::{Liveness, nothing};
use crate::engine::code::{At, Code, Data, Op, Piece, Site};
use crate::limbs;

/// Returns which operations are jump targets.
fn targets(code: &Code) -> Vec<bool> {
    let mut found = vec![false; code.ops.len() + 1];
    let mut mark = |pc: u32| {
        if let Some(slot) = found.get_mut(pc as usize) {
            *slot = true;
        }
    };
    for (pc, op) in code.ops.iter().enumerate() {
        op.target().into_iter().for_each(&mut mark);
        // An action returns to the operation after its call.
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

/// Allocates consecutive limbs for new constants.
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

/// Fuses the extraction and test of bits.
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

/// Fuses adjacent operations that move bits.
pub(super) fn gather(code: &mut Code, live: &Liveness) {
    let targets = targets(code);
    let zero = constants(code, [0]);
    let mut pc = 0;
    while pc < code.ops.len() {
        let mut pieces = Vec::new();
        while let Some(made) = code.ops.get(pc + pieces.len()).and_then(|op| piece(op, zero)) {
            if !pieces.is_empty() && targets[pc + pieces.len()] {
                break;
            }
            pieces.push(made);
        }
        let end = pc + pieces.len();
        if pieces.len() < 2 {
            pc = end.max(pc + 1);
            continue;
        }
        if !targets[end] {
            pieces = sum_up(code, live, end, pieces, zero);
        }
        (pc..end).for_each(|rest| code.ops[rest] = nothing(rest));
        if !pieces.is_empty() {
            code.ops[pc] = Op::Gather { first: code.pieces.len() as u32, count: pieces.len() as u32 };
            code.pieces.extend(pieces);
        }
        pc = end;
    }
}

/// Makes a checksum at `pc` add up pieces directly, if the limbs assembled from them are used for nothing else.
/// Returns the pieces that must still be moved.
fn sum_up(code: &mut Code, live: &Liveness, pc: usize, pieces: Vec<Piece>, zero: At) -> Vec<Piece> {
    let Some(Op::Site(site)) = code.ops.get(pc) else { return pieces };
    let (Some(Site::Checksum { data, algorithm: HashAlgorithm::Csum16, .. })
    | Some(Site::Hash { data, algorithm: HashAlgorithm::Csum16, .. })) = code.sites.get_mut(*site as usize)
    else {
        return pieces;
    };
    let Data::Packed { at, limbs, .. } = *data else { return pieces };
    let packed = |limb: u16| (at..at + limbs).contains(&At::from(limb));
    // Each limb is first overwritten and then receives its pieces.
    let whole = (at..at + limbs).all(|limb| {
        let mut steps = pieces.iter().filter(|piece| At::from(piece.dst) == limb);
        steps.next().is_some_and(|first| !packed(first.base)) && steps.all(|next| next.base == next.dst)
    });
    // No other operation reads the limbs, and their sources are unchanged.
    let undisturbed = pieces.iter().enumerate().all(|(index, piece)| {
        let later = &pieces[index + 1..];
        let kept = |limb: u16| packed(limb) || later.iter().all(|other| other.dst != limb);
        !packed(piece.a)
            && if packed(piece.dst) { kept(piece.a) && kept(piece.base) } else { !packed(piece.base) }
    });
    if !whole || !undisturbed || live.any_after(pc, (at, limbs)) {
        return pieces;
    }
    let first = code.pieces.len() as u32;
    let (summed, left): (Vec<Piece>, Vec<Piece>) = pieces.into_iter().partition(|piece| packed(piece.dst));
    for piece in summed {
        if piece.base != piece.dst && At::from(piece.base) != zero {
            code.pieces.push(Piece { mask: u64::MAX, a: piece.base, turn: 0, ..piece });
        }
        code.pieces.push(piece);
    }
    *data = Data::Sum { first, count: code.pieces.len() as u32 - first };
    left
}

/// Returns the operation as a move of bits, if it is one.
fn piece(op: &Op, zero: At) -> Option<Piece> {
    // `(limb << cut >> by << to) | base`, where `cut` is at most `by`.
    let made = |dst: At, a: At, base: At, cut: u8, by: u8, to: u8| {
        let mask = u64::MAX >> by << to;
        let turn = (64 + cut + to - by) % 64;
        Some(Piece { mask, a: a as u16, base: base as u16, dst: dst as u16, turn })
    };
    match *op {
        Op::Copy { dst, src } => made(dst, src, zero, 0, 0, 0),
        Op::Cut { dst, src, cut } => made(dst, src, zero, cut, cut, 0),
        // A shift by more than `cut` leaves no higher bits.
        Op::Slice { dst, a, by, cut } if by > cut => made(dst, a, zero, 0, by, 0),
        Op::Slice { dst, a, by, cut } => made(dst, a, zero, cut - by, cut, 0),
        Op::Place { dst, a, base, cut, by, to } if cut <= by => made(dst, a, base, cut, by, to),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn pieces_equal_the_operations_they_replace(a: u64, base: u64, by in 0u8..64, cut in 0u8..64, to in 0u8..64) {
            let frame = [0, a, base];
            let slice = piece(&Op::Slice { dst: 0, a: 1, by, cut }, 0).unwrap();
            prop_assert_eq!(slice.value(&frame), a >> by << cut >> cut);
            let low = piece(&Op::Cut { dst: 0, src: 1, cut }, 0).unwrap();
            prop_assert_eq!(low.value(&frame), a << cut >> cut);
            let copy = piece(&Op::Copy { dst: 0, src: 1 }, 0).unwrap();
            prop_assert_eq!(copy.value(&frame), a);
            let (cut, by) = (cut.min(by), cut.max(by));
            let place = piece(&Op::Place { dst: 0, a: 1, base: 2, cut, by, to }, 0).unwrap();
            prop_assert_eq!(place.value(&frame), base | a << cut >> by << to);
        }
    }

    impl Piece {
        fn value(&self, frame: &[u64; 3]) -> u64 {
            frame[usize::from(self.base)] | self.of(frame[usize::from(self.a)])
        }
    }
}
