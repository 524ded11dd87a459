//! Methods of headers, unions and stacks.

use std::collections::BTreeSet;

use num_traits::ToPrimitive as _;

use super::lvalue::LValue;
use super::value::{HeaderVal, Val};
use super::{Lowerer, build};
use crate::hir::{Expr, HeaderMethod};
use crate::ir::{self, HeaderRef, StackId, Stmt};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn header_method(
        &mut self,
        method: HeaderMethod,
        object: &Expr,
        args: &[Option<Expr>],
        span: Span,
    ) -> Val {
        if method == HeaderMethod::IsValid {
            return match self.eval(object) {
                Val::Header(HeaderVal::Ref(header)) => Val::Scalar(self.is_valid(&header)),
                Val::Header(HeaderVal::Literal { valid, .. }) => Val::Scalar(valid),
                Val::Whole(union) => {
                    let any = self
                        .members(&union)
                        .iter()
                        .map(|m| self.is_valid(m))
                        .fold(build::truth(false), build::or);
                    Val::Scalar(any)
                }
                _ => Val::Scalar(build::truth(false)),
            };
        }
        let Some(lvalue) = self.lvalue_of(object) else {
            self.unsupported(span, "receiver is not an l-value");
            return Val::Void;
        };
        match (method, lvalue) {
            (HeaderMethod::SetValid, LValue::Header(header)) => self.emit(Stmt::SetValid(header, true)),
            (HeaderMethod::SetInvalid, LValue::Header(header)) => self.set_invalid(&header),
            (HeaderMethod::PushFront | HeaderMethod::PopFront, LValue::Stack(stack)) => {
                let count = args.first().and_then(Option::as_ref).and_then(|a| self.eval_number(a));
                let size = self.elements(stack).len() as u32;
                let count = count.and_then(|c| c.to_u32()).unwrap_or(u32::MAX).min(size);
                self.emit(if method == HeaderMethod::PushFront {
                    Stmt::StackPush(stack, count)
                } else {
                    Stmt::StackPop(stack, count)
                });
            }
            _ => self.unsupported(span, "method cannot be called here"),
        }
        Val::Void
    }

    /// `setInvalid()` of a header. In a header union, the valid member becomes invalid, whichever it is (specification,
    /// "Operations on header unions"; p4c's back end for bmv2 changes only the named member).
    pub(super) fn set_invalid(&mut self, header: &HeaderRef) {
        let header = self.with_stable_index(header);
        self.emit(Stmt::SetValid(header.clone(), false));
        self.invalidate_siblings(&header);
    }

    /// Invalidates the other members of the union that a header belongs to.
    pub(super) fn invalidate_siblings(&mut self, header: &HeaderRef) {
        for sibling in self.siblings(header) {
            self.emit(Stmt::SetValid(sibling, false));
        }
    }

    /// Returns the other members of the union that a header belongs to; none if it does not belong to a union.
    pub(super) fn siblings(&self, header: &HeaderRef) -> Vec<HeaderRef> {
        let storage = &self.program.storage;
        let others = |count: usize, own: usize| (0..count).filter(move |member| *member != own);
        match header {
            HeaderRef::Static(id) => {
                let union = storage.headers.get(id.index()).and_then(|h| h.union);
                let members = union.and_then(|u| storage.unions.get(u.index())).map(|u| u.members.as_slice());
                members.unwrap_or(&[]).iter().filter(|m| *m != id).map(|m| HeaderRef::Static(*m)).collect()
            }
            HeaderRef::Element { stack, index, member } => others(self.member_count(*stack), *member)
                .map(|member| HeaderRef::Element { stack: *stack, index: index.clone(), member })
                .collect(),
            HeaderRef::Next { stack, member } => others(self.member_count(*stack), *member)
                .map(|member| HeaderRef::Next { stack: *stack, member })
                .collect(),
            HeaderRef::Last { stack, member } => others(self.member_count(*stack), *member)
                .map(|member| HeaderRef::Last { stack: *stack, member })
                .collect(),
        }
    }

    /// Returns the header with an index that no write to its stack changes: several statements can then refer to the
    /// same element.
    pub(super) fn with_stable_index(&mut self, header: &HeaderRef) -> HeaderRef {
        match header {
            HeaderRef::Element { stack, index, member } => {
                let index = Box::new(self.stable_index(*stack, index));
                HeaderRef::Element { stack: *stack, index, member: *member }
            }
            other => other.clone(),
        }
    }

    /// Returns an index that no write to the stack changes: a copy if the index depends on the stack's own elements.
    pub(super) fn stable_index(&mut self, stack: StackId, index: &ir::Expr) -> ir::Expr {
        let mut reads = BTreeSet::new();
        let stable = self.expr_reads(index, &mut reads)
            && self.lvalue_scalars(&LValue::Stack(stack)).is_some_and(|writes| writes.is_disjoint(&reads));
        if stable { index.clone() } else { self.save(index.clone()) }
    }
}
