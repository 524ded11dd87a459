//! Numbers of the JSON format, and their translation to expressions of fixed width.
//!
//! The format computes with integers of unlimited size and truncates a value when it is stored (`JSON_format.md`,
//! "General information"). A number is translated in one of two ways: modulo a power of two, where only the low bits
//! matter, or exactly, with as many bits as its range needs. Thus `(a + b) & 0xff` becomes an addition of 8 bits.

use std::cell::Cell;

use num_bigint::{BigInt, Sign};
use p4_lang::ir::{BinaryOp, Bits, Expr, ExprKind, HeaderRef, ScalarId, ScalarKind, StackId, UnaryOp};

/// Maximum width of an exact value.
pub(super) const MAX_BITS: u32 = 16_384;
/// Maximum number of expressions of a program. Sums that saturate and comparisons of headers use operands repeatedly.
const MAX_EXPRESSIONS: usize = 2_000_000;

const BOOL: ScalarKind = ScalarKind::Unsigned(1);

/// A number.
#[derive(Clone, Debug)]
pub(super) enum Number {
    Const(BigInt),
    Scalar(ScalarId, ScalarKind),
    StackField {
        stack: StackId,
        index: Box<Number>,
        member: usize,
        field: usize,
        kind: ScalarKind,
    },
    LastIndex(StackId),
    Lookahead {
        offset: u32,
        width: u32,
    },
    Negate(Box<Number>),
    BitNot(Box<Number>),
    Binary(Arithmetic, Box<Number>, Box<Number>),
    /// The signed value of the low bits.
    TwosComplement(Box<Number>, u32),
    /// The closest value of an unsigned or signed type.
    Saturated {
        of: Box<Number>,
        width: u32,
        signed: bool,
    },
    Choice(Box<Test>, Box<Number>, Box<Number>),
    OfTest(Box<Test>),
    /// An expression of an exact value.
    Translated(Box<Expr>),
}

/// An operator of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    And,
    Or,
    Xor,
    ShiftLeft,
    ShiftRight,
}

/// A boolean.
#[derive(Clone, Debug)]
pub(super) enum Test {
    Const(bool),
    Valid(HeaderRef),
    Compare(BinaryOp, Box<Number>, Box<Number>),
    NonZero(Box<Number>),
    Not(Box<Test>),
    And(Box<Test>, Box<Test>),
    Or(Box<Test>, Box<Test>),
}

impl Test {
    pub(super) fn all(tests: impl IntoIterator<Item = Test>) -> Test {
        balanced(tests, Test::And).unwrap_or(Test::Const(true))
    }

    pub(super) fn any(tests: impl IntoIterator<Item = Test>) -> Test {
        balanced(tests, Test::Or).unwrap_or(Test::Const(false))
    }

    pub(super) fn negated(self) -> Test {
        Test::Not(Box::new(self))
    }
}

/// Joins tests to a tree of logarithmic depth.
fn balanced(tests: impl IntoIterator<Item = Test>, join: fn(Box<Test>, Box<Test>) -> Test) -> Option<Test> {
    let mut level: Vec<Test> = tests.into_iter().collect();
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        let mut pairs = level.into_iter();
        while let Some(first) = pairs.next() {
            next.push(match pairs.next() {
                Some(second) => join(Box::new(first), Box::new(second)),
                None => first,
            });
        }
        level = next;
    }
    level.pop()
}

/// Why a number cannot be translated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Untranslatable {
    /// The exact value needs too many bits.
    TooWide,
    /// The program has too many expressions.
    TooMany,
    /// A field of variable length is no number.
    Varying,
}

type Made = Result<Expr, Untranslatable>;

/// Translates numbers.
#[derive(Debug, Default)]
pub(super) struct Translator {
    expressions: Cell<usize>,
}

/// Returns the bits of an integer in two's complement, truncated.
pub(super) fn bits(value: &BigInt, width: u32) -> Bits {
    let modulus = BigInt::from(1) << width;
    let mut wrapped = value % &modulus;
    if wrapped.sign() == Sign::Minus {
        wrapped += modulus;
    }
    Bits::from_limbs(width, wrapped.to_u64_digits().1)
}

