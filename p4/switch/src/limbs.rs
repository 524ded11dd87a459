//! Arithmetic on values of any width, stored as slices of 64-bit limbs, least significant first.
//!
//! A value of `width` bits takes [`count`] limbs; its unused bits are zero. Signed values are in two's complement of
//! their width. [`trim`] reduces a result to the width of its destination.

use std::cmp::Ordering;

/// Returns the number of limbs of a value of `width` bits, at least one.
pub(crate) fn count(width: u32) -> usize {
    width.div_ceil(64).max(1) as usize
}

/// Returns a mask of the low `width` bits (`width` at most 64).
pub(crate) fn low_mask(width: u32) -> u64 {
    match width {
        0 => 0,
        1..=63 => (1 << width) - 1,
        _ => u64::MAX,
    }
}

/// Clears the bits above `width`.
pub(crate) fn trim(value: &mut [u64], width: u32) {
    let full = (width / 64) as usize;
    if let Some(partial) = value.get_mut(full) {
        *partial &= low_mask(width % 64);
    }
    for limb in value.iter_mut().skip(full + 1) {
        *limb = 0;
    }
}

/// Copies the limbs that both slices have and clears the rest of `target`.
pub(crate) fn copy(target: &mut [u64], source: &[u64]) {
    let common = target.len().min(source.len());
    target[..common].copy_from_slice(&source[..common]);
    target[common..].fill(0);
}

/// Returns one bit; zero beyond the last limb.
pub(crate) fn bit(value: &[u64], at: u32) -> bool {
    value.get((at / 64) as usize).is_some_and(|limb| limb >> (at % 64) & 1 == 1)
}

/// Sets all bits of `value` from bit `from` on.
pub(crate) fn fill_above(value: &mut [u64], from: u32) {
    for (i, limb) in value.iter_mut().enumerate() {
        let low = i as u32 * 64;
        if from <= low {
            *limb = u64::MAX;
        } else if from < low + 64 {
            *limb |= u64::MAX << (from - low);
        }
    }
}

/// Compares two unsigned values.
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let longest = a.len().max(b.len());
    let limb = |v: &[u64], i: usize| v.get(i).copied().unwrap_or(0);
    (0..longest).rev().map(|i| limb(a, i).cmp(&limb(b, i))).find(|o| o.is_ne()).unwrap_or(Ordering::Equal)
}

/// Compares two signed values of `width` bits.
pub(crate) fn compare_signed(a: &[u64], b: &[u64], width: u32) -> Ordering {
    let negative = |v: &[u64]| width > 0 && bit(v, width - 1);
    match (negative(a), negative(b)) {
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
        _ => compare(a, b),
    }
}

/// `target += value`; returns the carry.
pub(crate) fn add(target: &mut [u64], value: &[u64]) -> bool {
    let mut carry = false;
    for (i, t) in target.iter_mut().enumerate() {
        let (sum, c1) = t.overflowing_add(value.get(i).copied().unwrap_or(0));
        let (sum, c2) = sum.overflowing_add(u64::from(carry));
        *t = sum;
        carry = c1 | c2;
    }
    carry
}

/// `target -= value`; returns the borrow.
pub(crate) fn sub(target: &mut [u64], value: &[u64]) -> bool {
    let mut borrow = false;
    for (i, t) in target.iter_mut().enumerate() {
        let (difference, b1) = t.overflowing_sub(value.get(i).copied().unwrap_or(0));
        let (difference, b2) = difference.overflowing_sub(u64::from(borrow));
        *t = difference;
        borrow = b1 | b2;
    }
    borrow
}

/// `target = a * b`, truncated to the limbs of `target`, which must not alias `a` or `b`.
pub(crate) fn mul(target: &mut [u64], a: &[u64], b: &[u64]) {
    target.fill(0);
    for (i, x) in a.iter().enumerate() {
        let mut carry = 0u128;
        for (j, t) in target.iter_mut().skip(i).enumerate() {
            let y = b.get(j).copied().unwrap_or(0);
            let sum = u128::from(*t) + u128::from(*x) * u128::from(y) + carry;
            *t = sum as u64;
            carry = sum >> 64;
        }
    }
}

/// Divides `remainder` by `divisor` bit by bit: stores the quotient in `quotient` and leaves the rest in `remainder`.
/// Both are zero for a zero divisor. P4 divides constants only, so speed does not matter.
pub(crate) fn divide(quotient: &mut [u64], remainder: &mut [u64], divisor: &[u64]) {
    quotient.fill(0);
    if divisor.iter().all(|l| *l == 0) {
        remainder.fill(0);
        return;
    }
    let dividend = remainder.to_vec();
    remainder.fill(0);
    for at in (0..dividend.len() as u32 * 64).rev() {
        let carry = shift_left_one(remainder);
        remainder[0] |= u64::from(bit(&dividend, at));
        if carry || compare(remainder, divisor).is_ge() {
            sub(remainder, divisor);
            if let Some(limb) = quotient.get_mut((at / 64) as usize) {
                *limb |= 1 << (at % 64);
            }
        }
    }
}

