//! The programs of `tests/programs`, each with an STF test, on all engines.

#![allow(clippy::disallowed_methods, reason = "the tests read their programs from files")]

use std::path::Path;
use std::sync::Arc;

use crate::engines;
use crate::files::Files;
use p4_lang::{Options, compile};
use p4_switch::stf::{Settings, run_on};
use p4_switch::{Engine, Prepared, SwitchConfig};

fn check(name: &str) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    let path = folder.join(format!("{name}.p4"));
    let compilation = compile(&path.display().to_string(), &Files, &Options::default());
    let report = compilation.report(false);
    let program = Arc::new(compilation.program.unwrap_or_else(|| panic!("{report}")));
    let test = std::fs::read_to_string(folder.join(format!("{name}.stf"))).expect("the program has a test");
    let prepared = Prepared::new(Arc::clone(&program), Engine::MachineCode, SwitchConfig::DROP_PORT)
        .expect("the program is well-formed");
    assert!(prepared.is_machine_code(), "{name}: {:?}", prepared.why_bytecode());
    for engine in [Engine::MachineCode, Engine::Bytecode, Engine::Interpreter] {
        let (_, result) = run_on(&program, &test, &Settings { engine, ..Settings::default() });
        if let Err(failures) = result {
            let lines: Vec<String> = failures.iter().map(ToString::to_string).collect();
            panic!("{name}, {engine:?}:\n{}", lines.join("\n"));
        }
    }
    engines::check(name, &program, &test);
}

/// Declares one test per program.
macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        $(
            #[test]
            fn $name() {
                check(stringify!($name));
            }
        )*

        /// Every test in the folder is listed.
        #[test]
        fn every_program_is_listed() {
            let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
            let entries = std::fs::read_dir(folder).expect("the folder of the programs");
            let paths = entries.map(|entry| entry.expect("a readable folder").path());
            let mut found: Vec<String> = paths
                .filter(|path| path.extension().is_some_and(|e| e == "stf"))
                .filter_map(|path| Some(path.file_stem()?.to_str()?.to_owned()))
                .collect();
            found.sort();
            assert_eq!(found, [$(stringify!($name)),*]);
        }
    };
}

programs!(
    arithmetic,
    checksums,
    copies,
    direct,
    errors,
    exits,
    hash_ranges,
    headers,
    limits,
    loops,
    messages,
    meters,
    mixed_keys,
    odd_registers,
    order,
    parsing,
    priorities,
    profiles,
    registers,
    spread,
    stacks,
    structs,
    switches,
    tables,
    transport,
);
