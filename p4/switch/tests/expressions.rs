//! Expressions of any width, and random programs: both engines agree with big-integer arithmetic.

use std::sync::Arc;

use crate::common::{Builder, bytes};
use model::wire::Frame;
use model::{Rate, Time};
use num_bigint::{BigInt, BigUint};
use p4_lang::ir::*;
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Switch, SwitchConfig};
use proptest::prelude::*;

/// Width of the header that carries the result.
const RESULT_BITS: u32 = 320;
const MAX_WIDTH: u32 = 300;
const OPERANDS: usize = 4;

/// Number of scalars before the first operand: the standard metadata and the validity of the header.
fn first_operand() -> u32 {
    crate::common::STANDARD.len() as u32 + 1
}

fn power(exponent: u32) -> BigInt {
    BigInt::from(1) << exponent
}

/// Returns the value of `(type)number`.
fn range(number: BigInt, kind: ScalarKind) -> BigInt {
    let (width, signed) = match kind {
        ScalarKind::Signed(w) => (w, true),
        other => (other.width(), false),
    };
    let modulus = power(width);
    let mut rest = number % &modulus;
    if rest < BigInt::ZERO {
        rest += &modulus;
    }
    if signed && rest >= power(width - 1) { rest - modulus } else { rest }
}

/// Returns the bits of a number of a type as an unsigned number.
fn pattern(number: &BigInt, kind: ScalarKind) -> BigInt {
    range(number.clone(), ScalarKind::Unsigned(kind.width()))
}

/// Computes the value of an expression.
fn value_of(e: &Expr, operands: &[BigInt]) -> BigInt {
    let truth = |value: bool| BigInt::from(u8::from(value));
    let value = match &e.kind {
        ExprKind::Const(bits) => BigInt::from(BigUint::from_bytes_be(&bits.to_be_bytes())),
        ExprKind::Scalar(id) => operands[(id.0 - first_operand()) as usize].clone(),
        ExprKind::Unary(UnaryOp::Negate, a) => -value_of(a, operands),
        ExprKind::Unary(UnaryOp::BitNot, a) => {
            power(a.ty.width()) - 1 - pattern(&value_of(a, operands), a.ty)
        }
        ExprKind::Unary(UnaryOp::Not, a) => truth(value_of(a, operands) == BigInt::ZERO),
        ExprKind::Mux(c, a, b) => {
            value_of(if value_of(c, operands) == BigInt::ZERO { b } else { a }, operands)
        }
        ExprKind::Cast(a) => value_of(a, operands),
        ExprKind::Slice { of, low, high } => {
            let whole = pattern(&value_of(of, operands), of.ty);
            (whole % power(high + 1)) / power(*low)
        }
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (value_of(a, operands), value_of(b, operands));
            let (px, py) = (pattern(&x, a.ty), pattern(&y, b.ty));
            let clamped = |number: BigInt| match e.ty {
                ScalarKind::Signed(w) => number.max(-power(w - 1)).min(power(w - 1) - 1),
                other => number.max(BigInt::ZERO).min(power(other.width()) - 1),
            };
            let by = u32::try_from(&py).unwrap_or(u32::MAX).min(2 * MAX_WIDTH);
            match op {
                BinaryOp::Add => x + y,
                BinaryOp::Sub => x - y,
                BinaryOp::Mul => x * y,
                BinaryOp::AddSaturating => clamped(x + y),
                BinaryOp::SubSaturating => clamped(x - y),
                BinaryOp::BitAnd => bitwise(&px, &py, |a, b| a && b),
                BinaryOp::BitOr => bitwise(&px, &py, |a, b| a || b),
                BinaryOp::BitXor => bitwise(&px, &py, |a, b| a != b),
                BinaryOp::ShiftLeft => x * power(by),
                // An arithmetic shift rounds towards minus infinity.
                BinaryOp::ShiftRight if x < BigInt::ZERO => {
                    let up: BigInt = power(by) - 1 - x;
                    -(up / power(by))
                }
                BinaryOp::ShiftRight => x / power(by),
                BinaryOp::Concat => px * power(b.ty.width()) + py,
                BinaryOp::Equal => truth(px == py),
                BinaryOp::NotEqual => truth(px != py),
                BinaryOp::Less => truth(x < y),
                BinaryOp::LessEqual => truth(x <= y),
                BinaryOp::Greater => truth(x > y),
                BinaryOp::GreaterEqual => truth(x >= y),
                BinaryOp::And => truth(x != BigInt::ZERO && y != BigInt::ZERO),
                BinaryOp::Or => truth(x != BigInt::ZERO || y != BigInt::ZERO),
                BinaryOp::Div | BinaryOp::Mod => unreachable!("not generated: defined for constants only"),
            }
        }
        other => unreachable!("not generated: {other:?}"),
    };
    range(value, e.ty)
}

