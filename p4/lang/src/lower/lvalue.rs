//! L-values: what the left-hand side of an assignment denotes (specification, "L-values").

use std::collections::BTreeSet;

use super::{Lowerer, build};
use crate::hir::Type;
use crate::ir::{Expr, ExprKind, HeaderId, HeaderRef, ScalarId, ScalarKind, StackElements, StackId, UnionId};

/// An l-value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum LValue {
    Scalar(ScalarId),
    /// A field of a stack element with a run-time index.
    StackField {
        stack: StackId,
        index: Expr,
        member: usize,
        field: usize,
        kind: ScalarKind,
    },
    Slice(Box<LValue>, u32, u32),
    /// Bits of an l-value: the run-time lowest bit, and how many.
    PlusSlice(Box<LValue>, Expr, u32),
    /// A scalar of an array element with a run-time index, and the scalars of all elements.
    Chosen {
        index: Expr,
        elements: Vec<LValue>,
    },
    /// The parts of a struct or tuple.
    Struct(Vec<LValue>),
    Header(HeaderRef),
    Stack(StackId),
    Union(UnionId),
    /// A union in a stack, with a run-time index.
    UnionElement {
        stack: StackId,
        index: Expr,
    },
}

/// The engine handles stack indices beyond the end; here, indices are only kept.
impl Lowerer<'_> {
    /// Returns the kind of the scalar that holds a value of a type, if it is a single scalar.
    pub(super) fn scalar_kind(&self, ty: &Type) -> Option<ScalarKind> {
        match self.module.representation(&self.ty(ty)) {
            Type::Bit(w) => Some(ScalarKind::Unsigned(w)),
            Type::Signed(w) => Some(ScalarKind::Signed(w)),
            Type::Varbit(w) => Some(ScalarKind::Varbit(w)),
            Type::Bool => Some(ScalarKind::Unsigned(1)),
            Type::Error | Type::Enum(_) | Type::MatchKind => Some(ScalarKind::Unsigned(32)),
            _ => None,
        }
    }

    /// Returns the kinds of the header fields that a header, a stack, or a struct in a header occupies, in wire order.
    pub(super) fn flat_kinds(&self, ty: &Type) -> Vec<ScalarKind> {
        if let Some(kind) = self.scalar_kind(ty) {
            return vec![kind];
        }
        let ty = self.ty(ty);
        if let Type::Stack(of, count) = &ty {
            return vec![self.flat_kinds(of); *count as usize].concat();
        }
        let fields = self.module.fields(&ty).unwrap_or_default();
        fields.iter().flat_map(|(_, ty)| self.flat_kinds(ty)).collect()
    }

    /// Returns field `field` of a header of a type.
    pub(super) fn header_field(&self, header: &HeaderRef, ty: &Type, field: usize) -> Option<LValue> {
        let fields = self.module.fields(&self.ty(ty))?;
        let mut at: usize = fields.iter().take(field).map(|(_, t)| self.flat_kinds(t).len()).sum();
        let (_, field_ty) = fields.get(field)?;
        self.header_part(header, field_ty, &mut at)
    }

    fn header_part(&self, header: &HeaderRef, ty: &Type, at: &mut usize) -> Option<LValue> {
        if let Some(kind) = self.scalar_kind(ty) {
            let field = *at;
            *at += 1;
            return self.header_scalar(header, field, kind);
        }
        let fields = self.module.fields(&self.ty(ty))?;
        let parts: Option<Vec<LValue>> =
            fields.iter().map(|(_, ty)| self.header_part(header, ty, at)).collect();
        parts.map(LValue::Struct)
    }

    /// Returns scalar `field` of a header.
    pub(super) fn header_scalar(&self, header: &HeaderRef, field: usize, kind: ScalarKind) -> Option<LValue> {
        Some(match header {
            HeaderRef::Static(id) => {
                LValue::Scalar(*self.program.storage.headers.get(id.index())?.fields.get(field)?)
            }
            HeaderRef::Element { stack, index, member } => {
                LValue::StackField { stack: *stack, index: (**index).clone(), member: *member, field, kind }
            }
            HeaderRef::Next { stack, member } => LValue::StackField {
                stack: *stack,
                index: self.next_index(*stack)?,
                member: *member,
                field,
                kind,
            },
            HeaderRef::Last { stack, member } => LValue::StackField {
                stack: *stack,
                index: Expr { kind: ExprKind::LastIndex(*stack), ty: ScalarKind::Unsigned(32) },
                member: *member,
                field,
                kind,
            },
        })
    }

    /// Returns the value of `nextIndex`.
    pub(super) fn next_index(&self, stack: StackId) -> Option<Expr> {
        let scalar = self.program.storage.stacks.get(stack.index())?.next_index;
        Some(self.scalar(scalar))
    }

    /// Returns the value of a scalar.
    pub(super) fn scalar(&self, id: ScalarId) -> Expr {
        let ty = self.program.storage.scalars.get(id.index()).map_or(ScalarKind::Unsigned(1), |s| s.kind);
        Expr { kind: ExprKind::Scalar(id), ty }
    }

    /// Returns an element of a stack.
    pub(super) fn element(&self, stack: StackId, index: Expr) -> LValue {
        let known = build::value_of(&index).and_then(|i| usize::try_from(i).ok());
        let Some(elements) = self.program.storage.stacks.get(stack.index()).map(|s| &s.elements) else {
            return LValue::Stack(stack);
        };
        match elements {
            StackElements::Headers(list) => match known.and_then(|i| list.get(i)) {
                Some(id) => LValue::Header(HeaderRef::Static(*id)),
                None => LValue::Header(HeaderRef::Element { stack, index: Box::new(index), member: 0 }),
            },
            StackElements::Unions(list) => match known.and_then(|i| list.get(i)) {
                Some(id) => LValue::Union(*id),
                None => LValue::UnionElement { stack, index },
            },
        }
    }

    /// Returns all elements of a stack.
    pub(super) fn elements(&self, stack: StackId) -> Vec<LValue> {
        match self.program.storage.stacks.get(stack.index()).map(|s| &s.elements) {
            Some(StackElements::Headers(list)) => {
                list.iter().map(|id| LValue::Header(HeaderRef::Static(*id))).collect()
            }
            Some(StackElements::Unions(list)) => list.iter().map(|id| LValue::Union(*id)).collect(),
            None => Vec::new(),
        }
    }

    /// Returns the members of a union.
    pub(super) fn members(&self, union: &LValue) -> Vec<HeaderRef> {
        match union {
            LValue::Union(id) => self
                .program
                .storage
                .unions
                .get(id.index())
                .map(|u| u.members.iter().map(|m| HeaderRef::Static(*m)).collect())
                .unwrap_or_default(),
            LValue::UnionElement { stack, index } => {
                let count = self.member_count(*stack);
                (0..count)
                    .map(|member| HeaderRef::Element {
                        stack: *stack,
                        index: Box::new(index.clone()),
                        member,
                    })
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    /// Returns the number of members of the elements of a stack; 0 if the elements are not unions.
    pub(super) fn member_count(&self, stack: StackId) -> usize {
        match self.program.storage.stacks.get(stack.index()).map(|s| &s.elements) {
            Some(StackElements::Unions(list)) => list
                .first()
                .and_then(|u| self.program.storage.unions.get(u.index()))
                .map_or(0, |u| u.members.len()),
            _ => 0,
        }
    }

    /// Returns the scalars of an l-value; `None` if they depend on run-time indices.
    pub(super) fn lvalue_scalars(&self, lvalue: &LValue) -> Option<BTreeSet<ScalarId>> {
        let mut set = BTreeSet::new();
        self.add_scalars(lvalue, &mut set).then_some(set)
    }

    fn add_scalars(&self, lvalue: &LValue, set: &mut BTreeSet<ScalarId>) -> bool {
        match lvalue {
            LValue::Scalar(id) => {
                set.insert(*id);
                true
            }
            LValue::Slice(of, _, _) => self.add_scalars(of, set),
            LValue::Struct(parts) => parts.iter().all(|p| self.add_scalars(p, set)),
            LValue::Header(HeaderRef::Static(id)) => {
                self.header_scalars(*id, set);
                true
            }
            LValue::Stack(id) => {
                if let Some(stack) = self.program.storage.stacks.get(id.index()) {
                    set.insert(stack.next_index);
                }
                self.elements(*id).iter().all(|e| self.add_scalars(e, set))
            }
            LValue::Union(id) => {
                let members = self.program.storage.unions.get(id.index()).map(|u| u.members.clone());
                for member in members.unwrap_or_default() {
                    self.header_scalars(member, set);
                }
                true
            }
            LValue::StackField { .. }
            | LValue::UnionElement { .. }
            | LValue::Header(_)
            | LValue::Chosen { .. }
            | LValue::PlusSlice(..) => false,
        }
    }

    fn header_scalars(&self, id: HeaderId, set: &mut BTreeSet<ScalarId>) {
        if let Some(header) = self.program.storage.headers.get(id.index()) {
            set.insert(header.valid);
            set.extend(header.fields.iter().copied());
        }
    }
}
