//! The reader of programs in the JSON format of the reference switch, with any text as input, and the programs that it
//! accepts.

use std::sync::Arc;

use model::wire::Frame;
use model::{Rate, Time};
use p4_switch::config::Limits;
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Event, Switch, SwitchConfig, bmv2};
use p4runtime::p4info;

/// Maximum length of a file, to keep runs short.
const LENGTH: usize = 1 << 16;
/// Maximum size of the arrays of a program.
const ARRAY_BYTES: u64 = 1 << 20;

/// The hand-written program of the tests of `p4-switch`.
const SEED: &str = include_str!("../../p4/switch/tests/bmv2/arms.json");

pub(crate) const WORDS: &[&str] = &[
    "\"type\": \"field\"",
    "\"type\": \"expression\"",
    "\"type\": \"hexstr\"",
    "\"type\": \"header\"",
    "\"type\": \"stack_field\"",
    "\"type\": \"lookahead\"",
    "\"value\": [\"ip\", \"ttl\"]",
    "\"value\": \"0x1\"",
    "\"op\": \"<<\"",
    "\"op\": \"sat_cast\"",
    "\"op\": \"?\"",
    "\"op\": \"access_field\"",
    "\"op\": \"dereference_header_stack\"",
    "\"op\": \"_jump\"",
    "\"op\": \"exit\"",
    "\"op\": \"assign_header\"",
    "\"next_state\": \"options\"",
    "\"true_next\": \"c_ip\"",
    "null",
    "[]",
    "{}",
    "true",
    "\"*\"",
    "70000",
    "-1",
];

pub(crate) fn seeds() -> Vec<Vec<u8>> {
    // The same without white space, so that edits hit more of it.
    let value: serde_json::Value = serde_json::from_str(SEED).unwrap_or_default();
    vec![SEED.as_bytes().to_vec(), value.to_string().into_bytes()]
}

pub(crate) fn run(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes.get(..LENGTH.min(bytes.len())).unwrap_or_default());
    let reading = bmv2::read("fuzz.json", &text);
    assert_eq!(reading.program.is_none(), reading.errors > 0, "errors explain why there is no program");
    let Some(program) = reading.program else { return };
    let info = p4info::from_program(&program);
    let again = p4info::from_text(&p4info::to_text(&info)).expect("its own P4Info");
    assert_eq!(again, info, "the P4Info reads back from its text");
    let program = Arc::new(program);
    for engine in [Engine::MachineCode, Engine::Bytecode, Engine::Interpreter] {
        let config = SwitchConfig::new(TmConfig::lossy([(1, Rate::from_gbps(1))], 1 << 20));
        let limits = Limits { array_bytes: ARRAY_BYTES, ..config.limits };
        let mut switch = Switch::new(SwitchConfig { engine, limits, ..config });
        // A program that is read can still exceed the limits of the switch.
        if switch.load(program.clone()).is_err() {
            continue;
        }
        let mut events: Vec<Event> = Vec::new();
        for packet in [
            &b"\x01\x00\x01\x80\x01\x11\x01\x22\x00\x33"[..],
            b"\x02\x80\x01\x02\x45\x09\0\0\x0a\x01\x02\x03\x05",
        ] {
            switch.receive(Time::ZERO, 1, Frame::new(packet, 0));
            switch.drain_events(&mut events);
            while switch.transmit(Time::ZERO, 1).is_some() {}
        }
    }
}
