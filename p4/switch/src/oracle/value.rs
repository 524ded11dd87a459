//! Values as integers of any size, as in the specification (sections 8.5 to 8.9).

use std::cmp::Ordering;

use num_bigint::{BigInt, Sign};
use p4_lang::ir::{BinaryOp, Bits, ScalarKind, UnaryOp};

/// A value with its type. `bit<w>` holds 0 to 2^w - 1, `int<w>` holds -2^(w-1) to 2^(w-1) - 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub(super) number: BigInt,
    pub(super) kind: ScalarKind,
    /// Length in bits: that of the type, or the current length of a varbit.
    pub(super) length: u32,
}

fn power_of_two(exponent: u32) -> BigInt {
    BigInt::from(1) << exponent
}

/// Returns the number that the low bits of `number` represent in a type.
fn wrap(number: BigInt, kind: ScalarKind) -> BigInt {
    let width = kind.width();
    // `&` of a negative number uses its two's complement.
    let low = number & (power_of_two(width) - 1);
    match kind {
        ScalarKind::Signed(w) if w > 0 && low >= power_of_two(w - 1) => low - power_of_two(w),
        _ => low,
    }
}

/// Returns the nearest number in the range of a type.
fn saturate(number: BigInt, kind: ScalarKind) -> BigInt {
    let (least, most) = match kind {
        ScalarKind::Signed(0) => (BigInt::ZERO, BigInt::ZERO),
        ScalarKind::Signed(w) => (-power_of_two(w - 1), power_of_two(w - 1) - 1),
        other => (BigInt::ZERO, power_of_two(other.width()) - 1),
    };
    number.clamp(least, most)
}

/// Returns a shift distance as a machine number, saturated; larger distances shift out all bits as well.
fn distance(number: &BigInt) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

impl Value {
    pub(super) fn new(number: BigInt, kind: ScalarKind) -> Value {
        Value { number: wrap(number, kind), kind, length: kind.width() }
    }

    /// Zero, or an empty varbit.
    pub(super) fn zero(kind: ScalarKind) -> Value {
        let length = if let ScalarKind::Varbit(_) = kind { 0 } else { kind.width() };
        Value { number: BigInt::ZERO, kind, length }
    }

    pub(super) fn boolean(value: bool) -> Value {
        Value::new(BigInt::from(u8::from(value)), ScalarKind::Unsigned(1))
    }

    pub(super) fn of_u64(value: u64, kind: ScalarKind) -> Value {
        Value::new(BigInt::from(value), kind)
    }

    pub(super) fn of_limbs(limbs: &[u64], kind: ScalarKind) -> Value {
        let bytes: Vec<u8> = limbs.iter().flat_map(|limb| limb.to_le_bytes()).collect();
        Value::new(BigInt::from_bytes_le(Sign::Plus, &bytes), kind)
    }

    /// A constant; a varbit has the length of the constant.
    pub(super) fn of_bits(bits: &Bits, kind: ScalarKind) -> Value {
        let mut value = Value::of_limbs(bits.limbs(), kind);
        if let ScalarKind::Varbit(_) = kind {
            value.length = bits.width();
        }
        value
    }

    /// Returns the bits as an unsigned number.
    pub(super) fn pattern(&self) -> BigInt {
        &self.number & (power_of_two(self.kind.width()) - 1)
    }

    /// Returns the bits in a type of this width.
    pub(super) fn to_bits(&self, kind: ScalarKind) -> Bits {
        Bits::from_limbs(kind.width(), self.pattern().magnitude().to_u64_digits())
    }

    /// Returns the bits in the value's own type.
    pub(super) fn bits(&self) -> Bits {
        self.to_bits(self.kind)
    }

    /// Returns the bits as a number, saturated.
    pub(super) fn index(&self) -> u64 {
        u64::try_from(&self.pattern()).unwrap_or(u64::MAX)
    }

    pub(super) fn to_u64(&self, _kind: ScalarKind) -> u64 {
        self.index()
    }

    pub(super) fn is_true(&self) -> bool {
        self.number.bit(0)
    }

    fn is_varbit(&self) -> bool {
        matches!(self.kind, ScalarKind::Varbit(_))
    }

    /// Converts to another type: a signed number keeps its value, then the result is truncated.
    pub(super) fn cast(self, kind: ScalarKind) -> Value {
        let length = match (self.is_varbit(), kind) {
            (true, ScalarKind::Varbit(_)) => self.length,
            (false, ScalarKind::Varbit(most)) => self.kind.width().min(most),
            _ => kind.width(),
        };
        Value { number: wrap(self.number, kind), kind, length }
    }

