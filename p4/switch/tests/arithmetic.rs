//! Random expressions of random widths, compared with `u128` arithmetic.

use crate::common::{Builder, drain, switch};
use model::Time;
use model::wire::Frame;
use p4_lang::ir::*;
use proptest::prelude::*;

/// Operands of the expressions, in a header of whole bytes.
const OPERANDS: [ScalarKind; 6] = [
    ScalarKind::Unsigned(7),
    ScalarKind::Signed(9),
    ScalarKind::Unsigned(64),
    ScalarKind::Signed(64),
    ScalarKind::Unsigned(128),
    ScalarKind::Signed(104),
];

fn mask(width: u32) -> u128 {
    u128::MAX.checked_shr(128 - width).unwrap_or(0)
}

fn signed(value: u128, width: u32) -> i128 {
    (value << (128 - width)) as i128 >> (128 - width)
}

fn is_signed(kind: ScalarKind) -> bool {
    matches!(kind, ScalarKind::Signed(_))
}

fn saturate(exact: Option<i128>, overflow_up: bool, width: u32) -> u128 {
    let most = (mask(width) >> 1) as i128;
    let value = exact.unwrap_or(if overflow_up { i128::MAX } else { i128::MIN });
    value.clamp(-most - 1, most) as u128 & mask(width)
}

/// Computes the value of an expression.
fn evaluate(e: &Expr, operands: &[u128]) -> u128 {
    let width = e.ty.width();
    let value = match &e.kind {
        ExprKind::Const(bits) => bits.to_u128().expect("at most 128 bits"),
        ExprKind::Scalar(id) => operands[id.index()],
        ExprKind::Unary(UnaryOp::Negate, a) => evaluate(a, operands).wrapping_neg(),
        ExprKind::Unary(UnaryOp::BitNot, a) => !evaluate(a, operands),
        ExprKind::Unary(UnaryOp::Not, a) => evaluate(a, operands) ^ 1,
        ExprKind::Binary(op, a, b) => binary(*op, a, b, evaluate(a, operands), evaluate(b, operands), width),
        ExprKind::Mux(c, a, b) => evaluate(if evaluate(c, operands) == 1 { a } else { b }, operands),
        ExprKind::Slice { of, low, .. } => evaluate(of, operands) >> low,
        ExprKind::Cast(a) if is_signed(a.ty) => signed(evaluate(a, operands), a.ty.width()) as u128,
        ExprKind::Cast(a) => evaluate(a, operands),
        other => panic!("{other:?} is not generated"),
    };
    value & mask(width)
}

fn binary(op: BinaryOp, left: &Expr, right: &Expr, a: u128, b: u128, width: u32) -> u128 {
    let w = left.ty.width();
    let (sa, sb) = (signed(a, w), signed(b, right.ty.width()));
    let order = if is_signed(left.ty) { sa.cmp(&sb) } else { a.cmp(&b) };
    let by = u32::try_from(b).unwrap_or(u32::MAX);
    match (op, is_signed(left.ty)) {
        (BinaryOp::Add, _) => a.wrapping_add(b),
        (BinaryOp::Sub, _) => a.wrapping_sub(b),
        (BinaryOp::Mul, _) => a.wrapping_mul(b),
        (BinaryOp::Div, _) => a.checked_div(b).unwrap_or(0),
        (BinaryOp::Mod, _) => a.checked_rem(b).unwrap_or(0),
        (BinaryOp::AddSaturating, false) => a.saturating_add(b).min(mask(w)),
        (BinaryOp::SubSaturating, false) => a.saturating_sub(b),
        (BinaryOp::AddSaturating, true) => saturate(sa.checked_add(sb), sa > 0, w),
        (BinaryOp::SubSaturating, true) => saturate(sa.checked_sub(sb), sa > 0, w),
        (BinaryOp::ShiftLeft, _) => a.checked_shl(by).unwrap_or(0),
        (BinaryOp::ShiftRight, false) => a.checked_shr(by).unwrap_or(0),
        (BinaryOp::ShiftRight, true) => (sa >> by.min(127)) as u128,
        (BinaryOp::BitAnd | BinaryOp::And, _) => a & b,
        (BinaryOp::BitOr | BinaryOp::Or, _) => a | b,
        (BinaryOp::BitXor, _) => a ^ b,
        (BinaryOp::Concat, _) => a.checked_shl(right.ty.width()).unwrap_or(0) | b,
        (BinaryOp::Equal, _) => u128::from(a == b),
        (BinaryOp::NotEqual, _) => u128::from(a != b),
        (BinaryOp::Less, _) => u128::from(order.is_lt()),
        (BinaryOp::LessEqual, _) => u128::from(order.is_le()),
        (BinaryOp::Greater, _) => u128::from(order.is_gt()),
        (BinaryOp::GreaterEqual, _) => u128::from(order.is_ge()),
    }
    .checked_shl(0)
    .map_or(0, |v| v & mask(width))
}

