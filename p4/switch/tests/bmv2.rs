//! Programs in the JSON format of the reference switch: `bmv2/arms.json` is `bmv2/arms.p4`, translated by hand in the
//! way of p4c's back end.

#![allow(clippy::disallowed_methods, reason = "a test reads programs, and where to find them")]

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use model::Rate;
use p4_lang::ir::Program;
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::stf::{Settings, run_on};
use p4_switch::tm::TmConfig;
use p4_switch::{Engine, Switch, SwitchConfig, bmv2};
use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use serde_json::{Value, json};

const JSON: &str = include_str!("bmv2/arms.json");

const SETUP: &str = "
    add I.routes h.ip.dst:0x0a000000/8 I.route(port:2, step:1)
    add I.routes h.ip.dst:0x0a0b0000/16 I.route(port:3, step:2)
    add I.routes h.ip.dst:0x0b000000/8 NoAction()
    mirroring_add 5 7
    mc_mgrp_create 1
    mc_node_create 9 4 5
    mc_node_associate 1 0
";

fn from_source() -> Arc<Program> {
    let loader = MemoryLoader::new().with("arms.p4", include_str!("bmv2/arms.p4"));
    let compilation = compile("arms.p4", &loader, &Options::default());
    let report = compilation.report(false);
    Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")))
}

fn from_json(text: &str) -> Arc<Program> {
    let reading = bmv2::read("arms.json", text);
    let report = reading.report(100);
    Arc::new(reading.program.unwrap_or_else(|| panic!("{report}")))
}

/// Everything that a test can observe of a program: packets, events, a register and a counter.
fn observed(program: &Arc<Program>, test: &str, engine: Engine) -> String {
    let (seen, result) = run_on(program, test, &Settings { engine, ..Settings::default() });
    let mut switch = seen.switch.unwrap_or_else(|| panic!("{result:?}"));
    let mut text = format!("{:?}\n{:?}\n", seen.sent, seen.events);
    let control = switch.control();
    let register = control.register("I.seen").map(|r| r.limbs().to_vec());
    let counters: Vec<_> = (0..8).map(|at| control.counter_read("I.hits", at)).collect();
    let _ = write!(text, "{register:?}\n{counters:?}");
    text
}

/// Checks that source and JSON treat packets alike, on all engines.
fn check(packets: &[Vec<u8>]) {
    let mut test = SETUP.to_owned();
    for packet in packets {
        let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
        let _ = writeln!(test, "packet 1 {hex}");
    }
    let wanted = observed(&from_source(), &test, Engine::Interpreter);
    for engine in [Engine::MachineCode, Engine::Bytecode, Engine::Unoptimised, Engine::Interpreter] {
        assert_eq!(observed(&from_json(JSON), &test, engine), wanted, "{engine:?}\n{test}");
    }
}

/// Returns a packet with the sum of its IP header, wrong or right.
fn ip(kind: [u8; 4], ttl: u8, dst: [u8; 4], delta: u8, right: bool) -> Vec<u8> {
    let words = [
        u32::from(0x4500 | u16::from(ttl)),
        u32::from(u16::from_be_bytes([dst[0], dst[1]])),
        u32::from(u16::from_be_bytes([dst[2], dst[3]])),
    ];
    let sum: u32 = words.iter().sum();
    let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
    let sum = if right { sum } else { sum ^ 1 };
    let mut packet = kind.to_vec();
    packet.extend([0x45, ttl]);
    packet.extend(sum.to_be_bytes());
    packet.extend(dst);
    packet.extend([delta, 0xaa, 0xbb]);
    packet
}

