//! The pages of `docs/p4-errors`: their wrong examples give the code they are about, their right ones do not.

use p4_lang::diagnostic::{Code, codes};
use p4_lang::{Compilation, MemoryLoader, Options, compile};

/// What an example without an architecture of its own stands between.
const BEFORE: &str = "#include <core.p4>\n#include <v1model.p4>\n";
const AFTER: &str = "
struct page_headers_t { }
struct page_meta_t { }
parser PageParser(packet_in p, out page_headers_t h, inout page_meta_t m, inout standard_metadata_t s) {
    state start { transition accept; }
}
control PageSums(inout page_headers_t h, inout page_meta_t m) { apply { } }
control PageBlock(inout page_headers_t h, inout page_meta_t m, inout standard_metadata_t s) { apply { } }
control PageDeparser(packet_out p, in page_headers_t h) { apply { } }
V1Switch(PageParser(), PageSums(), PageBlock(), PageBlock(), PageSums(), PageDeparser()) main;
";

/// Compiles the example whose fence says `p4 kind`.
fn example(code: Code, kind: &str) -> Compilation {
    let fence = format!("```p4 {kind}");
    let start = code.page.find(&fence).unwrap_or_else(|| panic!("{}: no `{fence}`", code.id));
    let (head, rest) = code.page[start..].split_once('\n').expect("invariant: a fence ends its line");
    let (text, _) = rest.split_once("\n```").unwrap_or_else(|| panic!("{}: the example has no end", code.id));
    let text = match head.ends_with(" whole") {
        true => text.to_owned(),
        false => format!("{BEFORE}{text}\n{AFTER}"),
    };
    compile("example.p4", &MemoryLoader::new().with("example.p4", text), &Options::default())
}

fn check(code: Code) {
    assert!(code.page.starts_with(&format!("# {}: ", code.id)), "{}: its page has another title", code.id);
    let wrong = example(code, "wrong");
    let given = wrong.diagnostics.iter().any(|d| d.code == code);
    assert!(given, "{}: the wrong example gives\n{}", code.id, wrong.report(false));
    let runs = !code.id.starts_with('E') && code != codes::NOT_RUN;
    assert_eq!(wrong.program.is_some(), runs, "{}: {}", code.id, wrong.report(false));
    let right = example(code, "right");
    assert!(
        right.program.is_some() && right.diagnostics.iter().all(|d| d.code != code),
        "{}: the right example gives\n{}",
        code.id,
        right.report(false)
    );
}

#[test]
fn each_code_has_a_page_with_examples_that_show_it() {
    for code in codes::ALL {
        check(*code);
    }
}

#[test]
fn codes_are_found_by_their_name() {
    assert_eq!(codes::find("e0401").map(|c| c.id), Some("E0401"));
    assert_eq!(codes::find("E9999"), None);
}