fn bitwise(a: &BigInt, b: &BigInt, f: impl Fn(bool, bool) -> bool) -> BigInt {
    let bit = |at: u64| if f(a.bit(at), b.bit(at)) { BigInt::from(1) << at } else { BigInt::ZERO };
    (0..u64::from(MAX_WIDTH)).map(bit).sum()
}

fn binary(op: BinaryOp, a: Expr, b: Expr, ty: ScalarKind) -> Expr {
    Expr { kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), ty }
}

fn cast(e: Expr, ty: ScalarKind) -> Expr {
    Expr { kind: ExprKind::Cast(Box::new(e)), ty }
}

fn kind() -> impl Strategy<Value = ScalarKind> {
    // Widths around multiples of 64 as often as other widths.
    let width = prop_oneof![1..=MAX_WIDTH, 1u32..=10, 60u32..=68, 124u32..=132, 252u32..=260];
    (any::<bool>(), width).prop_map(|(signed, w)| match signed {
        true => ScalarKind::Signed(w),
        false => ScalarKind::Unsigned(w),
    })
}

fn limbs() -> impl Strategy<Value = Vec<u64>> {
    let limb = prop_oneof![Just(0), Just(u64::MAX), Just(1), Just(1 << 63), any::<u64>()];
    prop::collection::vec(limb, 5)
}

fn leaf(operands: Vec<ScalarKind>) -> impl Strategy<Value = Expr> {
    prop_oneof![
        (0..operands.len()).prop_map(move |i| Expr {
            kind: ExprKind::Scalar(ScalarId(first_operand() + i as u32)),
            ty: operands[i],
        }),
        (kind(), limbs())
            .prop_map(|(ty, limbs)| Expr { kind: ExprKind::Const(Bits::from_limbs(ty.width(), limbs)), ty }),
    ]
}

fn combined(inner: BoxedStrategy<Expr>) -> impl Strategy<Value = Expr> {
    use BinaryOp::*;
    let boolean = |e: Expr| {
        let zero = Expr { kind: ExprKind::Const(Bits::new(e.ty.width(), 0)), ty: e.ty };
        binary(NotEqual, e, zero, ScalarKind::Unsigned(1))
    };
    let arithmetic =
        prop::sample::select(vec![Add, Sub, Mul, AddSaturating, SubSaturating, BitAnd, BitOr, BitXor]);
    let comparing = prop::sample::select(vec![Equal, NotEqual, Less, LessEqual, Greater, GreaterEqual]);
    let logic = prop::sample::select(vec![And, Or]);
    let shifting = prop::sample::select(vec![ShiftLeft, ShiftRight]);
    let two = || (inner.clone(), inner.clone());
    prop_oneof![
        (arithmetic, kind(), two()).prop_map(|(op, ty, (a, b))| binary(op, cast(a, ty), cast(b, ty), ty)),
        (comparing, kind(), two()).prop_map(|(op, ty, (a, b))| binary(
            op,
            cast(a, ty),
            cast(b, ty),
            ScalarKind::Unsigned(1)
        )),
        (logic, two())
            .prop_map(move |(op, (a, b))| { binary(op, boolean(a), boolean(b), ScalarKind::Unsigned(1)) }),
        (shifting, two(), 1u32..=12).prop_map(|(op, (a, b), width)| {
            let ty = a.ty;
            binary(op, a, cast(b, ScalarKind::Unsigned(width)), ty)
        }),
        (two(), 1u32..=150, 1u32..=150).prop_map(|((a, b), x, y)| {
            let (a, b) = (cast(a, ScalarKind::Unsigned(x)), cast(b, ScalarKind::Unsigned(y)));
            binary(Concat, a, b, ScalarKind::Unsigned(x + y))
        }),
        (two(), inner.clone(), kind()).prop_map(move |((a, b), c, ty)| Expr {
            kind: ExprKind::Mux(Box::new(boolean(c)), Box::new(cast(a, ty)), Box::new(cast(b, ty))),
            ty,
        }),
        (inner.clone(), any::<u32>(), any::<u32>()).prop_map(|(a, x, y)| {
            let (x, y) = (x % a.ty.width(), y % a.ty.width());
            let (high, low) = (x.max(y), x.min(y));
            let ty = ScalarKind::Unsigned(high - low + 1);
            Expr { kind: ExprKind::Slice { of: Box::new(a), high, low }, ty }
        }),
        (inner.clone(), prop::sample::select(vec![UnaryOp::Negate, UnaryOp::BitNot])).prop_map(|(a, op)| {
            let ty = a.ty;
            Expr { kind: ExprKind::Unary(op, Box::new(a)), ty }
        }),
        (inner.clone(), kind()).prop_map(|(a, ty)| cast(a, ty)),
    ]
}

