//! `harrier check`: checks switch configurations against the rules.

pub(crate) mod editor;
mod fix;
pub(super) mod inputs;
mod proofs;
mod read;
mod run;
mod setup;
mod show;
mod watch;

pub(crate) use run::DOUBTS;

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use buffer_config::rules;
use clap::ValueEnum;
use setup::Setup;

use crate::Outcome;
use crate::finding_reports::{FormatArg, Threshold, outputs_are_distinct};

const EXAMPLES: &str = "\
Examples:
  harrier check config_db.json                         Check one switch
  harrier check switches/                              Check a folder of switches, also against each other
  harrier check switches/ --fix                        Repair the files in place
  harrier check . --write-baseline harrier-baseline.json
                                                       Accept what is there; report only new findings from now on
  harrier check --explain BUF023                       Print the page of a rule

Exit status:
  0  No finding at or above --severity-threshold
  1  Findings, or a configuration that cannot be proved to be lossless
  2  The command failed, or an input could not be read";

/// Arguments of `harrier check`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Files, folders of switches, `-` for standard input, or a live switch: redis://host:port/4, rediss://... for TLS,
    /// unix:///path?db=4; the variable REDISCLI_AUTH has its password
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Output format; may be repeated, each with its own --output
    #[arg(long, help_heading = "Reports", value_enum)]
    format: Vec<FormatArg>,
    /// File for the --format at the same position; `-` is standard output
    #[arg(long, help_heading = "Reports", value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Run only these rules: codes, names or prefixes of codes
    #[arg(long, help_heading = "Rules", value_delimiter = ',', value_name = "RULE")]
    select: Vec<String>,
    /// Do not run these rules
    #[arg(long, help_heading = "Rules", value_delimiter = ',', value_name = "RULE")]
    ignore: Vec<String>,
    /// Lowest severity that sets the exit status to 1 [default: error]; a configuration of an unknown ASIC (not
    /// provable) always does
    #[arg(long, help_heading = "Reports", value_enum)]
    severity_threshold: Option<Threshold>,
    /// Do not set the exit status to 1; it is 2 if an input cannot be read
    #[arg(long, help_heading = "Reports")]
    exit_zero: bool,
    /// Show notes in the formats for people (full, concise, github, gitlab); by default only with --select or with
    /// `--severity-threshold info`
    #[arg(long, help_heading = "Reports", value_enum, value_name = "WHEN", num_args = 0..=1, require_equals = true, default_missing_value = "always")]
    notes: Option<Notes>,
    /// The configuration file [default: harrier.toml in the folder of the input, or in one above it]
    #[arg(long, help_heading = "Inputs", value_name = "FILE", conflicts_with = "no_config")]
    config: Option<PathBuf>,
    /// Do not look for harrier.toml, harrier-suppressions.toml and harrier-baseline.json
    #[arg(long, help_heading = "Inputs")]
    no_config: bool,
    /// Leave these files and folders out when a folder is checked; `*` is any characters
    #[arg(long, help_heading = "Inputs", value_delimiter = ',', value_name = "PATTERN")]
    exclude: Vec<String>,
    /// Largest file that is read, MiB
    #[arg(long, help_heading = "Inputs", value_name = "MIB", default_value_t = 512, value_parser = clap::value_parser!(u64).range(1..=1023))]
    max_file_mib: u64,
    /// Certificates of the authorities that a live switch's certificate is checked against (PEM)
    /// [default: those of the system]
    #[arg(long, help_heading = "Inputs", value_name = "FILE")]
    redis_ca: Option<PathBuf>,
    /// Ignore the findings in this baseline [default: harrier-baseline.json in the folder of the input, or above]
    #[arg(long, help_heading = "Rules", value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the findings to a baseline instead of printing them
    #[arg(long, help_heading = "Rules", value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// Suppressions with reasons (TOML) [default: harrier-suppressions.toml in the folder of the input, or above]
    #[arg(long, help_heading = "Rules", value_name = "FILE")]
    suppressions: Option<PathBuf>,
    /// The platform's pg_profile_lookup.ini [default: the one in the same folder]
    #[arg(long, help_heading = "Inputs", value_name = "FILE")]
    lookup: Option<PathBuf>,
    /// Hosts that are connected to the switches: NIC generations, DCQCN, PFC (TOML)
    #[arg(long, help_heading = "Inputs", value_name = "FILE")]
    hosts: Option<PathBuf>,
    /// The ASIC, if platform and SKU do not identify it
    #[arg(long, help_heading = "Assumptions", value_name = "NAME")]
    asic: Option<String>,
    /// Bytes of packet memory
    #[arg(long, help_heading = "Assumptions", value_name = "BYTES")]
    memory: Option<u64>,
    /// Largest headroom oversubscription that is not an error
    #[arg(long, help_heading = "Assumptions", value_name = "RATIO")]
    oversubscription_limit: Option<f64>,
    /// Lowest headroom that is not an error; above it, headroom below the worst case is a warning
    #[arg(long, help_heading = "Assumptions", value_enum, default_value_t = FloorArg::WorstCase)]
    floor: FloorArg,
    /// Largest lossless frame if the file does not specify it, bytes [default: 1024]
    #[arg(long, help_heading = "Assumptions", value_name = "BYTES")]
    lossless_mtu: Option<u32>,
    /// Print the resolved values that the ASIC runs with, as JSON, instead of checking
    #[arg(long, help_heading = "Instead of checking")]
    show_resolved: bool,
    /// Print every term of a port's headroom, instead of checking
    #[arg(long, help_heading = "Instead of checking", value_name = "PORT")]
    explain_headroom: Option<String>,
    /// Print when the watchdog of a port detects a storm, instead of checking
    #[arg(long, help_heading = "Instead of checking", value_name = "PORT")]
    explain_watchdog: Option<String>,
    /// Simulate each lossless profile instead of checking: a paused egress port, a sender at line rate, frames of
    /// --lossless-mtu; the exit status is 1 if a frame is dropped or something is not provable
    #[arg(long, help_heading = "Instead of checking")]
    prove: bool,
    /// Duration of the storm for --explain-watchdog, milliseconds
    #[arg(long, help_heading = "Instead of checking", default_value_t = 1000)]
    storm_ms: u32,
    /// Write the fixes for one file: a JSON Patch (RFC 6902) for SONiC, commands for NVUE, EOS and NX-OS
    #[arg(long, help_heading = "Fixes", value_name = "FILE")]
    fix_patch: Option<PathBuf>,
    /// Repair the files in place: each fix that removes its warning or error and causes no other
    #[arg(long, help_heading = "Fixes", conflicts_with_all = ["write_baseline", "diff", "prove"])]
    fix: bool,
    /// Check standard input, as the path `-` does
    #[arg(long, help_heading = "Inputs", conflicts_with_all = ["watch", "diff"])]
    stdin: bool,
    /// Print the table by rule for a single file, too
    #[arg(long, help_heading = "Reports")]
    statistics: bool,
    /// Check again whenever an input changes
    #[arg(long, help_heading = "Inputs", conflicts_with_all = ["write_baseline", "diff", "prove", "fix"])]
    watch: bool,
    /// Compare two revisions: changes, changes that a live switch rejects, new findings
    #[arg(long, help_heading = "Instead of checking", num_args = 2, value_names = ["OLD", "NEW"])]
    diff: Vec<String>,
    /// List all rules; as JSON with `--format json`
    #[arg(long, help_heading = "Rules")]
    list_rules: bool,
    /// Write the complete example of a rule's page into the folder PATH, and print the command that reports its finding
    #[arg(long, help_heading = "Rules", value_name = "RULE", conflicts_with_all = ["list_rules", "explain", "stdin"])]
    example: Option<String>,
    /// Print the page of a rule
    #[arg(long, help_heading = "Rules", value_name = "RULE")]
    explain: Option<String>,
}

