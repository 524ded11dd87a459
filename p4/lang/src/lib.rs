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

mod check;
mod constant;
pub mod diagnostic;
mod hir;
pub mod ir;
mod lex;
mod lint;
mod lower;
mod preprocess;
pub mod source;
mod syntax;

pub use diagnostic::{Diagnostic, Severity, render};
pub use source::{MemoryLoader, SourceLoader, SourceMap};

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
}

/// The result of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The program; `None` if it has errors or is for an architecture other than v1model (warning W0408).
    pub program: Option<ir::Program>,
    /// All diagnostics in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The source files that diagnostics refer to.
    pub sources: SourceMap,
}

impl Compilation {
    /// Renders all diagnostics.
    pub fn report(&self, color: bool) -> String {
        let texts: Vec<String> = self.diagnostics.iter().map(|d| render(d, &self.sources, color)).collect();
        texts.join("\n\n")
    }
}

/// Compiles the program whose main file is `main_path`.
pub fn compile(main_path: &str, loader: &dyn SourceLoader, options: &Options) -> Compilation {
    let mut sources = SourceMap::default();
    let mut sink = Sink::default();
    let tokens = preprocess::preprocess(main_path, loader, options, &mut sources, &mut sink);
    let end = tokens.last().map_or(source::Span::default(), |t| t.span);
    let unit = syntax::parse(tokens, &mut sink);
    let (module, usage) = check::check(&unit, &mut sink);
    let program =
        if sink.has_errors() { None } else { lower::lower(&module, &sources, options, end, &mut sink) };
    if !sink.has_errors() {
        lint::lint(&module, &usage, &sources, &mut sink);
    }
    let mut diagnostics = sink.list;
    diagnostics.sort_by_key(|d| (d.primary.span.file, d.primary.span.start));
    Compilation { program, diagnostics, sources }
}
