//! The functions of the core library and of v1model.

use num_traits::ToPrimitive as _;

use super::super::lvalue::LValue;
use super::super::value::Val;
use super::super::{BlockKind, Lowerer};
use crate::diagnostic::codes;
use crate::hir::{Call, Expr, ExternFunctionId, Type};
use crate::ir::{self, Checksum, Digest, DigestId, ExternCall, Stmt};
use crate::source::Span;

impl Lowerer<'_> {
    pub(in crate::lower) fn extern_function(
        &mut self,
        id: ExternFunctionId,
        call: &Call,
        ty: &Type,
        span: Span,
    ) -> Val {
        let module = self.module;
        let Some(function) = module.extern_functions.get(id.index()) else { return Val::Void };
        let args: Vec<&Expr> = call.args.iter().flatten().collect();
        let name = &*function.signature.name;
        self.program.types.calls_functions |= self.block != BlockKind::Parser && name != "static_assert";
        match (name, args.as_slice()) {
            ("verify", [condition, error]) => {
                let both = self.eval_scalars(&[condition, error]);
                if let [condition, error] = both.as_slice()
                    && !Self::always(condition)
                {
                    let (condition, error) = (condition.clone(), error.clone());
                    self.emit(Stmt::Verify { condition, error });
                }
            }
            ("static_assert", _) => {}
            ("mark_to_drop", _) => self.emit(Stmt::Extern(ExternCall::MarkToDrop)),
            ("hash", [_, algorithm, base, data, max]) => {
                self.hash(call.args.first().and_then(Option::as_ref), algorithm, base, data, max);
            }
            ("random", [_, low, high]) => {
                let bounds = self.eval_scalars(&[low, high]);
                let kind = self.out_kind(args.first().copied(), call.type_args.first());
                if let [low, high] = bounds.as_slice() {
                    let (low, high) = (low.clone(), high.clone());
                    self.write_scalar(args.first().copied(), kind, |l, target| {
                        l.emit(Stmt::Extern(ExternCall::Random { target, low, high }));
                    });
                }
            }
            ("digest", [receiver, data]) => {
                self.eval(receiver);
                self.digest(data, span);
            }
            ("clone" | "clone3" | "clone_preserving_field_list", [kind, session, rest @ ..]) => {
                let egress = self.eval_number(kind) == Some(1.into());
                let session = self.eval_scalar(session);
                let field_list = match name {
                    "clone_preserving_field_list" => rest.first().and_then(|l| self.field_list(l)),
                    _ => None,
                };
                self.emit(Stmt::Extern(ExternCall::Clone { egress, session, field_list }));
            }
            ("resubmit", _) => self.emit(Stmt::Extern(ExternCall::Resubmit(None))),
            ("recirculate", _) => self.emit(Stmt::Extern(ExternCall::Recirculate(None))),
            ("resubmit_preserving_field_list", [list]) => {
                let list = self.field_list(list);
                self.emit(Stmt::Extern(ExternCall::Resubmit(list)));
            }
            ("recirculate_preserving_field_list", [list]) => {
                let list = self.field_list(list);
                self.emit(Stmt::Extern(ExternCall::Recirculate(list)));
            }
            ("truncate", [length]) => {
                let length = self.eval_scalar(length);
                self.emit(Stmt::Extern(ExternCall::Truncate(length)));
            }
            ("assert" | "assume", [condition]) => {
                let location = self.sources.location(span);
                let text = self.sources.text(condition.span).split_whitespace().collect::<Vec<_>>().join(" ");
                let text = format!("{}:{}: {text}", location.file, location.line);
                let condition = self.eval_scalar(condition);
                self.emit(Stmt::Extern(if name == "assert" {
                    ExternCall::Assert(condition, text)
                } else {
                    ExternCall::Assume(condition, text)
                }));
            }
            ("log_msg", [format, rest @ ..]) => {
                let values = rest.first().map_or_else(Vec::new, |data| self.data(data));
                let text = match self.eval(format) {
                    Val::Str(text) => text.to_string(),
                    _ => String::new(),
                };
                self.emit(Stmt::Extern(ExternCall::LogMsg(text, values)));
            }
            (
                "verify_checksum"
                | "verify_checksum_with_payload"
                | "update_checksum"
                | "update_checksum_with_payload",
                [condition, data, field, algorithm],
            ) => self.checksum(name, [condition, data, field, algorithm], span),
            _ => {
                self.unknown_extern(name, span);
                self.check_foreign_result(ty, span);
                self.evaluate_inputs(&function.signature.params, &call.args);
                return self.default_value(ty);
            }
        }
        Val::Void
    }

    fn hash(&mut self, target: Option<&Expr>, algorithm: &Expr, base: &Expr, data: &Expr, max: &Expr) {
        let algorithm = self.algorithm(algorithm);
        let bounds = self.eval_scalars(&[base, max]);
        let data = self.data(data);
        let kind = self.out_kind(target, None);
        if let [base, max] = bounds.as_slice() {
            let (base, max) = (base.clone(), max.clone());
            self.write_scalar(target, kind, |l, target| {
                l.emit(Stmt::Extern(ExternCall::Hash { target, algorithm, base, data, max }));
            });
        }
    }

    fn field_list(&mut self, list: &Expr) -> Option<u8> {
        let number = self.eval_number(list).and_then(|n| n.to_u8());
        if number.is_none() {
            self.error(codes::NOT_CONSTANT, list.span, "the field list number must be a constant");
        }
        number
    }

    fn digest(&mut self, data: &Expr, span: Span) {
        let ty = self.ty(&data.ty);
        let fields = self.data(data);
        let id = match self.digests.get(&ty) {
            Some(id) => *id,
            None => self.new_digest(&ty, span),
        };
        if self.block != BlockKind::Ingress {
            self.error(codes::BAD_EXTERN, span, "`digest` can be called only in the ingress control");
        }
        self.emit(Stmt::Extern(ExternCall::Digest { digest: id, fields }));
    }

    fn new_digest(&mut self, ty: &Type, span: Span) -> DigestId {
        let (fields, type_name) = self.components(ty, span);
        let unnamed = self.program.digests.iter().filter(|d| d.type_name.is_none()).count();
        let name = match ty {
            Type::Aggregate(..) => self.type_name(ty),
            _ => format!("digest_{unnamed}"),
        };
        // The annotations are those of the type, not of the digest.
        let position = self.digest_position();
        let preamble = ir::Preamble { name, position, ..ir::Preamble::default() };
        let id = DigestId(self.program.digests.len() as u32);
        let data = self.data_type(ty);
        self.program.types.digests.insert(id, data);
        self.program.digests.push(Digest { preamble, fields, type_name });
        self.digests.insert(ty.clone(), id);
        id
    }

    fn checksum(&mut self, name: &str, args: [&Expr; 4], span: Span) {
        let [condition, data, field, algorithm] = args;
        let algorithm = self.algorithm(algorithm);
        let condition = self.eval_scalar(condition);
        let data = self.data(data);
        let with_payload = name.ends_with("_with_payload");
        let verify = name.starts_with("verify");
        let kind = self.scalar_kind(&field.ty).unwrap_or(ir::ScalarKind::Unsigned(16));
        let target = match self.lvalue_of(field) {
            Some(LValue::Scalar(id)) => id,
            other => {
                let id = self.temporary("sum", kind);
                let value = match (&other, verify) {
                    (Some(lvalue), _) => self.load(lvalue),
                    (None, _) => self.eval(field),
                };
                self.assign(&LValue::Scalar(id), value, &field.ty, span);
                let sum = Checksum { condition, data, field: id, algorithm, with_payload };
                self.emit(Stmt::Extern(if verify {
                    ExternCall::VerifyChecksum(sum)
                } else {
                    ExternCall::UpdateChecksum(sum)
                }));
                if let (Some(lvalue), false) = (other, verify) {
                    let value = self.scalar(id);
                    self.store_scalar(&lvalue, value);
                }
                return;
            }
        };
        let sum = Checksum { condition, data, field: target, algorithm, with_payload };
        self.emit(Stmt::Extern(if verify {
            ExternCall::VerifyChecksum(sum)
        } else {
            ExternCall::UpdateChecksum(sum)
        }));
    }
}
