//! `harrier eval`: scenarios many times, methods side by side.

use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

use analyzer::evaluation::curve::{Point, curves};
use analyzer::evaluation::{Contestant, Observation, Row, plot, rows, table};
use anyhow::{Context, bail};
use fabric::FaultInjection;
use serde::Serialize;

use crate::Outcome;
use crate::commands::run::load;
use crate::evaluation::{Plan, USUAL_EPOCH_SHIFT, evaluate};
use crate::input::write_all;
use crate::output::print_json;

/// Background loads of `--paper`, percent.
const PAPER_LOADS: [u32; 3] = [10, 30, 50];

/// Arguments of `harrier eval`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A built-in scenario, or a scenario file; may be given more than once [default: all built-in ones]
    #[arg(long = "scenario", value_name = "NAME|FILE.toml")]
    scenarios: Vec<String>,
    /// The scenarios of the evaluation of Hawkeye (SIGCOMM 2025), at background loads of 10, 30 and 50 percent
    #[arg(long, conflicts_with = "scenarios")]
    paper: bool,
    /// Runs of each, with a seed of their own
    #[arg(long, default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: u64,
    /// The first seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Instances drawn for a run, until one shows what its scenario is about; the later ones have seeds 1000000, 2000000, ... higher
    #[arg(long, default_value_t = 10, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    draws: u64,
    /// A method; may be given more than once [default: all]
    #[arg(long = "method", value_name = "NAME", value_parser = parse_method)]
    methods: Vec<Contestant>,
    /// Runs at the same time [default: one a core]
    #[arg(long)]
    jobs: Option<usize>,
    /// Keep finished runs in this directory; an evaluation that was broken off goes on where it was
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Write the table as plots (SVG) into this directory
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// An epoch of the switches lasts 2^N ns, 16 to 24; 20 are 1.05 ms
    #[arg(long, value_name = "N", default_value_t = USUAL_EPOCH_SHIFT, value_parser = clap::value_parser!(u32).range(16..=24))]
    epoch_shift: u32,
    /// Agents ask above this percentage of a path's base round trip, in place of what the scenarios say
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(101..=100_000))]
    threshold: Option<u32>,
    /// The probability that a polling packet is lost on a link
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = parse_probability)]
    lose_polls: f64,
    /// The probability that a digest of a switch is lost
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = parse_probability)]
    lose_digests: f64,
    /// The probability that a switch answers nothing during a run
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = parse_probability)]
    silent_switches: f64,
    /// Repeat the evaluation with several values of a setting: epochs of 131 us to 4.2 ms, or thresholds of 200 to 500 percent
    #[arg(long, value_enum)]
    sweep: Option<Sweep>,
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
}

fn parse_method(text: &str) -> Result<Contestant, String> {
    let names = || Contestant::ALL.map(Contestant::name).join(", ");
    Contestant::named(text).ok_or_else(|| format!("no such method; there are {}", names()))
}

fn parse_probability(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|p| (0.0..=1.0).contains(p)).ok_or_else(|| "expected a number from 0 to 1".to_string())
}

/// What is varied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sweep {
    /// The length of an epoch.
    Epoch,
    /// The threshold of the agents.
    Threshold,
}

/// Epochs of a sweep, as powers of two of nanoseconds: 131 us to 4.2 ms.
const SWEPT_EPOCHS: [u32; 6] = [17, 18, 19, 20, 21, 22];
/// Thresholds of a sweep, in percent of the base round trip.
const SWEPT_THRESHOLDS: [u32; 4] = [200, 300, 400, 500];

impl Sweep {
    /// The plan with each value, and how people write that.
    fn plans(self, plan: &Plan) -> Vec<(String, Plan)> {
        match self {
            Sweep::Epoch => SWEPT_EPOCHS
                .map(|shift| {
                    let value = format!("{:.2} ms", f64::from(1 << shift) / 1e6);
                    (value, Plan { epoch_shift: shift, ..plan.clone() })
                })
                .to_vec(),
            Sweep::Threshold => SWEPT_THRESHOLDS
                .map(|percent| {
                    let trial = FaultInjection { threshold_percent: Some(percent), ..plan.trial };
                    (format!("{percent} %"), Plan { trial, ..plan.clone() })
                })
                .to_vec(),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Sweep::Epoch => "the length of an epoch",
            Sweep::Threshold => "the agents' threshold",
        }
    }
}

