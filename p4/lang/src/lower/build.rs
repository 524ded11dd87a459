//! Constructors of IR expressions, with constant folding.

use num_bigint::{BigInt, Sign};
use num_traits::Zero as _;

use crate::constant;
use crate::hir::Type;
use crate::ir::{BinaryOp, Bits, Expr, ExprKind, ScalarKind, UnaryOp};
use crate::syntax::ast;

/// Returns a constant of a kind.
pub(super) fn number(value: &BigInt, kind: ScalarKind) -> Expr {
    Expr { kind: ExprKind::Const(bits(value, kind.width())), ty: kind }
}

/// Returns a small constant of type `bit<width>`.
pub(super) fn small(value: u64, width: u32) -> Expr {
    Expr { kind: ExprKind::Const(Bits::new(width, u128::from(value))), ty: ScalarKind::Unsigned(width) }
}

/// Returns a one-bit constant.
pub(super) fn truth(value: bool) -> Expr {
    small(u64::from(value), 1)
}

/// Returns a number in two's complement.
pub(super) fn bits(value: &BigInt, width: u32) -> Bits {
    let wrapped = constant::wrap(value, &Type::Bit(width));
    let (_, digits) = wrapped.to_u64_digits();
    Bits::from_limbs(width, digits)
}

/// Returns the number that a constant holds.
pub(super) fn value_of(expr: &Expr) -> Option<BigInt> {
    let ExprKind::Const(bits) = &expr.kind else { return None };
    let unsigned = BigInt::from_bytes_be(Sign::Plus, &bits.to_be_bytes());
    Some(constant::wrap(&unsigned, &type_of(expr.ty)))
}

fn type_of(kind: ScalarKind) -> Type {
    match kind {
        ScalarKind::Signed(w) => Type::Signed(w),
        ScalarKind::Unsigned(w) | ScalarKind::Varbit(w) => Type::Bit(w),
    }
}

pub(super) fn is_const(expr: &Expr) -> bool {
    matches!(expr.kind, ExprKind::Const(_))
}

fn is_value(expr: &Expr, wanted: bool) -> bool {
    value_of(expr).is_some_and(|v| v.is_zero() != wanted)
}

pub(super) fn not(of: Expr) -> Expr {
    match &of.kind {
        ExprKind::Const(_) => truth(is_value(&of, false)),
        ExprKind::Unary(UnaryOp::Not, inner) => (**inner).clone(),
        _ => Expr { kind: ExprKind::Unary(UnaryOp::Not, Box::new(of)), ty: ScalarKind::Unsigned(1) },
    }
}

pub(super) fn unary(op: UnaryOp, of: Expr) -> Expr {
    if op == UnaryOp::Not {
        return not(of);
    }
    let ty = of.ty;
    if let Some(value) = value_of(&of) {
        let ast_op = if op == UnaryOp::Negate { ast::UnaryOp::Negate } else { ast::UnaryOp::BitNot };
        return number(&constant::unary(ast_op, &value, &type_of(ty)), ty);
    }
    Expr { kind: ExprKind::Unary(op, Box::new(of)), ty }
}

pub(super) fn and(a: Expr, b: Expr) -> Expr {
    if is_value(&a, true) || is_value(&b, false) && is_const(&b) && is_value(&a, true) {
        return b;
    }
    if is_value(&b, true) || is_value(&a, false) {
        return a;
    }
    raw(BinaryOp::And, a, b, ScalarKind::Unsigned(1))
}

pub(super) fn or(a: Expr, b: Expr) -> Expr {
    if is_value(&a, false) {
        return b;
    }
    if is_value(&b, false) || is_value(&a, true) {
        return a;
    }
    raw(BinaryOp::Or, a, b, ScalarKind::Unsigned(1))
}

fn raw(op: BinaryOp, a: Expr, b: Expr, ty: ScalarKind) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty }
}

/// Returns a binary operation; the kind of the result follows from the operator.
pub(super) fn binary(op: BinaryOp, a: Expr, b: Expr) -> Expr {
    use BinaryOp as B;
    match op {
        B::And => return and(a, b),
        B::Or => return or(a, b),
        _ => {}
    }
    let ty = match op {
        B::Equal | B::NotEqual | B::Less | B::LessEqual | B::Greater | B::GreaterEqual => {
            ScalarKind::Unsigned(1)
        }
        B::Concat => {
            let width = a.ty.width() + b.ty.width();
            if matches!(a.ty, ScalarKind::Signed(_)) {
                ScalarKind::Signed(width)
            } else {
                ScalarKind::Unsigned(width)
            }
        }
        _ => a.ty,
    };
    if let (Some(x), Some(y)) = (value_of(&a), value_of(&b)) {
        let folded = if op == B::Concat {
            Some(constant::concat(&x, &y, b.ty.width(), &type_of(ty)))
        } else {
            constant::binary(to_ast(op), &x, &y, &type_of(a.ty)).ok()
        };
        if let Some(folded) = folded {
            return number(&folded, ty);
        }
    }
    raw(op, a, b, ty)
}

