//! Unused declarations.
//!
//! The checker records declarations and the declarations that names resolve to ([`Usage`]). Only parameters of actions
//! are reported: those of parsers, controls, functions and externs must match a given type.

use std::collections::BTreeSet;

use super::is_suppressed_by;
use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::lex::Name;
use crate::source::{SourceMap, Span};
use crate::syntax::ast::{Annotations, Ident};

/// Declarations and uses. A declaration is identified by the location of its name.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    declared: Vec<Declaration>,
    used: BTreeSet<Span>,
    /// Names that shadow others, with both locations.
    shadows: Vec<(Name, Span, Span)>,
    /// What `@noWarn` suppresses, and where.
    suppressed: Vec<(Span, Name)>,
}

#[derive(Debug)]
struct Declaration {
    what: &'static str,
    name: Name,
    span: Span,
    /// The location of the declaration that is marked as used, if several share a name.
    counts_as: Span,
}

impl Usage {
    /// Records a declaration.
    pub(crate) fn declare(&mut self, what: &'static str, name: &Ident, annotations: &Annotations) {
        self.declare_as(what, name, name.span, annotations);
    }

    /// Records a function, which may share its name with others.
    pub(crate) fn declare_as(
        &mut self,
        what: &'static str,
        name: &Ident,
        first: Span,
        annotations: &Annotations,
    ) {
        if !is_suppressed_by(annotations, "unused") && !name.name.starts_with("__") {
            let name_span = name.span;
            let name = name.name.clone();
            self.declared.push(Declaration { what, name, span: name_span, counts_as: first });
        }
    }

    /// Records that a name shadows a declaration.
    pub(crate) fn shadow(&mut self, name: &Ident, hidden: Span) {
        self.shadows.push((name.name.clone(), name.span, hidden));
    }

    /// Records the `@noWarn("name")` annotations that apply to a range.
    pub(crate) fn suppress(&mut self, annotations: &Annotations, range: Span) {
        self.suppressed.extend(super::no_warn(annotations).map(|name| (range, name)));
    }

    /// Returns whether a kind of warning is suppressed at a location.
    pub(crate) fn is_suppressed(&self, name: &str, at: Span) -> bool {
        let inside = |range: &Span| range.file == at.file && range.start <= at.start && at.end <= range.end;
        self.suppressed.iter().any(|(range, suppressed)| &**suppressed == name && inside(range))
    }

    /// Returns whether a declaration is used.
    pub(super) fn is_used(&self, declaration: Span) -> bool {
        self.used.contains(&declaration)
    }

    /// Records that a name refers to the declaration at a location.
    pub(crate) fn mark(&mut self, declaration: Span) {
        self.used.insert(declaration);
    }
}

/// Warns about shadowing names.
pub(super) fn report_shadows(usage: &Usage, sources: &SourceMap, sink: &mut Sink) {
    for (name, span, hidden) in &usage.shadows {
        if usage.is_suppressed("shadow", *span) || sources.is_library(span.file) {
            continue;
        }
        let message = format!("`{name}` shadows another declaration");
        let diagnostic = Diagnostic::warning(codes::SHADOWS, *span, message);
        sink.push(diagnostic.also(*hidden, "the shadowed declaration"));
    }
}

/// Warns about unused declarations.
pub(super) fn report(usage: &Usage, sources: &SourceMap, sink: &mut Sink) {
    for declaration in &usage.declared {
        if usage.is_used(declaration.counts_as)
            || usage.is_suppressed("unused", declaration.span)
            || sources.is_library(declaration.span.file)
        {
            continue;
        }
        let message = format!("{} `{}` is never used", declaration.what, declaration.name);
        sink.push(Diagnostic::warning(codes::UNUSED, declaration.span, message));
    }
}