/// What `--json` prints of a sweep.
#[derive(Serialize)]
struct Swept {
    sweep: Vec<Point>,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report {
    rows: Vec<Row>,
    totals: Vec<Row>,
}

/// Runs the command. Exit status 1: a run was not diagnosed as it should be by the first method.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let names = match args.scenarios.as_slice() {
        [] if args.paper => scenario::paper_names(&PAPER_LOADS),
        [] => scenario::builtin_names().map(str::to_string).collect(),
        named => named.to_vec(),
    };
    let mut scenarios = Vec::new();
    for name in names {
        let scenario = load(&name)?;
        if scenario.expect.is_none() {
            bail!("{name}: without [expect] the truth of a run is not known, and nothing can be counted");
        }
        scenarios.push((name, scenario));
    }
    // Before hours of work, not after.
    for directory in [&args.work, &args.plots].into_iter().flatten() {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    let methods = if args.methods.is_empty() { Contestant::ALL.to_vec() } else { args.methods };
    let trial = FaultInjection {
        survey: methods.iter().any(|method| method.sees_everything()),
        lose_polls: args.lose_polls,
        lose_digests: args.lose_digests,
        silent_switches: args.silent_switches,
        threshold_percent: args.threshold,
    };
    let plan = Plan {
        scenarios,
        seeds: args.seed..args.seed.saturating_add(args.runs),
        methods,
        jobs: args.jobs.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1),
        work: args.work,
        trial,
        draws: args.draws,
        epoch_shift: args.epoch_shift,
        program: program(),
    };
    if let Some(sweep) = args.sweep {
        return swept(sweep, &plan, args.plots.as_deref(), args.json);
    }
    let seen = evaluate(&plan)?;
    let failed = seen.iter().filter(|run| !run.failures.is_empty()).count();
    let observations: Vec<Observation> = seen.into_iter().flat_map(|run| run.observations).collect();
    let report = Report { rows: rows(&observations), totals: table::totals(&observations) };
    if let Some(plots) = &args.plots {
        for (name, svg) in plot::plots(&report.totals) {
            write_all(&[(&plots.join(name), svg.into_bytes())])?;
        }
    }
    if args.json {
        print_json(&report)?;
    } else {
        eprint!("{}", table::text(report.rows.iter().chain(&report.totals)));
    }
    if failed > 0 {
        eprintln!("{failed} runs were not diagnosed as they should be");
        return Ok(Outcome::Findings);
    }
    Ok(Outcome::Fine)
}

/// What tells this build from others: size and time of the executable.
fn program() -> String {
    let file = std::env::current_exe().and_then(fs::metadata);
    let modified = |file: &fs::Metadata| file.modified().ok();
    file.map_or_else(|_| String::new(), |file| format!("{} {:?}", file.len(), modified(&file)))
}

/// Evaluates with each value of a sweep. The exit status says nothing of the verdicts: a sweep goes where they must fail.
fn swept(sweep: Sweep, plan: &Plan, plots: Option<&Path>, json: bool) -> anyhow::Result<Outcome> {
    let mut points = Vec::new();
    for (value, plan) in sweep.plans(plan) {
        let seen = evaluate(&plan)?;
        let observations: Vec<Observation> = seen.into_iter().flat_map(|run| run.observations).collect();
        let totals = table::totals(&observations);
        eprint!("{value}\n{}", table::text(totals.iter()));
        points.push(Point { value, rows: rows(&observations), totals });
    }
    if let Some(plots) = plots {
        for (name, svg) in curves(sweep.name(), &points) {
            write_all(&[(&plots.join(name), svg.into_bytes())])?;
        }
    }
    if json {
        print_json(&Swept { sweep: points })?;
    }
    Ok(Outcome::Fine)
}
