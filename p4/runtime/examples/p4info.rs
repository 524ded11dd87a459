//! Prints the P4Info of a P4 file as text:
//!
//! ```text
//! cargo run -p p4runtime-rs --example p4info -- program.p4
//! ```

#![allow(clippy::disallowed_methods, reason = "an example is an edge: it reads a file")]

use p4runtime::device_config::{SourceBundle, compile};
use p4runtime::p4info;
use std::io::Write;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: p4info PROGRAM.p4")?;
    let sources = SourceBundle::single(path.as_str(), std::fs::read_to_string(&path)?);
    let program = compile(&sources)?;
    write!(std::io::stdout(), "{}", p4info::to_text(&p4info::from_program(&program)))?;
    Ok(())
}
