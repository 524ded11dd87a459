//! Rules that are neither about names nor about types: of annotations, of the architecture, of what may be
//! called where.

use super::Checker;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Expr, Instance, Signature, TableAction, Type};
use crate::lex::Tok;
use crate::source::Span;
use crate::syntax::ast::{self, AnnotationBody, Annotations};

use super::FunctionRef;

impl Checker<'_> {
    /// Annotations with a form of their own.
    pub(super) fn check_annotations(&mut self, annotations: &Annotations) {
        for (i, annotation) in annotations.iter().enumerate() {
            let name = &*annotation.name.name;
            let tokens = match &annotation.body {
                AnnotationBody::Tokens(tokens) => Some(tokens),
                _ => None,
            };
            let structured = tokens.is_none();
            let twice = annotations[..i]
                .iter()
                .find(|a| *a.name.name == *name && (structured || matches!(name, "name" | "id" | "hidden")));
            if let Some(before) = twice {
                let message = format!("annotation `@{name}` is given twice");
                let before = before.span;
                self.report(
                    Diagnostic::error(codes::BAD_ANNOTATION, annotation.span, message)
                        .also(before, "given first here"),
                );
            }
            match (name, tokens) {
                ("name" | "deprecated", Some(tokens)) => {
                    let fine = !tokens.is_empty() && tokens.iter().all(|t| matches!(t.tok, Tok::Str(_)));
                    if !fine {
                        let message = format!("`@{name}` takes a string");
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
                _ => {}
            }
            match &annotation.body {
                AnnotationBody::List(values) => {
                    for value in values {
                        self.annotation_value(value);
                    }
                }
                AnnotationBody::Map(pairs) => {
                    for (j, (key, value)) in pairs.iter().enumerate() {
                        if pairs[..j].iter().any(|(k, _)| k.name == key.name) {
                            let message = format!("key `{}` is given twice", key.name);
                            self.error(codes::BAD_ANNOTATION, key.span, message);
                        }
                        self.annotation_value(value);
                    }
                }
                AnnotationBody::Tokens(_) => {}
            }
        }
    }

    fn annotation_value(&mut self, value: &ast::Expr) {
        let value = self.expr(value, None);
        if !value.ty.is_bad() && !value.is_const() {
            let message = "annotations contain constants only";
            self.error(codes::BAD_ANNOTATION, value.span, message);
        }
    }

    pub(super) fn check_function_place(
        &mut self,
        _function: FunctionRef,
        _signature: &Signature,
        _span: Span,
    ) {
    }

    pub(super) fn check_extern_call(&mut self, _signature: &Signature, _args: &[Option<Expr>], _span: Span) {}

    pub(super) fn check_method_place(
        &mut self,
        _object: &str,
        _method: &Signature,
        _value: &Expr,
        _span: Span,
    ) {
    }

    pub(super) fn check_method_call(
        &mut self,
        _object: &str,
        _method: &Signature,
        _args: &[Option<Expr>],
        _type_args: &[Type],
        _span: Span,
    ) {
    }

    pub(super) fn check_write(&mut self, _target: &Expr) {}

    pub(super) fn check_instance_place(&mut self, _instance: &Instance, _in_parser: bool) {}

    pub(super) fn check_select_key(&mut self, _key: &Expr) {}

    pub(super) fn check_key_type(&mut self, _key: &Expr, _kind: &str) {}

    pub(super) fn check_action_scope(&mut self, action: &TableAction, default: bool, span: Span) {
        let marked = |name: &str| action.annotations.iter().any(|a| &*a.name.name == name);
        if default && marked("tableonly") {
            let message = "an action marked `@tableonly` cannot be the default";
            self.error(codes::BAD_ACTION, span, message);
        }
        if !default && marked("defaultonly") {
            let message = "an action marked `@defaultonly` cannot stand in an entry";
            self.error(codes::BAD_ACTION, span, message);
        }
    }

    pub(super) fn check_table_property(&mut self, _name: &ast::Ident, _value: &Expr) {}

    pub(super) fn check_priorities(&mut self, _table: &crate::hir::Table, _source: &ast::Table) {}
}
