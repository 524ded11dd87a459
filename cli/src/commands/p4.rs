//! `harrier p4`: the P4-16 front end and the switch by themselves.

mod conformance;
mod run;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs;
use std::io::{IsTerminal, stderr};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use clap::{Subcommand, ValueEnum};
use p4_lang::diagnostic::codes;
use p4_lang::{Compilation, Options, SourceLoader};
use p4runtime::device_config::SourceBundle;
use p4runtime::p4info;
use p4runtime::proto::p4::config::v1::P4Info;

use crate::Outcome;
use crate::input::{read_text, write_all};

/// Arguments of `harrier p4`.
#[derive(clap::Args)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Subcommand)]
enum Action {
    /// Checks programs: every error and warning, with its place
    Check {
        /// Programs
        #[arg(required = true, value_name = "PROGRAM.p4")]
        programs: Vec<PathBuf>,
        /// Fails when there is a warning
        #[arg(long)]
        deny_warnings: bool,
        #[command(flatten)]
        defines: Defines,
    },
    /// Explains the code of an error or warning
    Explain {
        /// The code, as in `error[E0401]`
        #[arg(value_name = "CODE", required_unless_present = "all")]
        code: Option<String>,
        /// Writes the pages of all codes and an index as Markdown files
        #[arg(long, requires = "out", conflicts_with = "code")]
        all: bool,
        /// The directory for the files of `--all`
        #[arg(long, value_name = "DIR", requires = "all")]
        out: Option<PathBuf>,
    },
    /// Compiles a program to what a switch is given
    Compile {
        /// The program
        #[arg(value_name = "PROGRAM.p4")]
        program: PathBuf,
        /// Where the device configuration goes (P4Runtime's `p4_device_config`)
        #[arg(short, long, value_name = "OUT")]
        output: PathBuf,
        /// Where the P4Info goes, as text if the name ends in .txtpb, else binary
        #[arg(long, value_name = "OUT.txtpb")]
        p4info: Option<PathBuf>,
        #[command(flatten)]
        defines: Defines,
    },
    /// Prints a program's P4Info
    Info {
        /// The program
        #[arg(value_name = "PROGRAM.p4")]
        program: PathBuf,
        /// How
        #[arg(long, value_enum, default_value_t = InfoFormat::Text)]
        format: InfoFormat,
        /// Prints instead in which fields it differs from this one
        #[arg(long, value_name = "FILE.txtpb")]
        compare: Option<PathBuf>,
        #[command(flatten)]
        defines: Defines,
    },
    /// Runs a test in p4c's STF language against a program
    Stf {
        /// The program
        #[arg(value_name = "PROGRAM.p4")]
        program: PathBuf,
        /// The test
        #[arg(value_name = "TEST.stf")]
        test: PathBuf,
        /// What runs the program
        #[arg(long, value_enum)]
        engine: Option<run::Engine>,
        /// Every packet's life as JSON, a step a line, to a file or stdout (`-`)
        #[arg(long, value_name = "FILE|-")]
        trace: Option<PathBuf>,
        #[command(flatten)]
        defines: Defines,
    },
    /// Sends captured packets through a program
    Run(run::Args),
    /// Runs p4c's test programs, and shows or writes a table of the results
    Conformance(conformance::Args),
}

/// How P4Info is printed.
#[derive(Clone, Copy, ValueEnum)]
enum InfoFormat {
    /// Text protobuf
    Text,
    /// Binary protobuf
    Binary,
}

/// Macros and folders from the command line.
#[derive(clap::Args, Default)]
struct Defines {
    /// A folder to look for included files in
    #[arg(short = 'I', value_name = "DIR")]
    include: Vec<String>,
    /// Defines a macro, as `NAME` or `NAME=VALUE`
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    define: Vec<String>,
}

impl Defines {
    fn options(&self, p4info: bool) -> Options {
        let pair = |text: &String| match text.split_once('=') {
            Some((name, value)) => (name.to_string(), value.to_string()),
            None => (text.clone(), "1".to_string()),
        };
        Options { defines: self.define.iter().map(pair).collect(), includes: self.include.clone(), p4info }
    }
}

/// Files of the file system, and which of them were read.
#[derive(Default)]
struct FileLoader {
    read: RefCell<BTreeMap<String, String>>,
}

