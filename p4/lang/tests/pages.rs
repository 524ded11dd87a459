//! The pages of `p4/lang/errors`: the wrong example of each triggers exactly its code, the right example does not.

use p4_lang::diagnostic::{Code, codes};
use p4_lang::{Compilation, MemoryLoader, Options, compile};

/// The program around an example that is not a whole program.
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

/// Compiles the example of a page whose code fence is marked `p4 kind`.
fn example(code: Code, kind: &str) -> Compilation {
    let fence = format!("```p4 {kind}");
    let start = code.page.find(&fence).unwrap_or_else(|| panic!("{}: no `{fence}`", code.id));
    let (head, rest) = code.page[start..].split_once('\n').expect("invariant: a fence ends its line");
    let (text, _) =
        rest.split_once("\n```").unwrap_or_else(|| panic!("{}: unterminated code fence", code.id));
    let text = match head.ends_with(" whole") {
        true => text.to_owned(),
        false => format!("{BEFORE}{text}\n{AFTER}"),
    };
    compile("example.p4", &MemoryLoader::new().with("example.p4", text), &Options::default())
}

fn check(code: Code) {
    let heading = format!("# {}: {}\n", code.id, code.title);
    assert!(code.page.starts_with(&heading), "{}: the heading of the page differs from the title", code.id);
    for section in ["\n## Example\n", "\n## Fix\n", "\n## Reference\n"] {
        assert!(code.page.contains(section), "{}: the page has no section {section:?}", code.id);
    }
    let wrong = example(code, "wrong");
    // The parser may report the end of the file after an error that it cannot recover from.
    let triggered = wrong.diagnostics.iter().any(|d| d.code == code)
        && wrong
            .diagnostics
            .iter()
            .all(|d| d.code == code || d.code == codes::UNEXPECTED_TOKEN || !d.is_error());
    assert!(triggered, "{}: the wrong example triggers\n{}", code.id, wrong.report(false));
    let runs = !code.id.starts_with('E') && code != codes::NOT_RUN;
    assert_eq!(wrong.program.is_some(), runs, "{}: {}", code.id, wrong.report(false));
    let right = example(code, "right");
    // The pages about other architectures have examples that are checked, but not run.
    let runs = !code.page.contains("#include <tna.p4>");
    assert!(
        right.program.is_some() == runs
            && !right.has_errors()
            && right.diagnostics.iter().all(|d| d.code != code),
        "{}: the right example triggers\n{}",
        code.id,
        right.report(false)
    );
}

#[test]
fn the_example_of_each_page_triggers_its_code() {
    for code in codes::ALL {
        check(*code);
    }
}

#[test]
fn codes_are_found_regardless_of_case() {
    assert_eq!(codes::find("e0401").map(|c| c.id), Some("E0401"));
    assert_eq!(codes::find("E9999"), None);
}

#[test]
fn the_site_has_a_page_for_each_code_and_an_index() {
    let pages = codes::pages();
    assert_eq!(pages.len(), codes::ALL.len() + 1);
    let (name, index) = &pages[0];
    assert_eq!(name, "index.md");
    assert!(index.contains("| [E0401](E0401.md) | mismatched types |"), "{index}");
}

#[test]
fn codes_are_sorted_by_id() {
    assert!(codes::ALL.is_sorted_by_key(|c| c.id));
}