/// The bits that a non-negative integer needs, at least 1.
fn length(value: &BigInt) -> u32 {
    u32::try_from(value.bits()).unwrap_or(u32::MAX).max(1)
}

/// The number of bits of a kind as part of a signed operation.
fn signed_width(kind: ScalarKind) -> u32 {
    match kind {
        ScalarKind::Signed(width) => width,
        other => other.width() + 1,
    }
}

fn is_signed(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::Signed(_))
}

/// The kind that holds the values of two kinds, and `more` additional bits.
fn joined(a: ScalarKind, b: ScalarKind, more: u32) -> ScalarKind {
    match is_signed(a) || is_signed(b) {
        true => ScalarKind::Signed(signed_width(a).max(signed_width(b)) + more),
        false => ScalarKind::Unsigned(a.width().max(b.width()) + more),
    }
}

impl Translator {
    fn make(&self, kind: ExprKind, ty: ScalarKind) -> Made {
        self.expressions.set(self.expressions.get() + 1);
        if self.expressions.get() > MAX_EXPRESSIONS {
            return Err(Untranslatable::TooMany);
        }
        match ty {
            ScalarKind::Varbit(_) => Err(Untranslatable::Varying),
            ty if ty.width() > MAX_BITS => Err(Untranslatable::TooWide),
            ty => Ok(Expr { kind, ty }),
        }
    }

    fn constant(&self, value: &BigInt, ty: ScalarKind) -> Made {
        if ty.width() > MAX_BITS {
            return Err(Untranslatable::TooWide);
        }
        self.make(ExprKind::Const(bits(value, ty.width())), ty)
    }

    fn binary(&self, op: BinaryOp, a: Expr, b: Expr, ty: ScalarKind) -> Made {
        self.make(ExprKind::Binary(op, Box::new(a), Box::new(b)), ty)
    }

    fn cast(&self, of: Expr, ty: ScalarKind) -> Made {
        if of.ty == ty {
            return Ok(of);
        }
        if let ExprKind::Const(known) = &of.kind {
            let value = BigInt::from_bytes_be(Sign::Plus, &known.to_be_bytes());
            let negative = is_signed(of.ty) && value.bit(u64::from(of.ty.width() - 1));
            let value = if negative { value - (BigInt::from(1) << of.ty.width()) } else { value };
            return self.constant(&value, ty);
        }
        self.make(ExprKind::Cast(Box::new(of)), ty)
    }

    fn slice(&self, of: Expr, high: u32, low: u32) -> Made {
        self.make(ExprKind::Slice { of: Box::new(of), high, low }, ScalarKind::Unsigned(high - low + 1))
    }

    /// Returns the low `width` bits of a number.
    pub(super) fn low(&self, number: &Number, width: u32) -> Made {
        let ty = ScalarKind::Unsigned(width);
        match number {
            Number::Const(value) => self.constant(value, ty),
            Number::Negate(of) => {
                let of = self.low(of, width)?;
                self.make(ExprKind::Unary(UnaryOp::Negate, Box::new(of)), ty)
            }
            Number::BitNot(of) => {
                let of = self.low(of, width)?;
                self.make(ExprKind::Unary(UnaryOp::BitNot, Box::new(of)), ty)
            }
            Number::Choice(condition, a, b) => {
                let (condition, a, b) = (self.test(condition)?, self.low(a, width)?, self.low(b, width)?);
                self.make(ExprKind::Mux(Box::new(condition), Box::new(a), Box::new(b)), ty)
            }
            Number::Binary(op, a, b) => self.low_binary(*op, a, b, width),
            other => {
                let exact = self.exact(other)?;
                self.cast(exact, ty)
            }
        }
    }