/// Casts an expression to a type.
fn cast(e: Expr, ty: ScalarKind) -> Expr {
    if e.ty == ty { e } else { Expr { kind: ExprKind::Cast(Box::new(e)), ty } }
}

fn kind() -> impl Strategy<Value = ScalarKind> {
    let width = prop_oneof![1u32..=128, Just(1), Just(63), Just(64), Just(65), Just(128)];
    (any::<bool>(), width).prop_map(|(signed, w)| match signed && w > 1 {
        true => ScalarKind::Signed(w),
        false => ScalarKind::Unsigned(w),
    })
}

fn leaf() -> impl Strategy<Value = Expr> {
    prop_oneof![
        // In the storage the operands follow the standard metadata.
        (0..OPERANDS.len()).prop_map(|i| Expr {
            kind: ExprKind::Scalar(ScalarId((crate::common::STANDARD.len() + 1 + i) as u32)),
            ty: OPERANDS[i],
        }),
        (kind(), any::<u128>(), 0u32..128).prop_map(|(ty, value, cut)| Expr {
            kind: ExprKind::Const(Bits::new(ty.width(), value >> cut)),
            ty,
        }),
    ]
}

fn combined(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = Expr> {
    use BinaryOp::*;
    let same_width = prop::sample::select(vec![
        Add,
        Sub,
        Mul,
        Div,
        Mod,
        AddSaturating,
        SubSaturating,
        BitAnd,
        BitOr,
        BitXor,
    ]);
    let comparing = prop::sample::select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]);
    let made = |op, a, b, ty| Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty };
    let bool_of = |e: Expr| {
        let zero = Expr { kind: ExprKind::Const(Bits::new(e.ty.width(), 3)), ty: e.ty };
        Expr { kind: ExprKind::Binary(Greater, Box::new(e), Box::new(zero)), ty: ScalarKind::Unsigned(1) }
    };
    prop_oneof![
        (same_width, kind(), inner.clone(), inner.clone()).prop_map(move |(op, ty, a, b)| made(
            op,
            cast(a, ty),
            cast(b, ty),
            ty
        )),
        (comparing, kind(), inner.clone(), inner.clone()).prop_map(move |(op, ty, a, b)| made(
            op,
            cast(a, ty),
            cast(b, ty),
            ScalarKind::Unsigned(1)
        )),
        (any::<bool>(), inner.clone(), inner.clone(), 1u32..=128).prop_map(move |(left, a, b, w)| {
            let ty = a.ty;
            let by = cast(cast(b, ScalarKind::Unsigned(7)), ScalarKind::Unsigned(w.max(7)));
            made(if left { ShiftLeft } else { ShiftRight }, a, by, ty)
        }),
        (any::<bool>(), inner.clone(), inner.clone()).prop_map(move |(and, a, b)| {
            made(if and { And } else { Or }, bool_of(a), bool_of(b), ScalarKind::Unsigned(1))
        }),
        (inner.clone(), inner.clone(), 1u32..=64, 1u32..=64).prop_map(move |(a, b, x, y)| {
            let (a, b) = (cast(a, ScalarKind::Unsigned(x)), cast(b, ScalarKind::Unsigned(y)));
            made(Concat, a, b, ScalarKind::Unsigned(x + y))
        }),
        (inner.clone(), inner.clone(), inner.clone(), kind()).prop_map(move |(c, a, b, ty)| Expr {
            kind: ExprKind::Mux(Box::new(bool_of(c)), Box::new(cast(a, ty)), Box::new(cast(b, ty))),
            ty,
        }),
        (inner.clone(), any::<u32>(), any::<u32>()).prop_map(|(a, x, y)| {
            let width = a.ty.width();
            let (x, y) = (x % width, y % width);
            let (high, low) = (x.max(y), x.min(y));
            let ty = ScalarKind::Unsigned(high - low + 1);
            Expr { kind: ExprKind::Slice { of: Box::new(a), high, low }, ty }
        }),
        (inner.clone(), any::<bool>()).prop_map(|(a, negate)| {
            let ty = a.ty;
            let op = if negate { UnaryOp::Negate } else { UnaryOp::BitNot };
            Expr { kind: ExprKind::Unary(op, Box::new(a)), ty }
        }),
        (inner, kind()).prop_map(|(a, ty)| Expr { kind: ExprKind::Cast(Box::new(a)), ty }),
    ]
}

