//! Prints a program as Rust ([`p4_switch::native`]):
//!
//! ```text
//! cargo run -p p4-switch --example translate -- PROGRAM.p4 > translated.rs
//! ```
//!
//! `scripts/translate.sh` regenerates the translations in `p4/switch/tests/translated`.
#![allow(clippy::disallowed_methods, clippy::print_stdout, reason = "it reads a file and prints another")]

use std::error::Error;
use std::sync::Arc;

use p4_lang::{Options, SourceLoader, compile};
use p4_switch::native::translate;
use p4_switch::{Engine, Prepared, SwitchConfig};

struct Files;

impl SourceLoader for Files {
    fn load(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: translate PROGRAM.p4")?;
    let compilation = compile(&path, &Files, &Options::default());
    let Some(program) = compilation.program else { return Err(compilation.report(false).into()) };
    let prepared = Prepared::new(Arc::new(program), Engine::Compiled, SwitchConfig::DROP_PORT)?;
    print!("{}", translate(&prepared)?);
    Ok(())
}
