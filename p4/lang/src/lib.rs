//! A P4-16 front end for v1model (P4 language specification 1.2.5).
//!
//! [`compile`] takes a program from text to [`ir::Program`]:
//! preprocessor ([`mod@source`] loads files) → lexer → parser → checker (names, types, constants) → lowering
//! (instantiation, inlining, order of evaluation). Each stage reports every error it finds and continues; [`render`]
//! formats a diagnostic with its source lines.
//!
//! ```
//! use p4_lang::{MemoryLoader, Options, compile};
//!
//! let loader = MemoryLoader::new().with("main.p4", "#include <v1model.p4>\nbit<8> x = ;");
//! let compilation = compile("main.p4", &loader, &Options::default());
//! assert!(compilation.program.is_none());
//! assert!(compilation.diagnostics[0].is_error());
//! ```

mod budget;
mod check;
mod constant;
pub mod diagnostic;
mod hir;
pub mod ir;
mod lex;
mod lint;
mod lower;
mod lpm_keys;
mod one_access;
mod preprocess;
mod reach;
pub mod source;
mod syntax;

pub use budget::Cancel;
pub use diagnostic::{Counts, Diagnostic, Severity, render};
pub use source::{MAX_FILE_BYTES, MemoryLoader, NotIncluded, SourceLoader, SourceMap};

use std::collections::BTreeSet;

use diagnostic::Sink;

/// Compilation options.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Predefined macros: names and values.
    pub defines: Vec<(String, String)>,
    /// Directories searched for included files, after the directory of the including file and the built-in files.
    pub includes: Vec<String>,
    /// Whether P4Info will be generated. If so, duplicate control-plane names are an error (E0302), as in p4c;
    /// otherwise a warning (W0410), because converted P4-14 programs have them.
    pub p4info: bool,
    /// Cancels the compilation from another thread.
    pub cancel: Cancel,
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The program; `None` if it has errors or is for an architecture other than v1model (warning W0408).
    pub program: Option<ir::Program>,
    /// The diagnostics in source order: at most 1,000 errors and 1,000 warnings.
    pub diagnostics: Vec<Diagnostic>,
    /// The numbers of all errors and warnings.
    pub counts: Counts,
    /// The source files that diagnostics refer to.
    pub sources: SourceMap,
}

impl Compilation {
    /// Returns whether the program has errors.
    pub fn has_errors(&self) -> bool {
        self.counts.errors > 0
    }

    /// Renders the diagnostics: at most [`MAX_SHOWN`], errors before warnings if there are more, then in source order.
    /// The others are counted.
    pub fn report(&self, color: bool) -> String {
        let of = |severity| self.diagnostics.iter().filter(move |d| d.severity == severity);
        let mut shown: Vec<&Diagnostic> =
            of(Severity::Error).chain(of(Severity::Warning)).take(MAX_SHOWN).collect();
        shown.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
        let errors = shown.iter().filter(|d| d.is_error()).count();
        let mut texts: Vec<String> = shown.iter().map(|d| render(d, &self.sources, color)).collect();
        let hidden = [
            (self.counts.errors - errors, "error"),
            (self.counts.warnings - (shown.len() - errors), "warning"),
        ];
        let hidden: Vec<String> =
            hidden.iter().filter(|(n, _)| *n > 0).map(|(n, noun)| diagnostic::plural(*n, noun)).collect();
        if !hidden.is_empty() {
            texts.push(format!("not shown: {}", hidden.join(", ")));
        }
        texts.join("\n\n")
    }
}

/// The maximum number of diagnostics that [`Compilation::report`] shows.
pub const MAX_SHOWN: usize = 100;

/// Compiles the program whose main file is `main_path`.
pub fn compile(main_path: &str, loader: &dyn SourceLoader, options: &Options) -> Compilation {
    let mut sources = SourceMap::default();
    let mut sink = Sink::default();
    let program = phases(main_path, loader, options, &mut sources, &mut sink);
    let (diagnostics, counts) = sink.finish();
    Compilation { program, diagnostics, counts, sources }
}

/// Returns the lines with syntax errors.
fn damaged_lines(sources: &SourceMap, sink: &Sink) -> BTreeSet<(source::FileId, u32)> {
    let errors = sink.kept().iter().filter(|d| d.code == diagnostic::codes::UNEXPECTED_TOKEN);
    errors.map(|d| line_of(sources, d.primary.span)).collect()
}

fn line_of(sources: &SourceMap, span: source::Span) -> (source::FileId, u32) {
    (span.file, sources.get(span.file).map_or(0, |file| file.line_at(span.start)))
}

fn phases(
    main_path: &str,
    loader: &dyn SourceLoader,
    options: &Options,
    sources: &mut SourceMap,
    sink: &mut Sink,
) -> Option<ir::Program> {
    let tokens = preprocess::preprocess(main_path, loader, options, sources, sink)?;
    let end = tokens.last().map_or(source::Span::default(), |t| t.span);
    let unit = syntax::parse(tokens, sources, sink);
    let damaged = damaged_lines(sources, sink);
    let before = sink.mark();
    let (module, usage) = check::check(&unit, &options.cancel, sink);
    // What a syntax error leaves of an expression has errors of its own, which its author did not make.
    sink.remove_since(before, |d| damaged.contains(&line_of(sources, d.primary.span)));
    let program = if sink.has_errors() {
        None
    } else {
        lpm_keys::check(&module, sink);
        lower::lower(&module, sources, options, end, sink)
    };
    if !sink.has_errors() {
        one_access::check(&module, sink);
    }
    if !sink.has_errors() {
        lint::lint(&module, &usage, sources, sink);
    }
    program
}