#[test]
fn source_and_json_treat_each_path_alike() {
    let mut packets = vec![
        ip([2, 0x80, 1, 2], 9, [10, 1, 2, 3], 0x85, true),
        ip([2, 0x81, 1, 2], 2, [10, 11, 2, 3], 0x80, true),
        ip([2, 0x80, 0, 0], 9, [10, 11, 2, 3], 0x7f, false),
        ip([2, 0xff, 0, 0], 9, [11, 0, 0, 1], 3, true),
        ip([2, 0x80, 0xff, 0xff], 9, [12, 0, 0, 1], 3, false),
        ip([3, 0, 0, 1], 9, [10, 1, 2, 3], 3, true),
    ];
    let more: [&[u8]; 12] = [
        &[1, 0, 1, 0x80, 1, 0x11, 1, 0x22, 0, 0x33, 0xee],
        &[1, 0, 0, 0x80, 1, 0x11, 0, 0x22, 0xee],
        &[1, 0, 0, 0x80, 1, 0x11, 0, 0xff, 0xee],
        &[1, 0, 0xff, 0xff, 0, 0xff],
        &[1, 0, 1, 0x80, 1, 1, 1, 2, 1, 3, 1, 4],
        &[0, 0x15, 0, 0x20, 1],
        &[0, 0x25, 0x80, 0x20, 1],
        &[0, 0x25, 0x70, 0x20, 1],
        &[4, 0, 0, 3, 0x41, 1, 2, 3, 4],
        &[4, 0, 0, 2, 0x40, 1],
        &[3, 0, 0, 1, 0x10],
        &[1],
    ];
    packets.extend(more.iter().map(|packet| packet.to_vec()));
    check(&packets);
    // One after the other, too: the register of the earlier ones does not matter then.
    packets.iter().for_each(|packet| check(std::slice::from_ref(packet)));
}

