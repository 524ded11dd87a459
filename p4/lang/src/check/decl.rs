//! Top-level declarations.

use std::rc::Rc;

use super::params::ParamsOf;
use super::{Checker, Context, Enclosing, Entity, FunctionRef, TypeEntity, share};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{
    Action, ActionId, Aggregate, AggregateId, ArchType, ArchTypeId, Expr, ExprKind, Extern, ExternFunction,
    ExternFunctionId, ExternId, Field, Function, FunctionId, Instance, NewType, NewTypeId, PackageId, Param,
    Signature, Type, TypeParamId, VarKind,
};
use crate::source::Span;
use crate::syntax::ast::{self, AggregateKind, Annotations, DeclKind, Direction, Ident, Prototype};

impl Checker<'_> {
    pub(super) fn top_level(&mut self, decl: &ast::Decl) {
        self.record_suppressions(decl);
        match &decl.kind {
            DeclKind::Variable(v) if v.is_const => self.constant(v),
            DeclKind::Variable(v) => {
                self.error(
                    codes::MISPLACED,
                    v.name.span,
                    "variables can be declared only in parsers, controls and functions",
                );
            }
            DeclKind::Instance(i) => {
                if let Some(instance) = self.instance(i) {
                    self.check_top_instance(&instance);
                    self.module.instances.push(instance);
                }
            }
            DeclKind::Errors(names) => self.errors(names),
            DeclKind::MatchKinds(names) => self.match_kinds(names),
            DeclKind::ExternFunction { annotations, prototype } => {
                self.extern_function(annotations, prototype);
            }
            DeclKind::Extern { annotations, name, type_params, methods } => {
                self.extern_object(annotations, name, type_params, methods);
            }
            DeclKind::Function(f) => self.function(f),
            DeclKind::Action(a) => {
                self.action(a, true);
            }
            DeclKind::Aggregate { kind, annotations, name, type_params, fields } => {
                self.aggregate(*kind, annotations, name, type_params, fields);
            }
            DeclKind::Enum { annotations, name, repr, members } => {
                self.check_annotations(annotations);
                self.enumeration(name, repr.as_ref(), members);
            }
            DeclKind::Typedef { annotations, ty, name } => {
                self.usage.declare("type", name, annotations);
                self.check_annotations(annotations);
                let ty = self.ty(ty);
                self.declare(name, Entity::Type(TypeEntity::Plain(ty)));
            }
            DeclKind::NewType { annotations, ty, name } => self.new_type(annotations, ty, name),
            DeclKind::ParserType { name, type_params, params } => {
                self.arch_type(true, name, type_params, params);
            }
            DeclKind::ControlType { name, type_params, params } => {
                self.arch_type(false, name, type_params, params);
            }
            DeclKind::Package { name, type_params, params } => self.package(name, type_params, params),
            DeclKind::Parser(p) => self.parser(p),
            DeclKind::Control(c) => self.control(c),
            DeclKind::Table(t) => {
                self.error(codes::MISPLACED, t.name.span, "tables can be declared only in controls");
            }
            DeclKind::ValueSet(v) => {
                self.error(codes::MISPLACED, v.name.span, "value sets can be declared only in parsers");
            }
        }
    }

    /// Records the `@noWarn` annotations of a declaration; they apply to everything inside it.
    pub(super) fn record_suppressions(&mut self, decl: &ast::Decl) {
        let annotations = match &decl.kind {
            DeclKind::Parser(p) => &p.annotations,
            DeclKind::Control(c) => &c.annotations,
            DeclKind::Action(a) => &a.annotations,
            DeclKind::Function(f) => &f.annotations,
            DeclKind::Table(t) => &t.annotations,
            DeclKind::Instance(i) => &i.annotations,
            _ => return,
        };
        self.usage.suppress(annotations, decl.span);
    }

    /// Declares a constant.
    pub(super) fn constant(&mut self, variable: &ast::Variable) {
        self.check_annotations(&variable.annotations);
        let written = self.ty(&variable.ty);
        let ty = self.storable(&written, variable.ty.span, "constant");
        self.check_written(&variable.ty);
        let value = match &variable.init {
            Some(init) => self.initial_value(variable, init, &ty),
            None => Expr::bad(variable.name.span),
        };
        let local_const =
            matches!(self.context.enclosing, Enclosing::ParserLocals | Enclosing::ControlLocals)
                || self.context.enclosing != Enclosing::Top;
        let known = value.ty.is_bad()
            || value.kind == ExprKind::Bad
            || value.is_const()
            || local_const && self.known(&value);
        if !known {
            let message = "the value of a constant must be known at compile time";
            self.error(codes::NOT_CONSTANT, value.span, message);
        }
        let asserts = matches!(&variable.init, Some(init) if calls_static_assert(init));
        if !asserts {
            self.usage.declare("constant", &variable.name, &variable.annotations);
        }
        self.declare_var(&variable.name, ty, VarKind::Const(Box::new(value)));
    }

    /// Reports a declared type with an open type argument (`_`).
    pub(super) fn check_written(&mut self, ty: &ast::Type) {
        if let ast::TypeKind::Specialized(_, args) | ast::TypeKind::Tuple(args) = &ty.kind {
            for arg in args {
                if matches!(arg.kind, ast::TypeKind::DontCare) {
                    self.error(
                        codes::CANNOT_INFER,
                        arg.span,
                        "`_` is not allowed in the type of a constant or variable",
                    );
                }
                self.check_written(arg);
            }
        }
    }

    /// Checks the initial value of a constant or variable. A mismatch inside a list is reported for the whole
    /// declaration.
    pub(super) fn initial_value(&mut self, variable: &ast::Variable, init: &ast::Expr, ty: &Type) -> Expr {
        let name = &variable.name;
        match &init.kind {
            ast::ExprKind::List { .. } | ast::ExprKind::Record { .. } => {
                let text = format!("in the initialiser of `{}`", name.name);
                self.reported_at(name.span, &text, |c| c.expr_as(init, ty))
            }
            _ => self.expr_as(init, ty),
        }
    }

    fn known(&mut self, value: &Expr) -> bool {
        let before = self.sink.mark();
        self.require_known(value);
        let fine = !self.sink.reported_since(before);
        self.sink.rewind(before);
        fine
    }

    /// Checks an instantiation.
    pub(super) fn instance(&mut self, instance: &ast::Instance) -> Option<Instance> {
        self.check_annotations(&instance.annotations);
        let ty = self.constructed_type(&instance.ty);
        let span = instance.name.span;
        let open = matches!(&instance.ty.kind, ast::TypeKind::Specialized(_, args)
            if args.iter().any(|a| matches!(a.kind, ast::TypeKind::DontCare)));
        let outer = std::mem::replace(&mut self.context.open_types, open);
        let construct = self.construct(ty, &instance.args, None, instance.ty.span.to(span));
        self.context.open_types = outer;
        let mut ty = construct.ty.clone();
        if !instance.sizes.is_empty() && !matches!(ty, Type::Extern(..) | Type::Bad) {
            let message = format!("arrays of `{}` are not allowed", self.show(&ty));
            self.error(codes::BAD_TYPE, span, message);
        }
        for size in instance.sizes.iter().rev() {
            ty = self.array_of(ty, size);
        }
        if &*instance.name.name != "main" || self.context.enclosing != Enclosing::Top {
            self.usage.declare("instance", &instance.name, &instance.annotations);
        }
        let var = self.declare_var(&instance.name, ty.clone(), VarKind::Instance);
        self.instance_body(&instance.name, &ty, var, instance.body.as_ref());
        Some(Instance { var, construct, annotations: share(&instance.annotations) })
    }

    fn errors(&mut self, names: &[Ident]) {
        self.errors_declared = true;
        for name in names {
            if self.error_index.contains_key(&name.name) {
                let message = format!("error `{}` is declared more than once", name.name);
                self.error(codes::DUPLICATE_NAME, name.span, message);
                continue;
            }
            self.error_index.insert(name.name.clone(), self.module.errors.len());
            self.module.errors.push(name.name.clone());
        }
    }

    fn match_kinds(&mut self, names: &[Ident]) {
        for name in names {
            if self.module.match_kinds.contains(&name.name) {
                let message = format!("match kind `{}` is declared more than once", name.name);
                self.error(codes::DUPLICATE_NAME, name.span, message);
                continue;
            }
            self.module.match_kinds.push(name.name.clone());
        }
    }

    /// Checks parameters and declares their names in the current scope.
    pub(super) fn params(&mut self, params: &[ast::Param], of: ParamsOf) -> Vec<Param> {
        let constructor = of.are_constructor();
        let outer = std::mem::replace(
            &mut self.context.prototype,
            !matches!(of, ParamsOf::Apply | ParamsOf::Constructor | ParamsOf::Function),
        );
        let mut out: Vec<Param> = Vec::new();
        for param in params {
            self.check_annotations(&param.annotations);
            let ty = self.ty(&param.ty);
            if constructor && param.direction != Direction::None {
                self.error(
                    codes::MISPLACED,
                    param.name.span,
                    "constructor parameters must not have a direction",
                );
            }
            self.check_param_type(param, &ty, of);
            if self.is_object(&ty) && param.direction != Direction::None {
                let message = "a parameter of an object type must not have a direction";
                self.error(codes::BAD_TYPE, param.name.span, message);
            }
            if matches!(ty, Type::Int | Type::Str) && param.direction != Direction::None {
                let message = format!("a parameter of type `{}` must not have a direction", self.show(&ty));
                self.error(codes::BAD_TYPE, param.name.span, message);
            }
            let default = param.default.as_ref().map(|d| {
                let value = self.default_value(d, &ty, of);
                if param.direction == Direction::Out || param.direction == Direction::InOut {
                    self.error(codes::BAD_CALL, d.span, "only `in` parameters may have default values");
                }
                if !value.ty.is_bad() {
                    self.require_known(&value);
                }
                Box::new(value)
            });
            let kind = if constructor { VarKind::ConstructorParam } else { VarKind::Param(param.direction) };
            let var = self.declare_var(&param.name, ty.clone(), kind);
            out.push(Param {
                name: param.name.name.clone(),
                direction: param.direction,
                ty,
                default,
                optional: param.annotations.iter().any(|a| &*a.name.name == "optional"),
                var,
                annotations: share(&param.annotations),
                span: param.name.span,
            });
        }
        self.context.prototype = outer;
        out
    }

    /// Checks a default value. That of a package may be an object whose type depends on inferred type arguments.
    fn default_value(&mut self, default: &ast::Expr, ty: &Type, of: ParamsOf) -> Expr {
        let inferred = of == ParamsOf::Package && ty.any(&mut |t| matches!(t, Type::Param(_)));
        if !inferred {
            return self.expr_as(default, ty);
        }
        let outer = std::mem::replace(&mut self.context.open_types, true);
        let value = self.expr(default, None);
        self.context.open_types = outer;
        if self.is_object(&value.ty) { value } else { self.coerce(value, ty) }
    }

    pub(super) fn signature(
        &mut self,
        annotations: &Annotations,
        prototype: &Prototype,
        of: ParamsOf,
    ) -> Signature {
        self.check_annotations(annotations);
        let type_params = self.declare_type_params(&prototype.type_params);
        let result = self.ty(&prototype.result);
        let result = self.result_type(result, &prototype.result);
        let params = self.params(&prototype.params, of);
        Signature {
            name: prototype.name.name.clone(),
            type_params,
            params,
            result,
            span: prototype.name.span,
            annotations: share(annotations),
        }
    }

    fn extern_function(&mut self, annotations: &Annotations, prototype: &Prototype) {
        let signature = self.scoped(|c| c.signature(annotations, prototype, ParamsOf::Extern));
        self.check_overload(&signature);
        let id = ExternFunctionId(self.module.extern_functions.len() as u32);
        self.module.extern_functions.push(ExternFunction { signature });
        self.declare(&prototype.name, Entity::Functions(vec![FunctionRef::Extern(id)]));
    }

    fn extern_object(
        &mut self,
        annotations: &Annotations,
        name: &Ident,
        type_params: &[Ident],
        methods: &[ast::Method],
    ) {
        let id = ExternId(self.module.externs.len() as u32);
        let blank = Extern {
            name: name.name.clone(),
            type_params: Vec::new(),
            constructors: Vec::new(),
            methods: Vec::new(),
            abstract_methods: Vec::new(),
            annotations: share(annotations),
        };
        self.module.externs.push(blank);
        self.declare_generic(name, Type::Extern(id, Rc::default()), type_params.len());
        self.scoped(|c| {
            let ids = c.declare_type_params(type_params);
            if let Some(decl) = c.module.externs.get_mut(id.index()) {
                decl.type_params = ids;
            }
            for method in methods {
                if !method.constructor && method.prototype.name.name == name.name {
                    let message = "a constructor must not have a return type";
                    c.error(codes::BAD_CALL, method.prototype.name.span, message);
                }
                let signature =
                    c.scoped(|c| c.signature(&method.annotations, &method.prototype, ParamsOf::Extern));
                if !method.constructor {
                    c.check_self_reference(id, &signature, &method.prototype);
                }
                let Some(decl) = c.module.externs.get_mut(id.index()) else { continue };
                let list = if method.constructor {
                    &mut decl.constructors
                } else if method.is_abstract {
                    &mut decl.abstract_methods
                } else {
                    &mut decl.methods
                };
                let same = list.iter().any(|m| m.name == signature.name && same_shape(m, &signature));
                list.push(signature);
                if same {
                    let message = format!("`{}` is declared more than once", method.prototype.name.name);
                    c.error(codes::DUPLICATE_NAME, method.prototype.name.span, message);
                }
            }
        });
    }

    pub(super) fn declare_generic(&mut self, name: &Ident, ty: Type, count: usize) {
        let entity = if count == 0 { TypeEntity::Plain(ty) } else { TypeEntity::Generic(ty, count) };
        self.declare(name, Entity::Type(entity));
    }

    fn function(&mut self, function: &ast::Function) {
        self.check_annotations(&function.annotations);
        let (signature, body) = self.declaring(&function.prototype.name, |c| {
            let signature = c.signature(&function.annotations, &function.prototype, ParamsOf::Function);
            let body = c.function_body(&function.body, &signature, Enclosing::Function);
            (signature, body)
        });
        self.check_overload(&signature);
        let id = FunctionId(self.module.functions.len() as u32);
        self.module.functions.push(Function { signature, body });
        let name = &function.prototype.name;
        self.declare(name, Entity::Functions(vec![FunctionRef::Function(id)]));
        let first = self.find(&name.name).map_or(name.span, |d| d.span);
        self.usage.declare_as("function", name, first, &function.annotations);
    }

    /// Functions of the same name must differ in the number or the names of their parameters.
    fn check_overload(&mut self, new: &Signature) {
        let Some(Entity::Functions(list)) =
            self.scopes.last().and_then(|s| s.get(&new.name)).map(|d| d.entity.clone())
        else {
            return;
        };
        for other in list {
            let old = match other {
                FunctionRef::Function(id) => self.module.functions.get(id.index()).map(|f| &f.signature),
                FunctionRef::Extern(id) => self.module.extern_functions.get(id.index()).map(|f| &f.signature),
            };
            let Some(old) = old else { continue };
            let same = same_shape(old, new);
            if same {
                let before = old.span;
                self.report(
                    Diagnostic::error(
                        codes::DUPLICATE_NAME,
                        new.span,
                        format!("`{}` is declared more than once with these parameters", new.name),
                    )
                    .also(before, "first declared here"),
                );
                return;
            }
        }
    }

    /// Declares an action.
    pub(super) fn action(&mut self, action: &ast::Action, global: bool) -> ActionId {
        self.check_annotations(&action.annotations);
        let (params, body) = self.declaring(&action.name, |c| {
            let params = c.params(&action.params, ParamsOf::Function);
            c.check_action_params(&params);
            for param in &action.params {
                c.usage.declare("parameter", &param.name, &param.annotations);
            }
            let context = Context { enclosing: Enclosing::Action, ..Context::default() };
            let body = c.within(context, |c| c.block(&action.body));
            (params, body)
        });
        let id = ActionId(self.module.actions.len() as u32);
        self.module.actions.push(Action {
            name: action.name.name.clone(),
            params,
            body,
            annotations: share(&action.annotations),
            span: action.name.span,
            global,
        });
        self.usage.declare("action", &action.name, &action.annotations);
        self.declare(&action.name, Entity::Action(id));
        id
    }

    fn check_action_params(&mut self, params: &[Param]) {
        let mut data: Option<&Param> = None;
        let mut found = Vec::new();
        for param in params {
            if param.direction == Direction::None {
                data = Some(param);
            } else if let Some(data) = data {
                found.push((param.span, data.span));
            }
            if matches!(param.ty, Type::Extern(..)) {
                let message = "an action parameter cannot be an object";
                self.error(codes::BAD_TYPE, param.span, message);
            }
            if matches!(param.ty, Type::Int | Type::Str) {
                let message = format!("an action parameter cannot have type `{}`", self.show(&param.ty));
                self.error(codes::BAD_TYPE, param.span, message);
            }
        }
        for (span, before) in found {
            self.report(
                Diagnostic::error(
                    codes::BAD_ACTION,
                    span,
                    "directional parameters must precede directionless ones",
                )
                .also(before, "directionless parameter"),
            );
        }
    }

    fn aggregate(
        &mut self,
        kind: AggregateKind,
        annotations: &Annotations,
        name: &Ident,
        type_params: &[Ident],
        fields: &[ast::Field],
    ) {
        self.check_annotations(annotations);
        let mut list: Vec<Field> = Vec::new();
        let mut ids: Vec<TypeParamId> = Vec::new();
        self.scoped(|c| {
            ids = c.declare_type_params(type_params);
            c.fields_so_far.clear();
            for field in fields {
                let first = c.fields_so_far.get(&field.name.name).copied();
                c.fields_so_far.entry(field.name.name.clone()).or_insert(field.name.span);
                c.check_annotations(&field.annotations);
                let ty = c.ty(&field.ty);
                c.check_field_type(kind, &ty, field.ty.span, &field.name.name);
                if let Some(before) = first {
                    let message = format!("field `{}` is declared more than once", field.name.name);
                    c.report(
                        Diagnostic::error(codes::DUPLICATE_NAME, field.name.span, message)
                            .also(before, "first declared here"),
                    );
                    continue;
                }
                let field_lists = c.field_lists(&field.annotations);
                list.push(Field {
                    name: field.name.name.clone(),
                    ty,
                    field_lists,
                    annotations: share(&field.annotations),
                    span: field.name.span,
                });
            }
        });
        let varbits: Vec<Span> =
            list.iter().filter(|f| matches!(f.ty, Type::Varbit(_))).map(|f| f.span).collect();
        let id = AggregateId(self.module.aggregates.len() as u32);
        if let (AggregateKind::Header, [first, second, ..]) = (kind, varbits.as_slice()) {
            let diagnostic =
                Diagnostic::error(codes::BAD_TYPE, *first, "a header can have at most one `varbit` field")
                    .label("first `varbit` field")
                    .also(*second, "another `varbit` field");
            self.two_varbits.insert(id, diagnostic);
        }
        self.module.aggregates.push(Aggregate {
            kind,
            name: name.name.clone(),
            type_params: ids,
            fields: list,
            annotations: share(annotations),
        });
        if self.limited(Type::Aggregate(id, Rc::default()), name.span).is_bad()
            && let Some(aggregate) = self.module.aggregates.get_mut(id.index())
        {
            aggregate.fields.clear();
        }
        self.declare_generic(name, Type::Aggregate(id, Rc::default()), type_params.len());
    }

    fn new_type(&mut self, annotations: &Annotations, ty: &ast::Type, name: &Ident) {
        self.check_annotations(annotations);
        let inner = self.ty(ty);
        let base = self.module.underlying(&inner);
        let fine = matches!(base, Type::Bit(_) | Type::Signed(_) | Type::Bool | Type::Bad);
        if !fine {
            let message = format!("`type` cannot be based on `{}`", self.show(&inner));
            self.error(codes::BAD_TYPE, ty.span, message);
        }
        let id = NewTypeId(self.module.newtypes.len() as u32);
        let inner = if fine { inner } else { Type::Bad };
        self.usage.declare("type", name, annotations);
        let new = NewType { name: name.name.clone(), ty: inner, annotations: share(annotations) };
        self.module.newtypes.push(new);
        self.declare(name, Entity::Type(TypeEntity::Plain(Type::New(id))));
    }

    fn arch_type(&mut self, is_parser: bool, name: &Ident, type_params: &[Ident], params: &[ast::Param]) {
        let id = ArchTypeId(self.module.arch_types.len() as u32);
        let (type_params, params) =
            self.scoped(|c| (c.declare_type_params(type_params), c.params(params, ParamsOf::ArchType)));
        let count = type_params.len();
        let decl = ArchType { name: name.name.clone(), is_parser, type_params, params, span: name.span };
        self.module.arch_types.push(decl);
        self.usage.declare("type", name, &Vec::new());
        self.declare_generic(name, Type::Arch(id, Rc::default()), count);
    }

    fn package(&mut self, name: &Ident, type_params: &[Ident], params: &[ast::Param]) {
        let id = PackageId(self.module.packages.len() as u32);
        let (type_params, params) =
            self.scoped(|c| (c.declare_type_params(type_params), c.params(params, ParamsOf::Package)));
        let count = type_params.len();
        let decl =
            ArchType { name: name.name.clone(), is_parser: false, type_params, params, span: name.span };
        self.module.packages.push(decl);
        self.usage.declare("package", name, &Vec::new());
        self.declare_generic(name, Type::Package(id, Rc::default()), count);
    }
}

/// Returns whether a constant is initialised by `static_assert`; such a constant counts as used.
fn calls_static_assert(init: &ast::Expr) -> bool {
    match &init.kind {
        ast::ExprKind::Call { callee, .. } => {
            matches!(&callee.kind, ast::ExprKind::Name(path) if &*path.ident.name == "static_assert")
        }
        _ => false,
    }
}

/// Returns whether a call cannot distinguish two functions.
fn same_shape(a: &Signature, b: &Signature) -> bool {
    a.params.len() == b.params.len()
        && a.params.iter().zip(&b.params).all(|(x, y)| x.name == y.name && x.ty == y.ty)
}
