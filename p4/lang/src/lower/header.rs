//! Methods of headers, unions and stacks.

use num_traits::ToPrimitive as _;

use super::lvalue::LValue;
use super::value::{HeaderVal, Val};
use super::{Lowerer, build};
use crate::hir::{Expr, HeaderMethod};
use crate::ir::Stmt;
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
            (HeaderMethod::SetInvalid, LValue::Header(header)) => self.emit(Stmt::SetValid(header, false)),
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
}