/// Builds a program that extracts the operands, runs statements and sends a value.
fn program(
    kinds: &[ScalarKind],
    statements: impl FnOnce(&Builder) -> Vec<Stmt>,
    result: Expr,
) -> Arc<Program> {
    let mut b = Builder::new();
    let names = ["a", "b", "c", "d"];
    let padding: u32 = (8 - kinds.iter().map(|k| k.width()).sum::<u32>() % 8) % 8;
    let mut fields: Vec<(&str, u32)> = names.into_iter().zip(kinds.iter().map(|k| k.width())).collect();
    fields.push(("padding", padding));
    let operands = b.header("operands", &fields);
    for (field, kind) in kinds.iter().enumerate() {
        let id = b.field(operands, field);
        b.program.storage.scalars[id.index()].kind = *kind;
    }
    let out = b.header("out", &[("value", RESULT_BITS)]);
    b.state(vec![Stmt::Extract(HeaderRef::Static(operands))], Transition::Accept);
    let mut body = statements(&b);
    let ty = ScalarKind::Unsigned(RESULT_BITS);
    let unsigned = cast(result.clone(), ScalarKind::Unsigned(result.ty.width()));
    body.push(Stmt::SetValid(HeaderRef::Static(out), true));
    body.push(Stmt::Assign(b.field(out, 0), cast(unsigned, ty)));
    b.program.ingress.body = body;
    b.program.deparser.body = vec![Stmt::Emit(HeaderRef::Static(out))];
    b.finish()
}

/// Builds the packet that carries the operands.
fn packet(kinds: &[ScalarKind], operands: &[BigInt]) -> Vec<u8> {
    let mut bits = Vec::new();
    for (kind, operand) in kinds.iter().zip(operands) {
        let operand = pattern(operand, *kind);
        bits.extend((0..u64::from(kind.width())).rev().map(|at| operand.bit(at)));
    }
    bits.chunks(8)
        .map(|c| c.iter().enumerate().fold(0, |b, (i, bit)| b | u8::from(*bit) << (7 - i)))
        .collect()
}

fn run(program: &Arc<Program>, packet: &[u8], engine: Engine) -> BigInt {
    let tm = TmConfig::lossy([(0, Rate::from_gbps(100))], 1 << 20);
    let mut switch = Switch::new(SwitchConfig { engine, ..SwitchConfig::new(tm) });
    switch.load(Arc::clone(program)).unwrap_or_else(|e| panic!("{e}"));
    switch.receive(Time::ZERO, 0, Frame::new(packet, 0));
    let sent = switch.transmit(Time::ZERO, 0).expect("the packet leaves");
    BigInt::from(BigUint::from_bytes_be(&bytes(&sent)[..RESULT_BITS as usize / 8]))
}

fn operands() -> impl Strategy<Value = (Vec<ScalarKind>, Vec<BigInt>)> {
    prop::collection::vec((kind(), limbs()), OPERANDS).prop_map(|operands| {
        let value = |(kind, limbs): &(ScalarKind, Vec<u64>)| {
            let bits = Bits::from_limbs(kind.width(), limbs.clone());
            range(BigInt::from(BigUint::from_bytes_be(&bits.to_be_bytes())), *kind)
        };
        (operands.iter().map(|(kind, _)| *kind).collect(), operands.iter().map(value).collect())
    })
}

