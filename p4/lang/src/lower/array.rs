//! Arrays of anything but headers (specification, "Operations on arrays"), whose elements are storage of their own
//! each. An index that the packet gives chooses among them: by a tree of comparisons, so that an access takes time
//! logarithmic in the size. Beyond the end, zero is read and nothing is written.

use super::place::Place;
use super::{Lowerer, build};
use crate::hir::Type;
use crate::ir::{BinaryOp, Expr, HeaderRef, ScalarKind, Stack, StackElements, StackId, Stmt};

impl Lowerer<'_> {
    /// Whether a type is that of a stack of headers or unions; other arrays are like tuples.
    pub(super) fn is_stack(&self, ty: &Type) -> bool {
        matches!(self.ty(ty), Type::Stack(of, _) if self.module.is_header(&of) || self.module.is_union(&of))
    }

    /// The element that an index chooses; `None` if there is no such place.
    pub(super) fn chosen(&mut self, elements: Vec<Place>, index: Expr) -> Option<Place> {
        if let Some(known) = build::value_of(&index) {
            return elements.into_iter().nth(usize::try_from(known).ok()?);
        }
        let index = self.keep(index);
        let width = index.ty.width();
        self.choose(&build::cast(index, ScalarKind::Unsigned(width)), elements)
    }

    fn choose(&mut self, index: &Expr, elements: Vec<Place>) -> Option<Place> {
        match elements.first()? {
            Place::Struct(first) => {
                let mut parts = Vec::new();
                for part in 0..first.len() {
                    let column: Option<Vec<Place>> = elements
                        .iter()
                        .map(|element| match element {
                            Place::Struct(parts) => parts.get(part).cloned(),
                            _ => None,
                        })
                        .collect();
                    parts.push(self.choose(index, column?)?);
                }
                Some(Place::Struct(parts))
            }
            Place::Header(HeaderRef::Static(_)) => {
                let headers: Option<Vec<_>> = elements
                    .iter()
                    .map(|element| match element {
                        Place::Header(HeaderRef::Static(id)) => Some(*id),
                        _ => None,
                    })
                    .collect();
                // Headers that a number chooses are a stack for the engine.
                let next_index = self.temporary("next", ScalarKind::Unsigned(32));
                let stack = StackId(self.program.storage.stacks.len() as u32);
                let elements = StackElements::Headers(headers?);
                let name = format!("$chosen{}", stack.index());
                self.program.storage.stacks.push(Stack { name, elements, next_index });
                let index = Box::new(index.clone());
                Some(Place::Header(HeaderRef::Element { stack, index, member: 0 }))
            }
            Place::Scalar(_) | Place::StackField { .. } | Place::Slice(..) | Place::Chosen { .. } => {
                Some(Place::Chosen { index: index.clone(), elements })
            }
            _ => None,
        }
    }

    /// The value of the element that an index chooses.
    pub(super) fn load_chosen(&self, index: &Expr, elements: &[Place], kind: ScalarKind) -> Expr {
        let values: Vec<Expr> = elements
            .iter()
            .map(|place| {
                self.as_scalar(self.load(place), kind).unwrap_or_else(|| build::number(&0.into(), kind))
            })
            .collect();
        choose_value(index, &values, kind)
    }

    /// Stores into the element that an index chooses.
    pub(super) fn store_chosen(&mut self, index: &Expr, elements: &[Place], value: Expr) {
        let value = self.keep(value);
        let stored = self.collect(|l| l.store_between(index, elements, 0, &value));
        match beyond(index, elements.len()) {
            None => stored.into_iter().for_each(|stmt| self.emit(stmt)),
            Some(beyond) => {
                let condition = build::not(beyond);
                self.emit(Stmt::If { condition, then: stored, otherwise: Vec::new() });
            }
        }
    }

    fn store_between(&mut self, index: &Expr, elements: &[Place], first: u64, value: &Expr) {
        if let [only] = elements {
            self.store_scalar(only, value.clone());
            return;
        }
        let (low, high) = elements.split_at(elements.len() / 2);
        let middle = first + low.len() as u64;
        let condition = less(index, middle);
        let then = self.collect(|l| l.store_between(index, low, first, value));
        let otherwise = self.collect(|l| l.store_between(index, high, middle, value));
        self.emit(Stmt::If { condition, then, otherwise });
    }
}

/// The value that an index chooses: zero beyond the end.
pub(super) fn choose_value(index: &Expr, values: &[Expr], kind: ScalarKind) -> Expr {
    if values.is_empty() {
        return build::number(&0.into(), kind);
    }
    let chosen = between(index, values, 0);
    match beyond(index, values.len()) {
        None => chosen,
        Some(beyond) => build::mux(beyond, build::number(&0.into(), kind), chosen),
    }
}

fn between(index: &Expr, values: &[Expr], first: u64) -> Expr {
    if let [only] = values {
        return only.clone();
    }
    let (low, high) = values.split_at(values.len() / 2);
    let middle = first + low.len() as u64;
    build::mux(less(index, middle), between(index, low, first), between(index, high, middle))
}

fn less(index: &Expr, bound: u64) -> Expr {
    build::binary(BinaryOp::Less, index.clone(), build::number(&bound.into(), index.ty))
}

/// Whether an index lies beyond so many elements; `None` if it cannot.
fn beyond(index: &Expr, count: usize) -> Option<Expr> {
    let width = index.ty.width();
    let within = width < 32 && 1u64 << width <= count as u64;
    (!within).then(|| build::not(less(index, count as u64)))
}