fn a_packet() -> impl Strategy<Value = Vec<u8>> {
    let any = prop::collection::vec(any::<u8>(), 0..24);
    (0u8..6, any).prop_map(|(kind, mut packet)| {
        if let Some(first) = packet.first_mut() {
            *first = kind;
        }
        packet
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn source_and_json_treat_any_packets_alike(packets in prop::collection::vec(a_packet(), 1..12)) {
        check(&packets);
    }
}

#[test]
fn objects_have_the_ids_of_the_source() {
    let (source, json) = (from_source(), from_json(JSON));
    let ids = |program: &Program| {
        let mut all: Vec<(String, u32)> = Vec::new();
        let mut add = |p: &p4_lang::ir::Preamble| all.push((p.name.clone(), p.id));
        program.tables.iter().for_each(|t| add(&t.preamble));
        program.actions.iter().for_each(|a| add(&a.preamble));
        program.registers.iter().for_each(|r| add(&r.preamble));
        program.counters.iter().for_each(|c| add(&c.preamble));
        all.retain(|(_, id)| *id != 0);
        all.sort();
        all.dedup();
        all
    };
    assert_eq!(ids(&source), ids(&json));
}

/// Checks the problems of a file: the program with the value at each pointer replaced.
fn check_problems(changes: &[(&str, Value)], expected: &[&str]) {
    let mut value: Value = serde_json::from_str(JSON).expect("the file is JSON");
    for (pointer, new) in changes {
        *value.pointer_mut(pointer).unwrap_or_else(|| panic!("{pointer} exists")) = new.clone();
    }
    let reading = bmv2::read("arms.json", &value.to_string());
    let found: Vec<String> = reading.problems.iter().map(ToString::to_string).collect();
    assert_eq!(found, expected);
    assert_eq!(reading.program.is_none(), expected.iter().any(|line| line.starts_with("error")));
}

#[test]
fn all_problems_are_reported_with_their_positions() {
    check_problems(
        &[
            ("/actions/3/primitives/0/op", json!("frobnicate")),
            (
                "/actions/3/primitives/1/parameters/1/value/value/right",
                json!({"type": "field", "value": ["ip", "x"]}),
            ),
            ("/actions/3/primitives/2/parameters/1", json!({"type": "hexstr", "value": "0x9"})),
            ("/parsers/0/parse_states/0/transitions/0/next_state", json!("nowhere")),
            ("/pipelines/0/tables/0/key/0/match_type", json!("fuzzy")),
            ("/calculations/1/algo", json!("md5")),
        ],
        &[
            "error: /calculations/1/algo: the switch has no hash algorithm `md5`",
            "error: /actions/3/primitives/0/op: unknown primitive `frobnicate`",
            "error: /actions/3/primitives/1/parameters/1/value/value/right/value/1: header `ip` has no field `x`",
            "error: /actions/3/primitives/2/parameters/1: expected the index of a primitive, at most 7, found an object",
            "error: /parsers/0/parse_states/0/transitions/0/next_state: there is no state `nowhere`",
            "error: /pipelines/0/tables/0/key/0/match_type: expected `exact`, `lpm`, `ternary`, `range`, `optional` \
             or `valid`, found \"fuzzy\"",
        ],
    );
}

/// A condition that was copied at each level would need 2^40 times its size.
#[test]
fn nested_choices_have_linear_size() {
    let mut expression = json!({"type": "bool", "value": true});
    for _ in 0..40 {
        let (left, right) = (json!({"type": "bool", "value": true}), json!({"type": "bool", "value": false}));
        let choice = json!({"op": "?", "cond": expression, "left": left, "right": right});
        expression = json!({"type": "expression", "value": choice});
    }
    check_problems(&[("/pipelines/0/conditionals/0/expression", expression)], &[]);
}

#[test]
fn versions_are_checked() {
    check_problems(&[("/__meta__/version", json!([2, 24]))], &[]);
    check_problems(
        &[("/__meta__/version", json!([2, 99]))],
        &["warning: /__meta__/version: version 2.99 is newer than 2.24; what it adds is unknown"],
    );
    check_problems(
        &[("/__meta__/version", json!([3, 0]))],
        &["error: /__meta__/version: version 3.0 cannot be read; expected version 2"],
    );
    let found = |text: &str| bmv2::read("x.json", text).report(9);
    assert_eq!(found("{"), "error: this is not JSON: EOF while parsing an object at line 1 column 1");
    assert_eq!(
        found("{}"),
        "error: this is not a program of the reference switch: `parsers` and `pipelines` are missing"
    );
}

#[test]
fn loops_are_errors() {
    check_problems(
        &[
            ("/actions/3/primitives/5/parameters/0/value", json!("0x1")),
            ("/pipelines/0/conditionals/0/false_next", json!("tbl_first")),
        ],
        &[
            "error: /actions/3/primitives/1: a jump leads back to this primitive; actions have no loops",
            "error: /pipelines/0/tables/12: this node follows itself; a pipeline has no loops",
        ],
    );
}

#[test]
fn primitives_behind_an_exit_are_executed() {
    // The action that makes the value smaller exits first; the rest of the pipeline is skipped.
    let mut value: Value = serde_json::from_str(JSON).expect("the file is JSON");
    let actions = value["actions"].as_array_mut().expect("a list");
    let less = actions.iter_mut().find(|a| a["name"] == "less").expect("the action");
    let primitives = less["primitives"].as_array_mut().expect("a list");
    primitives.insert(0, json!({"op": "exit", "parameters": []}));
    let program = from_json(&value.to_string());
    for engine in [Engine::MachineCode, Engine::Interpreter] {
        let settings = Settings { engine, ..Settings::default() };
        let (seen, _) = run_on(&program, "packet 1 00 15 0050 01", &settings);
        assert_eq!(seen.sent, [(1, vec![0, 0x15, 0, 0x10, 1])]);
    }
}

/// Replaces, removes or duplicates a value somewhere in a file.
fn mutate(value: &mut Value, mut choice: usize, with: &Value) {
    let mut pointers = Vec::new();
    collect(value, String::new(), &mut pointers);
    let count = pointers.len();
    let pointer = pointers.swap_remove(choice % count);
    choice /= count;
    let Some(target) = value.pointer_mut(&pointer) else { return };
    match (choice % 3, target) {
        (0, target) => *target = with.clone(),
        (_, Value::Array(all)) if !all.is_empty() => {
            let at = choice % all.len();
            let copy = all[at].clone();
            if choice.is_multiple_of(2) { drop(all.remove(at)) } else { all.push(copy) }
        }
        (_, target @ Value::Number(_)) => *target = Value::from(choice % 700),
        (_, target) => *target = with.clone(),
    }
}

fn collect(value: &Value, at: String, out: &mut Vec<String>) {
    match value {
        Value::Array(all) => {
            all.iter().enumerate().for_each(|(i, v)| collect(v, format!("{at}/{i}"), out));
        }
        Value::Object(all) => {
            all.iter().for_each(|(k, v)| collect(v, format!("{at}/{}", k.replace('/', "~1")), out));
        }
        _ => {}
    }
    out.push(at);
}

fn a_value() -> impl Strategy<Value = Value> {
    let known = [
        "ip",
        "eth",
        "scalars",
        "opts",
        "ttl",
        "rest",
        "tail",
        "0x0",
        "-0x1",
        "0xffffffffffffffffff",
        "+",
        "sat_cast",
        "?",
        "<<",
        "access_field",
        "dereference_header_stack",
        "field",
        "hexstr",
        "header",
        "assign",
        "register_read",
        "lpm",
        "ternary",
        "NoAction",
        "tbl_common",
        "*",
        "options",
    ];
    prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-2i64..70_000).prop_map(Value::from),
        Just(json!(18_446_744_073_709_551_615u64)),
        prop::sample::select(known.to_vec()).prop_map(Value::from),
        Just(json!({"type": "field", "value": ["tail", "rest"]})),
        Just(
            json!({"type": "expression", "value": {"op": "<<", "left": {"type": "field", "value": ["ip", "dst"]},
            "right": {"type": "field", "value": ["ip", "dst"]}}})
        ),
        Just(json!([])),
        Just(json!({})),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn changed_files_are_read_or_rejected(
        changes in prop::collection::vec((any::<usize>(), a_value()), 1..4),
    ) {
        let mut value: Value = serde_json::from_str(JSON).expect("the file is JSON");
        for (choice, with) in &changes {
            mutate(&mut value, *choice, with);
        }
        let reading = bmv2::read("changed.json", &value.to_string());
        prop_assert_eq!(reading.program.is_none(), reading.errors > 0);
        if let Some(program) = reading.program.map(Arc::new) {
            for engine in [Engine::MachineCode, Engine::Interpreter] {
                let config = SwitchConfig::new(TmConfig::lossy([(1, Rate::from_gbps(1))], 1 << 20));
                let mut switch = Switch::new(SwitchConfig { engine, ..config });
                // A program that is read can still exceed the limits of the switch.
                if switch.load(program.clone()).is_ok() {
                    let packets = "packet 1 0100010001020103\npacket 1 02800102450900000a010203";
                    let _ = run_on(&program, packets, &Settings { engine, ..Settings::default() });
                }
            }
        }
    }
}

/// Returns all JSON programs below a folder, in a fixed order.
fn programs_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            match path.is_dir() {
                true => folders.push(path),
                false if path.extension().is_some_and(|e| e == "json") => found.push(path),
                false => {}
            }
        }
    }
    found.sort();
    found
}

