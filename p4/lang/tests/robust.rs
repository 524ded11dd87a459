//! No input makes the front end panic, and none makes it run away.

use p4_lang::{MemoryLoader, Options, compile, render};
use proptest::prelude::*;

/// Words that make deep and strange programs likely.
const WORDS: &[&str] = &[
    "#include <v1model.p4>\n",
    "#define M(a) a a\n",
    "#if 1\n",
    "#endif\n",
    "#else\n",
    "M(",
    "parser",
    "control",
    "action",
    "table",
    "key",
    "actions",
    "entries",
    "apply",
    "state",
    "start",
    "transition",
    "select",
    "accept",
    "header",
    "struct",
    "header_union",
    "enum",
    "typedef",
    "type",
    "extern",
    "package",
    "const",
    "bit<8>",
    "int<4>",
    "varbit<32>",
    "tuple<",
    "list<",
    "bool",
    "error",
    "void",
    "register<bit<8>>",
    "x",
    "y",
    "T",
    "main",
    "V1Switch",
    "in",
    "out",
    "inout",
    "if",
    "else",
    "for",
    "switch",
    "return",
    "exit",
    "default",
    "_",
    "...",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    ":",
    ",",
    ".",
    "=",
    "+",
    "-",
    "++",
    "&&&",
    "..",
    "==",
    "&&",
    "?",
    "!",
    "~",
    "@name(\"n\")",
    "@",
    "0",
    "1",
    "8w255",
    "0xff",
    "\"s\"",
    "\n",
    "//",
    "/*",
    "*/",
    "\\",
    "é",
];

fn survives(text: &str) {
    let loader = MemoryLoader::new().with("main.p4", text);
    let compilation = compile("main.p4", &loader, &Options::default());
    for diagnostic in &compilation.diagnostics {
        assert!(!render(diagnostic, &compilation.sources, false).is_empty());
    }
}

/// Replaces one range of a real program by another.
fn splice(text: &str, at: usize, remove: usize, words: &[&str]) -> String {
    let chars: Vec<char> = text.chars().collect();
    let at = at % (chars.len() + 1);
    let end = (at + remove).min(chars.len());
    let mut out: String = chars[..at].iter().collect();
    out.push_str(&words.join(" "));
    out.extend(&chars[end..]);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn any_text(text in any::<String>()) {
        survives(&text);
    }

    #[test]
    fn any_words(words in prop::collection::vec(prop::sample::select(WORDS), 0..200)) {
        survives(&words.join(" "));
    }

    #[test]
    fn damaged_programs(
        at in any::<usize>(),
        remove in 0usize..40,
        words in prop::collection::vec(prop::sample::select(WORDS), 0..6),
    ) {
        let program = include_str!("good/telemetry.p4")
            .replace("#include \"telemetry_headers.p4\"", include_str!("good/telemetry_headers.p4"));
        survives(&splice(&program, at, remove, &words));
    }
}

#[test]
fn deep_nesting_is_an_error_not_a_crash() {
    for (open, close) in [("(", ")"), ("{", "}"), ("-", ""), ("!(", ")"), ("tuple<", ">"), ("(bit<8>)", "")] {
        let text = format!("const bit<8> x = {}1{};", open.repeat(5000), close.repeat(5000));
        survives(&text);
        let text = format!("control c() {{ apply {{ {}x;{} }} }}", open.repeat(5000), close.repeat(5000));
        survives(&text);
    }
    survives(&format!("const bit<8> x = 1{};", " + 1".repeat(50_000)));
    survives(&format!("const bit<8> x = a{};", ".b".repeat(50_000)));
}

#[test]
fn macros_that_grow_without_end_are_cut_off() {
    let mut text = "#define A0 x x x x x x x x x x\n".to_owned();
    for i in 1..12 {
        let before = format!("A{} ", i - 1).repeat(10);
        text.push_str(&format!("#define A{i} {before}\n"));
    }
    text.push_str("A11\n#include \"main.p4\"\n");
    survives(&text);
}
