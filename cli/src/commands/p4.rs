//! `harrier p4`: checks, compiles and runs programs: P4-16, or the JSON format of the reference switch.

mod conformance;
mod loader;
mod run;

use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use p4_lang::diagnostic::codes;
use p4_lang::ir::Program;
use p4_lang::{Compilation, Options};
use p4_switch::bmv2;
use p4runtime::device_config::{SourceBundle, read_json};
use p4runtime::p4info;
use p4runtime::proto::p4::config::v1::P4Info;

use self::loader::FileLoader;
use crate::input::{read_bytes, read_text, write_all};
use crate::{Outcome, stdout};

pub(crate) use run::Engine;

const EXAMPLES: &str = "\
Examples:
  Check a program and explain an error code
    harrier p4 check program.p4
    harrier p4 explain E0401

  Send a capture through a program
    harrier p4 run program.p4 --in 1@in.pcap --out 2@out.pcap";

/// Arguments of `harrier p4`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Check programs and report all errors and warnings
    Check {
        /// Programs to check: P4-16, or JSON for the reference switch
        #[arg(required = true, value_name = "PROGRAM")]
        programs: Vec<PathBuf>,
        /// Exit with status 1 if there is a warning
        #[arg(long)]
        deny_warnings: bool,
        #[command(flatten)]
        defines: Defines,
    },
    /// Explain the code of an error or warning
    Explain {
        /// Code, e.g. E0401
        #[arg(value_name = "CODE", required_unless_present = "all")]
        code: Option<String>,
        /// Write the pages of all codes and an index as Markdown files
        #[arg(long, requires = "out", conflicts_with = "code")]
        all: bool,
        /// Directory for the files of `--all`
        #[arg(long, value_name = "DIR", requires = "all")]
        out: Option<PathBuf>,
    },
    /// Compile a program to a device configuration for a switch
    Compile {
        /// Program
        #[arg(value_name = "PROGRAM.p4")]
        program: PathBuf,
        /// File for the device configuration (P4Runtime's `p4_device_config`)
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
        /// File for the P4Info; as text if the name ends in .txtpb, else binary
        #[arg(long, value_name = "OUT.txtpb")]
        p4info: Option<PathBuf>,
        #[command(flatten)]
        defines: Defines,
    },
    /// Print the P4Info of a program
    Info {
        /// Program: P4-16, or JSON for the reference switch
        #[arg(value_name = "PROGRAM")]
        program: PathBuf,
        /// Output format
        #[arg(long, value_enum, default_value_t = InfoFormat::Text)]
        format: InfoFormat,
        /// Print the fields that differ from this P4Info instead
        #[arg(long, value_name = "FILE.txtpb")]
        compare: Option<PathBuf>,
        #[command(flatten)]
        defines: Defines,
    },
    /// Run a test in p4c's STF language on a program
    Stf {
        /// Program: P4-16, or JSON for the reference switch
        #[arg(value_name = "PROGRAM")]
        program: PathBuf,
        /// Test
        #[arg(value_name = "TEST.stf")]
        test: PathBuf,
        /// Execution engine [default: compiled, or interpreter with --trace]
        #[arg(long, value_enum)]
        engine: Option<Engine>,
        /// Write a trace of every packet to a file or stdout (`-`), one JSON object for each step
        #[arg(long, value_name = "FILE|-")]
        trace: Option<PathBuf>,
        #[command(flatten)]
        defines: Defines,
    },
    /// Send captured packets through a program
    Run(run::Args),
    /// Run p4c's test programs and report the results
    Conformance(conformance::Args),
}

/// Output formats of P4Info.
#[derive(Clone, Copy, ValueEnum)]
enum InfoFormat {
    /// Text protobuf
    Text,
    /// Binary protobuf
    Binary,
}

/// Preprocessor options.
#[derive(clap::Args, Default)]
struct Defines {
    /// Search this directory for included files; can be repeated
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// Define a macro; can be repeated
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
}

