//! Calls: overload resolution and argument checking.

use super::{Checker, Enclosing, Entity, FunctionRef};
use crate::diagnostic::{Diagnostic, codes, given, plural};
use crate::hir::{Call, Callee, Expr, ExprKind, Param, Signature, Type, TypeArgs, TypeParamId};
use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{self, Arg, Direction, ExprKind as Ast};

/// What the arguments of a call are for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallKind {
    /// A function, method or action.
    Plain,
    /// A constructor: all arguments are known at compile time. A mismatched object is reported at the declaration of
    /// the constructor, if it is in the program.
    Constructor(Option<Span>),
}

impl Checker<'_> {
    pub(super) fn call(
        &mut self,
        callee: &ast::Expr,
        type_args: &[ast::Type],
        args: &[Arg],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        match &callee.kind {
            Ast::Member(base, method) => self.method_call(base, method, type_args, args, want, span),
            Ast::Type(written) => {
                let ty = self.constructed_type(written);
                let open = self.context.open_types || super::construct::leaves_open(written);
                let outer = std::mem::replace(&mut self.context.open_types, open);
                let value = self.construct_value(ty, args, want, span);
                self.context.open_types = outer;
                value
            }
            Ast::Name(path) => match self.lookup(path) {
                None => {
                    for arg in args {
                        if let Some(value) = &arg.value {
                            self.expr(value, None);
                        }
                    }
                    Expr::bad(span)
                }
                Some(Entity::Functions(list)) => {
                    self.function_call(&list, &path.ident.name, type_args, args, want, span)
                }
                Some(Entity::Action(id)) => {
                    if !type_args.is_empty() {
                        self.error(codes::BAD_TYPE_ARGUMENTS, span, "actions take no type arguments");
                    }
                    self.action_call(id, args, span)
                }
                Some(Entity::Type(_)) => match self.as_type(callee) {
                    Some(ty) => self.construct_value(ty, args, want, span),
                    None => Expr::bad(span),
                },
                Some(_) => {
                    let message = format!("`{}` is not callable", path.ident.name);
                    self.error(codes::BAD_CALL, callee.span, message);
                    Expr::bad(span)
                }
            },
            _ => {
                self.expr(callee, None);
                self.error(codes::BAD_CALL, callee.span, "expression is not callable");
                Expr::bad(span)
            }
        }
    }

    fn function_call(
        &mut self,
        list: &[FunctionRef],
        name: &Name,
        type_args: &[ast::Type],
        args: &[Arg],
        want: Option<&Type>,
        span: Span,
    ) -> Expr {
        let signatures: Vec<Signature> = list.iter().filter_map(|f| self.function_signature(*f)).collect();
        let refs: Vec<&Signature> = signatures.iter().collect();
        let Some(index) = self.choose(&refs, args, name, span) else {
            return Expr::bad(span);
        };
        let signature = signatures[index].clone();
        self.check_function_place(list[index], &signature, span);
        self.deprecated(&signature, span);
        let (args, targs, result) =
            self.apply_signature(&signature, TypeArgs::new(), type_args, args, want, CallKind::Plain, span);
        if let FunctionRef::Extern(_) = list[index]
            && &*signature.name == "static_assert"
        {
            return self.static_assert(&args, span);
        }
        let callee = match list[index] {
            FunctionRef::Function(id) => Callee::Function(id),
            FunctionRef::Extern(id) => Callee::ExternFunction(id),
        };
        self.check_widths(&targs, &args, span);
        self.check_string_params(&signature, &targs, span);
        if let FunctionRef::Extern(_) = list[index] {
            self.check_extern_call(&signature, &args, span);
        }
        let call = Call { callee, type_args: targs, args };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: result, span }
    }

    fn function_signature(&self, function: FunctionRef) -> Option<Signature> {
        match function {
            FunctionRef::Function(id) => self.module.functions.get(id.index()).map(|f| f.signature.clone()),
            FunctionRef::Extern(id) => {
                self.module.extern_functions.get(id.index()).map(|f| f.signature.clone())
            }
        }
    }

    fn static_assert(&mut self, args: &[Option<Expr>], span: Span) -> Expr {
        let condition = args.first().and_then(Option::as_ref).map(|e| e.kind.clone());
        match condition {
            Some(ExprKind::Bool(true)) | Some(ExprKind::Bad) | None => {}
            Some(ExprKind::Bool(false)) => {
                let text = match args.get(1).and_then(Option::as_ref).map(|e| e.kind.clone()) {
                    Some(ExprKind::Str(text)) => format!("static assertion failed: {text}"),
                    _ => "static assertion failed".to_owned(),
                };
                self.error(codes::USER_ERROR, span, text);
            }
            Some(_) => {
                let message = "the condition of `static_assert` is not a constant";
                self.error(codes::NOT_CONSTANT, span, message);
            }
        }
        Expr { kind: ExprKind::Bool(true), ty: Type::Bool, span }
    }

    /// Chooses the declaration that accepts these arguments, by their number and names.
    pub(super) fn choose(
        &mut self,
        list: &[&Signature],
        args: &[Arg],
        name: &str,
        span: Span,
    ) -> Option<usize> {
        let takes = |s: &Signature| {
            let required = s.params.iter().filter(|p| p.default.is_none() && !p.optional).count();
            let count = (required..=s.params.len()).contains(&args.len());
            count
                && args
                    .iter()
                    .all(|a| a.name.as_ref().is_none_or(|n| s.params.iter().any(|p| p.name == n.name)))
        };
        let fitting: Vec<usize> = (0..list.len()).filter(|i| takes(list[*i])).collect();
        match fitting.as_slice() {
            [one] => Some(*one),
            [first, ..] => {
                let chosen = self.choose_by_type(list, &fitting, args).unwrap_or(*first);
                let twin = fitting.iter().find(|i| {
                    **i != chosen
                        && indistinguishable(list[**i], list[chosen])
                        && args.iter().all(|a| a.name.is_none())
                });
                if let Some(twin) = twin {
                    self.report(
                        Diagnostic::error(codes::BAD_CALL, span, format!("call of `{name}` is ambiguous"))
                            .also(list[chosen].span, "one candidate")
                            .also(list[*twin].span, "another candidate")
                            .help("use named arguments to select one"),
                    );
                    return None;
                }
                Some(chosen)
            }
            [] => {
                let mut counts: Vec<usize> = list.iter().map(|s| s.params.len()).collect();
                counts.sort_unstable();
                counts.dedup();
                let wanted: Vec<String> = counts.iter().map(ToString::to_string).collect();
                let mut diagnostic = Diagnostic::error(
                    codes::BAD_CALL,
                    span,
                    format!(
                        "`{name}` takes {} argument{}, but {}",
                        wanted.join(" or "),
                        if wanted == ["1"] { "" } else { "s" },
                        given(args.len())
                    ),
                );
                if list.is_empty() {
                    diagnostic.message =
                        format!("`{name}` has no constructor; the architecture provides its objects");
                }
                let takes = |n: &&ast::Ident| list.iter().any(|s| s.params.iter().any(|p| p.name == n.name));
                let unknown = args.iter().filter_map(|a| a.name.as_ref()).find(|n| !takes(n));
                if let Some(unknown) = unknown {
                    diagnostic.message = format!("`{name}` has no parameter `{}`", unknown.name);
                } else if counts.contains(&args.len()) && args.iter().any(|a| a.name.is_some()) {
                    diagnostic.message =
                        format!("no overload of `{name}` takes this combination of arguments");
                }
                if let [only] = list {
                    diagnostic = diagnostic.also(only.span, "declared here");
                }
                diagnostic = self.hint_at_result(diagnostic, list, args.len());
                self.report(diagnostic);
                None
            }
        }
    }

    /// Chooses among candidates with the same number of parameters, by the types of the arguments that have one.
    fn choose_by_type(&mut self, list: &[&Signature], fitting: &[usize], args: &[Arg]) -> Option<usize> {
        let before = self.sink.mark();
        let types: Vec<Option<Type>> =
            args.iter().map(|a| a.value.as_ref().map(|v| self.expr(v, None).ty)).collect();
        self.sink.rewind(before);
        fitting.iter().copied().find(|i| {
            list[*i].params.iter().zip(&types).all(|(p, ty)| match (&p.ty, ty) {
                (Type::Bit(_) | Type::Signed(_), Some(Type::Int)) => true,
                (want, Some(found)) => want == found || want.any(&mut |t| matches!(t, Type::Param(_))),
                (_, None) => true,
            })
        })
    }

    /// Matches arguments with parameters, infers the type arguments and converts the arguments. Returns one argument
    /// per parameter, the type arguments and the result type.
    #[allow(clippy::too_many_arguments, reason = "they are the parts of a call")]
    pub(super) fn apply_signature(
        &mut self,
        signature: &Signature,
        outer: TypeArgs,
        type_args: &[ast::Type],
        args: &[Arg],
        want: Option<&Type>,
        kind: CallKind,
        span: Span,
    ) -> (Vec<Option<Expr>>, Vec<Type>, Type) {
        let mut types = outer;
        let own = self.explicit_type_args(&signature.type_params, type_args, &signature.name, span);
        types.extend(own.clone());
        let values = self.match_args(&signature.params, &signature.name, args, &types, kind, span);
        let result = signature.result.substitute(&types);
        if self.is_open(&result)
            && let Some(want) = want
            && !matches!(self.zonk(want), Type::Bad)
        {
            let want = want.clone();
            self.unify(&result, &want);
        }
        let mut inferred = Vec::new();
        for param in &signature.type_params {
            let ty = own.get(param).map_or(Type::Bad, |t| self.zonk(t));
            let open = ty.any(&mut |t| matches!(t, Type::Var(_)));
            let wanted = !only_in_omitted(*param, signature, &values);
            if open && wanted && !values.iter().flatten().any(|v| v.ty.is_bad()) {
                let name = self.show(&Type::Param(*param));
                let message = format!("cannot infer type parameter `{name}` of `{}`", signature.name);
                self.error(codes::CANNOT_INFER, span, message);
            }
            inferred.push(match (open, wanted) {
                (false, _) => ty,
                (true, true) => Type::Bad,
                (true, false) => Type::Void,
            });
        }
        self.warn_overlapping_arguments(&signature.params, &values);
        let result = self.zonk(&result);
        let result = if self.is_open(&result) { Type::Bad } else { result };
        let values = values.into_iter().map(|v| v.map(|v| self.zonk_expr(v))).collect();
        (values, inferred, result)
    }

    /// Substitutes the inferred types in a checked argument.
    pub(super) fn zonk_expr(&self, value: Expr) -> Expr {
        Expr { ty: self.zonk(&value.ty), ..value }
    }

    fn explicit_type_args(
        &mut self,
        params: &[TypeParamId],
        written: &[ast::Type],
        name: &str,
        span: Span,
    ) -> TypeArgs {
        if written.is_empty() {
            return self.fresh_args(params);
        }
        if written.len() != params.len() {
            let message = format!(
                "`{name}` takes {}, but {}",
                plural(params.len(), "type argument"),
                given(written.len())
            );
            self.error(codes::BAD_TYPE_ARGUMENTS, span, message);
            return self.fresh_args(params);
        }
        params.iter().copied().zip(written.iter().map(|t| self.ty(t))).collect()
    }

    /// Checks the argument of each parameter. Arguments with a type of their own are unified before literals and lists.
    fn match_args(
        &mut self,
        params: &[Param],
        callee: &str,
        args: &[Arg],
        types: &TypeArgs,
        kind: CallKind,
        span: Span,
    ) -> Vec<Option<Expr>> {
        let slots = self.assign_slots(params, callee, args, span);
        let mut values: Vec<Option<Expr>> = Vec::new();
        for (param, slot) in params.iter().zip(&slots) {
            let ty = param.ty.substitute(types);
            let value = slot.and_then(|a| a.value.as_ref()).map(|v| self.expr(v, Some(&ty)));
            values.push(value);
        }
        // Arguments with a definite type determine type parameters before literals and lists do.
        for definite in [true, false] {
            for ((param, slot), arg) in params.iter().zip(values.iter_mut()).zip(&slots) {
                let Some(value) = slot.as_ref() else { continue };
                let ty = param.ty.substitute(types);
                let vague = matches!(value.ty, Type::Int | Type::Seq(_) | Type::Record(_) | Type::Untyped);
                if vague == definite {
                    continue;
                }
                let value = value.clone();
                let written = arg.and_then(|a| a.value.as_ref());
                *slot = Some(self.argument(param, value, written, &ty, kind));
            }
        }
        for (param, (value, slot)) in params.iter().zip(values.iter_mut().zip(&slots)) {
            if value.is_some() {
                continue;
            }
            match (slot, &param.default) {
                (Some(arg), _) if param.direction != Direction::Out && !param.optional => {
                    let message = "`_` is allowed only for an `out` parameter";
                    self.error(codes::BAD_CALL, arg.span, message);
                }
                (None, Some(default)) => *value = Some(self.default_argument(param, default, types, span)),
                _ => {}
            }
        }
        values
    }

    /// Returns the default value of a parameter, whose type may depend on inferred type arguments.
    fn default_argument(&mut self, param: &Param, default: &Expr, types: &TypeArgs, span: Span) -> Expr {
        let value = Expr { ty: default.ty.substitute(types), ..default.clone() };
        if self.is_object(&value.ty) && !self.unify(&value.ty, &param.ty.substitute(types)) {
            let (found, want) = (self.show(&value.ty), self.show(&param.ty.substitute(types)));
            let message = format!("the default of `{}` has type `{found}`, expected `{want}`", param.name);
            self.report(
                Diagnostic::error(codes::TYPE_MISMATCH, span, message)
                    .also(default.span, "the default value"),
            );
        }
        value
    }

    fn assign_slots<'a>(
        &mut self,
        params: &[Param],
        callee: &str,
        args: &'a [Arg],
        span: Span,
    ) -> Vec<Option<&'a Arg>> {
        let mut slots: Vec<Option<&Arg>> = vec![None; params.len()];
        let named = args.iter().filter(|a| a.name.is_some()).count();
        if named > 0 && named < args.len() {
            self.error(codes::BAD_CALL, span, "named and positional arguments cannot be mixed");
        }
        for (i, arg) in args.iter().enumerate() {
            let position = match &arg.name {
                Some(name) => params.iter().position(|p| p.name == name.name),
                None => Some(i),
            };
            match position.and_then(|p| slots.get_mut(p)) {
                Some(slot @ None) => *slot = Some(arg),
                Some(Some(_)) => {
                    self.error(codes::BAD_CALL, arg.span, "argument is given more than once");
                }
                None => {
                    let message = format!("`{callee}` has no parameter for this argument");
                    self.error(codes::BAD_CALL, arg.span, message);
                }
            }
        }
        for (param, slot) in params.iter().zip(&slots) {
            if slot.is_none() && param.default.is_none() && !param.optional {
                let message = format!("missing argument for parameter `{}`", param.name);
                self.report(
                    Diagnostic::error(codes::BAD_CALL, span, message).also(param.span, "declared here"),
                );
            }
        }
        slots
    }

    /// Checks an argument against its parameter.
    fn argument(
        &mut self,
        param: &Param,
        value: Expr,
        written: Option<&ast::Expr>,
        ty: &Type,
        kind: CallKind,
    ) -> Expr {
        let span = value.span;
        match param.direction {
            Direction::Out | Direction::InOut => {
                let before = self.sink.mark();
                self.check_lvalue(&value, written);
                if self.sink.reported_since(before) {
                    return Expr::bad(span);
                }
                if !self.unify(&value.ty, ty) {
                    let (found, want) = (self.show(&value.ty), self.show(ty));
                    self.report(
                        Diagnostic::error(
                            codes::TYPE_MISMATCH,
                            span,
                            format!("expected `{want}`, found `{found}`"),
                        )
                        .label(format!("has type `{found}`"))
                        .note("arguments for `out` and `inout` parameters are never converted"),
                    );
                    return Expr::bad(span);
                }
                value
            }
            Direction::In if matches!(self.zonk(ty), Type::Var(_)) && matches!(value.ty, Type::Record(_)) => {
                self.untyped_record(value)
            }
            Direction::In => self.coerce(value, ty),
            Direction::None => {
                let CallKind::Constructor(declared) = kind else {
                    return self.data_argument(value, ty);
                };
                let value = match declared {
                    Some(declared) => self.reported_at(declared, "declared here", |c| c.coerce(value, ty)),
                    None => self.coerce(value, ty),
                };
                self.require_known(&value);
                value
            }
        }
    }

    /// Checks an argument for a directionless parameter: data, or an object of the architecture.
    fn data_argument(&mut self, value: Expr, ty: &Type) -> Expr {
        if matches!(value.ty, Type::Parser(..) | Type::Control(..) | Type::Package(..)) {
            let message = format!("`{}` cannot be passed as an argument", self.show(&value.ty));
            self.error(codes::BAD_TYPE, value.span, message);
            return Expr::bad(value.span);
        }
        let wanted = self.zonk(ty);
        if matches!(wanted, Type::Var(_)) && matches!(value.ty, Type::Record(_)) {
            return self.untyped_record(value);
        }
        // An extern may take a number of any width.
        if wanted == Type::Int && value.ty.fixed_width().is_some() {
            return value;
        }
        self.coerce(value, ty)
    }

    /// Reports a record expression whose struct type cannot be inferred.
    fn untyped_record(&mut self, value: Expr) -> Expr {
        self.report(
            Diagnostic::error(
                codes::CANNOT_INFER,
                value.span,
                "cannot infer the struct type of this expression",
            )
            .help("add a cast: `(struct_type) {name = value}`"),
        );
        Expr::bad(value.span)
    }

    /// Reports a value that is not known at compile time.
    pub(super) fn require_known(&mut self, value: &Expr) {
        if !self.is_known(value) {
            let message = "value is not known at compile time";
            self.error(codes::NOT_CONSTANT, value.span, message);
        }
    }

    /// Returns whether a value is a constant, an object, or computed from constructor parameters.
    pub(super) fn is_known(&self, value: &Expr) -> bool {
        use crate::hir::VarKind;
        match &value.kind {
            ExprKind::Var(id) => self.module.vars.get(id.index()).is_some_and(|v| {
                matches!(v.kind, VarKind::ConstructorParam | VarKind::Instance | VarKind::Const(_))
            }),
            ExprKind::Construct(_) => true,
            ExprKind::Call(call) => self.is_compile_time_call(call),
            ExprKind::Items(items) => items.iter().all(|i| self.is_known(i)),
            ExprKind::Cast(of) | ExprKind::Unary(_, of) | ExprKind::Slice(of, _, _) => self.is_known(of),
            ExprKind::Field(of, _) => self.is_known(of),
            ExprKind::Binary(_, a, b) => self.is_known(a) && self.is_known(b),
            ExprKind::Mux(a, b, c) => self.is_known(a) && self.is_known(b) && self.is_known(c),
            _ => value.is_const(),
        }
    }

    /// Returns whether a call is evaluated at compile time: a call of an extern function that returns an object, or of
    /// a pure function with known arguments.
    fn is_compile_time_call(&self, call: &Call) -> bool {
        let Callee::ExternFunction(id) = call.callee else { return false };
        let Some(function) = self.module.extern_functions.get(id.index()) else { return false };
        let signature = &function.signature;
        let pure = signature.annotations.iter().any(|a| &*a.name.name == "pure");
        (pure || matches!(signature.result, Type::Extern(..)))
            && call.args.iter().flatten().all(|arg| self.is_known(arg))
    }

    fn action_call(&mut self, id: crate::hir::ActionId, args: &[Arg], span: Span) -> Expr {
        let Some(action) = self.module.actions.get(id.index()) else { return Expr::bad(span) };
        let signature = Signature {
            name: action.name.clone(),
            type_params: Vec::new(),
            params: action.params.clone(),
            result: Type::Void,
            span: action.span,
            annotations: action.annotations.clone(),
        };
        if !matches!(self.context.enclosing, Enclosing::Apply | Enclosing::Action) {
            self.error(codes::MISPLACED, span, "actions can be called only in controls and actions");
        }
        if self.choose(&[&signature], args, &signature.name.clone(), span).is_none() {
            return Expr::bad(span);
        }
        let (args, _, _) =
            self.apply_signature(&signature, TypeArgs::new(), &[], args, None, CallKind::Plain, span);
        let call = Call { callee: Callee::Action(id), type_args: Vec::new(), args };
        Expr { kind: ExprKind::Call(Box::new(call)), ty: Type::Void, span }
    }

    /// Warns about the use of a declaration marked `@deprecated`.
    pub(super) fn deprecated(&mut self, signature: &Signature, span: Span) {
        let Some(annotation) = signature.annotations.iter().find(|a| &*a.name.name == "deprecated") else {
            return;
        };
        let mut diagnostic =
            Diagnostic::warning(codes::DEPRECATED, span, format!("`{}` is deprecated", signature.name));
        if let ast::AnnotationBody::Tokens(tokens) = &annotation.body
            && let Some(crate::lex::Tok::Str(text)) = tokens.first().map(|t| &t.tok)
        {
            diagnostic = diagnostic.note(text.to_string());
        }
        self.report(diagnostic);
    }
}

/// Returns whether a type parameter occurs only in optional parameters without an argument.
pub(super) fn only_in_omitted(param: TypeParamId, signature: &Signature, args: &[Option<Expr>]) -> bool {
    let mut mentioned = signature
        .params
        .iter()
        .zip(args)
        .filter(|(p, _)| p.ty.any(&mut |t| *t == Type::Param(param)))
        .peekable();
    mentioned.peek().is_some() && mentioned.all(|(p, arg)| p.optional && arg.is_none())
}

/// Returns whether two declarations cannot be distinguished by positional arguments.
fn indistinguishable(a: &Signature, b: &Signature) -> bool {
    let blank = |signature: &Signature| -> Vec<(Direction, Type)> {
        let position = |id: &TypeParamId| signature.type_params.iter().position(|p| p == id);
        let generic = |ty: &Type| match ty {
            Type::Param(id) => position(id).map(|p| Type::Var(p as u32)),
            _ => None,
        };
        signature.params.iter().map(|p| (p.direction, p.ty.map(&mut { generic }))).collect()
    };
    blank(a) == blank(b)
}
