//! Lexer, preprocessor, parser, checker, lowering and P4Info, with any text as input.

use p4_lang::{MemoryLoader, Options, compile};
use p4runtime::p4info;

use crate::programs;

/// Maximum length of a program, to keep runs short.
const LENGTH: usize = 1 << 16;

pub(crate) const WORDS: &[&str] = &[
    "#include <core.p4>\n",
    "#include <v1model.p4>\n",
    "#define A A A\n",
    "#if defined(A) && 1\n",
    "#endif\n",
    "#line 7 \"x\"\n",
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
    "reject",
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
    "bit<(",
    "int<4>",
    "int",
    "varbit<32>",
    "tuple<",
    "list<",
    "bool",
    "error",
    "void",
    "match_kind",
    "register<bit<8>>",
    "value_set<",
    "switch",
    "default",
    "return",
    "exit",
    "for",
    "if",
    "else",
    "in",
    "out",
    "inout",
    "abstract",
    "this",
    "priority",
    "V1Switch(",
    "main",
    "0x",
    "8w",
    "8s-1",
    "-129",
    "&&&",
    "..",
    "...",
    "++",
    "|+|",
    "|-|",
    "<<",
    ">>",
    "{#}",
    "@name(\"",
    "@id(",
    "@[",
    "]",
    "(",
    ")",
    "{",
    "}",
    "<",
    ">",
    "_",
    ";",
    ",",
    ".next",
    ".last",
    "/*",
    "*/",
    "//",
    "\"",
    "\\\n",
];

/// Compiles a text. A program that compiles must have a P4Info that reads back, and all messages must be printable.
pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes.get(..LENGTH).unwrap_or(bytes)).into_owned();
    let loader = MemoryLoader::new().with("main.p4", text);
    let compilation = compile("main.p4", &loader, &Options::default());
    let report = compilation.report(false);
    match &compilation.program {
        Some(program) => {
            let info = p4info::from_program(program);
            let text = p4info::to_text(&info);
            assert_eq!(p4info::from_text(&text).ok().as_ref(), Some(&info), "P4Info reads back");
        }
        // Otherwise there is an error, or a warning that the program has another target.
        None => assert!(
            !compilation.diagnostics.is_empty() && !report.is_empty(),
            "a diagnostic explains why there is no program"
        ),
    }
}

/// Seeds: the programs of the repository, one text each.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    #![allow(
        clippy::disallowed_methods,
        reason = "a fuzz driver reads the repository's programs from its files"
    )]
    let texts = programs::files().into_iter().filter_map(|path| std::fs::read(path).ok());
    texts.filter(|text| text.len() <= LENGTH).collect()
}