fn shift_left_one(value: &mut [u64]) -> bool {
    let mut carry = 0;
    for limb in value.iter_mut() {
        let next = *limb >> 63;
        *limb = *limb << 1 | carry;
        carry = next;
    }
    carry == 1
}

/// `target |= source << by`; bits that do not fit are discarded.
pub(crate) fn or_shifted_left(target: &mut [u64], source: &[u64], by: u64) {
    let skip = usize::try_from(by / 64).unwrap_or(usize::MAX);
    let shift = (by % 64) as u32;
    for (i, s) in source.iter().enumerate() {
        let Some(at) = i.checked_add(skip) else { return };
        if let Some(t) = target.get_mut(at) {
            *t |= s << shift;
        }
        if shift > 0
            && let Some(t) = target.get_mut(at + 1)
        {
            *t |= s >> (64 - shift);
        }
    }
}

/// `target = source >> by`, filled with zeros.
pub(crate) fn shift_right(target: &mut [u64], source: &[u64], by: u64) {
    let skip = usize::try_from(by / 64).unwrap_or(usize::MAX);
    let shift = (by % 64) as u32;
    let limb = |i: Option<usize>| i.and_then(|i| source.get(i)).copied().unwrap_or(0);
    for (i, t) in target.iter_mut().enumerate() {
        let at = i.checked_add(skip);
        *t = limb(at) >> shift;
        if shift > 0 {
            *t |= limb(at.and_then(|a| a.checked_add(1))) << (64 - shift);
        }
    }
}

/// Returns the value as a number, saturated to `u64::MAX`.
pub(crate) fn saturating_u64(value: &[u64]) -> u64 {
    match value {
        [] => 0,
        [low, rest @ ..] if rest.iter().all(|l| *l == 0) => *low,
        _ => u64::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn limbs(v: u128) -> [u64; 2] {
        [v as u64, (v >> 64) as u64]
    }

    fn number(l: &[u64]) -> u128 {
        u128::from(l[0]) | u128::from(l[1]) << 64
    }

    proptest! {
        #[test]
        fn arithmetic_equals_u128(a: u128, b: u128, by in 0u64..200, width in 1u32..=128) {
            let mut sum = limbs(a);
            let carry = add(&mut sum, &limbs(b));
            prop_assert_eq!((number(&sum), carry), a.overflowing_add(b));
            let mut difference = limbs(a);
            let borrow = sub(&mut difference, &limbs(b));
            prop_assert_eq!((number(&difference), borrow), a.overflowing_sub(b));
            let mut product = [0; 2];
            mul(&mut product, &limbs(a), &limbs(b));
            prop_assert_eq!(number(&product), a.wrapping_mul(b));
            prop_assert_eq!(compare(&limbs(a), &limbs(b)), a.cmp(&b));
            let shift = u32::try_from(by).ok();
            let mut left = [0; 2];
            or_shifted_left(&mut left, &limbs(a), by);
            prop_assert_eq!(number(&left), shift.and_then(|s| a.checked_shl(s)).unwrap_or(0));
            let mut right = [0; 2];
            shift_right(&mut right, &limbs(a), by);
            prop_assert_eq!(number(&right), shift.and_then(|s| a.checked_shr(s)).unwrap_or(0));
            let mut trimmed = limbs(a);
            trim(&mut trimmed, width);
            prop_assert_eq!(number(&trimmed), a & (u128::MAX >> (128 - width)));
            let mut filled = limbs(a);
            fill_above(&mut filled, width);
            prop_assert_eq!(number(&filled), a | u128::MAX.checked_shl(width).unwrap_or(0));
        }

        #[test]
        fn division_equals_u128(a: u128, b: u128, cut in 0u32..128) {
            let b = b >> cut;
            let (mut quotient, mut remainder) = ([0; 2], limbs(a));
            divide(&mut quotient, &mut remainder, &limbs(b));
            prop_assert_eq!(number(&quotient), a.checked_div(b).unwrap_or(0));
            prop_assert_eq!(number(&remainder), a.checked_rem(b).unwrap_or(0));
        }

        #[test]
        fn signed_comparison_equals_i128(a: i128, b: i128) {
            prop_assert_eq!(compare_signed(&limbs(a as u128), &limbs(b as u128), 128), a.cmp(&b));
        }
    }
}