    fn low_binary(&self, op: Arithmetic, a: &Number, b: &Number, width: u32) -> Made {
        let ty = ScalarKind::Unsigned(width);
        let ir = match op {
            Arithmetic::Add => BinaryOp::Add,
            Arithmetic::Sub => BinaryOp::Sub,
            Arithmetic::Mul => BinaryOp::Mul,
            Arithmetic::Or => BinaryOp::BitOr,
            Arithmetic::Xor => BinaryOp::BitXor,
            Arithmetic::And => return self.low_and(a, b, width),
            Arithmetic::ShiftLeft => {
                let (a, by) = (self.low(a, width)?, self.amount(b)?);
                return self.binary(BinaryOp::ShiftLeft, a, by, ty);
            }
            Arithmetic::ShiftRight => return self.low_shifted_right(a, b, width),
            Arithmetic::Div | Arithmetic::Mod => {
                let exact = self.exact_binary(op, a, b)?;
                return self.cast(exact, ty);
            }
        };
        let (a, b) = (self.low(a, width)?, self.low(b, width)?);
        self.binary(ir, a, b, ty)
    }

    /// A mask of low bits is no operation: only these bits are computed.
    fn low_and(&self, a: &Number, b: &Number, width: u32) -> Made {
        let ty = ScalarKind::Unsigned(width);
        let (other, mask) = match (a, b) {
            (other, Number::Const(mask)) | (Number::Const(mask), other) if mask.sign() != Sign::Minus => {
                (other, mask)
            }
            _ => {
                let (a, b) = (self.low(a, width)?, self.low(b, width)?);
                return self.binary(BinaryOp::BitAnd, a, b, ty);
            }
        };
        let inner = length(mask).min(width);
        let kind = ScalarKind::Unsigned(inner);
        let value = self.low(other, inner)?;
        let known = bits(mask, inner);
        if known == Bits::ones(inner) {
            return self.cast(value, ty);
        }
        let mask = self.make(ExprKind::Const(known), kind)?;
        let masked = self.binary(BinaryOp::BitAnd, value, mask, kind)?;
        self.cast(masked, ty)
    }

    fn low_shifted_right(&self, a: &Number, b: &Number, width: u32) -> Made {
        let ty = ScalarKind::Unsigned(width);
        if let Number::Const(by) = b
            && let Ok(by) = u32::try_from(by.clone())
        {
            let value = self.exact(a)?;
            if !is_signed(value.ty) {
                if by >= value.ty.width() {
                    return self.constant(&BigInt::ZERO, ty);
                }
                let high = (value.ty.width() - 1).min(by.saturating_add(width - 1));
                let slice = self.slice(value, high, by)?;
                return self.cast(slice, ty);
            }
        }
        let exact = self.exact_binary(Arithmetic::ShiftRight, a, b)?;
        self.cast(exact, ty)
    }

    /// Returns a shift amount, which is not negative.
    fn amount(&self, number: &Number) -> Made {
        let exact = self.exact(number)?;
        let width = exact.ty.width();
        self.cast(exact, ScalarKind::Unsigned(width))
    }

    /// Returns the value of a number; the type of the result holds all values that it can have.
    pub(super) fn exact(&self, number: &Number) -> Made {
        match number {
            Number::Const(value) if value.sign() == Sign::Minus => {
                let positive: BigInt = -value - 1;
                self.constant(value, ScalarKind::Signed(length(&positive).saturating_add(1)))
            }
            Number::Const(value) => self.constant(value, ScalarKind::Unsigned(length(value))),
            Number::Scalar(id, kind) => self.make(ExprKind::Scalar(*id), *kind),
            Number::StackField { stack, index, member, field, kind } => {
                let index = Box::new(self.amount(index)?);
                self.make(
                    ExprKind::StackField { stack: *stack, index, member: *member, field: *field },
                    *kind,
                )
            }
            Number::LastIndex(stack) => self.make(ExprKind::LastIndex(*stack), ScalarKind::Unsigned(32)),
            Number::Lookahead { offset, width } => {
                self.make(ExprKind::Lookahead { offset_bits: *offset }, ScalarKind::Unsigned(*width))
            }
            Number::Negate(of) => {
                let of = self.exact(of)?;
                let ty = ScalarKind::Signed(of.ty.width() + 1);
                let of = self.cast(of, ty)?;
                self.make(ExprKind::Unary(UnaryOp::Negate, Box::new(of)), ty)
            }
            Number::BitNot(of) => {
                let of = self.exact(of)?;
                let ty = ScalarKind::Signed(signed_width(of.ty));
                let of = self.cast(of, ty)?;
                self.make(ExprKind::Unary(UnaryOp::BitNot, Box::new(of)), ty)
            }
            Number::Binary(op, a, b) => self.exact_binary(*op, a, b),
            Number::TwosComplement(of, width) => {
                let low = self.low(of, *width)?;
                self.cast(low, ScalarKind::Signed(*width))
            }
            Number::Saturated { of, width, signed } => self.saturated(of, *width, *signed),
            Number::Choice(condition, a, b) => {
                let (condition, a, b) = (self.test(condition)?, self.exact(a)?, self.exact(b)?);
                let ty = joined(a.ty, b.ty, 0);
                let (a, b) = (self.cast(a, ty)?, self.cast(b, ty)?);
                self.make(ExprKind::Mux(Box::new(condition), Box::new(a), Box::new(b)), ty)
            }
            Number::OfTest(test) => self.test(test),
            Number::Translated(expr) => self.make(expr.kind.clone(), expr.ty),
        }
    }