/// Runs `result = e` on a switch and returns the result, which the packet carries in 128 bits.
fn compute(e: &Expr, operands: &[u128]) -> u128 {
    let mut b = Builder::new();
    let names = ["o0", "o1", "o2", "o3", "o4", "o5"];
    let fields: Vec<(&str, u32)> = names.into_iter().zip(OPERANDS.map(ScalarKind::width)).collect();
    let operand_header = b.header("operands", &fields);
    let result = b.header("result", &[("value", 128)]);
    b.state(vec![Stmt::Extract(HeaderRef::Static(operand_header))], Transition::Accept);
    let wide = cast(cast(e.clone(), ScalarKind::Unsigned(e.ty.width())), ScalarKind::Unsigned(128));
    b.program.ingress.body =
        vec![Stmt::SetValid(HeaderRef::Static(result), true), Stmt::Assign(b.field(result, 0), wide)];
    b.program.deparser.body = vec![Stmt::Emit(HeaderRef::Static(result))];
    let mut switch = switch(&b.finish());
    let (mut bytes, mut bits) = (Vec::new(), Vec::new());
    for (kind, value) in OPERANDS.iter().zip(operands) {
        bits.extend((0..kind.width()).rev().map(|i| (value >> i & 1) as u8));
    }
    for byte in bits.chunks(8) {
        bytes.push(byte.iter().fold(0, |v, bit| v << 1 | bit));
    }
    switch.receive(Time::ZERO, 1, Frame::new(&bytes, 0));
    let sent = drain(&mut switch, 0);
    u128::from_be_bytes(sent[0][..16].try_into().expect("sixteen bytes"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]
    #[test]
    fn expressions_equal_u128_arithmetic(
        e in leaf().prop_recursive(4, 24, 3, combined),
        operands in prop::collection::vec(any::<u128>(), OPERANDS.len()),
    ) {
        let operands: Vec<u128> =
            operands.iter().zip(OPERANDS).map(|(v, kind)| v & mask(kind.width())).collect();
        // Scalars before the operands: the standard metadata and the validity of the header.
        let mut by_scalar = vec![0; crate::common::STANDARD.len() + 1];
        by_scalar.extend(&operands);
        prop_assert_eq!(compute(&e, &operands), evaluate(&e, &by_scalar), "{:?}", e);
    }
}
