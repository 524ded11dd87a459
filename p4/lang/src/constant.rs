//! Arithmetic on constants, as P4 defines it for each type (specification, section 8).

use num_bigint::BigInt;
use num_integer::Integer as _;
use num_traits::{One as _, Signed as _, ToPrimitive as _, Zero as _};

use crate::hir::Type;
use crate::syntax::ast::{BinaryOp, UnaryOp};

/// The maximum shift amount of an arbitrary-precision integer.
const MAX_SHIFT: u32 = 1 << 16;

/// Returns 2^`width`.
pub(crate) fn power_of_two(width: u32) -> BigInt {
    BigInt::one() << width
}

/// Wraps a value into the range of `bit<w>` or `int<w>`, as a cast does.
pub(crate) fn wrap(value: &BigInt, ty: &Type) -> BigInt {
    match ty {
        Type::Bit(w) => value.mod_floor(&power_of_two(*w)),
        Type::Signed(0) => BigInt::zero(),
        Type::Signed(w) => {
            let low = value.mod_floor(&power_of_two(*w));
            if low >= power_of_two(*w - 1) { low - power_of_two(*w) } else { low }
        }
        _ => value.clone(),
    }
}

/// Returns whether a value is in the range of a type.
pub(crate) fn fits(value: &BigInt, ty: &Type) -> bool {
    wrap(value, ty) == *value
}

/// Why an operation has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ArithmeticError {
    #[error("division by zero")]
    DivisionByZero,
    #[error("division and remainder are not defined for negative numbers")]
    NegativeDivision,
    #[error("the shift amount must not be negative")]
    NegativeShift,
    #[error("result is too large")]
    TooLarge,
}

/// Evaluates `op` on operands of type `ty` (for shifts: the type of the left operand). Comparisons return 0 or 1.
pub(crate) fn binary(op: BinaryOp, a: &BigInt, b: &BigInt, ty: &Type) -> Result<BigInt, ArithmeticError> {
    let truth = |value: bool| BigInt::from(u8::from(value));
    let value = match op {
        BinaryOp::Add => a + b,
        BinaryOp::Sub => a - b,
        BinaryOp::Mul => a * b,
        BinaryOp::Div | BinaryOp::Mod => {
            if b.is_zero() {
                return Err(ArithmeticError::DivisionByZero);
            }
            if a.is_negative() || b.is_negative() {
                return Err(ArithmeticError::NegativeDivision);
            }
            if op == BinaryOp::Div { a / b } else { a % b }
        }
        BinaryOp::AddSat => saturate(a + b, ty),
        BinaryOp::SubSat => saturate(a - b, ty),
        BinaryOp::Shl | BinaryOp::Shr => return shift(op, a, b, ty),
        BinaryOp::BitAnd => a & b,
        BinaryOp::BitOr => a | b,
        BinaryOp::BitXor => a ^ b,
        BinaryOp::And => truth(!a.is_zero() && !b.is_zero()),
        BinaryOp::Or => truth(!a.is_zero() || !b.is_zero()),
        BinaryOp::Eq => return Ok(truth(a == b)),
        BinaryOp::Ne => return Ok(truth(a != b)),
        BinaryOp::Lt => return Ok(truth(a < b)),
        BinaryOp::Le => return Ok(truth(a <= b)),
        BinaryOp::Gt => return Ok(truth(a > b)),
        BinaryOp::Ge => return Ok(truth(a >= b)),
        // The result depends on both widths: see `concat`.
        BinaryOp::Concat => a.clone(),
    };
    if value.bits() > u64::from(MAX_SHIFT) * 16 {
        return Err(ArithmeticError::TooLarge);
    }
    Ok(wrap(&value, ty))
}

fn saturate(value: BigInt, ty: &Type) -> BigInt {
    let (low, high) = match ty {
        Type::Bit(w) => (BigInt::zero(), power_of_two(*w) - 1),
        Type::Signed(w) if *w > 0 => (-power_of_two(*w - 1), power_of_two(*w - 1) - 1),
        _ => return value,
    };
    value.clamp(low, high)
}

fn shift(op: BinaryOp, a: &BigInt, b: &BigInt, ty: &Type) -> Result<BigInt, ArithmeticError> {
    if b.is_negative() {
        return Err(ArithmeticError::NegativeShift);
    }
    let distance = b.to_u32().filter(|d| *d <= MAX_SHIFT);
    if op == BinaryOp::Shr {
        let Some(distance) = distance else {
            return Ok(if a.is_negative() { -BigInt::one() } else { BigInt::zero() });
        };
        return Ok(wrap(&(a >> distance), ty));
    }
    match (distance, ty.fixed_width()) {
        (Some(distance), _) => Ok(wrap(&(a << distance), ty)),
        (None, Some(_)) => Ok(BigInt::zero()),
        (None, None) => Err(ArithmeticError::TooLarge),
    }
}

/// Evaluates `a ++ b`, where `b` has `width` bits and the result has type `ty`.
pub(crate) fn concat(a: &BigInt, b: &BigInt, width: u32, ty: &Type) -> BigInt {
    wrap(&((a << width) + b.mod_floor(&power_of_two(width))), ty)
}

/// Evaluates `op a` for an operand of type `ty`.
pub(crate) fn unary(op: UnaryOp, a: &BigInt, ty: &Type) -> BigInt {
    match op {
        UnaryOp::Negate => wrap(&-a, ty),
        UnaryOp::Plus => a.clone(),
        UnaryOp::BitNot => wrap(&(-a - 1), ty),
        UnaryOp::Not => BigInt::from(u8::from(a.is_zero())),
    }
}

/// Returns bits `low..=high`.
pub(crate) fn slice(a: &BigInt, high: u32, low: u32) -> BigInt {
    (a >> low).mod_floor(&power_of_two(high - low + 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(op: BinaryOp, a: i64, b: i64, ty: &Type, expected: i64) {
        assert_eq!(binary(op, &a.into(), &b.into(), ty), Ok(expected.into()), "{a} {op:?} {b}");
    }

    #[test]
    fn arithmetic_follows_the_type() {
        check(BinaryOp::Add, 250, 10, &Type::Bit(8), 4);
        check(BinaryOp::AddSat, 250, 10, &Type::Bit(8), 255);
        check(BinaryOp::SubSat, 5, 10, &Type::Bit(8), 0);
        check(BinaryOp::AddSat, 100, 100, &Type::Signed(8), 127);
        check(BinaryOp::Sub, 0, 1, &Type::Signed(4), -1);
        check(BinaryOp::Shr, -8, 1, &Type::Signed(8), -4);
        check(BinaryOp::Shl, 1, 9, &Type::Bit(8), 0);
        check(BinaryOp::Shl, 1, 9, &Type::Int, 512);
        assert!(binary(BinaryOp::Div, &1.into(), &0.into(), &Type::Int).is_err());
        assert!(binary(BinaryOp::Mod, &(-1).into(), &2.into(), &Type::Int).is_err());
    }

    #[test]
    fn slices_of_negative_numbers_are_twos_complement() {
        assert_eq!(slice(&(-1).into(), 3, 0), 15.into());
        assert_eq!(concat(&1.into(), &(-1).into(), 4, &Type::Bit(8)), 31.into());
        assert_eq!(unary(UnaryOp::BitNot, &0.into(), &Type::Bit(4)), 15.into());
    }
}