    fn exact_binary(&self, op: Arithmetic, a: &Number, b: &Number) -> Made {
        match op {
            Arithmetic::ShiftLeft => return self.exact_shifted_left(a, b),
            Arithmetic::ShiftRight => {
                let (a, by) = (self.exact(a)?, self.amount(b)?);
                let ty = a.ty;
                return self.binary(BinaryOp::ShiftRight, a, by, ty);
            }
            // A mask limits the result.
            Arithmetic::And => {
                for mask in [a, b] {
                    if let Number::Const(value) = mask
                        && value.sign() != Sign::Minus
                    {
                        return self.low_and(a, b, length(value));
                    }
                }
            }
            _ => {}
        }
        let (a, b) = (self.exact(a)?, self.exact(b)?);
        let signed = is_signed(a.ty) || is_signed(b.ty);
        let (ir, ty) = match op {
            Arithmetic::Add => (BinaryOp::Add, joined(a.ty, b.ty, 1)),
            Arithmetic::Sub => {
                (BinaryOp::Sub, ScalarKind::Signed(signed_width(a.ty).max(signed_width(b.ty)) + 1))
            }
            Arithmetic::Mul if signed => {
                (BinaryOp::Mul, ScalarKind::Signed(signed_width(a.ty) + signed_width(b.ty)))
            }
            Arithmetic::Mul => (BinaryOp::Mul, ScalarKind::Unsigned(a.ty.width() + b.ty.width())),
            // The format defines both for non-negative operands only.
            Arithmetic::Div => (BinaryOp::Div, ScalarKind::Unsigned(a.ty.width().max(b.ty.width()))),
            Arithmetic::Mod => (BinaryOp::Mod, ScalarKind::Unsigned(a.ty.width().max(b.ty.width()))),
            Arithmetic::And if is_signed(a.ty) != is_signed(b.ty) => {
                // The operand that is not negative limits the result.
                let width = if is_signed(a.ty) { b.ty.width() } else { a.ty.width() };
                (BinaryOp::BitAnd, ScalarKind::Unsigned(width))
            }
            Arithmetic::And => (BinaryOp::BitAnd, joined(a.ty, b.ty, 0)),
            Arithmetic::Or => (BinaryOp::BitOr, joined(a.ty, b.ty, 0)),
            Arithmetic::Xor | Arithmetic::ShiftLeft | Arithmetic::ShiftRight => {
                (BinaryOp::BitXor, joined(a.ty, b.ty, 0))
            }
        };
        let (a, b) = (self.cast(a, ty)?, self.cast(b, ty)?);
        self.binary(ir, a, b, ty)
    }

