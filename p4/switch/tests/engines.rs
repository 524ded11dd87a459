//! Bytecode, optimised and unoptimised, and the plain interpreter give the same results.

#![allow(clippy::disallowed_methods, reason = "a test reads its programs, and where to find more of them")]

use std::fmt::Debug;
use std::sync::Arc;

use crate::files::Files;
use p4_lang::ir::{Program, TableId};
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::stf::{Observed, Settings, run_on};
use p4_switch::{ControlPlane, Engine};
use proptest::prelude::*;

/// Returns the whole state of a switch as text, for comparison.
fn state(control: &ControlPlane<'_>, program: &Program) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = |what: String, value: &dyn Debug| lines.push(format!("{what}: {value:?}"));
    for register in &program.registers {
        let name = &register.preamble.name;
        line(format!("register {name}"), &control.register(name).map(|r| r.limbs().to_vec()));
    }
    for counter in program.counters.iter().filter(|c| !c.direct) {
        let name = &counter.preamble.name;
        let values: Vec<_> = (0..counter.size.min(4096)).map(|i| control.counter_read(name, i)).collect();
        line(format!("counter {name}"), &values);
    }
    for (index, table) in program.tables.iter().enumerate() {
        let name = &table.preamble.name;
        let Ok(entries) = control.table_entries(name) else { continue };
        for entry in entries {
            line(format!("entry of {name} ({})", TableId(index as u32).0), entry);
            line("  hit".to_owned(), &control.time_since_hit(name, &entry.key));
            line("  counter".to_owned(), &control.direct_counter(name, Some(&entry.key)));
        }
        line("  default".to_owned(), &control.direct_counter(name, None));
    }
    lines
}

/// Events, transmitted packets, state, counters.
type Everything = (Vec<String>, Vec<(u16, Vec<u8>)>, Vec<String>, String);

fn observed(mut o: Observed, program: &Program) -> Everything {
    let events = o.events.iter().map(|e| format!("{e:?}")).collect();
    let (state, counters) = match &mut o.switch {
        Some(switch) => (state(&switch.control(), program), format!("{:?}", switch.counters())),
        None => (Vec::new(), String::new()),
    };
    (events, o.sent, state, counters)
}

/// Runs a test on all engines and compares all effects.
pub(crate) fn check(name: &str, program: &Arc<Program>, test: &str) {
    let run = |engine| {
        let (what, result) = run_on(program, test, &Settings { engine, ..Settings::default() });
        (observed(what, program), result)
    };
    let interpreted = run(Engine::Interpreter);
    for engine in [Engine::MachineCode, Engine::Bytecode, Engine::Unoptimised] {
        let compiled = run(engine);
        assert_eq!(compiled.0, interpreted.0, "{name}: {engine:?}");
        assert_eq!(compiled.1, interpreted.1, "{name}: {engine:?}");
    }
}

/// Checks all programs of a folder that have an STF test.
fn check_folder(folder: &str, wanted: impl Fn(&str) -> bool) -> usize {
    let mut tests: Vec<_> = std::fs::read_dir(folder)
        .unwrap_or_else(|e| panic!("{folder}: {e}"))
        .map(|entry| entry.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|e| e == "stf"))
        .collect();
    tests.sort();
    let mut checked = 0;
    for test in tests {
        let path = test.with_extension("p4");
        let name = path.display().to_string();
        let Ok(source) = std::fs::read_to_string(&path) else { continue };
        if !wanted(&source) {
            continue;
        }
        let compilation = compile(&name, &Files, &Options::default());
        let report = compilation.report(false);
        let Some(program) = compilation.program else {
            panic!("{name} does not compile\n{report}");
        };
        let text = std::fs::read_to_string(&test).expect("a readable test");
        check(&name, &Arc::new(program), &text);
        checked += 1;
    }
    checked
}

#[test]
fn engines_agree_on_the_samples_of_p4c() {
    let Ok(folder) = std::env::var("P4C_SAMPLES") else {
        eprintln!("skipped: P4C_SAMPLES is not set to the folder testdata/p4_16_samples of p4lang/p4c");
        return;
    };
    let checked = check_folder(&folder, |source| source.contains("v1model.p4"));
    assert!(checked > 100, "{checked} tests in {folder}");
    eprintln!("{checked} tests");
}

proptest! {
    /// Packets with and without a route, truncated at any byte.
    #[test]
    fn engines_agree_on_random_packets(
        packets in prop::collection::vec((0u16..4, any::<[u8; 34]>(), 0usize..60, any::<[bool; 4]>()), 1..12),
    ) {
        let loader = MemoryLoader::new().with("router.p4", include_str!("programs/router.p4"));
        let program = compile("router.p4", &loader, &Options::default()).program.expect("the program compiles");
        let mut test = "add routes destination:0x0a000000/8 forward(next_hop:0x060000000007, port:3)\n\
            add routes destination:0x00000000/0 forward(next_hop:0x060000000008, port:2)\n".to_owned();
        for (port, mut bytes, length, [ip, version, alive, summed]) in packets {
            if ip {
                bytes[12..14].copy_from_slice(&[8, 0]);
            }
            if version {
                bytes[14] = 0x45;
            }
            if alive {
                bytes[22] |= 2;
            }
            if summed {
                bytes[24..26].fill(0);
                let sum = model::wire::ipv4::checksum(&bytes[14..34]);
                bytes[24..26].copy_from_slice(&sum.to_be_bytes());
            }
            let mut bytes = bytes.to_vec();
            bytes.resize(length, 7);
            let hex: String = bytes.iter().map(|b| format!("{b:02x}")).collect();
            if !hex.is_empty() {
                test += &format!("packet {port} {hex}\n");
            }
        }
        check("router", &Arc::new(program), &test);
    }
}

#[test]
fn engines_agree_on_the_externs() {
    let loader = MemoryLoader::new().with("externs.p4", include_str!("programs/externs.p4"));
    let program = compile("externs.p4", &loader, &Options::default()).program.expect("the program compiles");
    let packets = (0..=18).flat_map(|op| {
        (0..4).map(move |index| format!("packet 2 {op:02x}{index:02x} 000000{:02x} eeee\n", index * 3))
    });
    let entries = "
        add count_table hdr.op.index:0x01 TheIngress.counted(port:4)
        add meter_table hdr.op.index:0x02 TheIngress.metered(port:4)
        mc_mgrp_create 2
        mc_node_create 7 4 5
        mc_node_associate 2 0
        mirroring_add_mc 3 2
        mirroring_add 1 6
        meter_set_rates limit 1 0.000001:0 0.000001:1\n";
    let test = packets.fold(entries.to_owned(), |test, packet| test + &packet);
    check("externs", &Arc::new(program), &test);
}
