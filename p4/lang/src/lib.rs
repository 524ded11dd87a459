//! A P4-16 front end for v1model (P4 language specification 1.2.5).
//!
//! [`compile`] takes a program from text to [`ir::Program`]:
//! preprocessor ([`mod@source`] loads files) → lexer → parser → checker (names, types, constants) → lowering
//! (instances, inlining, order of evaluation). Each stage reports all it finds and goes on; [`render`] shows a
//! diagnostic with its source lines.
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

/// How to compile.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Macros that are defined before the first line: names and values.
    pub defines: Vec<(String, String)>,
    /// Folders in which included files are looked for, after the includer's own and the built-in files.
    pub includes: Vec<String>,
    /// Whether P4Info is to be made of the program: then two things of one control-plane name are an error
    /// (E0302), as in p4c. Otherwise they are a warning (W0410): converted P4-14 programs have them, and run.
    pub p4info: bool,
}

/// What came of a compilation.
#[derive(Debug)]
pub struct Compilation {
    /// The program, unless something is wrong with it, or it is for another architecture than v1model (warning
    /// W0408).
    pub program: Option<ir::Program>,
    /// All messages in source order.
    pub diagnostics: Vec<Diagnostic>,
    /// The files that messages point into.
    pub sources: SourceMap,
}

impl Compilation {
    /// All messages as text.
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
