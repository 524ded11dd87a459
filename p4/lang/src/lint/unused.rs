//! Declarations that nothing refers to.
//!
//! The checker notes what is declared and what names are resolved to ([`Usage`]). Parameters count for actions
//! only: those of parsers, controls, functions and externs follow a type that they have to fit.

use std::collections::BTreeSet;

use super::silenced;
use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::lex::Name;
use crate::source::{SourceMap, Span};
use crate::syntax::ast::{Annotations, Ident};

/// What is declared, and what is used. Declarations are known by the place of their name.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    declared: Vec<Declaration>,
    used: BTreeSet<Span>,
    /// Names that hide others: where both are declared.
    shadows: Vec<(Name, Span, Span)>,
    /// What `@noWarn` silences, and where.
    silenced: Vec<(Span, Name)>,
}

#[derive(Debug)]
struct Declaration {
    what: &'static str,
    name: Name,
    span: Span,
    /// Where the declaration of the name is that counts, if several share it.
    counts_as: Span,
}

impl Usage {
    /// Notes a declaration.
    pub(crate) fn declare(&mut self, what: &'static str, name: &Ident, annotations: &Annotations) {
        self.declare_as(what, name, name.span, annotations);
    }

    /// Notes a function, which shares its name with others.
    pub(crate) fn declare_as(
        &mut self,
        what: &'static str,
        name: &Ident,
        first: Span,
        annotations: &Annotations,
    ) {
        if !silenced(annotations, "unused") && !name.name.starts_with("__") {
            let name_span = name.span;
            let name = name.name.clone();
            self.declared.push(Declaration { what, name, span: name_span, counts_as: first });
        }
    }

    /// Notes that a name hides what is declared at a place.
    pub(crate) fn shadow(&mut self, name: &Ident, hidden: Span) {
        self.shadows.push((name.name.clone(), name.span, hidden));
    }

    /// Notes the `@noWarn("name")` among the annotations of what stands at a place.
    pub(crate) fn silence(&mut self, annotations: &Annotations, place: Span) {
        self.silenced.extend(super::no_warn(annotations).map(|name| (place, name)));
    }

    /// Whether a kind of warning is not wanted at a place.
    pub(crate) fn is_silenced(&self, name: &str, at: Span) -> bool {
        let inside = |place: &Span| place.file == at.file && place.start <= at.start && at.end <= place.end;
        self.silenced.iter().any(|(place, silenced)| &**silenced == name && inside(place))
    }

    /// Whether something declared here is used.
    pub(super) fn is_used(&self, declaration: Span) -> bool {
        self.used.contains(&declaration)
    }

    /// Notes that a name stands for the declaration at a place.
    pub(crate) fn mark(&mut self, declaration: Span) {
        self.used.insert(declaration);
    }
}

/// Warns of names that hide others.
pub(super) fn report_shadows(usage: &Usage, sources: &SourceMap, sink: &mut Sink) {
    for (name, span, hidden) in &usage.shadows {
        if usage.is_silenced("shadow", *span) || sources.is_library(span.file) {
            continue;
        }
        let message = format!("`{name}` hides another declaration of the name");
        let diagnostic = Diagnostic::warning(codes::SHADOWS, *span, message);
        sink.push(diagnostic.also(*hidden, "cannot be reached here"));
    }
}

/// Warns of all that is declared and not used.
pub(super) fn report(usage: &Usage, sources: &SourceMap, sink: &mut Sink) {
    for declaration in &usage.declared {
        if usage.is_used(declaration.counts_as)
            || usage.is_silenced("unused", declaration.span)
            || sources.is_library(declaration.span.file)
        {
            continue;
        }
        let message = format!("{} `{}` is never used", declaration.what, declaration.name);
        sink.push(Diagnostic::warning(codes::UNUSED, declaration.span, message));
    }
}
