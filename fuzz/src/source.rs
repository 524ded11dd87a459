//! Lexer, preprocessor, parser, checker, lowering and P4Info: any text.

use p4_lang::{MemoryLoader, Options, compile};
use p4runtime::p4info;

use crate::programs;

/// Longest program that is tried: a run is to stay short.
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

/// Compiles the text; what compiles must also have a P4Info that reads back, and messages must have a picture.
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
        // Either something is wrong with it, or it is for another target, which a warning says.
        None => assert!(
            !compilation.diagnostics.is_empty() && !report.is_empty(),
            "why there is no program is said"
        ),
    }
}

/// The repository's programs as one text each.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    #![allow(
        clippy::disallowed_methods,
        reason = "a fuzz driver reads the repository's programs from its files"
    )]
    let texts = programs::files().into_iter().filter_map(|path| std::fs::read(path).ok());
    texts.filter(|text| text.len() <= LENGTH).collect()
}
