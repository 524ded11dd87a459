//! Writes the documentation page of every rule, and an index, to a folder:
//! `cargo run -p harrier-buffer-config --example rule_pages -- docs/rules`.

#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "a command that writes files")]

use std::path::PathBuf;
use std::process::ExitCode;

use buffer_config::rules::{self, pages};

fn main() -> ExitCode {
    let mut arguments = std::env::args_os().skip(1);
    let (Some(folder), None) = (arguments.next().map(PathBuf::from), arguments.next()) else {
        eprintln!("usage: rule_pages DIR");
        return ExitCode::from(2);
    };
    match write(&folder) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("cannot write to {}: {error}", folder.display());
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &std::path::Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)?;
    std::fs::write(folder.join("README.md"), pages::index())?;
    for rule in rules::all() {
        std::fs::write(folder.join(format!("{}.md", rule.meta.code)), rule.page())?;
    }
    Ok(())
}
