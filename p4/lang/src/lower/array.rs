//! Arrays of elements other than headers (specification, "Operations on arrays"). Each element has storage of its own.
//! A run-time index selects one through a tree of comparisons, so access time is logarithmic in the size. Beyond the
//! end, reads return zero and writes have no effect.

use super::lvalue::LValue;
use super::{Lowerer, build};
use crate::hir::Type;
use crate::ir::{BinaryOp, Expr, HeaderRef, ScalarKind, Stack, StackElements, StackId, Stmt};

impl Lowerer<'_> {
    /// Returns whether a type is a stack of headers or unions; other arrays are treated like tuples.
    pub(super) fn is_stack(&self, ty: &Type) -> bool {
        matches!(self.ty(ty), Type::Stack(of, _) if self.module.is_header(&of) || self.module.is_union(&of))
    }

    /// Returns the element that an index selects; `None` if it cannot be represented.
    pub(super) fn chosen(&mut self, elements: Vec<LValue>, index: Expr) -> Option<LValue> {
        if let Some(known) = build::value_of(&index) {
            return elements.into_iter().nth(usize::try_from(known).ok()?);
        }
        let index = self.save(index);
        let width = index.ty.width();
        self.choose(&build::cast(index, ScalarKind::Unsigned(width)), elements)
    }

    fn choose(&mut self, index: &Expr, elements: Vec<LValue>) -> Option<LValue> {
        match elements.first()? {
            LValue::Struct(first) => {
                let mut parts = Vec::new();
                for part in 0..first.len() {
                    let column: Option<Vec<LValue>> = elements
                        .iter()
                        .map(|element| match element {
                            LValue::Struct(parts) => parts.get(part).cloned(),
                            _ => None,
                        })
                        .collect();
                    parts.push(self.choose(index, column?)?);
                }
                Some(LValue::Struct(parts))
            }
            LValue::Header(HeaderRef::Static(_)) => {
                let headers: Option<Vec<_>> = elements
                    .iter()
                    .map(|element| match element {
                        LValue::Header(HeaderRef::Static(id)) => Some(*id),
                        _ => None,
                    })
                    .collect();
                // Headers selected by an index form a stack for the engine.
                let next_index = self.temporary("next", ScalarKind::Unsigned(32));
                let stack = StackId(self.program.storage.stacks.len() as u32);
                let elements = StackElements::Headers(headers?);
                let name = format!("$chosen{}", stack.index());
                self.program.storage.stacks.push(Stack { name, elements, next_index });
                let index = Box::new(index.clone());
                Some(LValue::Header(HeaderRef::Element { stack, index, member: 0 }))
            }
            LValue::Scalar(_) | LValue::StackField { .. } | LValue::Slice(..) | LValue::Chosen { .. } => {
                Some(LValue::Chosen { index: index.clone(), elements })
            }
            _ => None,
        }
    }

    /// Returns the value of the element that an index selects.
    pub(super) fn load_chosen(&self, index: &Expr, elements: &[LValue], kind: ScalarKind) -> Expr {
        let values: Vec<Expr> = elements
            .iter()
            .map(|lvalue| {
                self.as_scalar(self.load(lvalue), kind).unwrap_or_else(|| build::number(&0.into(), kind))
            })
            .collect();
        choose_value(index, &values, kind)
    }

    /// Stores into the element that an index selects.
    pub(super) fn store_chosen(&mut self, index: &Expr, elements: &[LValue], value: Expr) {
        let value = self.save(value);
        let stored = self.collect(|l| l.store_between(index, elements, 0, &value));
        match beyond(index, elements.len()) {
            None => stored.into_iter().for_each(|stmt| self.emit(stmt)),
            Some(beyond) => {
                let condition = build::not(beyond);
                self.emit(Stmt::If { condition, then: stored, otherwise: Vec::new() });
            }
        }
    }

    fn store_between(&mut self, index: &Expr, elements: &[LValue], first: u64, value: &Expr) {
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

/// Returns the value that an index selects; zero beyond the end.
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

/// Returns the condition that an index is `count` or more; `None` if that is impossible.
fn beyond(index: &Expr, count: usize) -> Option<Expr> {
    let width = index.ty.width();
    let within = width < 32 && 1u64 << width <= count as u64;
    (!within).then(|| build::not(less(index, count as u64)))
}
