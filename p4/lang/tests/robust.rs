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

/// The codes of the errors that a program around some declarations gives; it ends, whatever they are.
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

/// Forty declarations, each made of the one before it twice.
fn doubling(first: &str, next: impl Fn(usize) -> String) -> String {
    std::iter::once(first.to_owned()).chain((1..40).map(next)).collect::<Vec<_>>().join("\n")
}

#[test]
fn what_grows_with_each_declaration_reaches_a_limit() {
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
fn widths_sizes_and_numbers_have_limits() {
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
fn types_that_contain_themselves_are_refused() {
    assert_eq!(codes_of("struct s_t { s_t next; }", ""), ["E0301"]);
    assert_eq!(codes_of("typedef t t;", ""), ["E0301"]);
    assert_eq!(codes_of("header h_t { h_t[2] next; }", ""), ["E0301"]);
}
