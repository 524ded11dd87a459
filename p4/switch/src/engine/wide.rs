//! Operations with at least one value that is wider than 64 bits, or a varbit.

use smallvec::SmallVec;

use super::code::{WideKind, WideOp};
use crate::limbs;

type Limbs = SmallVec<[u64; 8]>;

/// Executes one operation. Operands are copied first, so the destination may be one of them.
pub(crate) fn run(op: &WideOp, frame: &mut [u64]) {
    let a = op.a.of(frame);
    let b = op.b.of(frame);
    let width = op.dst.width();
    let mut result: Limbs = SmallVec::from_elem(0, op.dst.limbs() as usize);
    match op.kind {
        WideKind::Add | WideKind::Sub | WideKind::Mul | WideKind::Div | WideKind::Mod => {
            arithmetic(op.kind, &mut result, a, b);
        }
        WideKind::AddSaturating | WideKind::SubSaturating => saturating(op, &mut result, a, b),
        WideKind::ShiftLeft => limbs::or_shifted_left(&mut result, a, limbs::saturating_u64(b)),
        WideKind::ShiftRight => shift_right(op, &mut result, a, limbs::saturating_u64(b)),
        WideKind::And => combine(&mut result, a, b, |x, y| x & y),
        WideKind::Or => combine(&mut result, a, b, |x, y| x | y),
        WideKind::Xor => combine(&mut result, a, b, |x, y| x ^ y),
        WideKind::Not => combine(&mut result, a, a, |x, _| !x),
        WideKind::Negate => {
            limbs::sub(&mut result, a);
        }
        WideKind::Concat => {
            limbs::copy(&mut result, b);
            limbs::or_shifted_left(&mut result, a, u64::from(op.b.width()));
        }
        WideKind::Equal | WideKind::NotEqual | WideKind::Less | WideKind::LessEqual => {
            result[0] = u64::from(compare(op, frame));
        }
        WideKind::Cast => {
            limbs::copy(&mut result, a);
            if op.a.is_signed() && op.a.width() > 0 && limbs::bit(a, op.a.width() - 1) {
                limbs::fill_above(&mut result, op.a.width());
            }
        }
        WideKind::Saturate => result[0] = limbs::saturating_u64(a),
        WideKind::Slice => limbs::shift_right(&mut result, a, u64::from(op.low)),
        WideKind::Insert => {
            let mut value: Limbs = SmallVec::from_elem(0, result.len());
            limbs::or_shifted_left(&mut value, a, u64::from(op.low));
            let high = op.low + op.a.width();
            limbs::copy(&mut result, op.dst.of(frame));
            clear_range(&mut result, op.low, high);
            combine_in_place(&mut result, &value);
        }
    }
    limbs::trim(&mut result, width);
    let length = varbit_length(op, frame);
    let at = op.dst.at as usize;
    frame[at..at + result.len()].copy_from_slice(&result);
    if let (true, Some(cell)) = (op.dst.is_varbit(), frame.get_mut(at + result.len())) {
        *cell = length;
    }
}

/// Returns the length of a varbit result, which is that of its operand.
fn varbit_length(op: &WideOp, frame: &[u64]) -> u64 {
    match op.a.is_varbit() {
        true => frame[(op.a.at + op.a.limbs()) as usize],
        false => u64::from(op.a.width()).min(u64::from(op.dst.width())),
    }
}

fn arithmetic(kind: WideKind, result: &mut [u64], a: &[u64], b: &[u64]) {
    match kind {
        WideKind::Add => {
            limbs::copy(result, a);
            limbs::add(result, b);
        }
        WideKind::Sub => {
            limbs::copy(result, a);
            limbs::sub(result, b);
        }
        WideKind::Mul => limbs::mul(result, a, b),
        _ => {
            let mut remainder: Limbs = SmallVec::from_slice(a);
            let mut quotient: Limbs = SmallVec::from_elem(0, a.len());
            limbs::divide(&mut quotient, &mut remainder, b);
            limbs::copy(result, if kind == WideKind::Div { &quotient } else { &remainder });
        }
    }
}

fn combine(result: &mut [u64], a: &[u64], b: &[u64], f: impl Fn(u64, u64) -> u64) {
    for (i, r) in result.iter_mut().enumerate() {
        *r = f(a.get(i).copied().unwrap_or(0), b.get(i).copied().unwrap_or(0));
    }
}

fn combine_in_place(result: &mut [u64], value: &[u64]) {
    for (r, v) in result.iter_mut().zip(value) {
        *r |= v;
    }
}

/// Clears bits `low..high`.
fn clear_range(value: &mut [u64], low: u32, high: u32) {
    for (i, limb) in value.iter_mut().enumerate() {
        let start = i as u32 * 64;
        let from = low.saturating_sub(start).min(64);
        let to = high.saturating_sub(start).min(64);
        *limb &= limbs::low_mask(from) | !limbs::low_mask(to);
    }
}

fn shift_right(op: &WideOp, result: &mut [u64], a: &[u64], by: u64) {
    limbs::shift_right(result, a, by);
    let width = op.a.width();
    if op.a.is_signed() && width > 0 && limbs::bit(a, width - 1) {
        let from = u64::from(width).saturating_sub(by) as u32;
        limbs::fill_above(result, from);
    }
}

fn compare(op: &WideOp, frame: &[u64]) -> bool {
    let (a, b) = (op.a.of(frame), op.b.of(frame));
    let order = match op.a.is_signed() {
        true => limbs::compare_signed(a, b, op.a.width()),
        false => limbs::compare(a, b),
    };
    let length = |slot: super::layout::Slot| match slot.is_varbit() {
        true => frame[(slot.at + slot.limbs()) as usize],
        false => 0,
    };
    let same_length = length(op.a) == length(op.b);
    match op.kind {
        WideKind::Equal => order.is_eq() && same_length,
        WideKind::NotEqual => order.is_ne() || !same_length,
        WideKind::Less => order.is_lt(),
        _ => order.is_le(),
    }
}

fn saturating(op: &WideOp, result: &mut [u64], a: &[u64], b: &[u64]) {
    let width = op.dst.width();
    let add = op.kind == WideKind::AddSaturating;
    // One limb more than the operands, so that the exact result can be compared with the limits of the type.
    let mut exact: Limbs = SmallVec::from_elem(0, result.len() + 1);
    let mut other: Limbs = SmallVec::from_elem(0, result.len() + 1);
    limbs::copy(&mut exact, a);
    limbs::copy(&mut other, b);
    let signed = op.a.is_signed() && width > 0;
    if signed {
        for (value, source) in [(&mut exact, a), (&mut other, b)] {
            if limbs::bit(source, width - 1) {
                limbs::fill_above(value, width);
            }
        }
    }
    let borrow = if add { limbs::add(&mut exact, &other) } else { limbs::sub(&mut exact, &other) };
    let total = exact.len() as u32 * 64;
    let mut most: Limbs = SmallVec::from_elem(u64::MAX, exact.len());
    limbs::trim(&mut most, if signed { width - 1 } else { width });
    if !signed {
        if !add && borrow {
            exact.fill(0);
        } else if limbs::compare(&exact, &most).is_gt() {
            exact = most;
        }
    } else {
        let mut least: Limbs = SmallVec::from_elem(0, exact.len());
        limbs::fill_above(&mut least, width - 1);
        if limbs::compare_signed(&exact, &most, total).is_gt() {
            exact = most;
        } else if limbs::compare_signed(&exact, &least, total).is_lt() {
            exact = least;
        }
    }
    limbs::copy(result, &exact);
}
