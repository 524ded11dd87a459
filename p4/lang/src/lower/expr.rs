//! Expressions.

use num_bigint::BigInt;
use num_traits::ToPrimitive as _;

use super::lvalue::LValue;
use super::value::{HeaderVal, Val};
use super::{Binding, BlockKind, Lowerer, build};
use crate::constant;
use crate::diagnostic::codes;
use crate::hir::{self, Expr, ExprKind, Type, VarKind};
use crate::ir::{self, BinaryOp, HeaderRef, ScalarKind, Stmt};
use crate::source::Span;
use crate::syntax::ast;

impl Lowerer<'_> {
    /// Evaluates an expression; side effects are emitted as statements.
    pub(super) fn eval(&mut self, expr: &Expr) -> Val {
        match &expr.kind {
            ExprKind::Bad => Val::Void,
            ExprKind::Bool(value) => Val::Scalar(build::truth(*value)),
            ExprKind::Int(value) => match self.scalar_kind(&expr.ty) {
                Some(kind) => Val::Scalar(build::number(value, kind)),
                None => Val::Int(value.clone()),
            },
            ExprKind::Str(text) => Val::Str(text.clone()),
            ExprKind::Var(id) => self.eval_var(*id, expr.span),
            ExprKind::Field(base, field) => self.eval_field(expr, base, *field),
            ExprKind::Index(..) | ExprKind::Next(_) | ExprKind::Last(_) => match self.lvalue_of(expr) {
                Some(lvalue) => self.load(&lvalue),
                None => self.eval_element(expr),
            },
            ExprKind::LastIndex(base) => match self.eval(base) {
                Val::Whole(LValue::Stack(stack)) => Val::Scalar(ir::Expr {
                    kind: ir::ExprKind::LastIndex(stack),
                    ty: ScalarKind::Unsigned(32),
                }),
                _ => Val::Void,
            },
            ExprKind::Slice(of, high, low) => match self.eval(of) {
                Val::Int(value) => {
                    let kind = ScalarKind::Unsigned(high - low + 1);
                    Val::Scalar(build::number(&constant::slice(&value, *high, *low), kind))
                }
                Val::Scalar(of) => Val::Scalar(build::slice(of, *high, *low)),
                _ => Val::Void,
            },
            ExprKind::PlusSlice(of, low, width) => {
                let values = self.eval_scalars(&[of, low]);
                match <[ir::Expr; 2]>::try_from(values) {
                    Ok([of, low]) => Val::Scalar(build::plus_slice(of, low, *width)),
                    Err(_) => Val::Void,
                }
            }
            ExprKind::Unary(op, of) => self.eval_unary(*op, of, expr.span),
            ExprKind::Binary(op, a, b) => self.eval_binary(*op, a, b, &expr.ty, expr.span),
            ExprKind::Mux(condition, a, b) => self.eval_mux(condition, a, b, &expr.ty, expr.span),
            ExprKind::Cast(of) => self.eval_cast(of, &expr.ty, expr.span),
            ExprKind::Items(items) => self.eval_items(items, &expr.ty, expr.span),
            ExprKind::Invalid | ExprKind::Default => self.default_value(&expr.ty),
            ExprKind::Call(call) => self.eval_call(call, &expr.ty, expr.span),
            ExprKind::Hit(table) | ExprKind::Miss(table) => {
                let hit = self.temporary("hit", ScalarKind::Unsigned(1));
                self.apply_table(*table, Some(hit), None, expr.span);
                let hit = self.scalar(hit);
                Val::Scalar(if matches!(expr.kind, ExprKind::Hit(_)) { hit } else { build::not(hit) })
            }
            ExprKind::Construct(_) => match self.construct_in_place(expr) {
                Some(object) => Val::Object(object),
                None => Val::Void,
            },
        }
    }

    /// Evaluates an expression of a scalar type.
    pub(super) fn eval_scalar(&mut self, expr: &Expr) -> ir::Expr {
        let kind = self.scalar_kind(&expr.ty).unwrap_or(ScalarKind::Unsigned(32));
        let value = self.eval(expr);
        match self.as_scalar(value, kind) {
            Some(value) => value,
            None => {
                self.unsupported(expr.span, "expression has no scalar value on this target");
                build::number(&0.into(), kind)
            }
        }
    }

    /// Evaluates expressions from left to right: each is read before a later one changes it.
    pub(super) fn eval_all(&mut self, exprs: &[&Expr]) -> Vec<Val> {
        let mut values: Vec<Val> = Vec::new();
        let mut safe = 0;
        for expr in exprs {
            let mark = self.out.len();
            let value = self.eval(expr);
            if self.out.len() > mark {
                for i in (safe..values.len()).rev() {
                    let old = std::mem::replace(&mut values[i], Val::Void);
                    values[i] = self.spill(old, &exprs[i].ty, mark, exprs[i].span);
                }
                safe = values.len();
            }
            values.push(value);
        }
        values
    }

    /// Evaluates scalars from left to right.
    pub(super) fn eval_scalars(&mut self, exprs: &[&Expr]) -> Vec<ir::Expr> {
        let values = self.eval_all(exprs);
        exprs
            .iter()
            .zip(values)
            .map(|(expr, value)| {
                let kind = self.scalar_kind(&expr.ty).unwrap_or(ScalarKind::Unsigned(32));
                self.as_scalar(value, kind).unwrap_or_else(|| build::number(&0.into(), kind))
            })
            .collect()
    }

    /// Returns the value of a compile-time known expression.
    pub(super) fn eval_number(&mut self, expr: &Expr) -> Option<BigInt> {
        match self.eval(expr) {
            Val::Int(value) => Some(value),
            Val::Scalar(value) => build::value_of(&value),
            _ => None,
        }
    }

    /// Evaluates a compile-time known size.
    pub(super) fn eval_size(&mut self, expr: &Expr, what: &str) -> u64 {
        match self.eval_number(expr).and_then(|n| n.to_u64()) {
            Some(size) => size,
            None => {
                let message = format!("{what} must be known at compile time");
                self.error(codes::NOT_CONSTANT, expr.span, message);
                0
            }
        }
    }

    fn eval_var(&mut self, id: hir::VarId, span: Span) -> Val {
        match self.env.vars.get(&id) {
            Some(Binding::LValue(lvalue)) => {
                let lvalue = lvalue.clone();
                self.load(&lvalue)
            }
            Some(Binding::Value(value)) => value.clone(),
            Some(Binding::Object(object)) => Val::Object(object.clone()),
            None => match self.module.vars.get(id.index()).map(|v| &v.kind) {
                Some(VarKind::Const(value)) => {
                    let value = (**value).clone();
                    self.eval(&value)
                }
                _ => {
                    self.unsupported(span, "expression has no value here");
                    Val::Void
                }
            },
        }
    }

    fn eval_field(&mut self, expr: &Expr, base: &Expr, field: usize) -> Val {
        if let Some(lvalue) = self.lvalue_of(expr) {
            return self.load(&lvalue);
        }
        let value = self.eval(base);
        self.field_of(value, &base.ty, field)
    }

    /// Returns a field of a value that is not an l-value.
    fn field_of(&mut self, value: Val, ty: &Type, field: usize) -> Val {
        match value {
            Val::Struct(mut items) | Val::Elements(mut items) if field < items.len() => {
                items.swap_remove(field)
            }
            Val::Header(HeaderVal::Ref(header)) => match self.header_field(&header, ty, field) {
                Some(lvalue) => self.load(&lvalue),
                None => Val::Void,
            },
            Val::Header(HeaderVal::Literal { fields, .. }) => {
                let types = self.module.fields(&self.ty(ty)).unwrap_or_default();
                let at: usize = types.iter().take(field).map(|(_, t)| self.flat_kinds(t).len()).sum();
                let Some((_, field_ty)) = types.get(field) else { return Val::Void };
                let mut rest = fields.into_iter().skip(at);
                self.rebuild(field_ty, &mut rest)
            }
            Val::Whole(lvalue) => match self.members(&lvalue).into_iter().nth(field) {
                Some(member) => Val::Header(HeaderVal::Ref(member)),
                None => Val::Void,
            },
            _ => Val::Void,
        }
    }

    /// Builds a value of a type from its scalars.
    pub(super) fn rebuild(&self, ty: &Type, scalars: &mut dyn Iterator<Item = ir::Expr>) -> Val {
        let ty = self.ty(ty);
        if self.scalar_kind(&ty).is_some() {
            return scalars.next().map_or(Val::Void, Val::Scalar);
        }
        if self.module.is_header(&ty) {
            let count = self.flat_kinds(&ty).len();
            let fields = scalars.take(count).collect();
            return Val::Header(HeaderVal::Literal { valid: build::truth(true), fields });
        }
        if let Type::Stack(of, n) = &ty
            && self.is_stack(&ty)
        {
            return Val::Elements((0..*n).map(|_| self.rebuild(of, scalars)).collect());
        }
        let fields = self.module.fields(&ty).unwrap_or_default();
        Val::Struct(fields.iter().map(|(_, ty)| self.rebuild(ty, scalars)).collect())
    }

    /// Returns an element of a stack that is not an l-value.
    fn eval_element(&mut self, expr: &Expr) -> Val {
        let ExprKind::Index(base, index) = &expr.kind else { return Val::Void };
        let values = self.eval_all(&[base, index]);
        let [base_value, index_value] = values.as_slice() else { return Val::Void };
        let position = match index_value {
            Val::Int(value) => value.to_usize(),
            Val::Scalar(value) => build::value_of(value).and_then(|v| v.to_usize()),
            _ => None,
        };
        match position.and_then(|p| self.parts(base_value).into_iter().nth(p)) {
            Some(value) => value,
            None if position.is_none() && self.scalar_kind(&expr.ty).is_some() => {
                let kind = self.scalar_kind(&expr.ty).unwrap_or(ScalarKind::Unsigned(1));
                let parts = self.parts(base_value).into_iter();
                let parts: Vec<ir::Expr> = parts.filter_map(|p| self.as_scalar(p, kind)).collect();
                let Val::Scalar(index) = index_value else { return Val::Void };
                let index = build::cast(index.clone(), ScalarKind::Unsigned(index.ty.width()));
                Val::Scalar(super::array::choose_value(&index, &parts, kind))
            }
            None => self.eval_stored_element(base, base_value.clone(), index_value, expr.span),
        }
    }

    /// Returns a non-scalar element with a run-time index; the stack is copied to storage first if necessary.
    fn eval_stored_element(&mut self, base: &Expr, value: Val, index: &Val, span: Span) -> Val {
        let Val::Scalar(index) = index.clone() else {
            self.unsupported(span, "the index into this value must be a constant");
            return Val::Void;
        };
        let lvalue = match value {
            Val::Whole(lvalue) => lvalue,
            value => {
                let lvalue = self.allocate(&base.ty, "$elements");
                self.assign(&lvalue, value, &base.ty, span);
                lvalue
            }
        };
        let element = match lvalue {
            LValue::Stack(stack) => {
                let index = self.save(index);
                Some(self.element(stack, index))
            }
            LValue::Struct(elements) => self.chosen(elements, index),
            _ => None,
        };
        match element {
            Some(element) => self.load(&element),
            None => {
                self.unsupported(span, "the index into this value must be a constant");
                Val::Void
            }
        }
    }

    // --- l-values ---

    /// Returns the l-value that an expression denotes, if it denotes one.
    pub(super) fn lvalue_of(&mut self, expr: &Expr) -> Option<LValue> {
        match &expr.kind {
            ExprKind::Var(id) => match self.env.vars.get(id) {
                Some(Binding::LValue(lvalue)) => Some(lvalue.clone()),
                _ => None,
            },
            ExprKind::Field(base, field) => {
                if let Some(header) = self.member_of_next(base, *field) {
                    return Some(LValue::Header(header));
                }
                let lvalue = self.lvalue_of(base)?;
                match &lvalue {
                    LValue::Struct(parts) => parts.get(*field).cloned(),
                    LValue::Header(header) => {
                        self.check_stack_access(header);
                        self.header_field(header, &base.ty, *field)
                    }
                    LValue::Union(_) | LValue::UnionElement { .. } => {
                        self.members(&lvalue).into_iter().nth(*field).map(LValue::Header)
                    }
                    _ => None,
                }
            }
            ExprKind::Index(base, index) => {
                let lvalue = self.lvalue_of(base)?;
                let index = self.index_value(index);
                match lvalue {
                    LValue::Stack(stack) => Some(self.element(stack, index)),
                    LValue::Struct(elements) => self.chosen(elements, index),
                    _ => None,
                }
            }
            ExprKind::Next(base) | ExprKind::Last(base) => {
                let LValue::Stack(stack) = self.lvalue_of(base)? else { return None };
                let next = matches!(expr.kind, ExprKind::Next(_));
                let unions = matches!(&base.ty, Type::Stack(of, _) if self.module.is_union(&self.ty(of)));
                if unions {
                    let index = if next {
                        self.next_index(stack)?
                    } else {
                        ir::Expr { kind: ir::ExprKind::LastIndex(stack), ty: ScalarKind::Unsigned(32) }
                    };
                    return Some(LValue::UnionElement { stack, index });
                }
                Some(LValue::Header(if next {
                    HeaderRef::Next { stack, member: 0 }
                } else {
                    HeaderRef::Last { stack, member: 0 }
                }))
            }
            ExprKind::PlusSlice(of, low, width) => {
                let of = self.lvalue_of(of)?;
                let low = self.index_value(low);
                Some(LValue::PlusSlice(Box::new(of), self.save(low), *width))
            }
            ExprKind::Slice(of, high, low) => Some(LValue::Slice(Box::new(self.lvalue_of(of)?), *high, *low)),
            _ => None,
        }
    }

    /// `stack.next.member` and `stack.last.member` of a stack of unions: extracting into the former advances the stack.
    fn member_of_next(&mut self, base: &Expr, member: usize) -> Option<HeaderRef> {
        if !self.module.is_union(&self.ty(&base.ty)) {
            return None;
        }
        let (ExprKind::Next(stack) | ExprKind::Last(stack)) = &base.kind else { return None };
        let LValue::Stack(stack) = self.lvalue_of(stack)? else { return None };
        Some(match base.kind {
            ExprKind::Next(_) => HeaderRef::Next { stack, member },
            _ => HeaderRef::Last { stack, member },
        })
    }

    fn index_value(&mut self, index: &Expr) -> ir::Expr {
        match self.eval(index) {
            Val::Int(value) => build::number(&value, ScalarKind::Unsigned(32)),
            Val::Scalar(value) => value,
            _ => build::small(0, 32),
        }
    }

    /// A field of `next` or `last` exists only if the element exists.
    fn check_stack_access(&mut self, header: &HeaderRef) {
        if self.block != BlockKind::Parser {
            return;
        }
        let condition = match header {
            HeaderRef::Next { stack, .. } => {
                let size = self.elements(*stack).len() as u64;
                let Some(next) = self.next_index(*stack) else { return };
                build::binary(BinaryOp::Less, next, build::small(size, 32))
            }
            HeaderRef::Last { stack, .. } => {
                let Some(next) = self.next_index(*stack) else { return };
                build::binary(BinaryOp::NotEqual, next, build::small(0, 32))
            }
            _ => return,
        };
        let error = self.error_number("StackOutOfBounds");
        self.emit(Stmt::Verify { condition, error });
    }

    /// Returns the number of an error.
    pub(super) fn error_number(&self, name: &str) -> ir::Expr {
        let index = self.program.errors.iter().position(|e| e == name).unwrap_or(0);
        build::small(index as u64, 32)
    }

    // --- operators ---

    fn eval_unary(&mut self, op: ast::UnaryOp, of: &Expr, span: Span) -> Val {
        match self.eval(of) {
            Val::Int(value) => Val::Int(constant::unary(op, &value, &Type::Int)),
            Val::Scalar(value) => Val::Scalar(match op {
                ast::UnaryOp::Negate => build::unary(ir::UnaryOp::Negate, value),
                ast::UnaryOp::BitNot => build::unary(ir::UnaryOp::BitNot, value),
                ast::UnaryOp::Not => build::not(value),
                ast::UnaryOp::Plus => value,
            }),
            _ => {
                self.unsupported(span, "operator is not supported for this operand");
                Val::Void
            }
        }
    }

    fn eval_binary(&mut self, op: ast::BinaryOp, a: &Expr, b: &Expr, ty: &Type, span: Span) -> Val {
        use ast::BinaryOp as B;
        if matches!(op, B::And | B::Or) {
            return Val::Scalar(self.short_circuit(op, a, b));
        }
        let mut values = self.eval_all(&[a, b]).into_iter();
        let (Some(x), Some(y)) = (values.next(), values.next()) else { return Val::Void };
        if matches!(op, B::Eq | B::Ne) {
            let equal = self.equal(&x, &y, &a.ty);
            let scalars = matches!(x, Val::Scalar(_));
            return Val::Scalar(match (op, &equal.kind) {
                (B::Eq, _) => equal,
                (_, ir::ExprKind::Binary(BinaryOp::Equal, l, r)) if scalars => {
                    build::binary(BinaryOp::NotEqual, (**l).clone(), (**r).clone())
                }
                _ => build::not(equal),
            });
        }
        if let (Val::Int(x), Val::Int(y)) = (&x, &y) {
            return match constant::binary(op, x, y, &Type::Int) {
                Ok(value) if *ty == Type::Bool => Val::Scalar(build::truth(value != BigInt::from(0))),
                Ok(value) => Val::Int(value),
                Err(error) => {
                    self.error(codes::BAD_ARITHMETIC, span, error.to_string());
                    Val::Int(0.into())
                }
            };
        }
        let kind_a = self.scalar_kind(&a.ty);
        let kind_b = self.scalar_kind(&b.ty);
        let shift = matches!(op, B::Shl | B::Shr);
        let fallback =
            if shift { ScalarKind::Unsigned(32) } else { kind_a.unwrap_or(ScalarKind::Unsigned(32)) };
        let y = match y {
            Val::Int(n) if shift => Val::Int(n.min(BigInt::from(u32::MAX))),
            other => other,
        };
        let x = self.as_scalar(x, kind_a.or(kind_b).unwrap_or(fallback));
        let y = self.as_scalar(y, kind_b.unwrap_or(fallback));
        match (x, y) {
            (Some(x), Some(y)) if matches!(op, B::Div | B::Mod) => Val::Scalar(self.divide(op, x, y, span)),
            (Some(x), Some(y)) => Val::Scalar(build::binary(build::from_ast(op), x, y)),
            _ => {
                self.unsupported(span, "operator is not supported for these operands");
                Val::Void
            }
        }
    }

    /// Lowers a division. Run-time values can be divided only by powers of two, as in the reference compiler.
    pub(super) fn divide(&mut self, op: ast::BinaryOp, x: ir::Expr, y: ir::Expr, span: Span) -> ir::Expr {
        if build::is_const(&x) && build::is_const(&y) {
            return build::binary(build::from_ast(op), x, y);
        }
        if build::value_of(&x) == Some(BigInt::from(0)) {
            return x;
        }
        let divisor = build::value_of(&y).filter(|d| *d > BigInt::from(0));
        let power = divisor.as_ref().filter(|d| (*d & (*d - 1)) == BigInt::from(0));
        let Some(power) = power else {
            self.unsupported(
                span,
                "v1model does not support division of run-time values, except by powers of two",
            );
            return x;
        };
        if op == ast::BinaryOp::Mod {
            let mask = build::number(&(power - 1), x.ty);
            return build::binary(BinaryOp::BitAnd, x, mask);
        }
        let distance = build::small(power.bits() - 1, 32);
        build::binary(BinaryOp::ShiftRight, x, distance)
    }

    /// Lowers `&&` and `||`: the right operand is evaluated only if necessary.
    fn short_circuit(&mut self, op: ast::BinaryOp, a: &Expr, b: &Expr) -> ir::Expr {
        let left = self.eval_scalar(a);
        let mut right = build::truth(true);
        let effects = self.collect(|l| right = l.eval_scalar(b));
        if effects.is_empty() {
            return build::binary(build::from_ast(op), left, right);
        }
        let result = self.temporary("and", ScalarKind::Unsigned(1));
        self.emit(Stmt::Assign(result, left));
        let mut then = effects;
        then.push(Stmt::Assign(result, right));
        let go_on = self.scalar(result);
        let condition = if op == ast::BinaryOp::And { go_on } else { build::not(go_on) };
        self.emit(Stmt::If { condition, then, otherwise: Vec::new() });
        self.scalar(result)
    }

    fn eval_mux(&mut self, condition: &Expr, a: &Expr, b: &Expr, ty: &Type, span: Span) -> Val {
        let condition = self.eval_scalar(condition);
        if let Some(known) = build::value_of(&condition) {
            return if known == BigInt::from(0) { self.eval(b) } else { self.eval(a) };
        }
        let (mut x, mut y) = (Val::Void, Val::Void);
        let mut effects_a = self.collect(|l| x = l.eval(a));
        let mut effects_b = self.collect(|l| y = l.eval(b));
        let kind = self.scalar_kind(ty);
        if let (true, true, Some(kind)) = (effects_a.is_empty(), effects_b.is_empty(), kind)
            && let (Some(x), Some(y)) = (self.as_scalar(x.clone(), kind), self.as_scalar(y.clone(), kind))
        {
            return Val::Scalar(build::mux(condition, x, y));
        }
        let lvalue = self.allocate(ty, &format!("$mux{}", self.program.storage.scalars.len()));
        effects_a.extend(self.collect(|l| l.assign(&lvalue, x, ty, span)));
        effects_b.extend(self.collect(|l| l.assign(&lvalue, y, ty, span)));
        self.emit(Stmt::If { condition, then: effects_a, otherwise: effects_b });
        self.load(&lvalue)
    }

    fn eval_cast(&mut self, of: &Expr, to: &Type, span: Span) -> Val {
        let value = self.eval(of);
        let Some(kind) = self.scalar_kind(to) else {
            return match value {
                Val::Scalar(ref known) if self.ty(to) == Type::Int => match build::value_of(known) {
                    Some(number) => Val::Int(number),
                    None => {
                        self.error(codes::NOT_CONSTANT, span, "only constants can be cast to `int`");
                        Val::Int(0.into())
                    }
                },
                other => other,
            };
        };
        match value {
            Val::Int(number) => Val::Scalar(build::number(&number, kind)),
            Val::Scalar(value) => Val::Scalar(build::cast(value, kind)),
            other => other,
        }
    }

    fn eval_items(&mut self, items: &[Expr], ty: &Type, span: Span) -> Val {
        let refs: Vec<&Expr> = items.iter().collect();
        let values = self.eval_all(&refs);
        let ty = self.ty(ty);
        if self.module.is_header(&ty) {
            let mut fields = Vec::new();
            for (value, item) in values.iter().zip(items) {
                self.flatten(value, &item.ty, &mut fields);
            }
            if fields.len() != self.flat_kinds(&ty).len() {
                self.unsupported(span, "cannot build a header from these values");
            }
            return Val::Header(HeaderVal::Literal { valid: build::truth(true), fields });
        }
        match &ty {
            Type::List(_) => Val::List(values),
            Type::Stack(..) if self.is_stack(&ty) => Val::Elements(values),
            _ => Val::Struct(values),
        }
    }
}
