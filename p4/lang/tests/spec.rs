//! The language, section by section of the specification: `spec/*.p4`, programs with valid and invalid code.
//! `//~ E0401` (or `W0402`) marks a diagnostic of the same line, `//~^ E0401` one of the line above. No others may be
//! reported, except warnings about unused declarations, unknown externs and programs that cannot run.

use std::collections::BTreeSet;

use p4_lang::{MemoryLoader, Options, compile};

/// Returns line and code of the diagnostics that a program marks.
fn expected(text: &str) -> BTreeSet<(u32, String)> {
    let mut found = BTreeSet::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, mark)) = text.split_once("//~") else { continue };
        let line = line - u32::from(mark.starts_with('^'));
        for code in mark.trim_start_matches('^').split_whitespace() {
            found.insert((line, code.to_owned()));
        }
    }
    found
}

fn check(name: &str, text: &str) {
    let compilation = compile(name, &MemoryLoader::new().with(name, text), &Options::default());
    let found: BTreeSet<(u32, String)> = compilation
        .diagnostics
        .iter()
        .filter(|d| !matches!(d.code.id, "W0403" | "W0407" | "W0408"))
        .map(|d| (compilation.sources.location(d.primary.span).line, d.code.id.to_owned()))
        .collect();
    assert_eq!(found, expected(text), "{name}: found, expected\n{}", compilation.report(false));
}

/// One test for each program.
macro_rules! programs {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            check(
                concat!(stringify!($name), ".p4"),
                include_str!(concat!("spec/", stringify!($name), ".p4")),
            );
        }
    )*};
}

programs!(
    annotations,
    architecture,
    arrays,
    controls,
    expressions,
    generics,
    lexical,
    names,
    parsers,
    statements,
    tables,
    types,
);
