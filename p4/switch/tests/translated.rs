//! Translations to Rust give the same results as the plain interpreter, and are up to date.

use std::sync::Arc;

use p4_lang::ir::Program;
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::native::{Translation, translate};
use p4_switch::stf::{Settings, run_on};
use p4_switch::{Engine, Prepared, SwitchConfig};

/// The architecture and declarations that the test programs share.
const FRAME: &str = include_str!("language/frame.p4");

/// Declares the programs: source, test, and module of the translation.
macro_rules! programs {
    ($($name:ident),* $(,)?) => {
        #[rustfmt::skip]
        #[allow(clippy::all, clippy::pedantic, clippy::nursery, unused, unused_comparisons, reason = "printed from programs, an operation a line")]
        #[path = "translated"]
        mod translated {
            $(pub(crate) mod $name;)*
        }

        $(
            #[test]
            fn $name() {
                check(
                    stringify!($name),
                    include_str!(concat!("programs/", stringify!($name), ".p4")),
                    include_str!(concat!("programs/", stringify!($name), ".stf")),
                    include_str!(concat!("translated/", stringify!($name), ".rs")),
                    &translated::$name::TRANSLATION,
                );
            }
        )*
    };
}

programs!(
    arithmetic,
    checksums,
    copies,
    errors,
    exits,
    hash_ranges,
    headers,
    limits,
    loops,
    odd_registers,
    order,
    parsing,
    registers,
    stacks,
    switches,
    tables,
);

#[test]
fn a_translation_of_another_program_is_not_used() {
    let loader = MemoryLoader::new()
        .with("programs/loops.p4", include_str!("programs/loops.p4"))
        .with("language/frame.p4", FRAME);
    let program =
        compile("programs/loops.p4", &loader, &Options::default()).program.expect("the program compiles");
    let prepared = Prepared::new(Arc::new(program), Engine::Compiled, SwitchConfig::DROP_PORT)
        .expect("the program is well-formed");
    assert!(!prepared.clone().with_translation(&translated::exits::TRANSLATION).is_translated());
    assert!(prepared.with_translation(&translated::loops::TRANSLATION).is_translated());
}

/// Runs a test with the translation and with the plain interpreter, and compares the effects.
fn check(name: &str, source: &str, test: &str, printed: &str, translation: &Translation) {
    let path = format!("programs/{name}.p4");
    let loader = MemoryLoader::new().with(&path, source).with("language/frame.p4", FRAME);
    let compilation = compile(&path, &loader, &Options::default());
    let report = compilation.report(false);
    let program =
        Arc::new(compilation.program.unwrap_or_else(|| panic!("{name} does not compile\n{report}")));
    let prepared = Prepared::new(Arc::clone(&program), Engine::Compiled, SwitchConfig::DROP_PORT)
        .expect("the program is well-formed");
    let now = translate(&prepared).expect("the program can be translated");
    assert_eq!(printed, now, "{name} has changed: run scripts/translate.sh");
    assert!(prepared.with_translation(translation).is_translated());

    let by_interpreter = observe(&program, test, Engine::Interpreter, None);
    let by_translation = observe(&program, test, Engine::Compiled, Some(*translation));
    assert_eq!(by_translation, by_interpreter, "{name}");
}

/// Returns the effects of a test as text.
fn observe(
    program: &Arc<Program>,
    test: &str,
    engine: Engine,
    translation: Option<Translation>,
) -> Vec<String> {
    let (mut observed, result) = run_on(program, test, &Settings { engine, trace: false, translation });
    let mut lines = vec![format!("{result:?}")];
    lines.extend(observed.sent.iter().map(|packet| format!("{packet:?}")));
    lines.extend(observed.events.iter().map(|event| format!("{event:?}")));
    if let Some(switch) = &mut observed.switch {
        lines.push(format!("{:?}", switch.counters()));
        for register in &program.registers {
            let array = switch.control();
            let limbs = array.register(register.preamble.name.as_str()).map(|array| array.limbs().to_vec());
            lines.push(format!("{}: {limbs:?}", register.preamble.name));
        }
    }
    lines
}
