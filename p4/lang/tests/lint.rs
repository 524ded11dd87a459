//! Warnings: each program marks the warnings of a line at its end (`// W0403 W0404`). No others may be reported.

use std::collections::BTreeSet;

use p4_lang::{MemoryLoader, Options, compile};

fn check(name: &str, text: &str) {
    let loader = MemoryLoader::new().with(name, text);
    let compilation = compile(name, &loader, &Options::default());
    assert!(!compilation.diagnostics.iter().any(|d| d.is_error()), "{}", compilation.report(false));
    let found: BTreeSet<(u32, String)> = compilation
        .diagnostics
        .iter()
        .map(|d| (compilation.sources.location(d.primary.span).line, d.code.id.to_owned()))
        .collect();
    let mut expected = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.rsplit_once("// W") else { continue };
        for code in format!("W{comment}").split_whitespace() {
            expected.insert((index as u32 + 1, code.to_owned()));
        }
    }
    assert_eq!(found, expected, "{name}: found, expected\n{}", compilation.report(false));
}

/// One test for each program.
macro_rules! programs {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            let file = concat!(stringify!($name), ".p4");
            check(file, include_str!(concat!("lint/", stringify!($name), ".p4")));
        }
    )*};
}

programs!(headers, library, suppressed, uninitialized, unused, without_data_flow);
