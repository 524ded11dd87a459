//! Warnings about legal but probably unintended code. They follow the reference compiler (p4lang/p4c): a program that
//! compiles without warnings there has none here.
//!
//! - [`unused`]: unused declarations, by name only: a variable that is only written counts as used.
//! - [`flow`]: which scalars have been written ([`state`]) and which headers are valid, on all paths through each
//!   parser, control and function. Actions and tables are followed where they are applied; calls of parsers, controls,
//!   functions and externs are assumed to write all their `out` arguments, and their bodies are analysed separately.
//!
//! Variables are trees of scalars ([`storage`]). Files included as `<name>` are libraries and cause no warnings.
//! `@noWarn("unused")` and other annotations with the reference compiler's names suppress warnings inside the
//! declaration or block that they annotate.

mod calls;
mod expr;
mod flow;
mod state;
mod storage;
mod unused;
mod validity;

use crate::diagnostic::Sink;
use crate::hir::Module;
use crate::lex::{Name, Tok};
use crate::source::SourceMap;
use crate::syntax::ast::{AnnotationBody, Annotations};

pub(crate) use unused::Usage;

/// Adds the warnings about a program without errors.
pub(crate) fn lint(module: &Module, usage: &Usage, sources: &SourceMap, sink: &mut Sink) {
    unused::report(usage, sources, sink);
    unused::report_shadows(usage, sources, sink);
    flow::report(module, usage, sources, sink);
}

/// Returns the names in `@noWarn("name")`.
fn no_warn(annotations: &Annotations) -> impl Iterator<Item = Name> + '_ {
    annotations.iter().filter(|a| &*a.name.name == "noWarn").filter_map(|a| match &a.body {
        AnnotationBody::Tokens(tokens) => match tokens.first().map(|t| &t.tok) {
            Some(Tok::Str(name)) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Returns whether `@noWarn("name")` is among the annotations.
fn is_suppressed_by(annotations: &Annotations, name: &str) -> bool {
    no_warn(annotations).any(|n| &*n == name)
}
