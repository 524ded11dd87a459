//! `packet_in` and `packet_out`.

use super::super::lvalue::LValue;
use super::super::value::{HeaderVal, Val};
use super::super::{Lowerer, build};
use crate::hir::{Expr, Type};
use crate::ir::{self, ExprKind, HeaderRef, ScalarKind, Stmt};
use crate::source::Span;

impl Lowerer<'_> {
    pub(super) fn packet_method(
        &mut self,
        method: &str,
        args: &[Option<Expr>],
        ty: &Type,
        span: Span,
    ) -> Val {
        match method {
            "extract" => {
                self.extract(args, span);
                Val::Void
            }
            "lookahead" => {
                if self.has_union(ty) {
                    self.unsupported(span, "the type argument of `lookahead` must not have a header union");
                    return self.default_value(ty);
                }
                let kinds = self.flat_kinds(ty);
                if kinds.iter().any(|k| matches!(k, ScalarKind::Varbit(_))) {
                    self.unsupported(span, "the type argument of `lookahead` must have a fixed size");
                }
                let mut offset_bits = 0;
                let mut parts = Vec::new();
                for kind in kinds {
                    parts.push(ir::Expr { kind: ExprKind::Lookahead { offset_bits }, ty: kind });
                    offset_bits += kind.width();
                }
                // Reading the last bits now makes a short packet fail here, even if the value is not used.
                if let Some(last) = parts.last_mut() {
                    let read = self.temporary("ahead", last.ty);
                    self.emit(Stmt::Assign(read, last.clone()));
                    *last = self.scalar(read);
                }
                self.rebuild(ty, &mut parts.into_iter())
            }
            "advance" => {
                if let Some(Some(arg)) = args.first() {
                    let bits = self.eval_scalar(arg);
                    self.emit(Stmt::Advance(bits));
                }
                Val::Void
            }
            "length" => Val::Scalar(ir::Expr { kind: ExprKind::PacketLength, ty: ScalarKind::Unsigned(32) }),
            "emit" => {
                if let Some(Some(arg)) = args.first() {
                    let value = self.eval(arg);
                    self.emit_value(value, &arg.ty, span);
                }
                Val::Void
            }
            _ => {
                self.unsupported(span, "unknown packet method");
                Val::Void
            }
        }
    }

    /// Returns whether a type is or contains a header union: its size does not tell which member follows.
    fn has_union(&self, ty: &Type) -> bool {
        let ty = self.ty(ty);
        match &ty {
            Type::Stack(of, _) => self.has_union(of),
            _ if self.module.is_union(&ty) => true,
            _ => {
                self.module.fields(&ty).is_some_and(|fields| fields.iter().any(|(_, ty)| self.has_union(ty)))
            }
        }
    }

    fn extract(&mut self, args: &[Option<Expr>], span: Span) {
        let lvalue = match args.first() {
            Some(Some(arg)) => self.lvalue_of(arg),
            _ => None,
        };
        let Some(LValue::Header(header)) = lvalue else {
            self.unsupported(span, "the argument of `extract` must be a header");
            return;
        };
        match args.get(1) {
            Some(Some(size)) => {
                let bits = self.eval_scalar(size);
                self.emit(Stmt::ExtractVarbit(header, bits));
            }
            _ => self.emit(Stmt::Extract(header)),
        }
    }

    fn emit_value(&mut self, value: Val, ty: &Type, span: Span) {
        match value {
            Val::Header(HeaderVal::Ref(header)) => self.emit(Stmt::Emit(header)),
            Val::Header(HeaderVal::Literal { .. }) => {
                if let Val::Header(HeaderVal::Ref(header)) = self.materialize(value, ty, span) {
                    self.emit(Stmt::Emit(header));
                }
            }
            Val::Whole(LValue::UnionElement { stack, index }) => {
                for header in self.members(&LValue::UnionElement { stack, index }) {
                    self.emit(Stmt::Emit(header));
                }
            }
            Val::Struct(_) | Val::Whole(_) | Val::Elements(_) => {
                let ty = self.ty(ty);
                let types: Vec<Type> = match &ty {
                    Type::Stack(of, n) => vec![(**of).clone(); *n as usize],
                    _ => self.module.fields(&ty).unwrap_or_default().into_iter().map(|(_, t)| t).collect(),
                };
                for (part, ty) in self.parts(&value).into_iter().zip(types) {
                    self.emit_value(part, &ty, span);
                }
            }
            _ => self.unsupported(span, "the argument of `emit` must consist of headers"),
        }
    }

    /// Allocates a header for an unused `out` argument, which must still be extracted.
    pub(super) fn unused_header(&mut self, ty: &Type) -> Option<HeaderRef> {
        match self.allocate(ty, "$skipped") {
            LValue::Header(header) => Some(header),
            _ => None,
        }
    }

    /// Lowers the extraction into `_`.
    pub(super) fn extract_unused(&mut self, ty: &Type, size: Option<&Expr>, span: Span) {
        let Some(header) = self.unused_header(ty) else {
            self.unsupported(span, "the argument of `extract` must be a header");
            return;
        };
        match size {
            Some(size) => {
                let bits = self.eval_scalar(size);
                self.emit(Stmt::ExtractVarbit(header, bits));
            }
            None => self.emit(Stmt::Extract(header)),
        }
    }

    /// Returns whether an expression is the constant 1.
    pub(super) fn always(expr: &ir::Expr) -> bool {
        build::value_of(expr).is_some_and(|v| v != 0.into())
    }
}