impl Defines {
    fn options(&self, p4info: bool) -> Options {
        let pair = |text: &String| match text.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => (text.clone(), "1".to_string()),
        };
        Options {
            defines: self.define.iter().map(pair).collect(),
            includes: self.include.clone(),
            p4info,
            ..Options::default()
        }
    }
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.action {
        Action::Check { programs, deny_warnings, defines } => check(&programs, deny_warnings, &defines),
        Action::Explain { code: Some(code), .. } => explain(&code),
        Action::Explain { out, .. } => explain_all(&out.context("--all needs --out DIR")?),
        Action::Compile { program, output, p4info, defines } => {
            compile(&program, &output, p4info.as_deref(), &defines)
        }
        Action::Info { program, format, compare, defines } => {
            info(&program, format, compare.as_deref(), &defines)
        }
        Action::Stf { program, test, engine, trace, defines } => {
            stf(&program, &test, engine, trace.as_deref(), &defines)
        }
        Action::Run(args) => run::execute(&args),
        Action::Conformance(args) => conformance::execute(&args),
    }
}

/// Compiles a file and reports all diagnostics on stderr.
fn front_end(file: &ProgramFile<'_>, defines: &Defines, p4info: bool) -> (Compilation, FileLoader) {
    let name = file.path.display().to_string();
    let loader = FileLoader::with_main(name.clone(), file.text.clone());
    let compilation = p4_lang::compile(&name, &loader, &defines.options(p4info));
    let report = compilation.report(stderr().is_terminal());
    if !report.is_empty() {
        stderr_line!("{report}\n");
    }
    (compilation, loader)
}

/// Fails with the number of errors if the program has any.
fn without_errors(path: &Path, compilation: &Compilation) -> anyhow::Result<()> {
    match compilation.counts.errors {
        0 => Ok(()),
        1 => bail!("{}: 1 error", path.display()),
        errors => bail!("{}: {errors} errors", path.display()),
    }
}

/// Returns the compiled program for the switch.
fn program_of(path: &Path, compilation: Compilation) -> anyhow::Result<Program> {
    without_errors(path, &compilation)?;
    let other_target = || {
        format!("{}: the program is not written for v1model, the architecture of the switch", path.display())
    };
    compilation.program.with_context(other_target)
}

/// A program as it was read: once, because it may come from a pipe.
struct ProgramFile<'p> {
    path: &'p Path,
    text: String,
}

