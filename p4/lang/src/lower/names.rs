//! Names and annotations for the control plane.

use std::collections::BTreeSet;

use num_traits::ToPrimitive as _;

use super::Lowerer;
use crate::diagnostic::codes;
use crate::hir::{Expr, ExprKind, Type};
use crate::ir::{MatchKind, Preamble, identity};
use crate::lex::{Tok, quoted, to_text};
use crate::syntax::ast::{Annotation, AnnotationBody, Annotations};

fn find<'a>(annotations: &'a Annotations, name: &str) -> Option<&'a Annotation> {
    annotations.iter().find(|a| &*a.name.name == name)
}

/// The rank that `@priority(n)` gives a constant entry. It is not part of the specification, but p4c and bmv2 support
/// it.
pub(crate) fn rank_annotation(annotations: &Annotations) -> Option<u32> {
    find(annotations, "priority").and_then(number_of)
}

/// Concatenates the strings among the tokens of an annotation.
fn string_of(annotation: &Annotation) -> Option<String> {
    let AnnotationBody::Tokens(tokens) = &annotation.body else { return None };
    let parts: Vec<&str> = tokens
        .iter()
        .filter_map(|t| match &t.tok {
            Tok::Str(text) => Some(&**text),
            _ => None,
        })
        .collect();
    (!parts.is_empty()).then(|| parts.concat())
}

pub(super) fn number_of(annotation: &Annotation) -> Option<u32> {
    let AnnotationBody::Tokens(tokens) = &annotation.body else { return None };
    match tokens.first().map(|t| &t.tok) {
        Some(Tok::Int(n)) => n.value.to_u32(),
        _ => None,
    }
}

impl Lowerer<'_> {
    pub(super) fn name_annotation(&self, annotations: &Annotations) -> Option<String> {
        find(annotations, "name").and_then(string_of)
    }

    pub(super) fn id_annotation(&self, annotations: &Annotations) -> Option<u32> {
        find(annotations, "id").and_then(number_of)
    }

    /// Returns the match kind of `@match(kind)` of a value set's field.
    pub(super) fn match_annotation(&self, annotations: &Annotations) -> MatchKind {
        let Some(AnnotationBody::Tokens(tokens)) = find(annotations, "match").map(|a| &a.body) else {
            return MatchKind::Exact;
        };
        tokens.first().and_then(|t| t.ident()).map_or(MatchKind::Exact, |n| super::table::match_kind(n))
    }

    /// Returns the full name of a declaration under `path`; `@name(".x")` is absolute.
    pub(super) fn join(&self, path: &str, name: &str, annotations: &Annotations) -> String {
        let name = self.name_annotation(annotations).unwrap_or_else(|| name.to_owned());
        match name.strip_prefix('.') {
            Some(absolute) => absolute.to_owned(),
            None if path.is_empty() => name,
            None => format!("{path}.{name}"),
        }
    }

    pub(super) fn preamble(&mut self, path: &str, name: &str, annotations: &Annotations) -> Preamble {
        if let Some(id) = find(annotations, "id")
            && number_of(id).is_none()
        {
            self.error(codes::BAD_ANNOTATION, id.span, "`@id` takes a number");
        }
        let name = self.join(path, name, annotations);
        if let Some(id) = find(annotations, "id") {
            self.record_id(&name, id.span);
        }
        Preamble {
            id: self.id_annotation(annotations).unwrap_or(0),
            name,
            alias: String::new(),
            annotations: self.annotation_texts(annotations),
            position: Vec::new(),
        }
    }

    /// Returns the annotations as text, without `@name` and `@id`, which P4Info represents otherwise.
    pub(super) fn annotation_texts(&self, annotations: &Annotations) -> Vec<String> {
        let shown = |a: &&Annotation| !matches!(&*a.name.name, "name" | "id") || is_structured(a);
        annotations.iter().filter(shown).map(|a| self.annotation_text(a)).collect()
    }

    /// Returns all annotations as text.
    pub(super) fn all_annotation_texts(&self, annotations: &Annotations) -> Vec<String> {
        annotations.iter().map(|a| self.annotation_text(a)).collect()
    }

    /// Returns the ids of fields, parameters or keys in order: those given by `@id`, and otherwise the position from 1.
    pub(super) fn field_ids<'a>(&self, all: impl Iterator<Item = &'a Annotations>) -> Vec<u32> {
        let given: Vec<Option<u32>> = all.map(|annotations| self.id_annotation(annotations)).collect();
        let mut taken: BTreeSet<u32> = given.iter().flatten().copied().collect();
        let mut next = 1u32;
        let mut ids = Vec::with_capacity(given.len());
        for given in given {
            ids.push(given.unwrap_or_else(|| {
                while !taken.insert(next) {
                    next += 1;
                }
                next
            }));
            next += u32::from(given.is_some());
        }
        ids
    }

    fn annotation_text(&self, annotation: &Annotation) -> String {
        let name = &annotation.name.name;
        match &annotation.body {
            AnnotationBody::Tokens(tokens) if tokens.is_empty() => format!("@{name}"),
            AnnotationBody::Tokens(tokens) => {
                // Unknown characters in an annotation are not part of its text.
                let known = tokens.iter().filter(|t| !matches!(t.tok, Tok::Bad(..)));
                format!("@{name}({})", to_text(known, self.sources))
            }
            AnnotationBody::List(_) => format!("@{name}[{}]", self.annotation_values(annotation).join(", ")),
            AnnotationBody::Map(pairs) => {
                let values = self.annotation_values(annotation);
                let pairs: Vec<String> = pairs
                    .iter()
                    .zip(values)
                    .map(|((key, _), value)| format!("{} = {value}", key.name))
                    .collect();
                format!("@{name}[{}]", pairs.join(", "))
            }
        }
    }

    /// Returns the values of a structured annotation as literals.
    fn annotation_values(&self, annotation: &Annotation) -> Vec<String> {
        let values = self.module.annotation_values.get(&annotation.span);
        let text = |value: &Expr| match &value.kind {
            ExprKind::Bool(value) => value.to_string(),
            ExprKind::Int(value) => value.to_string(),
            ExprKind::Str(value) => quoted(value),
            _ => self.sources.text(value.span).to_owned(),
        };
        values.map(|values| values.iter().map(text).collect()).unwrap_or_default()
    }

    /// Returns the name of a user-defined type that P4Info describes: `type`, enum or `error`.
    pub(super) fn user_type_name(&mut self, ty: &Type) -> Option<String> {
        match ty {
            Type::New(_) | Type::Enum(_) | Type::Error => {
                self.data_type(ty);
                Some(self.type_name(ty))
            }
            _ => None,
        }
    }

    /// Assigns ids and aliases to all objects.
    pub(super) fn assign_ids(&mut self) {
        // An action that only other actions call is part of these.
        let clashes = identity::assign(&mut self.program, &self.listed);
        if self.p4info {
            self.check_ids(&clashes);
        }
    }

    /// Returns the name that `@controller_header` gives.
    pub(super) fn controller_header_name(annotations: &Annotations) -> Option<String> {
        find(annotations, "controller_header").and_then(string_of)
    }
}

fn is_structured(annotation: &Annotation) -> bool {
    !matches!(annotation.body, AnnotationBody::Tokens(_))
}
