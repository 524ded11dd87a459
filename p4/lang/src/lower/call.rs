//! Calls, by the kind of callee.

use super::Lowerer;
use super::value::Val;
use crate::hir::{Call, Callee, Type};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn eval_call(&mut self, call: &Call, ty: &Type, span: Span) -> Val {
        match &call.callee {
            Callee::Function(id) => self.call_function(*id, call, span),
            Callee::Action(id) => {
                self.call_action(*id, call, span);
                Val::Void
            }
            Callee::Header(method, object) => self.header_method(*method, object, &call.args, span),
            Callee::Table(id) => {
                self.apply_table(*id, None, None, span);
                Val::Void
            }
            Callee::Apply(object) => {
                self.apply_object(object, &call.args, span);
                Val::Void
            }
            Callee::ExternFunction(id) => self.extern_function(*id, call, ty, span),
            Callee::Method { object, method } => self.extern_method(object, *method, call, ty, span),
        }
    }
}
