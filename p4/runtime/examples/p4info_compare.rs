//! Compares our P4Info with p4c's, field by field, for every v1model program of p4c's samples:
//!
//! ```text
//! cargo run -p p4runtime-rs --example p4info_compare -- P4C_CHECKOUT [PART_OF_A_NAME] [--p4c COMPILER]
//! ```
//!
//! Without `--p4c`, compares with the expected files of `testdata/p4_16_samples_outputs`. With it, runs the given
//! `p4c-bm2-ss`, and the first argument is a folder of programs. The exit status is 1 if there are differences.

#![allow(clippy::disallowed_methods, reason = "an example is an edge: it reads files and runs a compiler")]

use p4_lang::{Options, SourceLoader};
use p4runtime::p4info::{self, field_differences};
use p4runtime::proto::p4::config::v1::P4Info;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

struct Files;

impl SourceLoader for Files {
    fn load(&self, path: &str) -> Option<String> {
        // The comments of some samples are not UTF-8.
        std::fs::read(path).ok().map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    }
}

/// Source of the expected P4Info.
enum Expected {
    /// A folder of `NAME.p4.p4info.txtpb`.
    Files(PathBuf),
    /// A compiler, with its includes.
    Compiler(String),
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let compiler = arguments.iter().position(|a| a == "--p4c").map(|at| {
        let words = arguments.split_off(at);
        words.get(1).cloned().unwrap_or_else(|| "p4c-bm2-ss".into())
    });
    let root = PathBuf::from(arguments.first().ok_or("usage: p4info_compare DIR [NAME] [--p4c COMPILER]")?);
    let part = arguments.get(1).cloned().unwrap_or_default();
    let (programs, expected) = match compiler {
        Some(compiler) => (root, Expected::Compiler(compiler)),
        None => {
            let data = root.join("testdata");
            (data.join("p4_16_samples"), Expected::Files(data.join("p4_16_samples_outputs")))
        }
    };
    let mut files: Vec<PathBuf> = std::fs::read_dir(&programs)?.flatten().map(|entry| entry.path()).collect();
    files
        .retain(|path| path.extension().is_some_and(|e| e == "p4") && path.to_string_lossy().contains(&part));
    files.sort();
    let mut out = std::io::stdout().lock();
    let (mut compared, mut same, mut fields) = (0, 0, 0);
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(theirs) = expected.info(&path, &name)? else { continue };
        let Some(compilation) = ours(&path) else { continue };
        compared += 1;
        let Some(ours) = compilation else {
            fields += 1;
            writeln!(out, "{name}: does not compile here")?;
            continue;
        };
        let differences = field_differences(&ours, &theirs);
        fields += differences.len();
        same += usize::from(differences.is_empty());
        for difference in differences {
            writeln!(out, "{name}: {difference}")?;
        }
    }
    writeln!(out, "{same} of {compared} programs have the same P4Info; {fields} fields differ")?;
    Ok(ExitCode::from(u8::from(same != compared)))
}

impl Expected {
    /// The expected P4Info; `None` if the program has none because it is not a switch program.
    fn info(&self, path: &Path, name: &str) -> Result<Option<P4Info>, Box<dyn std::error::Error>> {
        let text = match self {
            Expected::Files(folder) => {
                std::fs::read_to_string(folder.join(format!("{name}.p4info.txtpb"))).ok()
            }
            Expected::Compiler(compiler) => {
                let out = std::env::temp_dir().join(format!("{name}.{}.p4info.txtpb", std::process::id()));
                let json = out.with_extension("json");
                let mut command = Command::new(compiler);
                command
                    .args(["--std", "p4-16", "--p4runtime-files"])
                    .arg(&out)
                    .arg("-o")
                    .arg(&json)
                    .arg(path);
                command.output()?;
                let text = std::fs::read_to_string(&out).ok();
                let _ = (std::fs::remove_file(&out), std::fs::remove_file(&json));
                text
            }
        };
        let info = text.map(|text| p4info::from_text(&text)).transpose();
        // p4c writes an empty P4Info for a program without a package.
        Ok(info.map_err(|error| format!("{name}: {error}"))?.filter(|info| *info != P4Info::default()))
    }
}

/// The generated P4Info; `Some(None)` if the front end rejects the program, `None` if it is not for v1model.
fn ours(path: &Path) -> Option<Option<P4Info>> {
    let text = Files.load(&path.to_string_lossy())?;
    let compilation = p4_lang::compile(&path.to_string_lossy(), &Files, &Options::default());
    match compilation.program {
        Some(program) => Some(Some(p4info::from_program(&program))),
        None => text.contains("v1model.p4").then_some(None),
    }
}
