//! One access to a register for each packet. Lines of a program that must be reported end with the code (`// E0605`).

use std::collections::BTreeSet;

use p4_lang::{Compilation, MemoryLoader, Options, compile};

/// Two registers with an action each, tables and actions; a test adds the body of `apply`.
const BEFORE: &str = r#"#include <tna.p4>
struct headers_t { }
struct meta_t { bit<8> index; bit<32> found; }
parser IngressP(packet_in p, out headers_t h, out meta_t m, out ingress_intrinsic_metadata_t i) {
    state start { p.extract(i); m.index = 0; m.found = 0; transition accept; }
}
parser EgressP(packet_in p, out headers_t h, out meta_t m, out egress_intrinsic_metadata_t e) {
    state start { p.extract(e); m.index = 0; m.found = 0; transition accept; }
}
Register<bit<32>, bit<8>>(256) shared;
control Inner(inout meta_t m) {
    Register<bit<32>, bit<8>>(256) inner;
    RegisterAction<bit<32>, bit<8>, bit<32>>(inner) take = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; value = 0; }
    };
    apply { m.found = take.execute(m.index); }
}
control Given(inout meta_t m)(Register<bit<32>, bit<8>> given) {
    RegisterAction<bit<32>, bit<8>, bit<32>>(given) take = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; value = 0; }
    };
    apply { m.found = take.execute(m.index); }
}
control Ingress(inout headers_t h, inout meta_t m, in ingress_intrinsic_metadata_t i,
    in ingress_intrinsic_metadata_from_parser_t p, inout ingress_intrinsic_metadata_for_deparser_t d,
    inout ingress_intrinsic_metadata_for_tm_t t)
{
    Register<bit<32>, bit<8>>(256) counts;
    Register<bit<32>, bit<8>>(256) others;
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) add = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + 1; result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(counts) clear = {
        void apply(inout bit<32> value, out bit<32> result) { result = value; value = 0; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(others) add_other = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + 1; result = value; }
    };
    RegisterAction<bit<32>, bit<8>, bit<32>>(shared) add_shared = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + 1; result = value; }
    };
    Inner() one;
    Inner() two;
    Given(shared) first_given;
    Given(shared) second_given;
    action do_add() { m.found = add.execute(m.index); }
    action do_clear() { m.found = clear.execute(m.index); }
    action nothing() { }
    table both {
        key = { m.index : exact; }
        actions = { do_add; do_clear; nothing; }
        default_action = nothing();
    }
    table second {
        key = { m.index : exact; }
        actions = { do_add; nothing; }
        default_action = nothing();
    }
    apply {
"#;
const BETWEEN: &str = r#"
        m.found = add_other.execute(m.index);
    }
}
control Egress(inout headers_t h, inout meta_t m, in egress_intrinsic_metadata_t e,
    in egress_intrinsic_metadata_from_parser_t p, inout egress_intrinsic_metadata_for_deparser_t d,
    inout egress_intrinsic_metadata_for_output_port_t o)
{
    RegisterAction<bit<32>, bit<8>, bit<32>>(shared) add_shared = {
        void apply(inout bit<32> value, out bit<32> result) { value = value + 1; result = value; }
    };
    apply {
"#;
const AFTER: &str = r#"
    }
}
control IngressD(packet_out p, inout headers_t h, in meta_t m, in ingress_intrinsic_metadata_for_deparser_t d) { apply { } }
control EgressD(packet_out p, inout headers_t h, in meta_t m, in egress_intrinsic_metadata_for_deparser_t d) { apply { } }
Pipeline(IngressP(), Ingress(), IngressD(), EgressP(), Egress(), EgressD()) pipe;
Switch(pipe) main;
"#;

fn compiled(ingress: &str, egress: &str) -> (String, Compilation) {
    let text = format!("{BEFORE}{ingress}{BETWEEN}{egress}{AFTER}");
    let loader = MemoryLoader::new().with("main.p4", text.clone());
    let compilation = compile("main.p4", &loader, &Options::default());
    (text, compilation)
}

fn check_both(ingress: &str, egress: &str) {
    let (text, compilation) = compiled(ingress, egress);
    let report = compilation.report(false);
    let found: BTreeSet<(u32, String)> = compilation
        .diagnostics
        .iter()
        .filter(|d| d.is_error())
        .map(|d| (compilation.sources.location(d.primary.span).line, d.code.id.to_owned()))
        .collect();
    let mut expected = BTreeSet::new();
    for (index, line) in text.lines().enumerate() {
        if let Some((_, code)) = line.rsplit_once("// E") {
            expected.insert((index as u32 + 1, format!("E{code}")));
        }
    }
    assert_eq!(found, expected, "found, expected\n{report}");
}