fn expression() -> impl Strategy<Value = (Vec<ScalarKind>, Vec<BigInt>, Expr)> {
    operands().prop_flat_map(|(kinds, values)| {
        let expr = leaf(kinds.clone()).prop_recursive(4, 24, 3, combined);
        (Just(kinds), Just(values), expr)
    })
}

/// An assignment to an operand: index of the operand, changed bits, condition, value.
#[derive(Clone, Debug)]
struct Change {
    target: usize,
    slice: Option<(u32, u32)>,
    condition: Expr,
    value: Expr,
}

fn changes() -> impl Strategy<Value = (Vec<ScalarKind>, Vec<BigInt>, Vec<Change>)> {
    operands().prop_flat_map(|(kinds, values)| {
        let expr = || leaf(kinds.clone()).prop_recursive(2, 8, 3, combined);
        let slice = prop::option::of((any::<u32>(), any::<u32>()));
        let change = (0..OPERANDS, slice, expr(), expr());
        let of = kinds.clone();
        let change = change.prop_map(move |(target, slice, condition, value)| {
            let width = of[target].width();
            let slice = slice.map(|(x, y)| ((x % width).max(y % width), (x % width).min(y % width)));
            let ty = slice.map_or(of[target], |(high, low)| ScalarKind::Unsigned(high - low + 1));
            let three = Expr { kind: ExprKind::Const(Bits::new(condition.ty.width(), 3)), ty: condition.ty };
            let condition = binary(BinaryOp::Greater, condition, three, ScalarKind::Unsigned(1));
            Change { target, slice, condition, value: cast(value, ty) }
        });
        (Just(kinds.clone()), Just(values), prop::collection::vec(change, 1..8))
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_500))]

    #[test]
    fn expressions_equal_big_integer_arithmetic((kinds, values, e) in expression()) {
        let program = program(&kinds, |_| Vec::new(), e.clone());
        let packet = packet(&kinds, &values);
        let expected = pattern(&value_of(&e, &values), e.ty);
        prop_assert_eq!(run(&program, &packet, Engine::Interpreter), expected.clone(), "interpreter, {:?}", e);
        prop_assert_eq!(run(&program, &packet, Engine::Bytecode), expected.clone(), "bytecode, {:?}", e);
        prop_assert_eq!(run(&program, &packet, Engine::MachineCode), expected, "machine code, {:?}", e);
    }

    #[test]
    fn assignments_equal_big_integer_arithmetic((kinds, values, changes) in changes()) {
        let id = |i: usize| ScalarId(first_operand() + i as u32);
        let all: Vec<Expr> =
            kinds.iter().enumerate().map(|(i, ty)| Expr { kind: ExprKind::Scalar(id(i)), ty: *ty }).collect();
        for shown in 0..OPERANDS {
            let statement = |change: &Change| {
                let value = change.value.clone();
                let stmt = match change.slice {
                    Some((high, low)) => Stmt::AssignSlice { target: id(change.target), high, low, value },
                    None => Stmt::Assign(id(change.target), value),
                };
                Stmt::If { condition: change.condition.clone(), then: vec![stmt], otherwise: Vec::new() }
            };
            let program = program(&kinds, |_| changes.iter().map(statement).collect(), all[shown].clone());
            let mut state = values.clone();
            for change in &changes {
                if value_of(&change.condition, &state) == BigInt::ZERO {
                    continue;
                }
                let value = value_of(&change.value, &state);
                let kind = kinds[change.target];
                let old = pattern(&state[change.target], kind);
                let new = match change.slice {
                    None => value,
                    Some((high, low)) => {
                        let above = &old / power(high + 1) * power(high + 1);
                        above + value * power(low) + old % power(low)
                    }
                };
                state[change.target] = range(new, kind);
            }
            let expected = pattern(&state[shown], kinds[shown]);
            let packet = packet(&kinds, &values);
            prop_assert_eq!(run(&program, &packet, Engine::Interpreter), expected.clone(), "interpreter");
            prop_assert_eq!(run(&program, &packet, Engine::Bytecode), expected.clone(), "bytecode");
            prop_assert_eq!(run(&program, &packet, Engine::MachineCode), expected, "machine code");
        }
    }
}
