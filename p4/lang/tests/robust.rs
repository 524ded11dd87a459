//! No input makes the front end panic, hang or allocate without bound.
//!
//! The fuzz target `fuzz/src/source.rs` mutates whole programs; these tests generate nested and repeated constructs.

use p4_lang::{MemoryLoader, Options, compile, render};
use proptest::prelude::*;

/// Words that make deeply nested and malformed programs likely.
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

/// Compiles a program and renders its diagnostics.
fn compiles_without_panic(text: &str) {
    let loader = MemoryLoader::new().with("main.p4", text);
    let compilation = compile("main.p4", &loader, &Options::default());
    for diagnostic in &compilation.diagnostics {
        assert!(!render(diagnostic, &compilation.sources, false).is_empty());
    }
}

/// Replaces a range of a program.
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
    fn arbitrary_text_does_not_panic(text in any::<String>()) {
        compiles_without_panic(&text);
    }

    #[test]
    fn arbitrary_words_do_not_panic(words in prop::collection::vec(prop::sample::select(WORDS), 0..200)) {
        compiles_without_panic(&words.join(" "));
    }

    #[test]
    fn damaged_programs_do_not_panic(
        at in any::<usize>(),
        remove in 0usize..40,
        words in prop::collection::vec(prop::sample::select(WORDS), 0..6),
    ) {
        let program = include_str!("good/telemetry.p4")
            .replace("#include \"telemetry_headers.p4\"", include_str!("good/telemetry_headers.p4"));
        compiles_without_panic(&splice(&program, at, remove, &words));
    }
}

#[test]
fn deep_nesting_is_reported() {
    for (open, close) in [("(", ")"), ("{", "}"), ("-", ""), ("!(", ")"), ("tuple<", ">"), ("(bit<8>)", "")] {
        let text = format!("const bit<8> x = {}1{};", open.repeat(5000), close.repeat(5000));
        compiles_without_panic(&text);
        let text = format!("control c() {{ apply {{ {}x;{} }} }}", open.repeat(5000), close.repeat(5000));
        compiles_without_panic(&text);
    }
    compiles_without_panic(&format!("const bit<8> x = 1{};", " + 1".repeat(50_000)));
    compiles_without_panic(&format!("const bit<8> x = a{};", ".b".repeat(50_000)));
}

/// Units whose meaning depends on later tokens, so that the parser has to parse them speculatively.
const UNITS: &[&str] = &[
    "(bit<(",
    "(bit<(x + ",
    "a<",
    "a<b>(",
    "f<",
    "f(a<",
    "tuple<a<",
    "(a<b>)(",
    "(T<T>)(",
    "(T<(",
    "(T[(",
    "((T<a<",
    "a<b>(c<d>, ",
    "x < (T<",
    "{(T<",
    "a[(bit<(",
    "T<bit<(",
    "select((T<",
    "(T)a<b>(",
    "(a<b, ",
    "a<b, c<",
    "(_, ",
    "a ? (T<(",
    "for (T<(T<",
    "if (T<(T)(",
    "@a[x = (T<(",
];

#[test]
fn nested_speculative_parsing_terminates() {
    for unit in UNITS {
        for count in [60, 10_000] {
            let text = unit.repeat(count);
            compiles_without_panic(&text);
            compiles_without_panic(&format!("struct T {{ }} const bit<8> x = {text};"));
            compiles_without_panic(&format!("{text} x() {{ }}"));
            compiles_without_panic(&format!("struct T {{ }} control c() {{ {text} x; apply {{ {text} }} }}"));
            compiles_without_panic(&format!(
                "struct T {{ }} control c() {{ apply {{ x = {text}; for ({text} i in x) {{ }} }} }}"
            ));
            compiles_without_panic(&format!(
                "parser p() {{ state s {{ transition select(x) {{ ({text}): s; }} }} }}"
            ));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, ..ProptestConfig::default() })]

    #[test]
    fn repeated_words_do_not_panic(
        words in prop::collection::vec(prop::sample::select(WORDS), 1..6),
        count in prop::sample::select(&[60usize, 2000][..]),
    ) {
        let text = words.join(" ").repeat(count);
        compiles_without_panic(&text);
        compiles_without_panic(&format!("control c() {{ apply {{ {text} }} }}"));
        compiles_without_panic(&format!("const bit<8> x = {text};"));
    }
}

#[test]
fn exponential_macro_expansion_is_limited() {
    let mut text = "#define A0 x x x x x x x x x x\n".to_owned();
    for i in 1..12 {
        let before = format!("A{} ", i - 1).repeat(10);
        text.push_str(&format!("#define A{i} {before}\n"));
    }
    text.push_str("A11\n#include \"main.p4\"\n");
    compiles_without_panic(&text);
}

