//! Limits on all passes of a packet together.

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Switch, SwitchConfig};

/// Runs a loop `loops` times in each of `turns` recirculations.
const PROGRAM: &str = r#"
#include <core.p4>
#include <v1model.p4>
header turns_t { bit<8> turns; bit<8> loops; }
struct headers_t { turns_t h; }
struct metadata_t { bit<8> sum; }
parser P(packet_in packet, out headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    state start { packet.extract(hdr.h); transition accept; }
}
control V(inout headers_t hdr, inout metadata_t meta) { apply { } }
control I(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        for (bit<8> i = 0; i < hdr.h.loops; i = i + 1) {
            meta.sum = meta.sum + hdr.h.turns;
        }
        sm.egress_spec = 1 + (bit<9>) (meta.sum & 0);
    }
}
control E(inout headers_t hdr, inout metadata_t meta, inout standard_metadata_t sm) {
    apply {
        if (hdr.h.turns > 0) {
            hdr.h.turns = hdr.h.turns - 1;
            recirculate_preserving_field_list(0);
        }
    }
}
control C(inout headers_t hdr, inout metadata_t meta) { apply { } }
control D(packet_out packet, in headers_t hdr) { apply { packet.emit(hdr.h); } }
V1Switch(P(), V(), I(), E(), C(), D()) main;
"#;

/// Checks whether a packet with these numbers of recirculations and iterations leaves the switch.
fn check(turns: u8, loops: u8, leaves: bool) {
    let loader = MemoryLoader::new().with("limits.p4", PROGRAM);
    let compilation = compile("limits.p4", &loader, &Options::default());
    let program = std::sync::Arc::new(compilation.program.expect("the program compiles"));
    for engine in [Engine::MachineCode, Engine::Bytecode, Engine::Unoptimised, Engine::Interpreter] {
        let ports = (0..4).map(|port| (port, Rate::from_gbps(100)));
        let mut config = SwitchConfig { engine, ..SwitchConfig::new(TmConfig::lossy(ports, 1 << 20)) };
        config.limits.jumps_per_packet = 1_000;
        let mut switch = Switch::new(config);
        switch.load(program.clone()).expect("it fits");
        switch.receive(Time::ZERO, 0, Frame::new(&[turns, loops, 7], 0));
        let sent = switch.transmit(Time::ZERO, 1);
        let expected = leaves.then(|| Frame::new(&[0, loops, 7], 0));
        assert_eq!(sent, expected, "{turns} recirculations with {loops} iterations on {engine:?}");
        assert_eq!(switch.counters().dropped_jump_limit, u64::from(!leaves), "{engine:?}");
    }
}

#[test]
fn the_jump_limit_applies_to_all_passes_together() {
    check(0, 100, true);
    check(5, 100, true);
    check(20, 100, false);
    check(200, 1, true);
    check(200, 9, false);
}
