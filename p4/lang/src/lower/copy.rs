//! Reading, writing and comparing whole values.

use std::collections::BTreeSet;

use super::place::Place;
use super::value::{HeaderVal, Val};
use super::{Lowerer, build};
use crate::hir::Type;
use crate::ir::{BinaryOp, Expr, ExprKind, HeaderRef, ScalarId, ScalarKind, Stmt, UnaryOp};
use crate::source::Span;

impl Lowerer<'_> {
    /// The value that a place holds.
    pub(super) fn load(&self, place: &Place) -> Val {
        match place {
            Place::Scalar(id) => Val::Scalar(self.scalar(*id)),
            Place::StackField { stack, index, member, field, kind } => Val::Scalar(Expr {
                kind: ExprKind::StackField {
                    stack: *stack,
                    index: Box::new(index.clone()),
                    member: *member,
                    field: *field,
                },
                ty: *kind,
            }),
            Place::Slice(of, high, low) => match self.load(of) {
                Val::Scalar(of) => Val::Scalar(build::slice(of, *high, *low)),
                other => other,
            },
            Place::PlusSlice(of, low, width) => match self.load(of) {
                Val::Scalar(of) => Val::Scalar(build::plus_slice(of, low.clone(), *width)),
                other => other,
            },
            Place::Chosen { index, elements } => {
                let kind = elements.first().map_or(ScalarKind::Unsigned(1), |e| self.place_kind(e));
                Val::Scalar(self.load_chosen(index, elements, kind))
            }
            Place::Struct(parts) => Val::Struct(parts.iter().map(|p| self.load(p)).collect()),
            Place::Header(header) => Val::Header(HeaderVal::Ref(header.clone())),
            Place::Stack(_) | Place::Union(_) | Place::UnionElement { .. } => Val::Whole(place.clone()),
        }
    }

    /// Stores a value; the value is read completely before anything it is made of changes.
    pub(super) fn assign(&mut self, place: &Place, value: Val, ty: &Type, span: Span) {
        let value = if self.overlaps(place, &value) { self.materialize(value, ty, span) } else { value };
        self.store(place, value, span);
    }

    /// Whether storing part of a value would change a part that is still to be read.
    fn overlaps(&self, place: &Place, value: &Val) -> bool {
        let literal = matches!(
            (place, value),
            (Place::Struct(_), Val::Struct(_))
                | (Place::Header(_), Val::Header(HeaderVal::Literal { .. }))
                | (Place::Stack(_), Val::Elements(_))
        );
        if !literal {
            return false;
        }
        let mut reads = BTreeSet::new();
        if !self.reads(value, &mut reads) {
            return true;
        }
        match self.place_scalars(place) {
            Some(writes) => !writes.is_disjoint(&reads) && !self.same_place(place, value),
            None => !reads.is_empty(),
        }
    }

    fn same_place(&self, place: &Place, value: &Val) -> bool {
        match (place, value) {
            (Place::Scalar(id), Val::Scalar(Expr { kind: ExprKind::Scalar(from), .. })) => id == from,
            (Place::Struct(parts), Val::Struct(values)) => {
                parts.iter().zip(values).all(|(p, v)| self.same_place(p, v))
            }
            (Place::Header(to), Val::Header(HeaderVal::Ref(from))) => to == from,
            (place, Val::Whole(from)) => place == from,
            _ => false,
        }
    }

    /// Collects the scalars that a value is read from; `false` if that depends on the packet.
    pub(super) fn reads(&self, value: &Val, set: &mut BTreeSet<ScalarId>) -> bool {
        match value {
            Val::Scalar(expr) => self.expr_reads(expr, set),
            Val::Struct(items) | Val::Elements(items) | Val::List(items) => {
                items.iter().all(|i| self.reads(i, set))
            }
            Val::Header(HeaderVal::Ref(header)) => self.place_reads(&Place::Header(header.clone()), set),
            Val::Header(HeaderVal::Literal { valid, fields }) => {
                self.expr_reads(valid, set) && fields.iter().all(|f| self.expr_reads(f, set))
            }
            Val::Whole(place) => self.place_reads(place, set),
            Val::Void | Val::Int(_) | Val::Str(_) | Val::Object(_) => true,
        }
    }

    fn place_reads(&self, place: &Place, set: &mut BTreeSet<ScalarId>) -> bool {
        match self.place_scalars(place) {
            Some(scalars) => {
                set.extend(scalars);
                true
            }
            None => false,
        }
    }

    fn expr_reads(&self, expr: &Expr, set: &mut BTreeSet<ScalarId>) -> bool {
        match &expr.kind {
            ExprKind::Const(_) | ExprKind::PacketLength | ExprKind::Lookahead { .. } => true,
            ExprKind::Scalar(id) => {
                set.insert(*id);
                true
            }
            ExprKind::StackField { .. } => false,
            ExprKind::IsValid(header) => self.place_reads(&Place::Header(header.clone()), set),
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

    /// Copies a value into storage of its own.
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
        let place = self.allocate(ty, &name);
        self.store(&place, value, span);
        self.load(&place)
    }

    /// Copies a value as it was before the statements from `mark` on.
    pub(super) fn spill(&mut self, value: Val, ty: &Type, mark: usize, span: Span) -> Val {
        let later = self.out.split_off(mark.min(self.out.len()));
        let value = self.materialize(value, ty, span);
        self.out.extend(later);
        value
    }

    fn store(&mut self, place: &Place, value: Val, span: Span) {
        match (place, value) {
            (Place::Struct(parts), Val::Struct(values)) => {
                for (part, value) in parts.iter().zip(values) {
                    self.store(part, value, span);
                }
            }
            (Place::Header(target), Val::Header(value)) => self.store_header(target, value),
            (Place::Stack(_) | Place::Union(_) | Place::UnionElement { .. }, value) => {
                self.store_whole(place, value, span);
            }
            (
                Place::Scalar(_)
                | Place::StackField { .. }
                | Place::Slice(..)
                | Place::PlusSlice(..)
                | Place::Chosen { .. },
                value,
            ) => {
                let kind = self.place_kind(place);
                if let Some(value) = self.as_scalar(value, kind) {
                    self.store_scalar(place, value);
                }
            }
            _ => self.unsupported(span, "a value of this type cannot be stored here"),
        }
    }

    pub(super) fn place_kind(&self, place: &Place) -> ScalarKind {
        match place {
            Place::Scalar(id) => self.scalar(*id).ty,
            Place::StackField { kind, .. } => *kind,
            Place::Slice(_, high, low) => ScalarKind::Unsigned(high - low + 1),
            Place::PlusSlice(_, _, width) => ScalarKind::Unsigned(*width),
            Place::Chosen { elements, .. } => {
                elements.first().map_or(ScalarKind::Unsigned(1), |e| self.place_kind(e))
            }
            _ => ScalarKind::Unsigned(1),
        }
    }

    /// A scalar of a kind from a value.
    pub(super) fn as_scalar(&self, value: Val, kind: ScalarKind) -> Option<Expr> {
        match value {
            Val::Scalar(expr) => Some(expr),
            Val::Int(number) => Some(build::number(&number, kind)),
            _ => None,
        }
    }

    pub(super) fn store_scalar(&mut self, place: &Place, value: Expr) {
        match place {
            Place::Scalar(id) if value.kind == ExprKind::Scalar(*id) => {}
            Place::Scalar(id) => self.emit(Stmt::Assign(*id, value)),
            Place::StackField { stack, index, member, field, .. } => self.emit(Stmt::AssignStackField {
                stack: *stack,
                index: index.clone(),
                member: *member,
                field: *field,
                value,
            }),
            Place::Slice(of, high, low) => self.store_slice(of, *high, *low, value),
            Place::PlusSlice(of, low, width) => self.store_plus_slice(of, low, *width, value),
            Place::Chosen { index, elements } => self.store_chosen(index, elements, value),
            _ => {}
        }
    }

    fn store_slice(&mut self, of: &Place, high: u32, low: u32, value: Expr) {
        match of {
            Place::Slice(inner, _, base) => self.store_slice(inner, base + high, base + low, value),
            Place::Scalar(target) => {
                self.emit(Stmt::AssignSlice { target: *target, high, low, value });
            }
            _ => {
                // Read, replace the bits, write.
                let kind = self.place_kind(of);
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

    /// Replaces bits whose place is known only at run time; those beyond the end are lost.
    fn store_plus_slice(&mut self, of: &Place, low: &Expr, width: u32, value: Expr) {
        let kind = self.place_kind(of);
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
                        if let Some(place) = l.header_scalar(target, i, field.ty) {
                            l.store_scalar(&place, field);
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

    /// Stacks and unions, element by element.
    fn store_whole(&mut self, target: &Place, value: Val, span: Span) {
        match value {
            Val::Whole(source) if source == *target => {}
            Val::Whole(source) => match (target, &source) {
                (Place::Stack(to), Place::Stack(from)) => {
                    let pairs: Vec<(Place, Place)> =
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
                    let pairs: Vec<_> = self.members(target).into_iter().zip(self.members(&source)).collect();
                    for (target, source) in pairs {
                        self.emit(Stmt::CopyHeader { target, source });
                    }
                }
            },
            Val::Elements(values) => {
                let places: Vec<Place> = match target {
                    Place::Stack(id) => self.elements(*id),
                    _ => self.members(target).into_iter().map(Place::Header).collect(),
                };
                for (place, value) in places.iter().zip(values) {
                    self.store(place, value, span);
                }
            }
            _ => self.unsupported(span, "a value of this type cannot be stored here"),
        }
    }

    /// Makes all headers in a place invalid.
    pub(super) fn reset_headers(&mut self, place: &Place) {
        match place {
            Place::Struct(parts) => parts.iter().for_each(|p| self.reset_headers(p)),
            Place::Header(header) => self.emit(Stmt::SetValid(header.clone(), false)),
            Place::Stack(id) => {
                for element in self.elements(*id) {
                    self.reset_headers(&element);
                }
                if let Some(stack) = self.program.storage.stacks.get(id.index()) {
                    let next = stack.next_index;
                    self.emit(Stmt::Assign(next, build::small(0, 32)));
                }
            }
            Place::Union(_) | Place::UnionElement { .. } => {
                for member in self.members(place) {
                    self.emit(Stmt::SetValid(member, false));
                }
            }
            Place::Scalar(_)
            | Place::StackField { .. }
            | Place::Slice(..)
            | Place::PlusSlice(..)
            | Place::Chosen { .. } => {}
        }
    }

    /// The default value of a type: zero, invalid, first member.
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

    /// Defaults of serialisable enums are 0 in the representation, of others the first member: both are 0.
    fn first_member(&self, _ty: &Type) -> num_bigint::BigInt {
        0.into()
    }

    pub(super) fn invalid_header(&self, ty: &Type) -> HeaderVal {
        let fields = self.flat_kinds(ty).into_iter().map(|k| build::number(&0.into(), k)).collect();
        HeaderVal::Literal { valid: build::truth(false), fields }
    }

    /// Validity and fields of a header.
    fn header_parts(&self, header: &HeaderVal, ty: &Type) -> (Expr, Vec<Expr>) {
        match header {
            HeaderVal::Literal { valid, fields } => (valid.clone(), fields.clone()),
            HeaderVal::Ref(header) => {
                let kinds = self.flat_kinds(ty);
                let fields = kinds
                    .into_iter()
                    .enumerate()
                    .filter_map(|(i, kind)| {
                        let place = self.header_scalar(header, i, kind)?;
                        self.as_scalar(self.load(&place), kind)
                    })
                    .collect();
                (self.is_valid(header), fields)
            }
        }
    }

    pub(super) fn is_valid(&self, header: &HeaderRef) -> Expr {
        Expr { kind: ExprKind::IsValid(header.clone()), ty: ScalarKind::Unsigned(1) }
    }

    /// Whether two values of a type are equal.
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

    /// The parts of a struct, stack or union.
    pub(super) fn parts(&self, value: &Val) -> Vec<Val> {
        match value {
            Val::Struct(items) | Val::Elements(items) | Val::List(items) => items.clone(),
            Val::Whole(Place::Stack(id)) => self.elements(*id).iter().map(|p| self.load(p)).collect(),
            Val::Whole(place) => {
                self.members(place).into_iter().map(|m| Val::Header(HeaderVal::Ref(m))).collect()
            }
            other => vec![other.clone()],
        }
    }

    /// All scalars that a value is made of, in order; validity is left out.
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