fn check(ingress: &str) {
    check_both(ingress, "");
}

#[test]
fn one_access_is_accepted() {
    check("m.found = add.execute(m.index);");
}

#[test]
fn two_accesses_in_sequence_are_reported() {
    check("m.found = add.execute(m.index);\n m.found = clear.execute(m.index); // E0605");
}

#[test]
fn accesses_in_exclusive_branches_are_accepted() {
    check("if (m.found == 0) { do_add(); } else if (m.found == 1) { do_clear(); } else { do_add(); }");
    check("switch (m.found) { 0: { do_add(); } 1: { do_clear(); } default: { do_add(); } }");
    check("m.found = m.found == 0 ? add.execute(m.index) : clear.execute(m.index);");
}

#[test]
fn accesses_in_two_actions_of_a_table_are_accepted() {
    check("both.apply();");
}

#[test]
fn a_table_that_is_applied_twice_is_reported() {
    check("both.apply();\n both.apply(); // E0605");
}

#[test]
fn an_access_before_a_branch_and_inside_it_is_reported() {
    check("do_add();\n if (m.found == 0) {\n do_clear(); // E0605\n }");
}

#[test]
fn an_access_inside_a_branch_and_after_it_is_reported() {
    check("if (m.found == 0) { do_add(); }\n do_clear(); // E0605");
}

#[test]
fn conditions_are_not_evaluated() {
    check("if (m.found == 0) { do_add(); }\n if (m.found != 0) {\n do_clear(); // E0605\n }");
}

#[test]
fn two_tables_with_the_same_action_are_reported() {
    check("both.apply();\n second.apply(); // E0605");
    check("if (m.found == 0) { both.apply(); } else { second.apply(); }");
}

#[test]
fn a_switch_on_the_action_continues_after_that_action() {
    check("switch (both.apply().action_run) { nothing: { do_add(); } default: { } }");
    check("switch (both.apply().action_run) {\n do_clear: {\n do_add(); // E0605\n }\n default: { } }");
}

#[test]
fn a_table_in_a_condition_is_an_access() {
    check("if (both.apply().hit) {\n do_add(); // E0605\n }");
}

#[test]
fn nothing_follows_an_exit_or_a_return() {
    check("if (m.found == 0) { do_add(); exit; }\n do_clear();");
    check("if (m.found == 0) { do_add(); return; }\n do_clear();");
}

#[test]
fn the_right_side_of_and_may_not_be_evaluated() {
    check("if (m.found == 0 && add.execute(m.index) == 0) {\n do_clear(); // E0605\n }");
}

#[test]
fn an_access_in_a_loop_is_reported() {
    check("for (bit<8> n in 8w1..8w2) {\n do_add(); // E0605\n }");
}

#[test]
fn two_instances_of_a_control_have_two_registers() {
    check("one.apply(m); two.apply(m);");
    check("one.apply(m);\n one.apply(m); // E0605");
}

#[test]
fn a_register_that_is_passed_to_two_controls_is_the_same() {
    check("if (m.found == 0) { first_given.apply(m); } else { second_given.apply(m); }");
    check("first_given.apply(m);\n second_given.apply(m); // E0605");
}

#[test]
fn a_register_in_ingress_and_egress_is_reported() {
    check_both("m.found = add_shared.execute(m.index);", "m.found = add_shared.execute(m.index); // E0606");
    check_both("", "m.found = add_shared.execute(m.index);");
}

#[test]
fn both_accesses_and_the_register_are_shown() {
    let (_, compilation) = compiled("do_add();\n do_clear();", "");
    let diagnostic =
        compilation.diagnostics.iter().find(|d| d.is_error()).expect("the second access is an error");
    assert_eq!(diagnostic.message, "a packet may access register `counts` more than once");
    let labels: Vec<&str> = diagnostic.secondary.iter().map(|label| label.text.as_str()).collect();
    assert_eq!(labels, ["first access", "the register"]);
}

#[test]
fn programs_for_v1model_may_access_registers_several_times() {
    let text = "#include <v1model.p4>
struct headers_t { }
struct meta_t { bit<32> x; }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) { state start { transition accept; } }
control C(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    register<bit<32>>(4) seen;
    apply { seen.read(m.x, 0); seen.write(0, m.x + 1); }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { } }
V1Switch(P(), C(), I(), E(), C(), D()) main;";
    let compilation = compile("main.p4", &MemoryLoader::new().with("main.p4", text), &Options::default());
    assert!(!compilation.has_errors(), "{}", compilation.report(false));
}