impl Args {
    /// The files that the run writes.
    fn written(&self) -> impl Iterator<Item = &Path> {
        let baseline_and_patch = [&self.write_baseline, &self.fix_patch].into_iter().flatten();
        self.output.iter().chain(baseline_and_patch).map(PathBuf::as_path)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Notes {
    Always,
    Never,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FloorArg {
    Wire,
    Standard,
    WithPortMtu,
    WithTwoMtu,
    WorstCase,
}

/// Runs the command.
pub(crate) fn execute(mut args: Args) -> anyhow::Result<Outcome> {
    if args.stdin {
        args.paths.push("-".into());
    }
    if args.list_rules {
        return show::list_rules(args.format.contains(&FormatArg::Json));
    }
    if let Some(code) = &args.explain {
        let rule = rules::find(code).with_context(|| format!("no rule `{code}`; see --list-rules"))?;
        return write_text(Path::new("-"), &rule.page()).map(|()| Outcome::Fine);
    }
    if let Some(code) = &args.example {
        return show::write_example(code, &args.paths);
    }
    outputs_are_distinct(&args.format, &args.output)?;
    let is_zero = args.exit_zero;
    let outcome = if args.watch { watch::watch(&args)? } else { once(&args)? };
    Ok(if is_zero { Outcome::Fine } else { outcome })
}

/// Runs a mode once.
fn once(args: &Args) -> anyhow::Result<Outcome> {
    let paths = if args.diff.is_empty() { &args.paths } else { &args.diff };
    if paths.is_empty() {
        bail!(
            "nothing to check: specify files, folders (`harrier check .`), `-` or redis://host:port/4; `harrier check --help` has examples"
        );
    }
    let setup = Setup::read(args, paths)?;
    if let [old, new] = args.diff.as_slice() {
        return show::compare(args, &setup, old, new);
    }
    let inputs = inputs::inputs(&args.paths, &setup.search(args));
    if args.show_resolved || args.explain_headroom.is_some() || args.explain_watchdog.is_some() {
        return show::show(args, &setup, inputs.sound()?);
    }
    if args.prove {
        return proofs::prove_all(args, &setup, inputs.sound()?);
    }
    if let Some(path) = &args.fix_patch {
        show::write_patch(args, &setup, &inputs.all, path)?;
    }
    if args.fix {
        fix::fix(args, &setup, &inputs.all)?;
    }
    run::run(args, &setup, &inputs)
}

fn write_text(path: &Path, text: &str) -> anyhow::Result<()> {
    if path == Path::new("-") {
        return stdout_text!("{text}").map(|_| ());
    }
    fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
}

/// Today's date in UTC, `YYYY-MM-DD`.
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
