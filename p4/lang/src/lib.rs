//! A P4-16 front end for v1model.

pub mod diagnostic;
pub mod ir;
mod lex;
mod preprocess;
pub mod source;
mod syntax;

pub fn parse_only(main: &str, loader: &dyn source::SourceLoader) -> (Vec<diagnostic::Diagnostic>, source::SourceMap) {
    let mut sources = source::SourceMap::default();
    let mut sink = diagnostic::Sink::default();
    let tokens = preprocess::preprocess(main, loader, &[], &mut sources, &mut sink);
    let _ = syntax::parse(tokens, &mut sink);
    (sink.list, sources)
}
