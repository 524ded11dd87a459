//! `harrier check`: checks switch configurations against the rules.

pub(super) mod inputs;
mod run;
mod show;

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use buffer_config::asic;
use buffer_config::baseline::Selection;
use buffer_config::headroom::Floor;
use buffer_config::rules::{self, Options};
use clap::ValueEnum;

use crate::Outcome;
use crate::finding_reports::{FormatArg, Threshold, outputs_are_distinct};

/// Arguments of `harrier check`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Files, folders of switches, `-` for standard input, or redis://host:port/4 for a live switch
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Output format; may be repeated, each with its own --output
    #[arg(long, value_enum)]
    format: Vec<FormatArg>,
    /// File for the --format at the same position; `-` is standard output
    #[arg(long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Run only these rules: codes, names or prefixes of codes
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    select: Vec<String>,
    /// Do not run these rules
    #[arg(long, value_delimiter = ',', value_name = "RULE")]
    ignore: Vec<String>,
    /// Lowest severity that sets the exit status to 1; a configuration of an unknown ASIC (not provable) always does
    #[arg(long, value_enum, default_value_t = Threshold::Error)]
    severity_threshold: Threshold,
    /// Ignore the findings in this baseline
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to a baseline instead of printing them
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Suppressions with reasons (TOML)
    #[arg(long, value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// The platform's pg_profile_lookup.ini [default: the one in the same folder]
    #[arg(long, value_name = "FILE")]
    lookup: Option<PathBuf>,
    /// Hosts that are connected to the switches: NIC generations, DCQCN, PFC (TOML)
    #[arg(long, value_name = "FILE")]
    hosts: Option<PathBuf>,
    /// The ASIC, if platform and SKU do not identify it
    #[arg(long, value_name = "NAME")]
    asic: Option<String>,
    /// Bytes of packet memory
    #[arg(long, value_name = "BYTES")]
    memory: Option<u64>,
    /// Largest headroom oversubscription that is not an error
    #[arg(long, value_name = "RATIO")]
    oversubscription_limit: Option<f64>,
    /// Lowest headroom that is accepted
    #[arg(long, value_enum, default_value_t = FloorArg::Standard)]
    floor: FloorArg,
    /// Largest lossless frame if the file does not specify it, bytes
    #[arg(long, default_value_t = 1024)]
    lossless_mtu: u32,
    /// Print the resolved values that the ASIC runs with, as JSON, instead of checking
    #[arg(long)]
    show_resolved: bool,
    /// Print every term of a port's headroom, instead of checking
    #[arg(long, value_name = "PORT")]
    explain_headroom: Option<String>,
    /// Print when the watchdog of a port detects a storm, instead of checking
    #[arg(long, value_name = "PORT")]
    explain_watchdog: Option<String>,
    /// Simulate each lossless profile instead of checking: a paused egress port, a sender at line rate, frames of
    /// --lossless-mtu; the exit status is 1 if a frame is dropped or something is not provable
    #[arg(long)]
    prove: bool,
    /// Duration of the storm for --explain-watchdog, milliseconds
    #[arg(long, default_value_t = 1000)]
    storm_ms: u32,
    /// Write the fixes for one file as JSON Patch (RFC 6902)
    #[arg(long, value_name = "FILE")]
    fix_patch: Option<PathBuf>,
    /// Compare two revisions: changes, changes that a live switch rejects, new findings
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
    outputs_are_distinct(&args.format, &args.output)?;
    let options = options(&args)?;
    if let [old, new] = args.diff.as_slice() {
        return show::compare(&args, &options, &selection, old, new);
    }
    if args.paths.is_empty() {
        bail!("nothing to check: specify files, folders, `-` or redis://host:port/4");
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

fn options(args: &Args) -> anyhow::Result<Options> {
    let asic = match &args.asic {
        Some(name) => Some(asic::by_name(name).or_else(|| asic::of_asic_table(name)).with_context(|| {
            let names: Vec<&str> = asic::ASICS.iter().map(|a| a.name).collect();
            format!("no ASIC `{name}`; expected one of {}", names.join(", "))
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
