//! Whole compilations: valid programs yield the expected IR, invalid ones the diagnostics of the snapshots.

use p4_lang::{Compilation, MemoryLoader, NotIncluded, Options, SourceLoader, compile, ir};

/// Compiles a program from the given files.
fn run(main: &str, files: &[(&str, &str)]) -> Compilation {
    let loader = files.iter().fold(MemoryLoader::new(), |l, (path, text)| l.with(*path, *text));
    compile(main, &loader, &Options::default())
}

/// One test for each invalid program: its diagnostics match the snapshot.
macro_rules! bad {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            let path = concat!(stringify!($name), ".p4");
            let text = include_str!(concat!("bad/", stringify!($name), ".p4"));
            let compilation = run(path, &[(path, text)]);
            assert!(compilation.program.is_none());
            insta::assert_snapshot!(stringify!($name), compilation.report(false));
        }
    )*};
}

bad!(lexer, preprocessor, parser, names, types, objects, lowering);

fn telemetry() -> ir::Program {
    let compilation = run(
        "telemetry.p4",
        &[
            ("telemetry.p4", include_str!("good/telemetry.p4")),
            ("telemetry_headers.p4", include_str!("good/telemetry_headers.p4")),
        ],
    );
    assert_eq!(compilation.report(false), "");
    compilation.program.expect("the program has no errors")
}