    pub(super) fn slice(&self, high: u32, low: u32) -> Value {
        Value::new(self.pattern() >> low, ScalarKind::Unsigned(high - low + 1))
    }

    /// Returns the value with bits `high..=low` replaced.
    pub(super) fn with_slice(&self, high: u32, low: u32, bits: &Value) -> Value {
        let hole = (power_of_two(high - low + 1) - 1) << low;
        let kept = self.pattern() & (power_of_two(self.kind.width()) - 1 - hole);
        Value { length: self.length, ..Value::new(kept + (bits.pattern() << low), self.kind) }
    }

    pub(super) fn unary(&self, op: UnaryOp, kind: ScalarKind) -> Value {
        let number = match op {
            UnaryOp::Negate => -&self.number,
            UnaryOp::BitNot => -&self.number - 1,
            UnaryOp::Not => BigInt::from(u8::from(!self.is_true())),
        };
        Value::new(number, kind)
    }

    /// Computes any binary operator except the short-circuit ones.
    pub(super) fn binary(&self, op: BinaryOp, other: &Value, kind: ScalarKind) -> Value {
        let (a, b) = (&self.number, &other.number);
        let number = match op {
            BinaryOp::Add => a + b,
            BinaryOp::Sub => a - b,
            BinaryOp::Mul => a * b,
            BinaryOp::Div => divided(self, other, |a, b| a / b),
            BinaryOp::Mod => divided(self, other, |a, b| a % b),
            BinaryOp::AddSaturating => saturate(a + b, kind),
            BinaryOp::SubSaturating => saturate(a - b, kind),
            BinaryOp::ShiftLeft => shifted_left(self, &other.pattern()),
            BinaryOp::ShiftRight => a >> distance(&other.pattern()).min(u64::from(u32::MAX)),
            BinaryOp::BitAnd | BinaryOp::And => a & b,
            BinaryOp::BitOr | BinaryOp::Or => a | b,
            BinaryOp::BitXor => a ^ b,
            BinaryOp::Concat => (self.pattern() << other.kind.width()) + other.pattern(),
            BinaryOp::Equal => truth(self.equals(other)),
            BinaryOp::NotEqual => truth(!self.equals(other)),
            BinaryOp::Less => truth(self.compare(other).is_lt()),
            BinaryOp::LessEqual => truth(self.compare(other).is_le()),
            BinaryOp::Greater => truth(self.compare(other).is_gt()),
            BinaryOp::GreaterEqual => truth(self.compare(other).is_ge()),
        };
        Value::new(number, kind)
    }

    /// Whether the bits, and the lengths of varbits, are equal.
    pub(super) fn equals(&self, other: &Value) -> bool {
        let length = |value: &Value| if value.is_varbit() { value.length } else { 0 };
        self.pattern() == other.pattern() && length(self) == length(other)
    }

    fn compare(&self, other: &Value) -> Ordering {
        self.number.cmp(&other.number)
    }

    /// Returns the bits, most significant first.
    pub(super) fn to_bit_list(&self) -> Vec<bool> {
        let pattern = self.pattern();
        (0..u64::from(self.length)).rev().map(|at| pattern.bit(at)).collect()
    }
}

fn truth(value: bool) -> BigInt {
    BigInt::from(u8::from(value))
}

fn shifted_left(value: &Value, by: &BigInt) -> BigInt {
    let by = distance(by);
    if by >= u64::from(value.kind.width()) { BigInt::ZERO } else { &value.number << by }
}

/// Divides unsigned values. Division by zero gives zero; the specification leaves it undefined.
fn divided(a: &Value, b: &Value, f: impl Fn(BigInt, BigInt) -> BigInt) -> BigInt {
    let (a, b) = (a.pattern(), b.pattern());
    if b == BigInt::ZERO { BigInt::ZERO } else { f(a, b) }
}

/// Returns the number that bits represent, most significant first.
pub(super) fn number_of_bits(bits: impl Iterator<Item = bool>) -> BigInt {
    bits.fold(BigInt::ZERO, |number, bit| (number << 1u32) + u8::from(bit))
}

/// Returns bits as bytes, padded with zeros to a whole byte.
pub(super) fn bytes_of_bits(bits: &[bool]) -> Vec<u8> {
    let byte = |chunk: &[bool]| {
        chunk.iter().enumerate().fold(0u8, |byte, (at, bit)| byte | u8::from(*bit) << (7 - at))
    };
    bits.chunks(8).map(byte).collect()
}
