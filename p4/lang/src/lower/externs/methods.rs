//! The methods of v1model's externs.

use super::super::objects::Object;
use super::super::value::Val;
use super::super::{Lowerer, build};
use crate::hir::{Call, Expr, Type};
use crate::ir::{ExternCall, HashAlgorithm, ScalarKind, Stmt};
use crate::source::Span;
use crate::syntax::ast::Direction;

impl Lowerer<'_> {
    pub(in crate::lower) fn extern_method(
        &mut self,
        object: &Expr,
        method: usize,
        call: &Call,
        ty: &Type,
        span: Span,
    ) -> Val {
        let Type::Extern(id, types) = self.ty(&object.ty) else { return Val::Void };
        let module = self.module;
        let Some(decl) = module.externs.get(id.index()) else { return Val::Void };
        let Some(signature) = decl.methods.get(method) else { return Val::Void };
        let Val::Object(object) = self.eval(object) else {
            self.unsupported(span, "extern object is not known here");
            return Val::Void;
        };
        let args = &call.args;
        let arg = |i: usize| args.get(i).and_then(Option::as_ref);
        match (object, &*signature.name) {
            (Object::Packet, "extract") if arg(0).is_none() => {
                if let Some(ty) = call.type_args.first() {
                    self.extract_unused(ty, arg(1), span);
                }
            }
            (Object::Packet, name) => {
                let result = self.ty(ty);
                return self.packet_method(name, args, &result, span);
            }
            (Object::Unknown, _) => {
                self.evaluate_inputs(&signature.params, args);
                return self.default_value(ty);
            }
            (Object::Register(register), "read") => {
                let Some(index) = arg(1) else { return Val::Void };
                let element = types.first().cloned().unwrap_or(Type::Bad);
                let index = self.eval_scalar(index);
                self.write_scalars(arg(0), &element, |l, targets| {
                    l.emit(Stmt::Extern(ExternCall::RegisterRead { register, targets, index }));
                });
            }
            (Object::Register(register), "write") => {
                let (Some(index), Some(value)) = (arg(0), arg(1)) else { return Val::Void };
                let mut both = self.eval_all(&[index, value]).into_iter();
                let (Some(index_value), Some(stored)) = (both.next(), both.next()) else {
                    return Val::Void;
                };
                let kind = self.scalar_kind(&index.ty).unwrap_or(ScalarKind::Unsigned(32));
                let Some(index) = self.as_scalar(index_value, kind) else { return Val::Void };
                let mut values = Vec::new();
                self.flatten(&stored, &value.ty, &mut values);
                self.emit(Stmt::Extern(ExternCall::RegisterWrite { register, index, values }));
            }
            (Object::Counter(counter), "count") => match arg(0) {
                Some(index) => {
                    let index = self.eval_scalar(index);
                    self.emit(Stmt::Extern(ExternCall::CounterCount(counter, index)));
                }
                None => self.emit(Stmt::Extern(ExternCall::DirectCounterCount(counter))),
            },
            (Object::Meter(meter), "execute_meter") => {
                let Some(index) = arg(0) else { return Val::Void };
                let index = self.eval_scalar(index);
                let kind = self.out_kind(arg(1), call.type_args.first());
                self.write_scalar(arg(1), kind, |l, target| {
                    l.emit(Stmt::Extern(ExternCall::MeterExecute { meter, index, target }));
                });
            }
            (Object::Meter(meter), "read") => {
                let kind = self.out_kind(arg(0), types.first());
                self.write_scalar(arg(0), kind, |l, target| {
                    if let Some(decl) = l.program.meters.get_mut(meter.index()) {
                        decl.result.get_or_insert(target);
                    }
                    l.emit(Stmt::Extern(ExternCall::DirectMeterRead { meter, target }));
                });
            }
            (Object::Checksum16, "get") => {
                let Some(data) = arg(0) else { return Val::Void };
                let data = self.data(data);
                let target = self.temporary("sum", ScalarKind::Unsigned(16));
                self.emit(Stmt::Extern(ExternCall::Hash {
                    target,
                    algorithm: HashAlgorithm::Csum16,
                    base: build::small(0, 16),
                    data,
                    max: build::small(1 << 16, 32),
                }));
                return Val::Scalar(self.scalar(target));
            }
            _ => self.unsupported(span, "extern object has no such method"),
        }
        Val::Void
    }

    /// Evaluates the inputs of a call, for their side effects.
    pub(super) fn evaluate_inputs(&mut self, params: &[crate::hir::Param], args: &[Option<Expr>]) {
        for (param, arg) in params.iter().zip(args) {
            if let (Direction::In | Direction::None, Some(arg)) = (param.direction, arg) {
                self.eval(arg);
            }
        }
    }

    /// Returns the kind of a scalar that a call writes.
    pub(super) fn out_kind(&self, arg: Option<&Expr>, ty: Option<&Type>) -> ScalarKind {
        arg.and_then(|a| self.scalar_kind(&a.ty))
            .or_else(|| ty.and_then(|t| self.scalar_kind(t)))
            .unwrap_or(ScalarKind::Unsigned(32))
    }
}