    fn exact_shifted_left(&self, a: &Number, b: &Number) -> Made {
        let (value, by) = (self.exact(a)?, self.amount(b)?);
        let most = match b {
            Number::Const(by) => u32::try_from(by.clone()).unwrap_or(u32::MAX),
            _ if by.ty.width() < 10 => (1 << by.ty.width()) - 1,
            _ => return Err(Untranslatable::TooWide),
        };
        let width = value.ty.width().saturating_add(most);
        let ty = if is_signed(value.ty) { ScalarKind::Signed(width) } else { ScalarKind::Unsigned(width) };
        let value = self.cast(value, ty)?;
        self.binary(BinaryOp::ShiftLeft, value, by, ty)
    }

    fn saturated(&self, of: &Number, width: u32, signed: bool) -> Made {
        let ty = if signed { ScalarKind::Signed(width) } else { ScalarKind::Unsigned(width) };
        // The form of p4c for `|+|` and `|-|`.
        if let Number::Binary(op @ (Arithmetic::Add | Arithmetic::Sub), a, b) = of {
            let (a, b) = (self.exact(a)?, self.exact(b)?);
            let fits = |e: &Expr| match signed {
                true => signed_width(e.ty) <= width,
                false => !is_signed(e.ty) && e.ty.width() <= width,
            };
            if fits(&a) && fits(&b) {
                let (a, b) = (self.cast(a, ty)?, self.cast(b, ty)?);
                let op = match op {
                    Arithmetic::Add => BinaryOp::AddSaturating,
                    _ => BinaryOp::SubSaturating,
                };
                return self.binary(op, a, b, ty);
            }
        }
        let one = BigInt::from(1);
        let (least, most) = match signed {
            true => (-(&one << (width - 1)), (&one << (width - 1)) - 1),
            false => (BigInt::ZERO, (&one << width) - 1),
        };
        let compare = |op, bound: &BigInt| {
            let bound = Number::Const(bound.clone());
            self.test(&Test::Compare(op, Box::new(of.clone()), Box::new(bound)))
        };
        let (below, above) = (compare(BinaryOp::Less, &least)?, compare(BinaryOp::Greater, &most)?);
        let (least, most) = (self.constant(&least, ty)?, self.constant(&most, ty)?);
        let exact = self.exact(of)?;
        let value = self.cast(exact, ty)?;
        let upper = self.make(ExprKind::Mux(Box::new(above), Box::new(most), Box::new(value)), ty)?;
        self.make(ExprKind::Mux(Box::new(below), Box::new(least), Box::new(upper)), ty)
    }

    /// Returns a number in a kind: its low bits, or its signed low bits.
    pub(super) fn stored(&self, number: &Number, kind: ScalarKind) -> Made {
        let low = self.low(number, kind.width())?;
        self.cast(low, kind)
    }

    /// Returns a boolean as one bit.
    pub(super) fn test(&self, test: &Test) -> Made {
        match test {
            Test::Const(value) => self.constant(&BigInt::from(u8::from(*value)), BOOL),
            Test::Valid(header) => self.make(ExprKind::IsValid(header.clone()), BOOL),
            Test::NonZero(of) => match &**of {
                Number::OfTest(test) => self.test(test),
                of => {
                    let zero = Number::Const(BigInt::ZERO);
                    self.compare(BinaryOp::NotEqual, of, &zero)
                }
            },
            Test::Compare(op, a, b) => self.compare(*op, a, b),
            Test::Not(of) => {
                let of = self.test(of)?;
                self.make(ExprKind::Unary(UnaryOp::Not, Box::new(of)), BOOL)
            }
            Test::And(a, b) => {
                let (a, b) = (self.test(a)?, self.test(b)?);
                self.binary(BinaryOp::And, a, b, BOOL)
            }
            Test::Or(a, b) => {
                let (a, b) = (self.test(a)?, self.test(b)?);
                self.binary(BinaryOp::Or, a, b, BOOL)
            }
        }
    }

    fn compare(&self, op: BinaryOp, a: &Number, b: &Number) -> Made {
        let (a, b) = (self.exact(a)?, self.exact(b)?);
        let ty = joined(a.ty, b.ty, 0);
        let (a, b) = (self.cast(a, ty)?, self.cast(b, ty)?);
        self.binary(op, a, b, BOOL)
    }
}