pub(super) fn equal(a: Expr, b: Expr) -> Expr {
    binary(BinaryOp::Equal, a, b)
}

pub(super) fn mux(condition: Expr, then: Expr, otherwise: Expr) -> Expr {
    if is_const(&condition) {
        return if is_value(&condition, true) { then } else { otherwise };
    }
    let ty = then.ty;
    Expr { kind: ExprKind::Mux(Box::new(condition), Box::new(then), Box::new(otherwise)), ty }
}

pub(super) fn slice(of: Expr, high: u32, low: u32) -> Expr {
    let ty = ScalarKind::Unsigned(high - low + 1);
    if low == 0 && high + 1 == of.ty.width() && matches!(of.ty, ScalarKind::Unsigned(_)) {
        return of;
    }
    match of.kind {
        ExprKind::Const(_) => match value_of(&of) {
            Some(value) => number(&constant::slice(&value, high, low), ty),
            None => of,
        },
        ExprKind::Slice { of: inner, low: base, .. } => {
            Expr { kind: ExprKind::Slice { of: inner, high: base + high, low: base + low }, ty }
        }
        _ => Expr { kind: ExprKind::Slice { of: Box::new(of), high, low }, ty },
    }
}

/// Returns `width` bits of a value from a run-time lowest bit on; bits beyond the end are zero.
pub(super) fn plus_slice(of: Expr, low: Expr, width: u32) -> Expr {
    let bits = ScalarKind::Unsigned(of.ty.width());
    slice(binary(BinaryOp::ShiftRight, cast(of, bits), low), width - 1, 0)
}

pub(super) fn cast(of: Expr, ty: ScalarKind) -> Expr {
    if of.ty == ty {
        return of;
    }
    if let Some(value) = value_of(&of) {
        return number(&value, ty);
    }
    Expr { kind: ExprKind::Cast(Box::new(of)), ty }
}

/// Converts an operator of the syntax tree.
pub(super) fn from_ast(op: ast::BinaryOp) -> BinaryOp {
    use ast::BinaryOp as A;
    match op {
        A::Add => BinaryOp::Add,
        A::Sub => BinaryOp::Sub,
        A::Mul => BinaryOp::Mul,
        A::Div => BinaryOp::Div,
        A::Mod => BinaryOp::Mod,
        A::AddSat => BinaryOp::AddSaturating,
        A::SubSat => BinaryOp::SubSaturating,
        A::Shl => BinaryOp::ShiftLeft,
        A::Shr => BinaryOp::ShiftRight,
        A::And => BinaryOp::And,
        A::Or => BinaryOp::Or,
        A::BitAnd => BinaryOp::BitAnd,
        A::BitOr => BinaryOp::BitOr,
        A::BitXor => BinaryOp::BitXor,
        A::Concat => BinaryOp::Concat,
        A::Eq => BinaryOp::Equal,
        A::Ne => BinaryOp::NotEqual,
        A::Lt => BinaryOp::Less,
        A::Le => BinaryOp::LessEqual,
        A::Gt => BinaryOp::Greater,
        A::Ge => BinaryOp::GreaterEqual,
    }
}

fn to_ast(op: BinaryOp) -> ast::BinaryOp {
    use BinaryOp as B;
    match op {
        B::Add => ast::BinaryOp::Add,
        B::Sub => ast::BinaryOp::Sub,
        B::Mul => ast::BinaryOp::Mul,
        B::Div => ast::BinaryOp::Div,
        B::Mod => ast::BinaryOp::Mod,
        B::AddSaturating => ast::BinaryOp::AddSat,
        B::SubSaturating => ast::BinaryOp::SubSat,
        B::ShiftLeft => ast::BinaryOp::Shl,
        B::ShiftRight => ast::BinaryOp::Shr,
        B::BitAnd => ast::BinaryOp::BitAnd,
        B::BitOr => ast::BinaryOp::BitOr,
        B::BitXor => ast::BinaryOp::BitXor,
        B::Concat => ast::BinaryOp::Concat,
        B::Equal => ast::BinaryOp::Eq,
        B::NotEqual => ast::BinaryOp::Ne,
        B::Less => ast::BinaryOp::Lt,
        B::LessEqual => ast::BinaryOp::Le,
        B::Greater => ast::BinaryOp::Gt,
        B::GreaterEqual => ast::BinaryOp::Ge,
        B::And => ast::BinaryOp::And,
        B::Or => ast::BinaryOp::Or,
    }
}
