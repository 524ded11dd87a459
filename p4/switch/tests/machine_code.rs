//! What is particular to machine code: actions that are functions of their own, and programs that run as bytecode instead.

use std::fmt::Write;
use std::sync::Arc;

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::Program;
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::stf::{Settings, run_on};
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Prepared, Switch, SwitchConfig};

use crate::engines;

/// A program whose header has two bytes, with declarations and statements of its ingress control.
fn program(declarations: &str, statements: &str) -> Arc<Program> {
    let text = format!(
        r#"
        #include <core.p4>
        #include <v1model.p4>
        header h_t {{ bit<8> kind; bit<8> value; }}
        struct headers_t {{ h_t h; }}
        struct metadata_t {{ bit<8> sum; }}
        parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
            state start {{ packet.extract(hdr.h); transition accept; }}
        }}
        control V(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
        control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
            {declarations}
            apply {{
                sm.egress_spec = 1;
                {statements}
                hdr.h.value = hdr.h.value + meta.sum;
            }}
        }}
        control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
        control C(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
        control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr.h); }} }}
        V1Switch(P(), V(), I(), E(), C(), D()) main;
        "#
    );
    let compilation = compile("test.p4", &MemoryLoader::new().with("test.p4", &text), &Options::default());
    let report = compilation.report(false);
    Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")))
}

fn prepare(program: &Arc<Program>, engine: Engine) -> Prepared {
    Prepared::new(Arc::clone(program), engine, SwitchConfig::DROP_PORT).expect("the program is well-formed")
}

/// Statements that are too many for an action to become part of every table that uses it.
fn many_statements(count: usize) -> String {
    (0..count).fold(String::new(), |mut text, number| {
        let _ = write!(
            text,
            "if (hdr.h.value[{bit}:{bit}] == 1) {{ meta.sum = meta.sum ^ {number}; }} else {{ meta.sum = meta.sum + hdr.h.kind; }}",
            bit = number % 8,
        );
        text
    })
}

/// An action that two tables and the control itself run, that returns early and may end the control.
#[test]
fn an_action_that_several_tables_use_is_a_function() {
    let declarations = format!(
        r#"
        action long(bit<8> more) {{
            {}
            if (hdr.h.kind == 9) {{ exit; }}
            if (hdr.h.kind == 8) {{ return; }}
            meta.sum = meta.sum + more;
        }}
        table first {{ key = {{ hdr.h.kind: exact; }} actions = {{ long; NoAction; }} default_action = long(1); }}
        table second {{ key = {{ hdr.h.value: exact; }} actions = {{ long; }} default_action = long(2); }}
        "#,
        many_statements(12)
    );
    let statements =
        "long(7); if (first.apply().hit) { meta.sum = 1; } second.apply(); meta.sum = meta.sum + 3;";
    let program = program(&declarations, statements);
    let prepared = prepare(&program, Engine::MachineCode);
    assert!(prepared.is_machine_code(), "{:?}", prepared.why_bytecode());
    let packets: String = (0..12u8).fold(String::new(), |mut text, kind| {
        let _ = writeln!(text, "packet 0 {kind:02x} {:02x} aabb", kind.wrapping_mul(37));
        text
    });
    let test =
        format!("add first hdr.h.kind:3 NoAction()\nadd second hdr.h.value:0x6f long(more:9)\n{packets}");
    engines::check("an action that several tables use", &program, &test);
    let (observed, _) =
        run_on(&program, &test, &Settings { engine: Engine::MachineCode, ..Settings::default() });
    assert_eq!(observed.sent.len(), 12, "every packet leaves");
}

#[test]
fn a_program_that_is_too_large_runs_as_bytecode() {
    let program = program("", &many_statements(8_000));
    let prepared = prepare(&program, Engine::MachineCode);
    assert!(!prepared.is_machine_code());
    let reason = prepared.why_bytecode().expect("there is a reason");
    assert!(reason.contains("too large"), "{reason}");
    let send = |prepared: &Prepared| {
        let ports = (0..4).map(|port| (port, Rate::from_gbps(100)));
        let mut switch = Switch::new(SwitchConfig::new(TmConfig::lossy(ports, 1 << 20)));
        switch.load_prepared(prepared).expect("it fits");
        switch.receive(Time::ZERO, 0, Frame::new(&[2, 0x5a, 7], 0));
        switch.transmit(Time::ZERO, 1).expect("the packet leaves")
    };
    assert_eq!(send(&prepared), send(&prepare(&program, Engine::Interpreter)));
}

/// Few operations, each of which becomes thousands of instructions.
#[test]
fn instructions_count_instead_of_operations() {
    let fields = (0..3_000).fold(String::new(), |mut text, number| {
        let _ = write!(text, "bit<8> f{number}; ");
        text
    });
    let copies = "hdr.a = hdr.b; hdr.b = hdr.a; ".repeat(40);
    let text = format!(
        r#"
        #include <core.p4>
        #include <v1model.p4>
        header h_t {{ {fields} }}
        struct headers_t {{ h_t a; h_t b; }}
        struct metadata_t {{ }}
        parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
            state start {{ packet.extract(hdr.a); packet.extract(hdr.b); transition accept; }}
        }}
        control V(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
        control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{
            apply {{ sm.egress_spec = 1; {copies} }}
        }}
        control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {{ apply {{ }} }}
        control C(inout headers_t hdr, inout metadata_t meta) {{ apply {{ }} }}
        control D(packet_out packet, in headers_t hdr) {{ apply {{ packet.emit(hdr); }} }}
        V1Switch(P(), V(), I(), E(), C(), D()) main;
        "#
    );
    let compilation = compile("wide.p4", &MemoryLoader::new().with("wide.p4", &text), &Options::default());
    let report = compilation.report(false);
    let program = Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")));
    let prepared = prepare(&program, Engine::MachineCode);
    assert!(prepared.why_bytecode().is_some_and(|reason| reason.contains("too large")));
}

#[test]
fn a_program_can_be_prepared_without_machine_code() {
    let program = program("", "meta.sum = 1;");
    assert!(prepare(&program, Engine::MachineCode).is_machine_code());
    assert!(!prepare(&program, Engine::MachineCode).as_bytecode().is_machine_code());
    for engine in [Engine::Bytecode, Engine::Unoptimised, Engine::Interpreter] {
        let prepared = prepare(&program, engine);
        assert!(!prepared.is_machine_code() && prepared.why_bytecode().is_none(), "{engine:?}");
    }
}
