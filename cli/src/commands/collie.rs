//! `harrier collie`: compares workloads with the published anomalies of RNICs, and searches for anomalies of a subsystem.

mod live;

use std::path::{Path, PathBuf};

use anyhow::anyhow;
use clap::ValueEnum;
use host_diagnosis::collie::matching::{Match, matches};
use host_diagnosis::collie::monitor::{Symptom, symptom};
use host_diagnosis::collie::search::{Found, Options, Report, search};
use host_diagnosis::collie::subsystem::{Subsystem as _, TableSubsystem};
use host_diagnosis::descriptor_problems;
use model::HostReport;
use model::host::descriptor::{Factor, NicFamily, Workload};
use serde::Serialize;
use serde_json::{Value, json};

use live::LiveArgs;

use crate::Outcome;
use crate::input::{fail_with, read_text};
use crate::output::{name, print_json};

/// Workloads that are run by default. Those of a live NIC take an hour.
const MODEL_BUDGET: u32 = 20_000;
const LIVE_BUDGET: u32 = 500;

const EXAMPLES: &str = "\
Examples:
  Compare a workload with the published anomalies of its NIC
    harrier collie match workload.json

  Search for anomalies of the model of a ConnectX-6
    harrier collie search --seed 1 --budget 20000

  Search for anomalies of a NIC of this host, to which h2 sends
    harrier collie search --perftest mlx5_0 --peer h2 --peer-command 'ssh h2'";

/// Arguments of `harrier collie`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the published anomalies that a workload triggers, and the cheapest change that avoids each
    ///
    /// Exit status 1 if there is one.
    Match(MatchArgs),
    /// Search for anomalous workloads of a NIC by simulated annealing
    ///
    /// The NIC is a model, whose anomalies are the published ones, or with --perftest one of this host. perftest does not
    /// vary scatter-gather lists, memory regions, mixed sizes, the place of memory and loopback traffic: these are fixed.
    Search(Box<SearchArgs>),
}

#[derive(clap::Args)]
struct MatchArgs {
    /// Workload descriptor, or report of a host with the section `workload` (docs/hosts-workloads.md)
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Print the anomalies as JSON on stdout
    #[arg(long)]
    json: bool,
}

#[derive(clap::Args)]
struct SearchArgs {
    /// Seed of the random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// Number of workloads to run [default: 20000, with --perftest 500]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    budget: Option<u32>,
    /// The NIC [default: cx6, with --perftest another one, for which no anomalies are published]
    #[arg(long, value_enum)]
    nic: Option<Nic>,
    /// Run workloads of known anomalies too, for comparison
    #[arg(long)]
    keep_known: bool,
    #[command(flatten)]
    live: LiveArgs,
    /// Print the anomalies as JSON on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Nic {
    /// NVIDIA ConnectX-6, 200 Gb/s
    Cx6,
    /// Broadcom P2100G, 100 Gb/s
    P2100,
}

/// A workload of the file with its anomalies.
#[derive(Serialize)]
struct Judged {
    device: Option<String>,
    /// What its measurement shows, if there is one.
    measured: Option<Symptom>,
    anomalies: Vec<Match>,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    match args.command {
        Command::Match(args) => match_file(&args),
        Command::Search(args) => run_search(&args),
    }
}

fn match_file(args: &MatchArgs) -> anyhow::Result<Outcome> {
    let workloads = read_workloads(&args.file)?;
    let judged: Vec<Judged> = workloads
        .iter()
        .map(|workload| Judged {
            device: workload.device.clone(),
            measured: workload.performance.as_ref().and_then(symptom),
            anomalies: matches(workload),
        })
        .collect();
    if args.json {
        print_json(&json!({ "workloads": judged }))?;
    } else {
        let judged: String = workloads.iter().zip(&judged).map(|(w, j)| describe_judged(w, j)).collect();
        stdout_text!("{judged}")?;
    }
    let triggers = judged.iter().any(|judged| !judged.anomalies.is_empty());
    Ok(if triggers { Outcome::Findings } else { Outcome::Fine })
}

fn read_workloads(path: &Path) -> anyhow::Result<Vec<Workload>> {
    let name = path.display();
    let text = read_text(path)?;
    let value: Value = serde_json::from_str(&text)
        .map_err(|error| anyhow!("{name}:{}:{}: not JSON: {error}", error.line(), error.column()))?;
    // Again from the text, so that errors have positions.
    let at = |error: serde_json::Error, what: &str| {
        anyhow!("{name}:{}:{}: not a {what}: {error}", error.line(), error.column())
    };
    let (prefix, workloads) = if value.get("version").is_some() {
        let report: HostReport = serde_json::from_str(&text).map_err(|e| at(e, "host report"))?;
        let descriptors = report.workload.map(|workload| workload.descriptors).unwrap_or_default();
        ("/workload/descriptors/", descriptors)
    } else {
        ("", vec![serde_json::from_str(&text).map_err(|e| at(e, "workload descriptor"))?])
    };
    if workloads.is_empty() {
        return Err(anyhow!("{name}: the report has no `workload.descriptors`"));
    }
    let problems: Vec<String> = workloads
        .iter()
        .enumerate()
        .flat_map(|(row, workload)| {
            let place = if prefix.is_empty() { String::new() } else { format!("{prefix}{row}") };
            descriptor_problems(&place, workload)
        })
        .map(|problem| format!("{name}: {problem}"))
        .collect();
    fail_with("the workload cannot be judged", &problems)?;
    Ok(workloads)
}

