//! `harrier check`: switch configurations against the rules.

use std::collections::BTreeMap;
use std::io::{self, IsTerminal, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{fs, thread};

use anyhow::{Context, bail};
use buffer_config::diff;
use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::headroom::Floor;
use buffer_config::hold::{Baseline, Selection, Suppressions};
use buffer_config::lookup::{self, Lookup};
use buffer_config::report::{self, Report};
use buffer_config::rules::{self, Options};
use buffer_config::source::Source;
use buffer_config::{Beside, asic, explain, forms, hosts, repair, resolve};
use clap::ValueEnum;

use super::prove;
use crate::Outcome;
use crate::input::read_text;
use crate::output::print_json;
use crate::redis;

/// Arguments of `harrier check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files, folders of switches, `-` for standard input, or redis://host:port/4 for a live switch
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// How to print; may be given several times, each with its --output
    #[arg(long, value_enum)]
    format: Vec<Format>,
    /// Where to print the format of the same place in the order; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Only these rules: codes, names or beginnings of codes
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    select: Vec<String>,
    /// Not these rules
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    ignore: Vec<String>,
    /// The least severity that makes the exit status 1
    #[arg(long, value_enum, default_value_t = Threshold::Error)]
    severity_threshold: Threshold,
    /// Hold back the findings of this file
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to a baseline instead of printing them
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Suppressions with reasons (TOML)
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// The platform's pg_profile_lookup.ini [default: the one beside the file]
    #[arg(long, value_name = "FILE")]
    lookup: Option<PathBuf>,
    /// Hosts that hang on the switches: NIC generations, DCQCN, PFC (TOML)
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
    /// The ASIC, where platform and SKU do not tell it
    #[arg(long, value_name = "NAME")]
    asic: Option<String>,
    /// Bytes of packet memory
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// More headroom oversubscription than this is an error
    #[arg(long, value_name = "RATIO")]
    oversubscription_limit: Option<f64>,
    /// The least headroom that is accepted
    #[arg(long, value_enum, default_value_t = FloorArg::Standard)]
    floor: FloorArg,
    /// The largest lossless frame where the file does not say, bytes
    #[arg(long, default_value_t = 1024)]
    lossless_mtu: u32,
    /// Print the switches as the ASIC would see them, as JSON, instead of checking
    #[arg(long)]
    show_resolved: bool,
    /// Print every term of a port's headroom instead of checking
    #[arg(long, value_name = "PORT")]
    explain_headroom: Option<String>,
    /// Print when the watchdog of a port would act instead of checking
    #[arg(long, value_name = "PORT")]
    explain_watchdog: Option<String>,
    /// Put each lossless profile to the test on a simulated switch instead of checking: a paused neighbour, a sender at
    /// line rate, frames of --lossless-mtu; exit status 1 when a frame is dropped
    #[arg(long)]
    prove: bool,
    /// Length of the storm for --explain-watchdog, milliseconds
    #[arg(long, default_value_t = 1000)]
    storm_ms: u32,
    /// Write the repairs of one file as JSON Patch (RFC 6902)
    #[arg(long, value_name = "FILE")]
    fix_patch: Option<PathBuf>,
    /// Compare two revisions: what changes, what is disruptive, what gets worse
    #[arg(long, num_args = 2, value_names = ["OLD", "NEW"])]
    diff: Vec<String>,
    /// List all rules
    #[arg(long)]
    list_rules: bool,
    /// Print the page of a rule
    #[arg(long, value_name = "RULE")]
    explain: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Full,
    Concise,
    Json,
    Sarif,
    Junit,
    Github,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Threshold {
    Info,
    Warning,
    Error,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FloorArg {
    Wire,
    Standard,
    WithPortMtu,
    WithTwoMtu,
}

/// A configuration to check.
struct Input {
    name: String,
    path: Option<PathBuf>,
    text: Option<String>,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    if args.list_rules {
        return list_rules();
    }
    if let Some(code) = &args.explain {
        let rule = rules::find(code).with_context(|| format!("no rule `{code}`; see --list-rules"))?;
        return write_text(Path::new("-"), &rule.page()).map(|()| Outcome::Fine);
    }
    let selection = Selection { select: args.select.clone(), ignore: args.ignore.clone() };
    if let Some(word) = selection.unknown().first() {
        bail!("no rule matches `{word}`; see --list-rules");
    }
    if args.output.len() > args.format.len().max(1) {
        bail!(
            "{} outputs for {} formats: give each --output after its --format",
            args.output.len(),
            args.format.len()
        );
    }
    let options = options(&args)?;
    if let [old, new] = args.diff.as_slice() {
        return compare(&args, &options, &selection, old, new);
    }
    if args.paths.is_empty() {
        bail!("nothing to check: name files, folders, `-` or redis://host:port/4");
    }
    let inputs = inputs(&args.paths)?;
    if args.show_resolved || args.explain_headroom.is_some() || args.explain_watchdog.is_some() {
        return show(&args, &options, &inputs);
    }
    if args.prove {
        return prove_all(&args, &options, &inputs);
    }
    let mut report = check_all(&args, &options, &selection, &inputs)?;
    hold_back(&args, &mut report)?;
    finish(&args, &options, &report, &inputs)
}

fn options(args: &Args) -> anyhow::Result<Options> {
    let asic = match &args.asic {
        Some(name) => Some(asic::by_name(name).or_else(|| asic::of_asic_table(name)).with_context(|| {
            let names: Vec<&str> = asic::ASICS.iter().map(|a| a.name).collect();
            format!("no ASIC `{name}`; known are {}", names.join(", "))
        })?),
        None => None,
    };
    let floor = match args.floor {
        FloorArg::Wire => Floor::Wire,
        FloorArg::Standard => Floor::Standard,
        FloorArg::WithPortMtu => Floor::WithPortMtu,
        FloorArg::WithTwoMtu => Floor::WithTwoMtu,
    };
    let (memory_bytes, oversubscription_limit) = (args.memory, args.oversubscription_limit);
    Ok(Options { asic, memory_bytes, oversubscription_limit, floor, lossless_mtu: args.lossless_mtu })
}

fn inputs(paths: &[String]) -> anyhow::Result<Vec<Input>> {
    let mut inputs = Vec::new();
    for name in paths {
        if name == "-" {
            let mut text = String::new();
            io::stdin().lock().read_to_string(&mut text).context("cannot read standard input as text")?;
            inputs.push(Input { name: "-".into(), path: None, text: Some(text) });
        } else if name.starts_with("redis://") {
            let text = redis::dump(name).with_context(|| format!("cannot read {name}"))?;
            inputs.push(Input { name: name.clone(), path: None, text: Some(text) });
        } else if Path::new(name).is_dir() {
            let mut found = Vec::new();
            files_below(Path::new(name), &mut found)?;
            if found.is_empty() {
                bail!("{name}: no *.json and no *.ini in this folder");
            }
            inputs.extend(found.into_iter().map(of_path));
        } else {
            inputs.push(of_path(PathBuf::from(name)));
        }
    }
    Ok(inputs)
}

fn of_path(path: PathBuf) -> Input {
    Input { name: path.display().to_string(), path: Some(path), text: None }
}

/// Configurations of a folder, in the order of their names. Look-up tables count when they stand alone.
fn files_below(folder: &Path, found: &mut Vec<PathBuf>) -> anyhow::Result<()> {
    let entries = fs::read_dir(folder).with_context(|| format!("cannot read {}", folder.display()))?;
    let mut paths: Vec<PathBuf> = entries.map(|e| e.map(|e| e.path())).collect::<io::Result<_>>()?;
    paths.sort();
    let is = |path: &Path, ending: &str| path.extension().is_some_and(|e| e == ending);
    let any_json = paths.iter().any(|p| is(p, "json"));
    for path in paths {
        if path.is_dir() && !path.is_symlink() {
            files_below(&path, found)?;
        } else if is(&path, "json") || (is(&path, "ini") && !any_json) {
            found.push(path);
        }
    }
    Ok(())
}

/// A configuration with its look-up table.
fn read(args: &Args, input: &Input) -> anyhow::Result<(String, Option<Lookup>)> {
    let text = match (&input.text, &input.path) {
        (Some(text), _) => text.clone(),
        (None, Some(path)) => read_text(path)?,
        (None, None) => String::new(),
    };
    if input.path.as_deref().is_some_and(|p| p.extension().is_some_and(|e| e == "ini")) {
        return Ok(("{}".into(), Some(lookup::parse(&text))));
    }
    let beside = input.path.as_deref().and_then(Path::parent).map(|f| f.join("pg_profile_lookup.ini"));
    let path = args.lookup.clone().or(beside.filter(|p| p.is_file()));
    let table = path.map(|p| read_text(&p)).transpose()?.map(|t| lookup::parse(&t));
    Ok((text, table))
}

/// Checks all files on all cores; texts are dropped as soon as a file is done.
fn check_all(
    args: &Args,
    options: &Options,
    selection: &Selection,
    inputs: &[Input],
) -> anyhow::Result<Report> {
    let hosts = match &args.hosts {
        Some(path) => {
            Some(hosts::parse(&read_text(path)?).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?)
        }
        None => None,
    };
    let next = AtomicUsize::new(0);
    type Done = (usize, anyhow::Result<(Vec<Finding>, Fleet)>);
    let done: Mutex<Vec<Done>> = Mutex::new(Vec::new());
    let one = |input: &Input| -> anyhow::Result<(Vec<Finding>, Fleet)> {
        let (text, table) = read(args, input)?;
        let db = forms::load(&text);
        let source = Source { name: &input.name, text: &text };
        let (mut findings, switch) = rules::check_resolved(source, &db, table.as_ref(), options);
        if let Some(hosts) = &hosts {
            findings.extend(hosts::check(hosts, &input.name, &switch));
        }
        findings.retain(|f| selection.wants(f.code, f.rule));
        let mut fleet = Fleet::default();
        fleet.add(&input.name, &switch);
        Ok((findings, fleet))
    };
    let workers = thread::available_parallelism().map_or(1, usize::from).min(inputs.len());
    thread::scope(|scope| {
        for _ in 0..workers {
            scope.spawn(|| {
                loop {
                    let index = next.fetch_add(1, Ordering::Relaxed);
                    let Some(input) = inputs.get(index) else { break };
                    let result = one(input);
                    done.lock().unwrap_or_else(|e| e.into_inner()).push((index, result));
                }
            });
        }
    });
    let mut done = done.into_inner().unwrap_or_else(|e| e.into_inner());
    done.sort_by_key(|(index, _)| *index);
    let mut report = Report { files: inputs.iter().map(|i| i.name.clone()).collect(), ..Report::default() };
    let mut fleet = Fleet::default();
    for (_, result) in done {
        let (findings, one) = result?;
        report.findings.extend(findings);
        fleet.merge(one);
    }
    let drift = fleet.check();
    report.findings.extend(drift.into_iter().filter(|f| selection.wants(f.code, f.rule)));
    Ok(report)
}

fn hold_back(args: &Args, report: &mut Report) -> anyhow::Result<()> {
    if let Some(path) = &args.suppressions {
        let name = path.display().to_string();
        let all = Suppressions::parse(&read_text(path)?).map_err(|e| anyhow::anyhow!("{name}: {e}"))?;
        report.suppressed += all.apply(&mut report.findings, &name, &today());
    }
    if let Some(path) = &args.baseline {
        let baseline =
            Baseline::parse(&read_text(path)?).map_err(|e| anyhow::anyhow!("{}: {e}", path.display()))?;
        report.suppressed += baseline.apply(&mut report.findings);
    }
    Ok(())
}

/// The day in UTC, `YYYY-MM-DD`.
fn today() -> String {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    // Days to date: Howard Hinnant, "chrono-compatible low-level date algorithms", civil_from_days.
    let z = (since.as_secs() / 86_400) as i64 + 719_468;
    let era = z / 146_097;
    let doe = z - era * 146_097;
    let yoe = (doe - doe / 1460 + doe / 36_524 - doe / 146_096) / 365;
    let doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
    let mp = (5 * doy + 2) / 153;
    let (day, month) = (doy - (153 * mp + 2) / 5 + 1, if mp < 10 { mp + 3 } else { mp - 9 });
    let year = yoe + era * 400 + i64::from(month <= 2);
    format!("{year:04}-{month:02}-{day:02}")
}

fn finish(args: &Args, options: &Options, report: &Report, inputs: &[Input]) -> anyhow::Result<Outcome> {
    if let Some(path) = &args.write_baseline {
        let text = serde_json::to_string_pretty(&Baseline::of(&report.findings))? + "\n";
        write_text(path, &text)?;
        eprintln!("{} findings are in {}", report.findings.len(), path.display());
        return Ok(Outcome::Fine);
    }
    if let Some(path) = &args.fix_patch {
        write_patch(args, options, report, inputs, path)?;
    }
    let formats = if args.format.is_empty() { vec![Format::Full] } else { args.format.clone() };
    for (index, format) in formats.iter().enumerate() {
        let path = args.output.get(index).map_or(Path::new("-"), PathBuf::as_path);
        let is_coloured = path == Path::new("-") && io::stdout().is_terminal();
        let text = match format {
            Format::Full => report::full(report, is_coloured, |file| {
                let input = inputs.iter().find(|i| i.name == file)?;
                let of_json = |p: &PathBuf| p.extension().is_none_or(|e| e != "ini");
                input.text.clone().or_else(|| read_text(input.path.as_ref().filter(|p| of_json(p))?).ok())
            }),
            Format::Concise => report::concise(report),
            Format::Json => report::json(report),
            Format::Sarif => report::sarif(report),
            Format::Junit => report::junit(report),
            Format::Github => report::github(report),
        };
        write_text(path, &text)?;
    }
    if inputs.len() > 1 {
        eprint!("{}", report::table(report));
    }
    eprintln!("{}", report.summary());
    let least = match args.severity_threshold {
        Threshold::Info => Severity::Info,
        Threshold::Warning => Severity::Warning,
        Threshold::Error => Severity::Error,
    };
    let fails = report.findings.iter().any(|f| f.severity >= least);
    Ok(if fails { Outcome::Findings } else { Outcome::Fine })
}

fn write_patch(
    args: &Args,
    options: &Options,
    report: &Report,
    inputs: &[Input],
    path: &Path,
) -> anyhow::Result<()> {
    let [input] = inputs else { bail!("--fix-patch repairs one file, {} were given", inputs.len()) };
    let (text, table) = read(args, input)?;
    let source = Source { name: &input.name, text: &text };
    let plan = repair::plan(source, &report.findings, table.as_ref(), options)
        .map_err(|e| anyhow::anyhow!("{}: no patch can be made: {e}", input.name))?;
    for (op, reason) in &plan.refused_live {
        eprintln!("{}: not on a live switch: {reason}", op.path);
    }
    for (code, reason) in &plan.left_out {
        eprintln!("{code} is not repaired: {reason}");
    }
    write_text(path, &(serde_json::to_string_pretty(&plan.operations)? + "\n"))
}

fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        };
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

fn list_rules() -> anyhow::Result<Outcome> {
    let mut text = String::new();
    for rule in rules::all() {
        let meta = rule.meta;
        text.push_str(&format!(
            "{:<9} {:<8} {:<26} {}\n",
            meta.code,
            meta.severity.name(),
            meta.name,
            rule.summary()
        ));
    }
    write_text(Path::new("-"), &text)?;
    Ok(Outcome::Fine)
}

fn show(args: &Args, options: &Options, inputs: &[Input]) -> anyhow::Result<Outcome> {
    let mut resolved = BTreeMap::new();
    for input in inputs {
        let (text, table) = read(args, input)?;
        let db = forms::load(&text);
        let beside =
            Beside { lookup: table.as_ref(), asic: options.asic, memory_bytes: options.memory_bytes };
        let switch = resolve(&db, beside);
        if let Some(port) = &args.explain_headroom {
            let text = explain::headroom_of(&db, &switch, port, options)
                .map_err(|e| anyhow::anyhow!("{}: {e}", input.name))?;
            write_text(Path::new("-"), &text)?;
        } else if let Some(port) = &args.explain_watchdog {
            let text = explain::watchdog_of(&switch, port, args.storm_ms)
                .map_err(|e| anyhow::anyhow!("{}: {e}", input.name))?;
            write_text(Path::new("-"), &text)?;
        } else {
            resolved.insert(input.name.clone(), switch);
        }
    }
    if args.show_resolved {
        match resolved.len() {
            1 => print_json(&resolved.values().next())?,
            _ => print_json(&resolved)?,
        }
    }
    Ok(Outcome::Fine)
}

fn prove_all(args: &Args, options: &Options, inputs: &[Input]) -> anyhow::Result<Outcome> {
    let assumed = fabric::prove::Assumed { frame_bytes: options.lossless_mtu };
    let mut all = BTreeMap::new();
    let mut outcome = Outcome::Fine;
    for input in inputs {
        let (text, table) = read(args, input)?;
        let beside =
            Beside { lookup: table.as_ref(), asic: options.asic, memory_bytes: options.memory_bytes };
        let switch = resolve(&forms::load(&text), beside);
        let proofs = fabric::prove::prove(&switch, assumed)
            .with_context(|| format!("{}: the switch cannot be simulated", input.name))?;
        let (text, holds) = prove::describe(&input.name, &proofs);
        if !holds {
            outcome = Outcome::Findings;
        }
        if args.format.contains(&Format::Json) {
            all.insert(input.name.as_str(), proofs);
        } else {
            write_text(Path::new("-"), &text)?;
        }
    }
    if args.format.contains(&Format::Json) {
        print_json(&all)?;
    }
    Ok(outcome)
}

fn compare(
    args: &Args,
    options: &Options,
    selection: &Selection,
    old: &str,
    new: &str,
) -> anyhow::Result<Outcome> {
    let inputs = inputs(&[old.to_string(), new.to_string()])?;
    let [old, new] = inputs.as_slice() else { bail!("--diff compares two files") };
    let ((old_text, old_table), (new_text, new_table)) = (read(args, old)?, read(args, new)?);
    let before = diff::Revision { name: &old.name, text: &old_text, lookup: old_table.as_ref() };
    let after = diff::Revision { name: &new.name, text: &new_text, lookup: new_table.as_ref() };
    let mut result = diff::compare(before, after, options);
    result.findings.retain(|f| selection.wants(f.code, f.rule));
    for change in &result.changes {
        eprintln!("{change}");
    }
    let mut report =
        Report { findings: result.findings, files: vec![new.name.clone()], suppressed: result.unchanged };
    hold_back(args, &mut report)?;
    finish(args, options, &report, std::slice::from_ref(new))
}