#[test]
fn control_plane_objects_have_names_ids_and_annotations() {
    let program = telemetry();
    let register = &program.registers[0];
    assert_eq!(register.preamble.name, "flow_slots");
    assert_eq!(register.preamble.id >> 24, 0x16);
    assert_eq!(register.preamble.annotations, [r#"@fields("epoch:32,packets:32,paused:32,depth:32")"#]);
    let routes = &program.tables[1];
    assert_eq!(routes.preamble.name, "TelemetryIngress.routes");
    assert_eq!(routes.preamble.alias, "routes");
    assert_eq!(routes.keys[0].name, "hdr.ipv4.dst");
    assert!(routes.direct_counter.is_some());
    let classes = &program.tables[0];
    assert_eq!(classes.keys[0].name, "dscp");
    assert_eq!(classes.entries.iter().map(|e| e.priority).collect::<Vec<_>>(), [Some(9), Some(3)]);
    assert_eq!(program.value_sets[0].preamble.name, "TelemetryParser.roce_ports");
    assert_eq!(program.digests[0].preamble.name, "notice_t");
}

#[test]
fn field_lists_contain_their_metadata() {
    let program = telemetry();
    let names = |list: u8| -> Vec<&str> {
        program.storage.field_lists[&list]
            .iter()
            .map(|id| &*program.storage.scalars[id.index()].name)
            .collect()
    };
    assert_eq!(names(1), ["meta.epoch", "meta.flow_hash"]);
    assert_eq!(names(2), ["meta.flow_hash"]);
    assert!(program.storage.standard_metadata.contains_key("egress_spec"));
}

/// Compiles a v1model program with this ingress control, and returns the statements of the control.
fn ingress(declarations: &str, locals: &str, body: &str) -> Vec<String> {
    let text = format!(
        "#include <v1model.p4>
        header h_t {{ bit<8> a; bit<8> b; }}
        struct headers_t {{ h_t h; h_t[2] stack; }}
        struct meta_t {{ bit<8> x; bit<8> y; bit<32> i; }}
        {declarations}
        parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{
            state start {{ transition accept; }}
        }}
        control V(inout headers_t hdr, inout meta_t m) {{ apply {{ }} }}
        control I(inout headers_t hdr, inout meta_t meta, inout standard_metadata_t s) {{
            {locals}
            apply {{ {body} }}
        }}
        control E(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) {{ apply {{ }} }}
        control D(packet_out p, in headers_t hdr) {{ apply {{ }} }}
        V1Switch(P(), V(), I(), E(), V(), D()) main;"
    );
    let compilation = run("main.p4", &[("main.p4", &text)]);
    assert_eq!(compilation.report(false), "");
    let program = compilation.program.expect("the program has no errors");
    let name = |id: &ir::ScalarId| program.storage.scalars[id.index()].name.clone();
    program
        .ingress
        .body
        .iter()
        .map(|stmt| match stmt {
            ir::Stmt::Assign(target, value) => format!("{} = {}", name(target), show(value, &name)),
            ir::Stmt::AssignStackField { index, field, value, .. } => {
                format!("stack[{}].{field} = {}", show(index, &name), show(value, &name))
            }
            other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
        })
        .collect()
}

fn show(expr: &ir::Expr, name: &dyn Fn(&ir::ScalarId) -> String) -> String {
    match &expr.kind {
        ir::ExprKind::Const(bits) => format!("{}", bits.to_u128().unwrap_or(u128::MAX)),
        ir::ExprKind::Scalar(id) => name(id),
        ir::ExprKind::Binary(op, a, b) => format!("({} {op:?} {})", show(a, name), show(b, name)),
        ir::ExprKind::Cast(of) => format!("cast {}", show(of, name)),
        other => format!("{other:?}").split([' ', '(']).next().unwrap_or_default().to_owned(),
    }
}

#[test]
fn constants_are_folded_at_any_width() {
    let body = "meta.x = (8w255 |+| 1) - 4w3 ++ 4w2 + 1 << 1; meta.i = (bit<32>)(1 << 40 >> 38);";
    let body = body.replace("- 4w3 ++ 4w2 ", "- (4w3 ++ 4w2) ");
    assert_eq!(ingress("", "", &body), ["meta.x".to_owned() + " = 156", "meta.i = 4".to_owned()]);
}

#[test]
fn an_operand_is_read_before_a_later_call_writes_it() {
    let function = "bit<8> bump(inout bit<8> v) { v = v + 1; return v; }";
    let stmts = ingress(function, "", "meta.y = meta.x + bump(meta.x);");
    let shown = stmts.join("\n");
    // The old value is saved, the call writes, and both are added.
    assert!(stmts[0].starts_with("$tmp") && stmts[0].ends_with("= meta.x"), "{shown}");
    assert_eq!(stmts[1], "meta.x = (meta.x Add 1)", "{shown}");
    assert!(stmts.last().is_some_and(|s| s.starts_with("meta.y = ($tmp")), "{shown}");
}

#[test]
fn overlapping_arguments_are_copied_out_from_left_to_right() {
    let function = "void set(inout bit<8> a, out bit<8> b) { a = 1; b = a + 1; }";
    let stmts = ingress(function, "", "@noWarn(\"ordering\") { set(meta.x, meta.x); }");
    assert_eq!(
        stmts,
        ["a = meta.x", "a = 1", "b = (a Add 1)", "meta.x = a", "meta.x = b"].map(str::to_owned),
        "copy-out goes from left to right"
    );
}

#[test]
fn swapping_the_fields_of_a_struct_copies_them_first() {
    let stmts = ingress("struct pair_t { bit<8> l; bit<8> r; }", "pair_t p = { 1, 2 };", "p = { p.r, p.l };");
    assert_eq!(&stmts[..2], ["p.l = 1", "p.r = 2"]);
    assert_eq!(stmts.len(), 6, "{stmts:?}");
}

#[test]
fn a_constant_stack_index_is_resolved_statically() {
    let stmts = ingress("", "", "hdr.stack[1].a = 3; hdr.stack[meta.i].b = 4;");
    assert_eq!(stmts, ["hdr.stack[1].a = 3", "stack[meta.i].1 = 4"]);
}

#[test]
fn generic_functions_and_nested_controls_are_specialised() {
    let declarations =
        "@noWarn(\"unused\") T pick<T>(in bool c, in T a, in T b) { if (c) { return a; } return b; }
        @noWarn(\"unused\") control Inner(inout bit<8> v)(bit<8> step) { apply { v = v + step; } }";
    let stmts =
        ingress(declarations, "Inner(3) three; Inner(4) four;", "three.apply(meta.x); four.apply(meta.x);");
    assert_eq!(stmts, ["meta.x = (meta.x Add 3)", "meta.x = (meta.x Add 4)"]);
    let stmts = ingress(declarations, "", "meta.x = pick(meta.i == 1, meta.x, 8w5);");
    assert!(stmts.iter().any(|s| s == "Scope"), "{stmts:?}");
}

#[test]
fn extracting_a_member_of_the_next_union_refers_to_its_stack() {
    let text = "#include <v1model.p4>
        header a_t { bit<8> a; }
        header b_t { bit<16> b; }
        header_union u_t { a_t a; b_t b; }
        struct headers_t { u_t[3] options; }
        struct meta_t { }
        parser P(packet_in p, out headers_t hdr, inout meta_t m, inout standard_metadata_t s) {
            state start { p.extract(hdr.options.next.b); transition accept; }
        }
        control V(inout headers_t hdr, inout meta_t m) { apply { } }
        control I(inout headers_t hdr, inout meta_t m, inout standard_metadata_t s) { apply { } }
        control D(packet_out p, in headers_t hdr) { apply { p.emit(hdr); } }
        V1Switch(P(), V(), I(), I(), V(), D()) main;";
    let program = run("main.p4", &[("main.p4", text)]).program.expect("a program");
    let next = ir::HeaderRef::Next { stack: ir::StackId(0), member: 1 };
    assert_eq!(program.parser.states[0].body, [ir::Stmt::Extract(next)]);
    assert_eq!(program.deparser.body.len(), 6, "three unions of two members are emitted");
}

/// A loader whose files cannot be included, each for its own reason, except `fine.p4`.
struct Refusing;

impl SourceLoader for Refusing {
    fn load(&self, path: &str) -> Option<String> {
        let names = ["folder", "fifo", "large", "binary", "secret", "none", "header"];
        let includes = || names.map(|name| format!("#include \"{name}\"\n")).concat();
        (path == "main.p4").then(includes)
    }

    fn include(&self, path: &str) -> Result<String, NotIncluded> {
        Err(match path {
            "folder" | "header" => NotIncluded::Directory,
            "fifo" => NotIncluded::NotRegular,
            "large" => NotIncluded::TooLarge,
            "binary" => NotIncluded::NotText,
            "secret" => NotIncluded::Unreadable("permission denied".into()),
            "library/header" => return Ok("const bit<8> x = 1;\n".into()),
            _ => NotIncluded::Missing,
        })
    }
}

#[test]
fn an_include_that_is_not_read_is_reported_with_the_reason() {
    let options = Options { includes: vec!["library".into()], ..Options::default() };
    let compilation = compile("main.p4", &Refusing, &options);
    let errors: Vec<&str> =
        compilation.diagnostics.iter().filter(|d| d.is_error()).map(|d| d.message.as_str()).collect();
    // A directory does not hide a file of the same name that is found later.
    assert_eq!(
        errors,
        [
            "`folder` is a directory",
            "`fifo` is not a regular file",
            "`large` is larger than 40 MB",
            "`binary` is not UTF-8 text",
            "`secret` cannot be read: permission denied",
            "file not found: `none`",
        ]
    );
}