impl<'p> ProgramFile<'p> {
    fn read(path: &'p Path) -> anyhow::Result<ProgramFile<'p>> {
        Ok(ProgramFile { path, text: read_text(path)? })
    }

    /// Whether the program has the JSON format of the reference switch. Others are P4 sources.
    fn is_json(&self) -> bool {
        bmv2::is_json(&self.text)
    }
}

/// Reads a program in the JSON format and reports all problems on stderr.
fn read_program(path: &Path, text: &str) -> bmv2::Reading {
    let reading = bmv2::read(&path.display().to_string(), text);
    let report = reading.report(p4_lang::MAX_SHOWN);
    for line in report.lines() {
        stderr_line!("{}: {line}", path.display());
    }
    reading
}

/// Fails with the number of errors if the file has any.
fn program_of_json(path: &Path, reading: bmv2::Reading) -> anyhow::Result<Program> {
    let errors = reading.errors;
    let count = || format!("{}: {errors} {}", path.display(), if errors == 1 { "error" } else { "errors" });
    reading.program.with_context(count)
}

/// Returns a program for the switch, and the names of the externs that the switch does not implement.
fn load(path: &Path, defines: &Defines) -> anyhow::Result<(Program, Vec<String>)> {
    let file = ProgramFile::read(path)?;
    if file.is_json() {
        return Ok((program_of_json(path, read_program(path, &file.text))?, Vec::new()));
    }
    let (compilation, _) = front_end(&file, defines, false);
    let foreign = unknown_externs(&compilation);
    Ok((program_of(path, compilation)?, foreign))
}

/// Returns a program as a device configuration, and its P4Info. A P4Info file belongs to a program in JSON.
pub(crate) fn device_config(path: &Path, info: Option<&Path>) -> anyhow::Result<(Vec<u8>, P4Info)> {
    let file = ProgramFile::read(path)?;
    if !file.is_json() {
        if info.is_some() {
            bail!("--p4info: only a program in JSON needs a P4Info; that of P4 sources is generated");
        }
        let (bundle, info) = bundle(&file, &Defines::default())?;
        return Ok((bundle.encode(), info));
    }
    let text = file.text;
    let given = info.map(read_info).transpose()?;
    let report = read_program(path, &text);
    program_of_json(path, report)?;
    let program = read_json(&path.display().to_string(), &text, given.as_ref());
    let program = program.map_err(|message| anyhow::anyhow!("{}: {message}", path.display()))?;
    Ok((text.into_bytes(), given.unwrap_or_else(|| p4info::from_program(&program))))
}

/// Reads a P4Info, as text or binary.
///
/// # Errors
/// The file cannot be read, or is none.
pub(crate) fn read_info(path: &Path) -> anyhow::Result<P4Info> {
    let bytes = read_bytes(path)?;
    let text = std::str::from_utf8(&bytes).ok().and_then(|text| p4info::from_text(text).ok());
    match text {
        Some(info) => Ok(info),
        None => p4info::from_binary(&bytes).map_err(|_| {
            anyhow::anyhow!("{}: this is not a P4Info, neither as text nor binary", path.display())
        }),
    }
}

fn check(programs: &[PathBuf], deny_warnings: bool, defines: &Defines) -> anyhow::Result<Outcome> {
    let (mut unreadable, mut outcome) = (Vec::new(), Outcome::Fine);
    for path in programs {
        let file = match ProgramFile::read(path) {
            Ok(file) => file,
            Err(error) => {
                unreadable.push(format!("{error:#}"));
                continue;
            }
        };
        let is_fine = if file.is_json() {
            let reading = read_program(path, &file.text);
            let is_fine = reading.errors == 0 && (!deny_warnings || reading.warnings == 0);
            if let Err(errors) = program_of_json(path, reading) {
                stderr_line!("{errors}");
            }
            is_fine
        } else {
            let (compilation, _) = front_end(&file, defines, true);
            let errors = without_errors(path, &compilation);
            if let Err(errors) = &errors {
                stderr_line!("{errors}");
            }
            errors.is_ok() && (!deny_warnings || compilation.diagnostics.is_empty())
        };
        if !is_fine {
            outcome = Outcome::Findings;
        }
    }
    if unreadable.is_empty() {
        return Ok(outcome);
    }
    bail!("{}", unreadable.join("\n       "))
}

fn explain(id: &str) -> anyhow::Result<Outcome> {
    let code = codes::find(id)
        .with_context(|| format!("unknown code {id}; expected a code such as E0401 or W0402"))?;
    stdout_text!("{}", code.page)?;
    Ok(Outcome::Fine)
}

/// Writes the pages of all codes, from which the documentation site is built.
fn explain_all(directory: &Path) -> anyhow::Result<Outcome> {
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let pages: Vec<_> =
        codes::pages().into_iter().map(|(name, text)| (directory.join(name), text.into_bytes())).collect();
    let outputs: Vec<_> = pages.iter().map(|(path, text)| (path.as_path(), text.clone())).collect();
    write_all(&outputs)?;
    Ok(Outcome::Fine)
}

fn compile(path: &Path, output: &Path, info: Option<&Path>, defines: &Defines) -> anyhow::Result<Outcome> {
    let file = ProgramFile::read(path)?;
    if file.is_json() {
        bail!("{}: this is already a device configuration; controllers send it as it is", path.display());
    }
    let (bundle, described) = bundle(&file, defines)?;
    let mut outputs = vec![(output, bundle.encode())];
    if let Some(path) = info {
        outputs.push((path, info_bytes(path, &described)));
    }
    write_all(&outputs)?;
    Ok(Outcome::Fine)
}

/// Returns the sources of a program as a device configuration, and its P4Info.
fn bundle(file: &ProgramFile<'_>, defines: &Defines) -> anyhow::Result<(SourceBundle, P4Info)> {
    let path = file.path;
    let (compilation, loader) = front_end(file, defines, true);
    let program = program_of(path, compilation)?;
    let mut files = loader.into_files();
    let main = path.display().to_string();
    // The switch compiles the sources without this command line, so its macros are added to the source.
    let head: String = defines
        .options(true)
        .defines
        .iter()
        .map(|(name, value)| format!("#define {name} {value}\n"))
        .collect();
    if let Some(text) = files.get_mut(&main) {
        text.insert_str(0, &head);
    }
    // The switch has no include directories either: each included file is added under the name in the `#include`.
    for folder in &defines.include {
        let found: Vec<(String, String)> = files
            .iter()
            .filter_map(|(path, text)| {
                let name = path.strip_prefix(folder)?.strip_prefix('/')?;
                Some((name.to_string(), text.clone()))
            })
            .collect();
        files.extend(found);
    }
    Ok((SourceBundle { main, files }, p4info::from_program(&program)))
}

/// Encodes a P4Info in the format that the file name selects.
pub(crate) fn info_bytes(path: &Path, info: &P4Info) -> Vec<u8> {
    match path.extension().is_some_and(|e| e == "txtpb" || e == "txt") {
        true => p4info::to_text(info).into_bytes(),
        false => p4info::to_binary(info),
    }
}

fn info(
    path: &Path,
    format: InfoFormat,
    compare: Option<&Path>,
    defines: &Defines,
) -> anyhow::Result<Outcome> {
    let file = ProgramFile::read(path)?;
    let program = match file.is_json() {
        true => program_of_json(path, read_program(path, &file.text))?,
        false => program_of(path, front_end(&file, defines, true).0)?,
    };
    let info = p4info::from_program(&program);
    if let Some(other) = compare {
        let theirs = p4info::from_text(&read_text(other)?).with_context(|| other.display().to_string())?;
        let differences = p4info::field_differences(&info, &theirs);
        for difference in &differences {
            stdout_line!("{difference}")?;
        }
        return Ok(if differences.is_empty() { Outcome::Fine } else { Outcome::Findings });
    }
    match format {
        InfoFormat::Text => stdout_text!("{}", p4info::to_text(&info))?,
        InfoFormat::Binary => stdout::write_bytes(&p4info::to_binary(&info))?,
    };
    Ok(Outcome::Fine)
}

fn stf(
    path: &Path,
    test: &Path,
    engine: Option<Engine>,
    trace: Option<&Path>,
    defines: &Defines,
) -> anyhow::Result<Outcome> {
    let engine = Engine::chosen(engine, trace.is_some())?.of_switch();
    let (program, foreign) = load(path, defines)?;
    let program = std::sync::Arc::new(program);
    let text = read_text(test)?;
    let listed = |failures: &[p4_switch::stf::Failure]| {
        failures.iter().map(|f| format!("{}: {f}", test.display())).collect::<Vec<_>>().join("\n")
    };
    let (_, problems) = p4_switch::stf::parse(&text);
    if !problems.is_empty() {
        bail!("{}", listed(&problems));
    }
    let settings = p4_switch::stf::Settings { engine, trace: trace.is_some() };
    let (observed, result) = p4_switch::stf::run_on(&program, &text, &settings);
    if let (Some(path), Some(mut switch)) = (trace, observed.switch) {
        write_trace(path, &switch.take_trace())?;
    }
    match result {
        Ok(report) => {
            for line in &report.output {
                stdout_line!("{line}")?;
            }
            stderr_line!(
                "passed: {} packets in, {} expected packets received",
                report.packets,
                report.expected
            );
            Ok(Outcome::Fine)
        }
        // The output of such a program depends on code that only its own target implements.
        Err(failures) if !foreign.is_empty() && failures.iter().all(|f| f.is_outcome) => {
            stderr_line!("{}", listed(&failures));
            stderr_line!(
                "not judged: the lines above differ, and the program uses externs that are not implemented here ({}); \
                 the difference may be theirs",
                foreign.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
            );
            Ok(Outcome::NotJudged)
        }
        Err(failures) => {
            stderr_line!("{}", listed(&failures));
            Ok(Outcome::Findings)
        }
    }
}

/// Returns the names of the externs that the switch does not implement, in source order.
fn unknown_externs(compilation: &Compilation) -> Vec<String> {
    let warnings = compilation.diagnostics.iter().filter(|d| d.code == codes::UNKNOWN_EXTERN);
    let mut names: Vec<String> = Vec::new();
    for name in warnings.filter_map(|d| d.message.split('`').nth(1)) {
        if !names.iter().any(|known| known == name) {
            names.push(name.to_string());
        }
    }
    names
}

/// Writes a trace, one JSON object on each line.
fn write_trace(path: &Path, records: &[p4_switch::TraceRecord]) -> anyhow::Result<()> {
    let mut text = String::new();
    for record in records {
        text += &serde_json::to_string(record)?;
        text.push('\n');
    }
    if path.as_os_str() == "-" {
        stdout_text!("{text}")?;
        return Ok(());
    }
    write_all(&[(path, text.into_bytes())])
}
