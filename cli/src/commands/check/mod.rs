//! `harrier check`: switch configurations against the rules.

mod inputs;
mod run;
mod show;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use buffer_config::asic;
use buffer_config::finding::Severity;
use buffer_config::headroom::Floor;
use buffer_config::baseline::Selection;
use buffer_config::report::Summary;
use buffer_config::rules::{self, Options};
use clap::ValueEnum;

use crate::Outcome;

/// Arguments of `harrier check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files, folders of switches, `-` for standard input, or redis://host:port/4 for a live switch
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// How to print; may be given several times, each with its --output
    #[arg(long, value_enum)]
    format: Vec<FormatArg>,
    /// Where to print the format of the same place in the order; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Only these rules: codes, names or beginnings of codes
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    select: Vec<String>,
    /// Not these rules
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    ignore: Vec<String>,
    /// The least severity that makes the exit status 1; what is not provable, an ASIC that is not known, does so anyway
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
    /// line rate, frames of --lossless-mtu; exit status 1 when a frame is dropped or something cannot be proved
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
enum FormatArg {
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

impl Threshold {
    fn outcome(self, summary: &Summary) -> Outcome {
        let least = match self {
            Self::Info => Severity::Info,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        };
        if summary.at_least(least) > 0 || summary.not_provable > 0 {
            Outcome::Findings
        } else {
            Outcome::Fine
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FloorArg {
    Wire,
    Standard,
    WithPortMtu,
    WithTwoMtu,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    if args.list_rules {
        return show::list_rules();
    }
    if let Some(code) = &args.explain {
        let rule = rules::find(code).with_context(|| format!("no rule `{code}`; see --list-rules"))?;
        return write_text(Path::new("-"), &rule.page()).map(|()| Outcome::Fine);
    }
    let selection = Selection { select: args.select.clone(), ignore: args.ignore.clone() };
    if let Some(word) = selection.unknown().first() {
        bail!("no rule matches `{word}`; see --list-rules");
    }
    outputs_are_distinct(&args)?;
    let options = options(&args)?;
    if let [old, new] = args.diff.as_slice() {
        return show::compare(&args, &options, &selection, old, new);
    }
    if args.paths.is_empty() {
        bail!("nothing to check: name files, folders, `-` or redis://host:port/4");
    }
    let inputs = inputs::inputs(&args.paths)?;
    if args.show_resolved || args.explain_headroom.is_some() || args.explain_watchdog.is_some() {
        return show::show(&args, &options, &inputs);
    }
    if args.prove {
        return show::prove_all(&args, &options, &inputs);
    }
    if let Some(path) = &args.fix_patch {
        show::write_patch(&args, &options, &selection, &inputs, path)?;
    }
    run::run(&args, &options, &selection, &inputs)
}

/// Each format has a place of its own.
fn outputs_are_distinct(args: &Args) -> anyhow::Result<()> {
    let (formats, outputs) = (args.format.len().max(1), args.output.len());
    if outputs > formats {
        bail!("{outputs} outputs for {} formats: give each --output after its --format", args.format.len());
    }
    let place = |i: usize| args.output.get(i).map_or(Path::new("-"), PathBuf::as_path);
    for i in 0..formats {
        if (0..i).any(|j| place(i) == place(j)) {
            bail!(
                "two formats go to {}: give each --format an --output of its own",
                match place(i) {
                    p if p == Path::new("-") => "standard output".to_string(),
                    p => p.display().to_string(),
                }
            );
        }
    }
    Ok(())
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

fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return match io::stdout().lock().write_all(text.as_bytes()) {
            Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
            other => Ok(other?),
        };
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}