impl SourceLoader for FileLoader {
    fn load(&self, path: &str) -> Option<String> {
        let text = fs::read_to_string(path).ok()?;
        self.read.borrow_mut().insert(path.to_string(), text.clone());
        Some(text)
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

/// Compiles a file and shows every message on stderr.
fn front_end(path: &Path, defines: &Defines, p4info: bool) -> anyhow::Result<(Compilation, FileLoader)> {
    // The front end reports a missing include; a missing main file has no place in a source to report.
    read_text(path)?;
    let loader = FileLoader::default();
    let compilation = p4_lang::compile(&path.display().to_string(), &loader, &defines.options(p4info));
    let report = compilation.report(stderr().is_terminal());
    if !report.is_empty() {
        eprintln!("{report}\n");
    }
    Ok((compilation, loader))
}

/// What a program without errors is otherwise: an error that counts them.
fn without_errors(path: &Path, compilation: &Compilation) -> anyhow::Result<()> {
    match compilation.diagnostics.iter().filter(|d| d.is_error()).count() {
        0 => Ok(()),
        1 => bail!("{}: 1 error", path.display()),
        errors => bail!("{}: {errors} errors", path.display()),
    }
}

/// The program as the switch runs it.
fn program_of(path: &Path, compilation: Compilation) -> anyhow::Result<p4_lang::ir::Program> {
    without_errors(path, &compilation)?;
    let nothing = || format!("{}: the program is not for v1model, the switch cannot run it", path.display());
    compilation.program.with_context(nothing)
}

fn check(programs: &[PathBuf], deny_warnings: bool, defines: &Defines) -> anyhow::Result<Outcome> {
    let (mut unread, mut outcome) = (Vec::new(), Outcome::Fine);
    for path in programs {
        match front_end(path, defines, true) {
            Err(error) => unread.push(format!("{error:#}")),
            Ok((compilation, _)) => {
                if let Err(wrong) = without_errors(path, &compilation) {
                    eprintln!("{wrong}");
                    outcome = Outcome::Findings;
                } else if deny_warnings && !compilation.diagnostics.is_empty() {
                    outcome = Outcome::Findings;
                }
            }
        }
    }
    if unread.is_empty() {
        return Ok(outcome);
    }
    bail!("{}", unread.join("\n       "))
}

fn explain(id: &str) -> anyhow::Result<Outcome> {
    let code =
        codes::find(id).with_context(|| format!("there is no code {id}; codes are like E0401 or W0402"))?;
    print!("{}", code.page);
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
    let (bundle, described) = bundle_with(path, defines)?;
    let mut outputs = vec![(output, bundle.encode())];
    if let Some(path) = info {
        outputs.push((path, info_bytes(path, &described)));
    }
    write_all(&outputs)?;
    Ok(Outcome::Fine)
}

/// The sources of a program, as a switch takes them, and its P4Info.
pub(crate) fn bundle(path: &Path) -> anyhow::Result<(SourceBundle, P4Info)> {
    bundle_with(path, &Defines::default())
}

fn bundle_with(path: &Path, defines: &Defines) -> anyhow::Result<(SourceBundle, P4Info)> {
    let (compilation, loader) = front_end(path, defines, true)?;
    let program = program_of(path, compilation)?;
    let mut files = loader.read.into_inner();
    let main = path.display().to_string();
    // The switch compiles the sources again, without this command line: its macros become part of them.
    let head: String = defines
        .options(true)
        .defines
        .iter()
        .map(|(name, value)| format!("#define {name} {value}\n"))
        .collect();
    if let Some(text) = files.get_mut(&main) {
        text.insert_str(0, &head);
    }
    // It knows no folders either: what was found in one is known by the name it is included by.
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

/// A P4Info in the form that a file's name asks for.
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
    let (compilation, _) = front_end(path, defines, true)?;
    let info = p4info::from_program(&program_of(path, compilation)?);
    if let Some(other) = compare {
        let theirs = p4info::from_text(&read_text(other)?).with_context(|| other.display().to_string())?;
        let differences = p4info::field_differences(&info, &theirs);
        differences.iter().for_each(|difference| println!("{difference}"));
        return Ok(if differences.is_empty() { Outcome::Fine } else { Outcome::Findings });
    }
    match format {
        InfoFormat::Text => print!("{}", p4info::to_text(&info)),
        InfoFormat::Binary => std::io::Write::write_all(&mut std::io::stdout(), &p4info::to_binary(&info))?,
    }
    Ok(Outcome::Fine)
}

fn stf(
    path: &Path,
    test: &Path,
    engine: Option<run::Engine>,
    trace: Option<&Path>,
    defines: &Defines,
) -> anyhow::Result<Outcome> {
    let engine = run::Engine::chosen(engine, trace.is_some())?.of_switch();
    let (compilation, _) = front_end(path, defines, false)?;
    let foreign = compilation.diagnostics.iter().any(|d| d.code == codes::UNKNOWN_EXTERN);
    let program = std::sync::Arc::new(program_of(path, compilation)?);
    let text = read_text(test)?;
    let shown = |failures: &[p4_switch::stf::Failure]| {
        failures.iter().map(|f| format!("{}: {f}", test.display())).collect::<Vec<_>>().join("\n")
    };
    let (_, problems) = p4_switch::stf::parse(&text);
    if !problems.is_empty() {
        bail!("{}", shown(&problems));
    }
    let settings = p4_switch::stf::Settings { engine, trace: trace.is_some(), translation: None };
    let (observed, result) = p4_switch::stf::run_on(&program, &text, &settings);
    if let (Some(path), Some(mut switch)) = (trace, observed.switch) {
        write_trace(path, &switch.take_trace())?;
    }
    match result {
        Ok(report) => {
            for line in &report.output {
                println!("{line}");
            }
            eprintln!("passed: {} packets in, {} expected and seen", report.packets, report.expected);
            Ok(Outcome::Fine)
        }
        // What such a program sends depends on code that only its own target has: nobody can judge it here.
        Err(failures) if foreign && failures.iter().all(|f| f.is_outcome) => {
            eprintln!("{}", shown(&failures));
            eprintln!(
                "accepted, not judged: the program calls externs of its own that have no implementation here, \
                 so that the packets above differ"
            );
            Ok(Outcome::Fine)
        }
        Err(failures) => {
            eprintln!("{}", shown(&failures));
            Ok(Outcome::Findings)
        }
    }
}

/// Writes steps as JSON, one a line.
fn write_trace(path: &Path, records: &[p4_switch::TraceRecord]) -> anyhow::Result<()> {
    let mut text = String::new();
    for record in records {
        text += &serde_json::to_string(record)?;
        text.push('\n');
    }
    if path.as_os_str() == "-" {
        print!("{text}");
        return Ok(());
    }
    write_all(&[(path, text.into_bytes())])
}
