//! Places that hold values: what an expression on the left of `=` denotes.

use std::collections::BTreeSet;

use super::{Lowerer, build};
use crate::hir::Type;
use crate::ir::{Expr, ExprKind, HeaderId, HeaderRef, ScalarId, ScalarKind, StackElements, StackId, UnionId};

/// A place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Place {
    Scalar(ScalarId),
    /// A field of a stack's element that is chosen at run time.
    StackField {
        stack: StackId,
        index: Expr,
        member: usize,
        field: usize,
        kind: ScalarKind,
    },
    Slice(Box<Place>, u32, u32),
    /// Bits of a place from one that is chosen at run time on: the lowest, and how many.
    PlusSlice(Box<Place>, Expr, u32),
    /// A scalar of an array's element that is chosen at run time, with the scalars of all elements.
    Chosen {
        index: Expr,
        elements: Vec<Place>,
    },
    /// The parts of a struct or tuple.
    Struct(Vec<Place>),
    Header(HeaderRef),
    Stack(StackId),
    Union(UnionId),
    /// A union in a stack, chosen at run time.
    UnionElement {
        stack: StackId,
        index: Expr,
    },
}

/// What happens in an expression when a stack's index is beyond its end is the engine's to know; here the index
/// is only kept.
impl Lowerer<'_> {
    /// Kind of the scalar that holds a value of a type, if one scalar does.
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

    /// Kinds of the fields that a header or struct in a header takes, in wire order.
    pub(super) fn flat_kinds(&self, ty: &Type) -> Vec<ScalarKind> {
        if let Some(kind) = self.scalar_kind(ty) {
            return vec![kind];
        }
        let ty = self.ty(ty);
        let fields = self.module.fields(&ty).unwrap_or_default();
        fields.iter().flat_map(|(_, ty)| self.flat_kinds(ty)).collect()
    }

    /// The place of field `field` of a header of a type.
    pub(super) fn header_field(&self, header: &HeaderRef, ty: &Type, field: usize) -> Option<Place> {
        let fields = self.module.fields(&self.ty(ty))?;
        let mut at: usize = fields.iter().take(field).map(|(_, t)| self.flat_kinds(t).len()).sum();
        let (_, field_ty) = fields.get(field)?;
        self.header_part(header, field_ty, &mut at)
    }

    fn header_part(&self, header: &HeaderRef, ty: &Type, at: &mut usize) -> Option<Place> {
        if let Some(kind) = self.scalar_kind(ty) {
            let field = *at;
            *at += 1;
            return self.header_scalar(header, field, kind);
        }
        let fields = self.module.fields(&self.ty(ty))?;
        let parts: Option<Vec<Place>> =
            fields.iter().map(|(_, ty)| self.header_part(header, ty, at)).collect();
        parts.map(Place::Struct)
    }

    /// The place of the `field`th scalar of a header.
    pub(super) fn header_scalar(&self, header: &HeaderRef, field: usize, kind: ScalarKind) -> Option<Place> {
        Some(match header {
            HeaderRef::Static(id) => {
                Place::Scalar(*self.program.storage.headers.get(id.index())?.fields.get(field)?)
            }
            HeaderRef::Element { stack, index, member } => {
                Place::StackField { stack: *stack, index: (**index).clone(), member: *member, field, kind }
            }
            HeaderRef::Next { stack, member } => Place::StackField {
                stack: *stack,
                index: self.next_index(*stack)?,
                member: *member,
                field,
                kind,
            },
            HeaderRef::Last { stack, member } => Place::StackField {
                stack: *stack,
                index: Expr { kind: ExprKind::LastIndex(*stack), ty: ScalarKind::Unsigned(32) },
                member: *member,
                field,
                kind,
            },
        })
    }

    /// The value of `nextIndex`.
    pub(super) fn next_index(&self, stack: StackId) -> Option<Expr> {
        let scalar = self.program.storage.stacks.get(stack.index())?.next_index;
        Some(self.scalar(scalar))
    }

    /// A scalar's value.
    pub(super) fn scalar(&self, id: ScalarId) -> Expr {
        let ty = self.program.storage.scalars.get(id.index()).map_or(ScalarKind::Unsigned(1), |s| s.kind);
        Expr { kind: ExprKind::Scalar(id), ty }
    }

    /// An element of a stack.
    pub(super) fn element(&self, stack: StackId, index: Expr) -> Place {
        let known = build::value_of(&index).and_then(|i| usize::try_from(i).ok());
        let Some(elements) = self.program.storage.stacks.get(stack.index()).map(|s| &s.elements) else {
            return Place::Stack(stack);
        };
        match elements {
            StackElements::Headers(list) => match known.and_then(|i| list.get(i)) {
                Some(id) => Place::Header(HeaderRef::Static(*id)),
                None => Place::Header(HeaderRef::Element { stack, index: Box::new(index), member: 0 }),
            },
            StackElements::Unions(list) => match known.and_then(|i| list.get(i)) {
                Some(id) => Place::Union(*id),
                None => Place::UnionElement { stack, index },
            },
        }
    }

    /// All elements of a stack.
    pub(super) fn elements(&self, stack: StackId) -> Vec<Place> {
        match self.program.storage.stacks.get(stack.index()).map(|s| &s.elements) {
            Some(StackElements::Headers(list)) => {
                list.iter().map(|id| Place::Header(HeaderRef::Static(*id))).collect()
            }
            Some(StackElements::Unions(list)) => list.iter().map(|id| Place::Union(*id)).collect(),
            None => Vec::new(),
        }
    }

    /// The members of a union.
    pub(super) fn members(&self, union: &Place) -> Vec<HeaderRef> {
        match union {
            Place::Union(id) => self
                .program
                .storage
                .unions
                .get(id.index())
                .map(|u| u.members.iter().map(|m| HeaderRef::Static(*m)).collect())
                .unwrap_or_default(),
            Place::UnionElement { stack, index } => {
                let count = match self.program.storage.stacks.get(stack.index()).map(|s| &s.elements) {
                    Some(StackElements::Unions(list)) => list
                        .first()
                        .and_then(|u| self.program.storage.unions.get(u.index()))
                        .map_or(0, |u| u.members.len()),
                    _ => 0,
                };
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

    /// The scalars of a place; `None` when which ones it is depends on the packet.
    pub(super) fn place_scalars(&self, place: &Place) -> Option<BTreeSet<ScalarId>> {
        let mut set = BTreeSet::new();
        self.add_scalars(place, &mut set).then_some(set)
    }

    fn add_scalars(&self, place: &Place, set: &mut BTreeSet<ScalarId>) -> bool {
        match place {
            Place::Scalar(id) => {
                set.insert(*id);
                true
            }
            Place::Slice(of, _, _) => self.add_scalars(of, set),
            Place::Struct(parts) => parts.iter().all(|p| self.add_scalars(p, set)),
            Place::Header(HeaderRef::Static(id)) => {
                self.header_scalars(*id, set);
                true
            }
            Place::Stack(id) => {
                if let Some(stack) = self.program.storage.stacks.get(id.index()) {
                    set.insert(stack.next_index);
                }
                self.elements(*id).iter().all(|e| self.add_scalars(e, set))
            }
            Place::Union(id) => {
                let members = self.program.storage.unions.get(id.index()).map(|u| u.members.clone());
                for member in members.unwrap_or_default() {
                    self.header_scalars(member, set);
                }
                true
            }
            Place::StackField { .. }
            | Place::UnionElement { .. }
            | Place::Header(_)
            | Place::Chosen { .. }
            | Place::PlusSlice(..) => false,
        }
    }

    fn header_scalars(&self, id: HeaderId, set: &mut BTreeSet<ScalarId>) {
        if let Some(header) = self.program.storage.headers.get(id.index()) {
            set.insert(header.valid);
            set.extend(header.fields.iter().copied());
        }
    }
}
