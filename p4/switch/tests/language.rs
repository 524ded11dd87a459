//! Language constructs, tested with packets on every engine: a program of `tests/language` with an STF test.

use std::sync::Arc;

use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::{Engine, stf};

fn check(name: &str, program: &str, test: &str) {
    let loader = MemoryLoader::new()
        .with(format!("{name}.p4"), program)
        .with("frame.p4", include_str!("language/frame.p4"));
    let compilation = compile(&format!("{name}.p4"), &loader, &Options::default());
    assert_eq!(compilation.report(false), "", "{name}");
    let Some(program) = compilation.program else { panic!("{name} does not compile") };
    let program = Arc::new(program);
    for engine in [Engine::MachineCode, Engine::Bytecode, Engine::Unoptimised, Engine::Interpreter] {
        let settings = stf::Settings { engine, ..stf::Settings::default() };
        if let (_, Err(failures)) = stf::run_on(&program, test, &settings) {
            let lines: Vec<String> = failures.iter().map(ToString::to_string).collect();
            panic!("{name} on {engine:?}:\n{}", lines.join("\n"));
        }
    }
}

/// Declares one test per program.
macro_rules! programs {
    ($($name:ident),* $(,)?) => {$(
        #[test]
        fn $name() {
            check(
                stringify!($name),
                include_str!(concat!("language/", stringify!($name), ".p4")),
                include_str!(concat!("language/", stringify!($name), ".stf")),
            );
        }
    )*};
}

programs!(
    arrays,
    exit_copies_out,
    field_lists,
    generics,
    hashes,
    ingress_port,
    literals,
    lookahead_alone,
    lookahead_stacks,
    loops,
    meters,
    sets,
    stored_elements,
    union_validity,
    unions,
);