fn describe_judged(workload: &Workload, judged: &Judged) -> String {
    let device = judged.device.as_deref().unwrap_or("workload");
    let mut text = match judged.measured {
        Some(symptom) => format!("{device}: anomalous: {}\n", symptom.text()),
        None => String::new(),
    };
    if judged.anomalies.is_empty() {
        text.push_str(&match workload.nic {
            NicFamily::Other => format!("{device}: no anomalies are published for this NIC\n"),
            _ => format!("{device}: triggers no published anomaly\n"),
        });
    }
    for anomaly in &judged.anomalies {
        let worst =
            anomaly.worst_pause_ratio.map(|ratio| format!(", up to {:.0} % of the time", 100.0 * ratio));
        text.push_str(&format!(
            "{device}: anomaly #{}: {}{} ({})\n",
            anomaly.anomaly,
            anomaly.symptom.text(),
            worst.unwrap_or_default(),
            name(&anomaly.bottleneck)
        ));
        let mut line = |label: &str, value: &str| text.push_str(&format!("{label:>12}  {value}\n"));
        line("conditions", &anomaly.conditions.join(", "));
        anomaly
            .unknown
            .iter()
            .for_each(|unknown| line("unknown", &format!("whether the host has {unknown}")));
        for (at, change) in anomaly.changes.iter().enumerate() {
            line(if at == 0 { "cheapest" } else { "or" }, &change.text);
        }
        line("fix", anomaly.fix.unwrap_or("none is published"));
    }
    text
}

fn run_search(args: &SearchArgs) -> anyhow::Result<Outcome> {
    let of = |nic: Nic| match nic {
        Nic::Cx6 => NicFamily::Cx6,
        Nic::P2100 => NicFamily::P2100,
    };
    let is_live = args.live.perftest.is_some();
    let unknown = if is_live { NicFamily::Other } else { NicFamily::Cx6 };
    let nic = args.nic.map_or(unknown, of);
    let tests = args.budget.unwrap_or(if is_live { LIVE_BUDGET } else { MODEL_BUDGET });
    let options = Options { seed: args.seed, tests: tests as usize, skip_known: !args.keep_known };
    let (report, fixed) = match args.live.subsystem(nic)? {
        Some(mut subsystem) => (search(&mut subsystem, options)?, subsystem.fixed()),
        None => (search(&mut TableSubsystem::new(nic), options)?, &[][..]),
    };
    let subsystem = args.live.label().unwrap_or_else(|| "model of the published anomalies".to_string());
    if args.json {
        let mut found = json!({ "subsystem": subsystem, "nic": nic, "seed": args.seed, "report": report });
        if !fixed.is_empty() {
            found["fixed"] = json!(fixed);
        }
        print_json(&found)?;
    } else {
        let measured = if is_live { subsystem } else { format!("the {subsystem}") };
        stdout_text!("{}", describe_search(&report, &measured, fixed))?;
    }
    Ok(Outcome::Fine)
}

fn describe_search(report: &Report, subsystem: &str, fixed: &[Factor]) -> String {
    let mut text: String = report.found.iter().map(describe_found).collect();
    text.push_str(&format!(
        "{} anomalies after {} tests of {subsystem}; {} workloads were skipped\n",
        report.found.len(),
        report.tests,
        report.skipped
    ));
    if let Some(why) = &report.stopped {
        text.push_str(&format!("the search ended early: {why}\n"));
    }
    if report.refused > 0 {
        text.push_str(&format!("{} workloads could not be run\n", report.refused));
    }
    if !fixed.is_empty() {
        let fixed: Vec<String> = fixed.iter().map(name).collect();
        text.push_str(&format!("not varied, because perftest cannot: {}\n", fixed.join(", ")));
    }
    text
}

fn describe_found(found: &Found) -> String {
    let published: Vec<String> = found.published.iter().map(|number| format!("#{number}")).collect();
    let features: Vec<String> = found
        .features
        .iter()
        .map(|feature| format!("{}: {}", name(&feature.factor), feature.levels))
        .collect();
    format!(
        "after {:>6} tests  {} ({})  {}\n",
        found.after_tests,
        found.symptom.text(),
        published.join(", "),
        features.join("; ")
    )
}
