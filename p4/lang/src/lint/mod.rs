//! Warnings: what is legal and yet hardly meant. They follow the reference compiler's (p4lang/p4c), so that a
//! program that is silent there is silent here.
//!
//! - [`unused`]: declarations that nothing refers to. By name alone: a variable that is only written is used.
//! - [`flow`]: along all paths of each parser, control and function, which scalars have been written
//!   ([`state`]) and which headers are valid. Actions and tables are followed from where they are applied;
//!   parsers, controls, functions and externs are taken to write all their `out` arguments, and their own bodies
//!   are looked at by themselves.
//!
//! Variables are trees of scalars ([`storage`]). Nothing is said about files included as `<name>`: they are
//! libraries. `@noWarn("unused")` and its like, named as the reference compiler names them, silence what is said
//! inside the declaration or block that they annotate.

mod calls;
mod expr;
mod flow;
mod reach;
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

/// The names in `@noWarn("name")`.
fn no_warn(annotations: &Annotations) -> impl Iterator<Item = Name> + '_ {
    annotations.iter().filter(|a| &*a.name.name == "noWarn").filter_map(|a| match &a.body {
        AnnotationBody::Tokens(tokens) => match tokens.first().map(|t| &t.tok) {
            Some(Tok::Str(name)) => Some(name.clone()),
            _ => None,
        },
        _ => None,
    })
}

/// Whether `@noWarn("name")` is among the annotations.
fn silenced(annotations: &Annotations, name: &str) -> bool {
    no_warn(annotations).any(|n| &*n == name)
}
