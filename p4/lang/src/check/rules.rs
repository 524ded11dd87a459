//! Rules that concern neither names nor types: annotations, restrictions of the architecture, and where calls are
//! allowed.

use super::{Checker, Enclosing};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Expr, ExprKind, Instance, Signature, Table, TableAction, Type};
use crate::lex::{Tok, Token};
use crate::source::Span;
use crate::syntax::ast::{self, AnnotationBody, Annotations};

use super::FunctionRef;

impl Checker<'_> {
    /// Checks the annotations with a fixed form.
    pub(super) fn check_annotations(&mut self, annotations: &Annotations) {
        for (i, annotation) in annotations.iter().enumerate() {
            let name = &*annotation.name.name;
            let tokens = match &annotation.body {
                AnnotationBody::Tokens(tokens) => Some(tokens),
                _ => None,
            };
            let structured = tokens.is_none();
            let twice = annotations[..i].iter().find(|a| {
                let other = !matches!(a.body, AnnotationBody::Tokens(_));
                *a.name.name == *name && (structured || other || matches!(name, "id" | "hidden"))
            });
            if let Some(before) = twice {
                let message = format!("annotation `@{name}` is given more than once");
                let before = before.span;
                self.report(
                    Diagnostic::error(codes::BAD_ANNOTATION, annotation.span, message)
                        .also(before, "first given here"),
                );
            }
            match (name, tokens) {
                ("name" | "deprecated", Some(tokens)) => {
                    let fine = !tokens.is_empty() && tokens.iter().all(|t| matches!(t.tok, Tok::Str(_)));
                    if !fine {
                        let message = format!("`@{name}` takes a string literal");
                        self.error(codes::BAD_ANNOTATION, annotation.span, message);
                    }
                }
                (
                    "atomic" | "hidden" | "pure" | "noSideEffects" | "tableonly" | "defaultonly",
                    Some(tokens),
                ) if !tokens.is_empty() => {
                    let message = format!("`@{name}` takes no arguments");
                    self.error(codes::BAD_ANNOTATION, annotation.span, message);
                }
                ("id", Some(tokens)) if !tokens.iter().any(|t| matches!(t.tok, Tok::Int(_))) => {
                    self.error(codes::BAD_ANNOTATION, annotation.span, "`@id` takes a number");
                }
                ("pkginfo", Some(tokens)) if tokens.is_empty() => {
                    let message = "`@pkginfo` takes a list of properties";
                    self.error(codes::BAD_ANNOTATION, annotation.span, message);
                }
                ("match", Some(tokens)) => self.check_match_annotation(annotation.span, tokens),
                ("length", Some(tokens)) => self.check_length_annotation(tokens),
                ("p4runtime_translation", Some(tokens)) => {
                    self.check_translation(annotation.span, tokens);
                }
                _ => {}
            }
            match &annotation.body {
                AnnotationBody::List(values) => {
                    let values = values.iter().map(|value| self.annotation_value(value)).collect();
                    self.module.annotation_values.insert(annotation.span, values);
                }
                AnnotationBody::Map(pairs) => {
                    let mut values = Vec::new();
                    for (j, (key, value)) in pairs.iter().enumerate() {
                        if pairs[..j].iter().any(|(k, _)| k.name == key.name) {
                            let message = format!("key `{}` is given more than once", key.name);
                            self.error(codes::BAD_ANNOTATION, key.span, message);
                        }
                        values.push(self.annotation_value(value));
                    }
                    self.module.annotation_values.insert(annotation.span, values);
                }
                AnnotationBody::Tokens(_) => {}
            }
        }
    }

    /// Returns the numbers of `@field_list(1, Lists.kept)`: constants from 0 to 255.
    pub(super) fn field_lists(&mut self, annotations: &Annotations) -> Vec<u8> {
        let mut numbers = Vec::new();
        for annotation in annotations.iter().filter(|a| &*a.name.name == "field_list") {
            let values = match &annotation.body {
                AnnotationBody::Tokens(tokens) => {
                    crate::syntax::parse_list(tokens.clone(), annotation.span.tail(), self.sink)
                }
                AnnotationBody::List(values) => values.clone(),
                AnnotationBody::Map(_) => Vec::new(),
            };
            for value in values {
                let value = self.expr(&value, None);
                match value.as_int().map(u8::try_from) {
                    Some(Ok(number)) => numbers.push(number),
                    _ if value.ty.is_bad() => {}
                    _ => {
                        let message = "a field list must be a constant from 0 to 255";
                        self.error(codes::BAD_ANNOTATION, value.span, message);
                    }
                }
            }
        }
        numbers
    }

    fn annotation_value(&mut self, value: &ast::Expr) -> Expr {
        let value = self.expr(value, None);
        if value.ty.is_bad() {
            return value;
        }
        let scalar = matches!(value.ty, Type::Int | Type::Bit(_) | Type::Signed(_) | Type::Bool | Type::Str);
        if !scalar || !value.is_const() {
            let message = "a structured annotation can contain only constant numbers, strings and `bool`s";
            self.error(codes::BAD_ANNOTATION, value.span, message);
        }
        value
    }

    /// Checks `@match(kind)` of a field of a value set.
    fn check_match_annotation(&mut self, span: Span, tokens: &[Token]) {
        let kind = match tokens {
            [token] => token.ident().filter(|n| self.module.match_kinds.contains(n)),
            _ => None,
        };
        if kind.is_none() {
            self.error(codes::BAD_ANNOTATION, span, "`@match` takes the name of a match kind");
        }
    }

    /// Checks that the names in `@length(expression)` are declared.
    fn check_length_annotation(&mut self, tokens: &[Token]) {
        for (i, token) in tokens.iter().enumerate() {
            let field = i > 0 && tokens.get(i - 1).is_some_and(|t| t.is("."));
            let Some(name) = token.ident().filter(|_| !field) else { continue };
            let known = self.find(name).is_some()
                || self.fields_so_far.contains_key(name)
                || matches!(&**name, "true" | "false" | "bit" | "int" | "bool");
            if !known {
                let message = format!("`{name}` is not declared");
                self.error(codes::UNKNOWN_NAME, token.span, message);
            }
        }
    }

    /// Checks `@p4runtime_translation("uri", type)`: the type is `string`, a width, or `bit<w>` with a literal width.
    fn check_translation(&mut self, span: Span, tokens: &[Token]) {
        let wrong = match tokens {
            [uri, comma, rest @ ..] if matches!(uri.tok, Tok::Str(_)) && comma.is(",") => {
                let word = |t: &Token, name: &str| t.ident().is_some_and(|n| &**n == name);
                match rest {
                    [only] => {
                        (!(matches!(only.tok, Tok::Int(_)) || word(only, "string") || word(only, "bit")))
                            .then_some(only.span)
                    }
                    [bit, open, width, close]
                        if word(bit, "bit")
                            && open.is("<")
                            && matches!(width.tok, Tok::Int(_))
                            && close.is(">") =>
                    {
                        None
                    }
                    [first, ..] => Some(first.span),
                    [] => Some(comma.span),
                }
            }
            _ => Some(span),
        };
        if let Some(place) = wrong {
            self.report(
                Diagnostic::error(codes::BAD_ANNOTATION, place, "invalid controller type")
                    .note("`@p4runtime_translation` takes a URI string, and `string`, `bit<8>` or a width"),
            );
        }
    }

    /// Checks that arguments of an extern have a width.
    pub(super) fn check_widths(&mut self, type_args: &[Type], args: &[Option<Expr>], span: Span) {
        if !type_args.iter().any(|t| t.any(&mut |t| *t == Type::Int)) {
            return;
        }
        let place = args.iter().flatten().find(|a| a.ty.any(&mut |t| *t == Type::Int));
        let span = place.map_or(span, |a| a.span);
        self.report(
            Diagnostic::error(codes::CANNOT_INFER, span, "cannot infer the width of this number")
                .help("give it a width, as in `8w1`, or cast it"),
        );
    }

    pub(super) fn check_function_place(&mut self, function: FunctionRef, signature: &Signature, span: Span) {
        let in_parser = matches!(
            self.context.enclosing,
            Enclosing::State | Enclosing::ParserLocals | Enclosing::Function
        );
        if matches!(function, FunctionRef::Extern(_)) && &*signature.name == "verify" && !in_parser {
            self.error(codes::MISPLACED, span, "`verify` can be called only in parsers");
        }
    }

    pub(super) fn check_extern_call(&mut self, signature: &Signature, args: &[Option<Expr>], _span: Span) {
        self.check_nested_output(signature, args);
        if &*signature.name != "digest" {
            return;
        }
        if let Some(Some(data)) = args.get(1)
            && data.ty.any(&mut |t| matches!(t, Type::Varbit(_)))
        {
            self.error(codes::BAD_EXTERN, data.span, "a digest cannot have fields of variable size");
        }
    }

    /// Reports an extern function that writes a nested struct: v1model does not copy it back.
    fn check_nested_output(&mut self, signature: &Signature, args: &[Option<Expr>]) {
        for (param, arg) in signature.params.iter().zip(args) {
            let Some(arg) = arg else { continue };
            let writes = matches!(param.direction, ast::Direction::Out | ast::Direction::InOut);
            let nested = self.module.is_struct(&arg.ty)
                && self.module.fields(&arg.ty).is_some_and(|f| {
                    f.iter().any(|(_, t)| matches!(t, Type::Aggregate(..) | Type::Stack(..) | Type::Tuple(_)))
                });
            if writes && nested {
                let message =
                    format!("an extern function cannot write the nested struct `{}`", self.show(&arg.ty));
                self.report(
                    Diagnostic::error(codes::BAD_EXTERN, arg.span, message)
                        .also(param.span, "`out` parameter"),
                );
            }
        }
    }

    pub(super) fn check_method_place(&mut self, object: &str, method: &Signature, _value: &Expr, span: Span) {
        let place = self.context.enclosing;
        let in_parser = matches!(place, Enclosing::State | Enclosing::ParserLocals | Enclosing::Function);
        if object == "packet_in" && !in_parser {
            let message = format!("`{}` can be called only in parsers", method.name);
            self.error(codes::MISPLACED, span, message);
        }
        if object == "packet_out"
            && !matches!(place, Enclosing::Apply | Enclosing::Action | Enclosing::Function)
        {
            let message = format!("`{}` can be called only in controls", method.name);
            self.error(codes::MISPLACED, span, message);
        }
    }

    pub(super) fn check_method_call(
        &mut self,
        object: &str,
        method: &Signature,
        args: &[Option<Expr>],
        type_args: &[Type],
        span: Span,
    ) {
        let ty = type_args.first().cloned().unwrap_or(Type::Bad);
        let place = args.iter().flatten().next().map_or(span, |a| a.span);
        if let ("register", "read", Some(Some(result))) = (object, &*method.name, args.first())
            && matches!(result.ty, Type::Aggregate(..) | Type::Tuple(_))
        {
            self.report(
                Diagnostic::error(codes::BAD_EXTERN, span, "a register of structs cannot be read")
                    .note("v1model registers hold `bit<w>`, `int<w>` or `bool`"),
            );
        }
        if ty.is_bad() || matches!(ty, Type::Param(_)) {
            return;
        }
        if let ("packet_in", "extract", Type::Aggregate(id, _)) = (object, &*method.name, &ty)
            && let Some(diagnostic) = self.two_varbits.remove(id)
        {
            self.report(diagnostic.also(place, "extracted here"));
            return;
        }
        let varbits = self.size_in_bits(&ty, true) != self.size_in_bits(&ty, false);
        let message = match (object, &*method.name) {
            ("packet_in", "extract") if !self.module.is_header(&ty) => {
                "the argument of `extract` must be a header"
            }
            ("packet_in", "extract") if method.params.len() == 1 && varbits => {
                "`extract` of a header with a `varbit` field needs the size of that field"
            }
            ("packet_in", "extract") if method.params.len() == 2 && !varbits => {
                "`extract` with a size needs a header with a `varbit` field"
            }
            ("packet_in", "lookahead") if varbits || self.size_in_bits(&ty, true).is_none() => {
                "the type argument of `lookahead` must have a fixed size"
            }
            ("packet_out", "emit") if !self.emittable(&ty) => {
                "the argument of `emit` must be a header, header stack, header union or a struct of these"
            }
            _ => return,
        };
        self.error(codes::BAD_EXTERN, place, message);
    }

    fn emittable(&self, ty: &Type) -> bool {
        match ty {
            Type::Bad => true,
            Type::Stack(of, _) => self.emittable(of),
            _ if self.module.is_header(ty) || self.module.is_union(ty) => true,
            Type::Aggregate(..) | Type::Tuple(_) | Type::Record(_) => {
                self.module.fields(ty).is_some_and(|f| f.iter().all(|(_, t)| self.emittable(t)))
            }
            _ => false,
        }
    }

    pub(super) fn check_top_instance(&mut self, instance: &Instance) {
        if matches!(instance.construct.ty, Type::Parser(..) | Type::Control(..)) {
            let span = instance.construct.span;
            self.report(
                Diagnostic::error(
                    codes::MISPLACED,
                    span,
                    "parsers and controls cannot be instantiated at the top level",
                )
                .help("instantiate them where they are used, or as arguments of the package"),
            );
        }
    }

    pub(super) fn check_instance_place(&mut self, instance: &Instance, in_parser: bool) {
        let ty = &instance.construct.ty;
        let message = match ty {
            Type::Package(..) => "packages can be instantiated only at the top level",
            Type::Parser(..) if !in_parser => "parsers can be instantiated only in parsers",
            Type::Control(..) if in_parser => "controls can be instantiated only in controls",
            _ => return,
        };
        self.error(codes::MISPLACED, instance.construct.span, message);
    }

    /// Checks that a `select` key is a scalar, or a tuple of scalars.
    pub(super) fn check_select_key(&mut self, key: &Expr) {
        if !self.comparable_key(&key.ty) {
            let message = format!("a `select` key cannot have type `{}`", self.show(&key.ty));
            self.error(codes::BAD_KEY, key.span, message);
        }
    }

    fn comparable_key(&self, ty: &Type) -> bool {
        match self.module.representation(ty) {
            Type::Bad | Type::Bit(_) | Type::Signed(_) | Type::Bool | Type::Enum(_) | Type::Error => true,
            Type::Untyped | Type::Int | Type::Varbit(_) => ty.is_bad() || *ty == Type::Int,
            other => {
                !matches!(other, Type::Aggregate(..))
                    && self
                        .module
                        .fields(&other)
                        .is_some_and(|f| f.iter().all(|(_, t)| self.comparable_key(t)))
            }
        }
    }

    pub(super) fn check_key_type(&mut self, key: &Expr, kind: &str) {
        let base = self.module.representation(&key.ty);
        let scalar = matches!(
            base,
            Type::Bad
                | Type::Bit(_)
                | Type::Signed(_)
                | Type::Bool
                | Type::Enum(_)
                | Type::Error
                | Type::Varbit(_)
        );
        let ordered = matches!(base, Type::Bad | Type::Bit(_) | Type::Signed(_) | Type::Bool);
        if !scalar || (matches!(kind, "lpm" | "range") && !ordered) {
            let message = format!("a key of type `{}` cannot have match kind `{kind}`", self.show(&key.ty));
            self.error(codes::BAD_KEY, key.span, message);
        }
    }

    pub(super) fn check_action_scope(&mut self, action: &TableAction, default: bool, span: Span) {
        let marked = |name: &str| action.annotations.iter().any(|a| &*a.name.name == name);
        if default && marked("tableonly") {
            let message = "an action marked `@tableonly` cannot be the default action";
            self.error(codes::BAD_ACTION, span, message);
        }
        if !default && marked("defaultonly") {
            let message = "an action marked `@defaultonly` cannot be used in an entry";
            self.error(codes::BAD_ACTION, span, message);
        }
    }

    /// Checks the types of the table properties of P4 and v1model.
    pub(super) fn check_table_property(&mut self, name: &ast::Ident, value: &Expr) {
        if value.ty.is_bad() {
            return;
        }
        let fine = match &*name.name {
            "largest_priority_wins" | "support_timeout" => matches!(value.kind, ExprKind::Bool(_)),
            "priority_delta" => value.as_int().is_some_and(|v| *v > 0.into()),
            "implementation" | "counters" | "meters" => matches!(value.ty, Type::Extern(..)),
            _ => true,
        };
        if !fine {
            let message = format!("invalid value for table property `{}`", name.name);
            self.error(codes::BAD_TABLE, value.span, message);
        }
    }

    /// Checks the priorities of entries: they are allowed only if a match kind needs them, and only if the first entry
    /// has one.
    pub(super) fn check_priorities(&mut self, table: &Table, source: &ast::Table) {
        let needed = table.keys.iter().any(|k| matches!(&*k.match_kind, "ternary" | "range" | "optional"));
        let with = table.entries.iter().find(|e| e.priority.is_some());
        if let (Some(entry), false) = (with, needed) {
            let message = "priorities are not allowed: all keys are `exact` or `lpm`";
            let key = source.properties.iter().find(|p| &*p.name.name == "key");
            let place = key.map_or(entry.span, |k| k.name.span);
            self.report(
                Diagnostic::error(codes::BAD_ENTRY, place, message).also(entry.span, "entry with a priority"),
            );
        } else if let (Some(_), Some(first)) = (with, table.entries.first().filter(|e| e.priority.is_none()))
        {
            let message = "the first entry has no priority, but a later one has";
            self.error(codes::BAD_ENTRY, first.span, message);
        }
        self.check_priority_range(table);
        let position = |name: &str| source.properties.iter().position(|p| &*p.name.name == name);
        if let Some(entries) = position("entries") {
            for before in ["key", "actions"] {
                if position(before).is_some_and(|p| p > entries) {
                    let span = source.properties[entries].name.span;
                    let message = format!("`entries` must come after `{before}`");
                    self.error(codes::BAD_TABLE, span, message);
                }
            }
        }
    }
}
