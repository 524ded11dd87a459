//! Reading, writing and comparing whole values.

use std::collections::BTreeSet;

use super::lvalue::LValue;
use super::value::{HeaderVal, Val};
use super::{Lowerer, build};
use crate::hir::Type;
use crate::ir::{BinaryOp, Expr, ExprKind, HeaderRef, ScalarId, ScalarKind, Stmt, UnaryOp};
use crate::source::Span;

impl Lowerer<'_> {
    /// Returns the value of an l-value.
    pub(super) fn load(&self, lvalue: &LValue) -> Val {
        match lvalue {
            LValue::Scalar(id) => Val::Scalar(self.scalar(*id)),
            LValue::StackField { stack, index, member, field, kind } => Val::Scalar(Expr {
                kind: ExprKind::StackField {
                    stack: *stack,
                    index: Box::new(index.clone()),
                    member: *member,
                    field: *field,
                },
                ty: *kind,
            }),
            LValue::Slice(of, high, low) => match self.load(of) {
                Val::Scalar(of) => Val::Scalar(build::slice(of, *high, *low)),
                other => other,
            },
            LValue::PlusSlice(of, low, width) => match self.load(of) {
                Val::Scalar(of) => Val::Scalar(build::plus_slice(of, low.clone(), *width)),
                other => other,
            },
            LValue::Chosen { index, elements } => {
                let kind = elements.first().map_or(ScalarKind::Unsigned(1), |e| self.lvalue_kind(e));
                Val::Scalar(self.load_chosen(index, elements, kind))
            }
            LValue::Struct(parts) => Val::Struct(parts.iter().map(|p| self.load(p)).collect()),
            LValue::Header(header) => Val::Header(HeaderVal::Ref(header.clone())),
            LValue::Stack(_) | LValue::Union(_) | LValue::UnionElement { .. } => Val::Whole(lvalue.clone()),
        }
    }

    /// Stores a value; all of it is read before any part of the target changes.
    pub(super) fn assign(&mut self, lvalue: &LValue, value: Val, ty: &Type, span: Span) {
        let value = if self.overlaps(lvalue, &value) { self.materialize(value, ty, span) } else { value };
        self.store(lvalue, value, span);
    }

    /// Returns whether storing a part of the value would change a part that is still to be read.
    fn overlaps(&self, lvalue: &LValue, value: &Val) -> bool {
        let literal = matches!(
            (lvalue, value),
            (LValue::Struct(_), Val::Struct(_))
                | (LValue::Header(_), Val::Header(HeaderVal::Literal { .. }))
                | (LValue::Stack(_), Val::Elements(_))
        );
        if !literal {
            return false;
        }
        let mut reads = BTreeSet::new();
        if !self.reads(value, &mut reads) {
            return true;
        }
        match self.lvalue_scalars(lvalue) {
            Some(writes) => !writes.is_disjoint(&reads) && !self.same_lvalue(lvalue, value),
            None => !reads.is_empty(),
        }
    }

    fn same_lvalue(&self, lvalue: &LValue, value: &Val) -> bool {
        match (lvalue, value) {
            (LValue::Scalar(id), Val::Scalar(Expr { kind: ExprKind::Scalar(from), .. })) => id == from,
            (LValue::Struct(parts), Val::Struct(values)) => {
                parts.iter().zip(values).all(|(p, v)| self.same_lvalue(p, v))
            }
            (LValue::Header(to), Val::Header(HeaderVal::Ref(from))) => to == from,
            (lvalue, Val::Whole(from)) => lvalue == from,
            _ => false,
        }
    }

    /// Collects the scalars that a value reads; returns `false` if they depend on run-time indices.
    pub(super) fn reads(&self, value: &Val, set: &mut BTreeSet<ScalarId>) -> bool {
        match value {
            Val::Scalar(expr) => self.expr_reads(expr, set),
            Val::Struct(items) | Val::Elements(items) | Val::List(items) => {
                items.iter().all(|i| self.reads(i, set))
            }
            Val::Header(HeaderVal::Ref(header)) => self.lvalue_reads(&LValue::Header(header.clone()), set),
            Val::Header(HeaderVal::Literal { valid, fields }) => {
                self.expr_reads(valid, set) && fields.iter().all(|f| self.expr_reads(f, set))
            }
            Val::Whole(lvalue) => self.lvalue_reads(lvalue, set),
            Val::Void | Val::Int(_) | Val::Str(_) | Val::Object(_) => true,
        }
    }

    fn lvalue_reads(&self, lvalue: &LValue, set: &mut BTreeSet<ScalarId>) -> bool {
        match self.lvalue_scalars(lvalue) {
            Some(scalars) => {
                set.extend(scalars);
                true
            }
            None => false,
        }
    }

    pub(super) fn expr_reads(&self, expr: &Expr, set: &mut BTreeSet<ScalarId>) -> bool {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::PacketLength | ExprKind::Lookahead { .. } => true,
            ExprKind::Scalar(id) => {
                set.insert(*id);
                true
            }
            ExprKind::StackField { .. } => false,
            ExprKind::IsValid(header) => self.lvalue_reads(&LValue::Header(header.clone()), set),
            ExprKind::LastIndex(stack) => {
                set.extend(self.program.storage.stacks.get(stack.index()).map(|s| s.next_index));
                true
            }
            ExprKind::Unary(_, of) | ExprKind::Cast(of) | ExprKind::Slice { of, .. } => {
                self.expr_reads(of, set)
            }
            ExprKind::Binary(_, a, b) => self.expr_reads(a, set) && self.expr_reads(b, set),
            ExprKind::Mux(a, b, c) => [a, b, c].into_iter().all(|e| self.expr_reads(e, set)),
        }
    }

    /// Copies a value to storage of its own.
    pub(super) fn materialize(&mut self, value: Val, ty: &Type, span: Span) -> Val {
        if matches!(value, Val::Int(_) | Val::Str(_) | Val::Object(_) | Val::Void | Val::List(_)) {
            return value;
        }
        if let Val::Scalar(expr) = &value
            && build::is_const(expr)
        {
            return value;
        }
        let name = format!("$tmp{}", self.program.storage.scalars.len());
        let lvalue = self.allocate(ty, &name);
        self.store(&lvalue, value, span);
        self.load(&lvalue)
    }

    /// Copies a value as it was before the statements from `mark` on.
    pub(super) fn spill(&mut self, value: Val, ty: &Type, mark: usize, span: Span) -> Val {
        let later = self.out.split_off(mark.min(self.out.len()));
        let value = self.materialize(value, ty, span);
        self.out.extend(later);
        value
    }

    fn store(&mut self, lvalue: &LValue, value: Val, span: Span) {
        match (lvalue, value) {
            (LValue::Struct(parts), Val::Struct(values)) => {
                for (part, value) in parts.iter().zip(values) {
                    self.store(part, value, span);
                }
            }
            (LValue::Header(target), Val::Header(value)) => {
                let target = self.with_stable_index(target);
                self.store_header(&target, value);
                // An invalid value invalidates the union (specification, "Operations on header unions").
                self.invalidate_siblings(&target);
            }
            (LValue::Stack(_) | LValue::Union(_) | LValue::UnionElement { .. }, value) => {
                self.store_whole(lvalue, value, span);
            }
            (
                LValue::Scalar(_)
                | LValue::StackField { .. }
                | LValue::Slice(..)
                | LValue::PlusSlice(..)
                | LValue::Chosen { .. },
                value,
            ) => {
                let kind = self.lvalue_kind(lvalue);
                if let Some(value) = self.as_scalar(value, kind) {
                    self.store_scalar(lvalue, value);
                }
            }
            _ => self.unsupported(span, "cannot store a value of this type here"),
        }
    }

    pub(super) fn lvalue_kind(&self, lvalue: &LValue) -> ScalarKind {
        match lvalue {
            LValue::Scalar(id) => self.scalar(*id).ty,
            LValue::StackField { kind, .. } => *kind,
            LValue::Slice(_, high, low) => ScalarKind::Unsigned(high - low + 1),
            LValue::PlusSlice(_, _, width) => ScalarKind::Unsigned(*width),
            LValue::Chosen { elements, .. } => {
                elements.first().map_or(ScalarKind::Unsigned(1), |e| self.lvalue_kind(e))
            }
            _ => ScalarKind::Unsigned(1),
        }
    }

    /// Converts a value to a scalar of a kind.
    pub(super) fn as_scalar(&self, value: Val, kind: ScalarKind) -> Option<Expr> {
        match value {
            Val::Scalar(expr) => Some(expr),
            Val::Int(number) => Some(build::number(&number, kind)),
            _ => None,
        }
    }

    pub(super) fn store_scalar(&mut self, lvalue: &LValue, value: Expr) {
        match lvalue {
            LValue::Scalar(id) if value.kind == ExprKind::Scalar(*id) => {}
            LValue::Scalar(id) => self.emit(Stmt::Assign(*id, value)),
            LValue::StackField { stack, index, member, field, .. } => self.emit(Stmt::AssignStackField {
                stack: *stack,
                index: index.clone(),
                member: *member,
                field: *field,
                value,
            }),
            LValue::Slice(of, high, low) => self.store_slice(of, *high, *low, value),
            LValue::PlusSlice(of, low, width) => self.store_plus_slice(of, low, *width, value),
            LValue::Chosen { index, elements } => self.store_chosen(index, elements, value),
            _ => {}
        }
    }

    fn store_slice(&mut self, of: &LValue, high: u32, low: u32, value: Expr) {
        match of {
            LValue::Slice(inner, _, base) => self.store_slice(inner, base + high, base + low, value),
            LValue::Scalar(target) => {
                self.emit(Stmt::AssignSlice { target: *target, high, low, value });
            }
            _ => {
                // Read, modify, write.
                let kind = self.lvalue_kind(of);
                let Val::Scalar(old) = self.load(of) else { return };
                let width = kind.width();
                let mut new = value;
                if low > 0 {
                    new = build::binary(BinaryOp::Concat, new, build::slice(old.clone(), low - 1, 0));
                }
                if high + 1 < width {
                    new = build::binary(BinaryOp::Concat, build::slice(old, width - 1, high + 1), new);
                }
                self.store_scalar(of, build::cast(new, kind));
            }
        }
    }

    /// Replaces bits at a run-time position; bits beyond the end are dropped.
    fn store_plus_slice(&mut self, of: &LValue, low: &Expr, width: u32, value: Expr) {
        let kind = self.lvalue_kind(of);
        let Val::Scalar(old) = self.load(of) else { return };
        let bits = ScalarKind::Unsigned(kind.width());
        let ones = build::slice(build::unary(UnaryOp::BitNot, build::number(&0.into(), bits)), width - 1, 0);
        let moved = |e: Expr| build::binary(BinaryOp::ShiftLeft, build::cast(e, bits), low.clone());
        let kept = build::binary(
            BinaryOp::BitAnd,
            build::cast(old, bits),
            build::unary(UnaryOp::BitNot, moved(ones)),
        );
        let new = build::binary(BinaryOp::BitOr, kept, moved(value));
        self.store_scalar(of, build::cast(new, kind));
    }

    /// Stores a header; in a union, an invalid value leaves the other members as they are.
    fn store_header(&mut self, target: &HeaderRef, value: HeaderVal) {
        match value {
            HeaderVal::Ref(source) => {
                if source != *target {
                    self.emit(Stmt::CopyHeader { target: target.clone(), source });
                }
            }
            HeaderVal::Literal { valid, fields } => {
                let is_valid = build::value_of(&valid);
                if is_valid == Some(0.into()) {
                    self.emit(Stmt::SetValid(target.clone(), false));
                    return;
                }
                let write = |l: &mut Self| {
                    l.emit(Stmt::SetValid(target.clone(), true));
                    for (i, field) in fields.into_iter().enumerate() {
                        if let Some(lvalue) = l.header_scalar(target, i, field.ty) {
                            l.store_scalar(&lvalue, field);
                        }
                    }
                };
                if is_valid.is_some() {
                    write(self);
                } else {
                    let then = self.collect(write);
                    let otherwise = vec![Stmt::SetValid(target.clone(), false)];
                    self.emit(Stmt::If { condition: valid, then, otherwise });
                }
            }
        }
    }

    /// Stores stacks and unions, element by element.
    fn store_whole(&mut self, target: &LValue, value: Val, span: Span) {
        match value {
            Val::Whole(source) if source == *target => {}
            Val::Whole(source) => match (target, &source) {
                (LValue::Stack(to), LValue::Stack(from)) => {
                    let pairs: Vec<(LValue, LValue)> =
                        self.elements(*to).into_iter().zip(self.elements(*from)).collect();
                    for (to, from) in pairs {
                        let value = self.load(&from);
                        self.store(&to, value, span);
                    }
                    let storage = &self.program.storage;
                    let to = storage.stacks.get(to.index()).map(|s| s.next_index);
                    if let (Some(to), Some(next)) = (to, self.next_index(*from)) {
                        self.emit(Stmt::Assign(to, next));
                    }
                }
                _ => {
                    let target = self.stable_union(target);
                    let pairs: Vec<_> =
                        self.members(&target).into_iter().zip(self.members(&source)).collect();
                    for (target, source) in pairs {
                        self.emit(Stmt::CopyHeader { target, source });
                    }
                }
            },
            Val::Elements(values) => match target {
                LValue::Stack(id) => {
                    for (element, value) in self.elements(*id).iter().zip(values) {
                        self.store(element, value, span);
                    }
                }
                _ => {
                    let target = self.stable_union(target);
                    for (member, value) in self.members(&target).iter().zip(values) {
                        match value {
                            Val::Header(value) => self.store_header(member, value),
                            _ => self.unsupported(span, "cannot store a value of this type here"),
                        }
                    }
                }
            },
            _ => self.unsupported(span, "cannot store a value of this type here"),
        }
    }

    /// Returns a union with an index that no write to its stack changes.
    fn stable_union(&mut self, union: &LValue) -> LValue {
        match union {
            LValue::UnionElement { stack, index } => {
                LValue::UnionElement { stack: *stack, index: self.stable_index(*stack, index) }
            }
            other => other.clone(),
        }
    }

    /// Invalidates all headers in an l-value.
    pub(super) fn reset_headers(&mut self, lvalue: &LValue) {
        match lvalue {
            LValue::Struct(parts) => parts.iter().for_each(|p| self.reset_headers(p)),
            LValue::Header(header) => self.emit(Stmt::SetValid(header.clone(), false)),
            LValue::Stack(id) => {
                for element in self.elements(*id) {
                    self.reset_headers(&element);
                }
                if let Some(stack) = self.program.storage.stacks.get(id.index()) {
                    let next = stack.next_index;
                    self.emit(Stmt::Assign(next, build::small(0, 32)));
                }
            }
            LValue::Union(_) | LValue::UnionElement { .. } => {
                for member in self.members(lvalue) {
                    self.emit(Stmt::SetValid(member, false));
                }
            }
            LValue::Scalar(_)
            | LValue::StackField { .. }
            | LValue::Slice(..)
            | LValue::PlusSlice(..)
            | LValue::Chosen { .. } => {}
        }
    }

    /// Returns the default value of a type: zero, invalid headers, first enum member.
    pub(super) fn default_value(&self, ty: &Type) -> Val {
        let ty = self.ty(ty);
        if ty == Type::Int {
            return Val::Int(0.into());
        }
        if let Some(kind) = self.scalar_kind(&ty) {
            return Val::Scalar(build::number(&self.first_member(&ty), kind));
        }
        match &ty {
            Type::Stack(of, n) if self.is_stack(&ty) => {
                Val::Elements((0..*n).map(|_| self.default_value(of)).collect())
            }
            Type::Str => Val::Str("".into()),
            _ if self.module.is_header(&ty) => Val::Header(self.invalid_header(&ty)),
            _ => {
                let fields = self.module.fields(&ty).unwrap_or_default();
                let values = fields.iter().map(|(_, ty)| self.default_value(ty)).collect();
                if self.module.is_union(&ty) { Val::Elements(values) } else { Val::Struct(values) }
            }
        }
    }

    /// The default is 0 for serialisable enums and the first member, number 0, for others.
    fn first_member(&self, _ty: &Type) -> num_bigint::BigInt {
        0.into()
    }

    pub(super) fn invalid_header(&self, ty: &Type) -> HeaderVal {
        let fields = self.flat_kinds(ty).into_iter().map(|k| build::number(&0.into(), k)).collect();
        HeaderVal::Literal { valid: build::truth(false), fields }
    }

    /// Returns validity and fields of a header.
    fn header_parts(&self, header: &HeaderVal, ty: &Type) -> (Expr, Vec<Expr>) {
        match header {
            HeaderVal::Literal { valid, fields } => (valid.clone(), fields.clone()),
            HeaderVal::Ref(header) => {
                let kinds = self.flat_kinds(ty);
                let fields = kinds
                    .into_iter()
                    .enumerate()
                    .filter_map(|(i, kind)| {
                        let lvalue = self.header_scalar(header, i, kind)?;
                        self.as_scalar(self.load(&lvalue), kind)
                    })
                    .collect();
                (self.is_valid(header), fields)
            }
        }
    }

    pub(super) fn is_valid(&self, header: &HeaderRef) -> Expr {
        Expr { kind: ExprKind::IsValid(header.clone()), ty: ScalarKind::Unsigned(1) }
    }

    /// Returns the condition that two values of a type are equal.
    pub(super) fn equal(&self, a: &Val, b: &Val, ty: &Type) -> Expr {
        let ty = self.ty(ty);
        match (a, b) {
            (Val::Int(a), Val::Int(b)) => build::truth(a == b),
            (Val::Str(a), Val::Str(b)) => build::truth(a == b),
            (Val::Header(a), Val::Header(b)) => {
                let ((valid_a, fields_a), (valid_b, fields_b)) =
                    (self.header_parts(a, &ty), self.header_parts(b, &ty));
                let fields = fields_a.into_iter().zip(fields_b).map(|(a, b)| build::equal(a, b));
                let same = fields.fold(build::truth(true), build::and);
                let both = build::and(valid_a.clone(), build::and(valid_b.clone(), same));
                let neither = build::and(build::not(valid_a), build::not(valid_b));
                build::or(both, neither)
            }
            (Val::Scalar(_) | Val::Int(_), _) => {
                let kind = self.scalar_kind(&ty).unwrap_or(ScalarKind::Unsigned(1));
                match (self.as_scalar(a.clone(), kind), self.as_scalar(b.clone(), kind)) {
                    (Some(a), Some(b)) => build::equal(a, b),
                    _ => build::truth(false),
                }
            }
            _ => {
                let types: Vec<Type> = match &ty {
                    Type::Stack(of, n) => vec![(**of).clone(); *n as usize],
                    _ => self.module.fields(&ty).unwrap_or_default().into_iter().map(|(_, ty)| ty).collect(),
                };
                let (a, b) = (self.parts(a), self.parts(b));
                a.iter()
                    .zip(&b)
                    .zip(&types)
                    .map(|((a, b), ty)| self.equal(a, b, ty))
                    .fold(build::truth(true), build::and)
            }
        }
    }

    /// Returns the parts of a struct, stack or union.
    pub(super) fn parts(&self, value: &Val) -> Vec<Val> {
        match value {
            Val::Struct(items) | Val::Elements(items) | Val::List(items) => items.clone(),
            Val::Whole(LValue::Stack(id)) => self.elements(*id).iter().map(|p| self.load(p)).collect(),
            Val::Whole(lvalue) => {
                self.members(lvalue).into_iter().map(|m| Val::Header(HeaderVal::Ref(m))).collect()
            }
            other => vec![other.clone()],
        }
    }

    /// Collects all scalars of a value, in order, without validity bits.
    pub(super) fn flatten(&self, value: &Val, ty: &Type, out: &mut Vec<Expr>) {
        let ty = self.ty(ty);
        match value {
            Val::Scalar(expr) => out.push(expr.clone()),
            Val::Int(number) => {
                let kind = self.scalar_kind(&ty).unwrap_or(ScalarKind::Unsigned(32));
                out.push(build::number(number, kind));
            }
            Val::Header(header) => out.extend(self.header_parts(header, &ty).1),
            Val::Struct(_) | Val::Elements(_) | Val::Whole(_) | Val::List(_) => {
                let types: Vec<Type> = match &ty {
                    Type::Stack(of, n) => vec![(**of).clone(); *n as usize],
                    Type::List(of) => vec![(**of).clone(); self.parts(value).len()],
                    _ => self.module.fields(&ty).unwrap_or_default().into_iter().map(|(_, ty)| ty).collect(),
                };
                for (part, ty) in self.parts(value).iter().zip(&types) {
                    self.flatten(part, ty, out);
                }
            }
            Val::Void | Val::Str(_) | Val::Object(_) => {}
        }
    }
}
