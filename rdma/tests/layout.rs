//! The layouts of structures are those of the header of rdma-core.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::Command;

use crate::support::compile;

/// Returns a program that prints a line for each structure and field: name, field, offset, size.
fn program() -> String {
    let mut text =
        "#include <infiniband/verbs.h>\n#include <stddef.h>\n#include <stdio.h>\nint main(void) {\n"
            .to_string();
    for (name, field, ..) in harrier_rdma::layouts() {
        let (structure, member) = name.split_once('.').unwrap_or((name, ""));
        let path = [member, field].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(".");
        let (offset, size) = match (member, field) {
            ("", "") => ("(size_t)0".to_string(), format!("sizeof(struct {structure})")),
            // The target of a work request is a union of its own here.
            ("wr.ud" | "wr.rdma", _) => (
                format!("offsetof(struct {structure}, {path}) - offsetof(struct {structure}, wr)"),
                format!("sizeof(((struct {structure} *)0)->{path})"),
            ),
            _ => (
                format!("offsetof(struct {structure}, {path})"),
                format!("sizeof(((struct {structure} *)0)->{path})"),
            ),
        };
        writeln!(text, "printf(\"{name} {field} %zu %zu\\n\", {offset}, {size});").unwrap();
    }
    text + "return 0;\n}\n"
}

#[test]
fn layouts_are_those_of_the_header() {
    let source = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("layout-{}.c", std::process::id()));
    fs::write(&source, program()).unwrap();
    let compiled = compile("layout::layouts_are_those_of_the_header", &source, "layout", &[]);
    let _ = fs::remove_file(&source);
    let Some(path) = compiled else { return };
    let output = Command::new(&path).output().unwrap();
    let _ = fs::remove_file(&path);
    let of_header = String::from_utf8(output.stdout).unwrap();
    let ours: String = harrier_rdma::layouts()
        .iter()
        .map(|(name, field, offset, size)| format!("{name} {field} {offset} {size}\n"))
        .collect();
    assert!(ours.lines().count() > 100, "{ours}");
    assert_eq!(ours, of_header);
}
