//! The reader and the runner of STF tests, with any text as input, on a small program.

use std::sync::{Arc, OnceLock};

use p4_lang::ir::Program;
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::stf;

/// Maximum length of a test, to keep runs short.
const LENGTH: usize = 1 << 12;

pub(crate) const WORDS: &[&str] = &[
    "add ",
    "t ",
    "\"t#1\" ",
    "h.h.a:",
    "\"h.h.a & 0x10\":",
    "0x**",
    "0b1*",
    "/4",
    "&&&",
    "..",
    "->",
    "set(v:",
    "set(",
    ")",
    " = id\n",
    "packet 1 ",
    "expect 1 ",
    "$\n",
    "*",
    "no_packet\n",
    "wait 1\n",
    "remove all\n",
    "remove t ",
    "setdefault t ",
    "check_counter c(0) packets == 1\n",
    "check_counter c($id)\n",
    "register_write r 0 1\n",
    "register_read r 0\n",
    "check_register r(0) 1\n",
    "mirroring_add 1 2\n",
    "mc_mgrp_create 1\n",
    "mc_node_create 1 2 3\n",
    "mc_node_associate 1 0\n",
    "expect_digest ",
    "value_set ",
    "member ",
    "group ",
    "meter_set_rates m 0 1:1 2:2\n",
    "#",
    "\"",
    "\n",
    "99999999999999999999",
    "-1",
    "é",
];

const SOURCE: &str = "#include <v1model.p4>
header h_t { bit<8> a; bit<8> b; }
struct headers_t { h_t h; }
struct meta_t { }
parser P(packet_in p, out headers_t h, inout meta_t m, inout standard_metadata_t s) {
    state start { p.extract(h.h); transition accept; }
}
control C(inout headers_t h, inout meta_t m) { apply { } }
control I(inout headers_t h, inout meta_t m, inout standard_metadata_t s) {
    counter(4, CounterType.packets) c;
    register<bit<8>>(4) r;
    action set(bit<8> v) { h.h.b = v; s.egress_spec = 1; }
    table t {
        key = { h.h.a: ternary; h.h.b: exact; s.ingress_port: range; }
        actions = { set; NoAction; }
    }
    @name(\"t#1\") table u { key = { h.h.a & 0x10: lpm; } actions = { set; NoAction; } }
    apply { t.apply(); u.apply(); c.count(0); r.write(0, h.h.a); }
}
control E(inout headers_t h, inout meta_t m, inout standard_metadata_t s) { apply { } }
control D(packet_out p, in headers_t h) { apply { p.emit(h.h); } }
V1Switch(P(), C(), I(), E(), C(), D()) main;";

fn program() -> &'static Arc<Program> {
    static PROGRAM: OnceLock<Arc<Program>> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let loader = MemoryLoader::new().with("main.p4", SOURCE);
        let program = compile("main.p4", &loader, &Options::default()).program;
        Arc::new(program.expect("invariant: the program of this target compiles"))
    })
}

/// Runs a text as a test; the failures must be printable.
pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes.get(..LENGTH).unwrap_or(bytes)).into_owned();
    if let Err(failures) = stf::run(program(), &text) {
        assert!(!failures.is_empty(), "a failed test has a failure");
        assert!(failures.iter().all(|failure| !failure.to_string().is_empty()), "{failures:?}");
    }
}

/// Seeds: tests of every command.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    let texts = [
        "add t 1 h.h.a:0x1* h.h.b:2 set(v:3) = id\npacket 1 10 02\nexpect 1 10 03 $\ncheck_counter c(0) packets == 1\n",
        "add \"t#1\" \"h.h.a & 0x10\":0x10/8 set(4)\npacket 1 10 00\nexpect 1 1004\n",
        "setdefault t set(1) # a comment\nremove all\nwait 10\nno_packet\n",
        "register_write r 0 7\nregister_read r 0\ncheck_register r(0) 7\nregister_reset r\n",
        "mirroring_add 1 2\nmc_mgrp_create 1\nmc_node_create 1 2 3\nmc_node_associate 1 0\nmirroring_add_mc 2 1\n",
    ];
    texts.iter().map(|text| text.as_bytes().to_vec()).collect()
}
