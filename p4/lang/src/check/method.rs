//! Methods: of headers, stacks, tables, parsers, controls and extern objects.

use num_bigint::BigInt;

use super::call::CallKind;
use super::{Checker, Enclosing, Entity};
use crate::diagnostic::{Diagnostic, codes, given, plural};
use crate::hir::{
    Call, Callee, Construct, Expr, ExprKind, HeaderMethod, Param, Signature, Type, TypeArgs, type_args,
};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{self, Arg, ExprKind as Ast, Ident};

impl Checker<'_> {
    pub(super) fn method_call(
        &mut self,
        base: &ast::Expr,
        method: &Ident,
        type_args: &[ast::Type],
        args: &[Arg],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        if let Ast::Name(path) = &base.kind
            && let Some(Entity::Table(id)) = self.find_entity(&path.ident.name)
        {
            return self.table_apply(id, method, args, span);
        }
        if let Some(ty) = self.as_type(base) {
            return self.type_method(ty, method, args, span);
        }
        let object = self.expr(base, None);
        let ty = self.zonk(&object.ty);
        if !matches!(ty, Type::Extern(..))
            && let Some(size) = self.size_method(&ty, method, args, span)
        {
            return size;
        }
        match &ty {
            Type::Bad => {
                for arg in args.iter().filter_map(|a| a.value.as_ref()) {
                    self.expr(arg, None);
                }
                Expr::bad(span)
            }
            Type::Extern(..) => self.extern_method(object, &ty, method, type_args, args, want, span),
            Type::Parser(..) | Type::Control(..) | Type::Arch(..) => {
                self.object_apply(object, &ty, method, args, span)
            }
            Type::Aggregate(..) | Type::Stack(..) => {
                self.header_method(object, base, &ty, method, args, span)
            }
            _ => self.no_member(&ty, method, &[]),
        }
    }

    fn table_apply(&mut self, id: crate::hir::TableId, method: &Ident, args: &[Arg], span: Span) -> Expr {
        if &*method.name != "apply" {
            let message = format!("a table has no method `{}`", method.name);
            self.error(codes::UNKNOWN_MEMBER, method.span, message);
            return Expr::bad(span);
        }
        if !args.is_empty() {
            self.error(codes::BAD_CALL, span, "the `apply` method of a table takes no arguments");
        }
        if self.context.bound {
            self.error(codes::MISPLACED, span, "tables cannot be applied in an action argument");
        } else if !matches!(self.context.enclosing, Enclosing::Apply | Enclosing::Table) {
            let message = "tables can be applied only in the `apply` block of a control";
            self.report(Diagnostic::error(codes::MISPLACED, span, message).label("not in an `apply` block"));
        }
        let call = Call { callee: Callee::Table(id), type_args: Vec::new(), args: Vec::new() };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Type::ApplyResult(id), span }
    }

    /// Checks `Type.apply(...)` and `Type.minSizeInBits()`.
    fn type_method(&mut self, ty: Type, method: &Ident, args: &[Arg], span: Span) -> Expr {
        if let Some(size) = self.size_method(&ty, method, args, span) {
            return size;
        }
        match &ty {
            Type::Bad => Expr::bad(span),
            Type::Parser(..) | Type::Control(..) if &*method.name == "apply" => {
                let needs = match &ty {
                    Type::Parser(id, _) => {
                        self.module.parsers.get(id.index()).map_or(0, |p| p.constructor.len())
                    }
                    Type::Control(id, _) => {
                        self.module.controls.get(id.index()).map_or(0, |c| c.constructor.len())
                    }
                    _ => 0,
                };
                if needs > 0 {
                    let message = format!(
                        "`{}` takes constructor arguments and must be instantiated first",
                        self.show(&ty)
                    );
                    self.error(codes::BAD_CALL, span, message);
                    return Expr::bad(span);
                }
                let construct = Construct { constructor: 0, args: Vec::new() };
                let object = Expr { kind: ExprKind::Construct(Box::new(construct)), ty: ty.clone(), span };
                self.object_apply(object, &ty, method, args, span)
            }
            _ => self.no_member(&ty, method, &[]),
        }
    }

    fn object_apply(&mut self, object: Expr, ty: &Type, method: &Ident, args: &[Arg], span: Span) -> Expr {
        let Some((name, params, is_parser, decl_span)) = self.apply_params(ty) else {
            return Expr::bad(span);
        };
        if &*method.name != "apply" {
            return self.no_member(ty, method, &["apply"]);
        }
        let allowed = if is_parser { Enclosing::State } else { Enclosing::Apply };
        if self.context.enclosing != allowed {
            let message = if is_parser {
                "parsers can be applied only in parser states"
            } else {
                "controls can be applied only in the `apply` block of a control"
            };
            self.error(codes::MISPLACED, span, message);
        }
        let signature = Signature {
            name: Name::from(format!("{name}.apply")),
            type_params: Vec::new(),
            params,
            result: Type::Void,
            span: decl_span,
            annotations: std::rc::Rc::default(),
        };
        if self.choose(&[&signature], args, &signature.name.clone(), span).is_none() {
            return Expr::bad(span);
        }
        let (args, _, _) =
            self.apply_signature(&signature, TypeArgs::new(), &[], args, None, CallKind::Plain, span);
        let call = Call { callee: Callee::Apply(object), type_args: Vec::new(), args };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Type::Void, span }
    }

    /// Returns name, parameters and location of the `apply` method of an object, and whether it is a parser.
    fn apply_params(&self, ty: &Type) -> Option<(Name, Vec<Param>, bool, Span)> {
        let module = &self.module;
        let (name, type_params, params, is_parser, span, args) = match ty {
            Type::Parser(id, args) => {
                let p = module.parsers.get(id.index())?;
                (&p.name, &p.type_params, &p.params, true, p.span, args)
            }
            Type::Control(id, args) => {
                let c = module.controls.get(id.index())?;
                (&c.name, &c.type_params, &c.params, false, c.span, args)
            }
            Type::Arch(id, args) => {
                let a = module.arch_types.get(id.index())?;
                (&a.name, &a.type_params, &a.params, a.is_parser, a.span, args)
            }
            _ => return None,
        };
        let types = type_args(type_params, args);
        let params = params.iter().map(|p| Param { ty: p.ty.substitute(&types), ..p.clone() }).collect();
        Some((name.clone(), params, is_parser, span))
    }

    #[allow(clippy::too_many_arguments, reason = "they are the parts of a call")]
    fn extern_method(
        &mut self,
        object: Expr,
        ty: &Type,
        method: &Ident,
        type_args: &[ast::Type],
        args: &[Arg],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let Type::Extern(id, targs) = ty else { return Expr::bad(span) };
        let Some(decl) = self.module.externs.get(id.index()) else { return Expr::bad(span) };
        let outer: TypeArgs = decl.type_params.iter().copied().zip(targs.iter().cloned()).collect();
        let mut all = decl.methods.clone();
        // Abstract methods follow the others.
        all.extend(decl.abstract_methods.iter().cloned());
        let extern_name = decl.name.clone();
        let candidates: Vec<usize> = (0..all.len()).filter(|i| all[*i].name == method.name).collect();
        if candidates.is_empty() {
            let names: Vec<&str> = all.iter().map(|m| &*m.name).collect();
            return self.no_member(ty, method, &names);
        }
        let refs: Vec<&Signature> = candidates.iter().map(|i| &all[*i]).collect();
        let Some(chosen) = self.choose(&refs, args, &method.name, span) else {
            return Expr::bad(span);
        };
        let index = candidates[chosen];
        let signature = all[index].clone();
        self.check_method_place(&extern_name, &signature, &object, span);
        let open = self.is_open(ty);
        let (args, targs, result) =
            self.apply_signature(&signature, outer, type_args, args, want, CallKind::Plain, span);
        if open {
            let message = format!("cannot infer the type arguments of `{}`", self.show(ty));
            self.error(codes::CANNOT_INFER, span, message);
        }
        self.check_widths(&targs, &args, span);
        self.check_method_call(&extern_name, &signature, &args, &targs, span);
        let call = Call { callee: Callee::Method { object, method: index }, type_args: targs, args };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: result, span }
    }

    fn header_method(
        &mut self,
        object: Expr,
        base: &ast::Expr,
        ty: &Type,
        method: &Ident,
        args: &[Arg],
        span: Span,
    ) -> Expr {
        let is_stack = matches!(ty, Type::Stack(..)) && !self.module.is_array(ty);
        let header = self.module.is_header(ty);
        let union = self.is_union(ty);
        let (kind, result, count) = match &*method.name {
            "isValid" if header || union => (HeaderMethod::IsValid, Type::Bool, 0),
            "setValid" if header => (HeaderMethod::SetValid, Type::Void, 0),
            "setInvalid" if header => (HeaderMethod::SetInvalid, Type::Void, 0),
            "push_front" if is_stack => (HeaderMethod::PushFront, Type::Void, 1),
            "pop_front" if is_stack => (HeaderMethod::PopFront, Type::Void, 1),
            _ => {
                let names: &[&str] = match (header, union, is_stack) {
                    (true, _, _) => &["isValid", "setValid", "setInvalid"],
                    (_, true, _) => &["isValid"],
                    (_, _, true) => &["push_front", "pop_front"],
                    _ => &[],
                };
                return self.no_member(ty, method, names);
            }
        };
        if args.len() != count {
            let message =
                format!("`{}` takes {}, but {}", method.name, plural(count, "argument"), given(args.len()));
            self.error(codes::BAD_CALL, span, message);
            return Expr::bad(span);
        }
        if kind != HeaderMethod::IsValid {
            self.check_lvalue(&object, Some(base));
        }
        let mut values = Vec::new();
        if let Some(value) = args.first().and_then(|a| a.value.as_ref()) {
            let count = self.constant_int(value, "the number of elements");
            if count.as_ref().is_some_and(|c| *c < BigInt::from(0)) {
                self.error(codes::OUT_OF_RANGE, value.span, "the number of elements must not be negative");
            }
            let kind = ExprKind::Int(count.unwrap_or_default());
            values.push(Some(Expr { kind, ty: Type::Int, span: value.span }));
        }
        let call = Call { callee: Callee::Header(kind, object), type_args: Vec::new(), args: values };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: result, span }
    }

    /// Checks `minSizeInBits()` and related methods, which every type of known size has.
    fn size_method(&mut self, ty: &Type, method: &Ident, args: &[Arg], span: Span) -> Option<Expr> {
        let (largest, bytes) = match &*method.name {
            "minSizeInBits" => (false, false),
            "minSizeInBytes" => (false, true),
            "maxSizeInBits" => (true, false),
            "maxSizeInBytes" => (true, true),
            _ => return None,
        };
        if !args.is_empty() {
            let message = format!("`{}` takes no arguments", method.name);
            self.error(codes::BAD_CALL, span, message);
        }
        let Some(bits) = self.size_in_bits(ty, largest) else {
            if !ty.is_bad() {
                let message = format!("the size of `{}` is not defined", self.show(ty));
                self.error(codes::UNKNOWN_MEMBER, method.span, message);
            }
            return Some(Expr::bad(span));
        };
        let size = if bytes { bits.div_ceil(8) } else { bits };
        Some(Expr { kind: ExprKind::Int(size.into()), ty: Type::Int, span })
    }

    /// Returns the minimum or maximum number of bits of a value on the wire.
    pub(super) fn size_in_bits(&self, ty: &Type, largest: bool) -> Option<u64> {
        match ty {
            Type::Bit(w) | Type::Signed(w) => Some(u64::from(*w)),
            Type::Varbit(w) => Some(if largest { u64::from(*w) } else { 0 }),
            Type::Bool => Some(1),
            Type::New(_) => self.size_in_bits(&self.module.underlying(ty), largest),
            Type::Enum(_) => {
                let repr = self.module.representation(ty);
                if repr == *ty { None } else { self.size_in_bits(&repr, largest) }
            }
            Type::Stack(of, n) => Some(self.size_in_bits(of, largest)? * u64::from(*n)),
            _ => {
                let fields = self.module.fields(ty)?;
                let sizes: Option<Vec<u64>> =
                    fields.iter().map(|(_, t)| self.size_in_bits(t, largest)).collect();
                let sizes = sizes?;
                Some(if self.module.is_union(ty) {
                    let pick = if largest { sizes.iter().max() } else { sizes.iter().min() };
                    pick.copied().unwrap_or(0)
                } else {
                    sizes.iter().sum()
                })
            }
        }
    }
}