/// Returns the error codes of a v1model program with these declarations and ingress statements.
fn codes_of(declarations: &str, body: &str) -> Vec<&'static str> {
    let text = format!(
        "#include <v1model.p4>
        struct headers_t {{ }}
        struct meta_t {{ bit<8> x; }}
        {declarations}
        parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {{
            state start {{ transition accept; }}
        }}
        control C(inout headers_t h, inout meta_t m) {{ apply {{ }} }}
        control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ {body} }} }}
        control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
        control D(packet_out p, in headers_t h) {{ apply {{ }} }}
        V1Switch(P(), C(), I(), E(), C(), D()) main;"
    );
    let loader = MemoryLoader::new().with("main.p4", text);
    let compilation = compile("main.p4", &loader, &Options::default());
    let mut codes: Vec<&str> =
        compilation.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.code.id).collect();
    codes.dedup();
    codes
}

/// Returns forty declarations, each of which uses the one before it twice.
fn doubling(first: &str, next: impl Fn(usize) -> String) -> String {
    std::iter::once(first.to_owned()).chain((1..40).map(next)).collect::<Vec<_>>().join("\n")
}

#[test]
fn exponential_growth_through_declarations_is_limited() {
    let structs = doubling("struct t0 { bit<8> a; bit<8> b; }", |i| {
        format!("struct t{i} {{ t{0} a; t{0} b; }}", i - 1)
    });
    assert_eq!(codes_of(&structs, "t39 x; t39 y; x = y;"), ["E0004"]);
    let tuples =
        doubling("typedef tuple<bit<8>, bit<8>> t0;", |i| format!("typedef tuple<t{0}, t{0}> t{i};", i - 1));
    assert_eq!(codes_of(&tuples, ""), ["E0004"]);
    let generics = doubling("struct t0<T> { T a; T b; }", |i| format!("struct t{i}<T> {{ T a; T b; }}"));
    let nested = (1..40).fold("bit<8>".to_owned(), |ty, i| format!("t{i}<{ty}>"));
    assert_eq!(codes_of(&generics, &format!("{nested} x;")), ["E0004"]);
    let texts =
        doubling("const string t0 = \"ab\";", |i| format!("const string t{i} = t{0} ++ t{0};", i - 1));
    assert_eq!(codes_of(&texts, ""), ["E0004"]);
    let functions = doubling("void f0() { }", |i| format!("void f{i}() {{ f{0}(); f{0}(); }}", i - 1));
    assert_eq!(codes_of(&functions, "f39();"), ["E0004"]);
    let values = doubling("bit<8> f0(in bit<8> x) { return x + 1; }", |i| {
        format!("bit<8> f{i}(in bit<8> x) {{ return f{0}(x) + f{0}(x); }}", i - 1)
    });
    assert_eq!(codes_of(&values, "m.x = f39(m.x);"), ["E0004"]);
    let controls = doubling("control c0() { apply { } }", |i| {
        format!("control c{i}() {{ c{0}() a; c{0}() b; apply {{ a.apply(); b.apply(); }} }}", i - 1)
    });
    assert_eq!(codes_of(&controls, "c39.apply();"), ["E0004"]);
}

#[test]
fn widths_sizes_and_numbers_are_limited() {
    assert_eq!(codes_of("const bit<999999999> x = 1;", ""), ["E0408"]);
    assert_eq!(codes_of("const bit<99999999999999999999> x = 1;", ""), ["E0408"]);
    assert_eq!(codes_of("header h_t { bit<8> x; } struct s_t { h_t[999999999] stack; }", ""), ["E0408"]);
    assert_eq!(codes_of("const bit<8> x = 999999999w1;", ""), ["E0003"]);
    assert_eq!(codes_of(&format!("const int x = {};", "9".repeat(1_000_000)), ""), ["E0003"]);
    assert_eq!(codes_of(&format!("const int x = 0x{};", "f".repeat(1_000_000)), ""), ["E0003"]);
    assert_eq!(codes_of("const int x = 1 << 999999999;", ""), ["E0412"]);
    let squares = doubling("const int t0 = 10;", |i| format!("const int t{i} = t{0} * t{0};", i - 1));
    assert_eq!(codes_of(&squares, ""), ["E0412"]);
    let wide = doubling("const bit<64> t0 = 1;", |i| {
        format!("const bit<({0})> t{i} = t{1} ++ t{1};", 64u64 << i.min(20), i - 1)
    });
    assert_eq!(codes_of(&wide, "").first(), Some(&"E0408"));
}

#[test]
fn recursive_types_are_rejected() {
    assert_eq!(codes_of("struct s_t { s_t next; }", ""), ["E0301"]);
    assert_eq!(codes_of("typedef t t;", ""), ["E0301"]);
    assert_eq!(codes_of("header h_t { h_t[2] next; }", ""), ["E0301"]);
}
