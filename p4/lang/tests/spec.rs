//! The language, section by section of the specification: `spec/*.p4`, programs in which what is right stands beside
//! what is wrong. `//~ E0401` (or `W0402`) stands in the line of a message, `//~^ E0401` below it; there are no
//! other errors, and no other warnings but those about what is unused and about programs that nothing can run.

use std::collections::BTreeSet;

use p4_lang::{MemoryLoader, Options, compile};

/// Lines and codes of the messages that a program announces.
fn announced(text: &str) -> BTreeSet<(u32, String)> {
    let mut found = BTreeSet::new();
    for (line, text) in (1..).zip(text.lines()) {
        let Some((_, said)) = text.split_once("//~") else { continue };
        let line = line - u32::from(said.starts_with('^'));
        for code in said.trim_start_matches('^').split_whitespace() {
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
    assert_eq!(found, announced(text), "{name}: found, announced\n{}", compilation.report(false));
}

/// One test a program.
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
