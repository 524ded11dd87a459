//! Translates the switch program (`p4/hawkeye`) to Rust. `src/lib.rs` includes the result as the module `translated`.

#![allow(clippy::disallowed_methods, reason = "a build script reads sources and writes what it generates")]

use std::error::Error;
use std::path::PathBuf;
use std::sync::Arc;

use p4_lang::{Options, SourceLoader, compile};
use p4_switch::native::translate;
use p4_switch::{Engine, Prepared, SwitchConfig};

const PROGRAM: &str = "../p4/hawkeye/hawkeye.p4";

struct Files;

impl SourceLoader for Files {
    fn load(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=../p4/hawkeye");
    let compilation = compile(PROGRAM, &Files, &Options::default());
    let Some(program) = compilation.program else { return Err(compilation.report(false).into()) };
    let prepared = Prepared::new(Arc::new(program), Engine::Compiled, SwitchConfig::DROP_PORT)?;
    let out = PathBuf::from(std::env::var_os("OUT_DIR").ok_or("cargo sets OUT_DIR")?);
    std::fs::write(out.join("translated.rs"), translate(&prepared)?)?;
    Ok(())
}