/// Reads the programs of p4lang/behavioral-model and p4lang/PI, and compares those that have their source next to them
/// with it.
#[test]
fn programs_of_the_reference_switch_are_read() {
    let Ok(folder) = std::env::var("BMV2_JSON") else {
        eprintln!("skipped: BMV2_JSON is not set to a folder with JSON programs of the reference switch");
        return;
    };
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for path in programs_below(Path::new(&folder)) {
        let Ok(text) = std::fs::read_to_string(&path) else { continue };
        if !text.contains("\"parsers\"") {
            continue;
        }
        let reading = bmv2::read(&path.display().to_string(), &text);
        let name = path.strip_prefix(&folder).unwrap_or(&path).display();
        let Some(program) = reading.program else {
            eprintln!("{name}: {} errors\n  {}", reading.errors, reading.report(3).replace('\n', "\n  "));
            continue;
        };
        let json = Arc::new(program);
        let source = path.with_extension("p4");
        let compiled = source
            .exists()
            .then(|| compile(&source.display().to_string(), &crate::files::Files, &Options::default()));
        let source = compiled.and_then(|c| c.program).map(Arc::new);
        let verdict = match &source {
            None => "read",
            Some(_) => "read and compared with its source",
        };
        eprintln!("{name}: {verdict}");
        for _ in 0..200 {
            let packets = prop::collection::vec(a_packet(), 1..8);
            let packets = packets.new_tree(&mut runner).expect("packets").current();
            let mut test = String::new();
            for packet in packets.iter().filter(|packet| !packet.is_empty()) {
                let hex: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
                let _ = writeln!(test, "packet 1 {hex}");
            }
            let sent = |program: &Arc<Program>, engine| {
                let (seen, result) = run_on(program, &test, &Settings { engine, ..Settings::default() });
                assert!(seen.switch.is_some(), "{name}: {result:?}");
                seen.sent
            };
            let wanted = sent(&json, Engine::Interpreter);
            assert_eq!(sent(&json, Engine::MachineCode), wanted, "{name}\n{test}");
            if let Some(source) = &source {
                assert_eq!(sent(source, Engine::MachineCode), wanted, "{name}\n{test}");
            }
        }
    }
}
