//! `harrier eval`: runs scenarios repeatedly and judges the verdicts of diagnosis methods by intervention.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;

use anyhow::Context;
use eval::host_cause_table;
use eval::judge::Budget;
use eval::table::{self, Observation, Row, rows};
use fabric::FaultInjection;
use serde::Serialize;

use crate::Outcome;
use crate::commands::run::load;
use crate::evaluation::plot::{Point, bars, curves};
use crate::evaluation::{
    Contestant, DEFAULT_EPOCH_RING_BITS, DEFAULT_EPOCH_SHIFT, Plan, Subject, csv, evaluate, generated, live,
    variation, verdict_lines,
};
use crate::input::write_all;
use crate::output::print_json;
use crate::units::count;

/// Number of runs of each scenario.
const RUNS: u64 = 20;
/// Rounds of the demo that are compared with a run: the second one shows what a round leaves behind.
const LIVE_ROUNDS: usize = 2;
/// Background loads of `--paper`, percent.
const PAPER_LOADS: [u32; 3] = [10, 30, 50];

const EXAMPLES: &str = "\
Examples:
  Evaluate all methods on all built-in scenarios, 20 runs each
    harrier eval

  Repeat the published scenarios and keep finished runs
    harrier eval --paper --runs 100 --work eval-runs

  Compare what the demo diagnoses with what `harrier run` does
    harrier eval --live --scenario deadlock-in-loop

  Measure the effect of lost polling packets on one scenario
    harrier eval --scenario incast-backpressure --method harrier --lose-polls 0.02";

/// Arguments of `harrier eval`.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!("Exit status 1: a verdict of the first method is wrong, or it missed a disturbance; with --live, precision or recall\nof the live path is more than one percentage point below that of the batch path.\n\n{EXAMPLES}")
)]
pub(crate) struct Args {
    /// Built-in scenario or scenario file; can be repeated [default: all built-in scenarios]
    #[arg(long = "scenario", value_name = "NAME|FILE.toml")]
    scenarios: Vec<String>,
    /// Run the scenarios of the Hawkeye paper (SIGCOMM 2025), at 10, 30 and 50 % background load
    #[arg(long, conflicts_with = "scenarios")]
    paper: bool,
    /// Generate a scenario for each seed instead (`harrier generate`)
    #[arg(long, conflicts_with_all = ["scenarios", "paper"])]
    generated: bool,
    /// Generate scenarios with one disturbance of this kind
    #[arg(long, value_name = "NAME", requires = "generated")]
    kind: Option<String>,
    /// Compare the live path with the batch path
    ///
    /// Runs the parts of `harrier demo` that diagnose (P4Runtime servers, controller, agents on all sending hosts, analysis)
    /// for two rounds of each run, as fast as the controller can collect, and judges what the dashboard would show: the
    /// rows `live`. The rows `harrier` are the same runs without P4Runtime, as `harrier run` diagnoses them.
    #[arg(long, conflicts_with_all = [
        "methods", "work", "epoch_shift", "epoch_ring_bits", "threshold", "lose_polls", "lose_digests", "silent_switches", "sweep", "sensitivity",
        "ablate", "without", "draws"
    ])]
    live: bool,
    /// Number of runs of each scenario, each with its own seed [default: 20; 1 with --live]
    #[arg(long, value_parser = clap::value_parser!(u64).range(1..=1_000_000))]
    runs: Option<u64>,
    /// First seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Maximum number of instances to draw for a run until one meets the scenario's expectation
    ///
    /// The seed of each further instance is 1000000 higher. With 1, every instance is judged as it fell.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=1_000))]
    draws: u64,
    /// Number of repeated runs for the sample of verdicts of severity info of one run; at least one verdict is judged
    #[arg(long, value_name = "N", default_value_t = eval::judge::sample::INFO_BUDGET)]
    budget: usize,
    /// Maximum number of repeated runs for the alarms of one run, which are judged first [default: all are judged]
    #[arg(long, value_name = "N")]
    alarm_budget: Option<usize>,
    /// Number of judged verdicts of one run that name a port and no culprit, alarms and others alike
    #[arg(long, value_name = "N", default_value_t = eval::judge::sample::PLACES)]
    places: usize,
    /// Also judge the flows whose packets were ahead of the victim's, by the simulator's packet log, in the place of those that
    /// verdicts of flow contention accuse (docs/evaluation/judge.md)
    #[arg(long)]
    packets_ahead: bool,
    /// Diagnosis method; can be repeated [default: all that read the telemetry of P4 switches]
    ///
    /// sonic-1s, sonic-100ms and sonic-1s+sflow read what SONiC switches count in the same runs, mixed the telemetry of the leaves
    /// and the counters of the other switches (docs/counters.md).
    #[arg(long = "method", value_name = "NAME", value_parser = parse_method)]
    methods: Vec<Contestant>,
    /// Number of runs in parallel [default: number of CPU cores]
    #[arg(long)]
    jobs: Option<usize>,
    /// Directory for finished runs; an interrupted evaluation continues from there
    ///
    /// Of generated scenarios, the judged runs are kept without their snapshots.
    #[arg(long, value_name = "DIR")]
    work: Option<PathBuf>,
    /// Directory for plots of the table (SVG)
    #[arg(long, value_name = "DIR")]
    plots: Option<PathBuf>,
    /// File for the table as CSV, a line for each scenario and method and for the totals
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    csv: Option<PathBuf>,
    /// File for every verdict with its judgement, one JSON object a line
    ///
    /// Each has the row, the command that repeats the run, seed, method, id, anomaly, cause, severity, confidence, victim,
    /// stated delay, base RTT, number of accused actors, root port, summary and incident, and the judge's grade, weight,
    /// coverage, part of each actor, innocent actors, excess delay and reason.
    #[arg(long, value_name = "FILE", conflicts_with = "sweep")]
    verdicts: Option<PathBuf>,
    /// Length of a telemetry epoch as a power of two of nanoseconds, from 16 to 24; 17 is 131 us
    #[arg(long, value_name = "N", default_value_t = DEFAULT_EPOCH_SHIFT, value_parser = clap::value_parser!(u32).range(16..=24))]
    epoch_shift: u32,
    /// Number of epochs that a switch keeps as a power of two, from 1 to 8; 5 is 32 epochs
    #[arg(long, value_name = "N", default_value_t = DEFAULT_EPOCH_RING_BITS, value_parser = clap::value_parser!(u32).range(1..=8))]
    epoch_ring_bits: u32,
    /// RTT above which agents send a polling packet, in percent of the base RTT [default: set by the scenario]
    #[arg(long, value_name = "PERCENT", value_parser = clap::value_parser!(u32).range(101..=100_000))]
    threshold: Option<u32>,
    /// Probability that a polling packet is lost on a link
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = parse_probability)]
    lose_polls: f64,
    /// Probability that a digest of a switch is lost
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = parse_probability)]
    lose_digests: f64,
    /// Probability that a switch does not respond during a run
    #[arg(long, value_name = "0..1", default_value_t = 0.0, value_parser = parse_probability)]
    silent_switches: f64,
    /// Repeat the evaluation with several values of a setting
    #[arg(long, value_enum)]
    sweep: Option<Sweep>,
    /// Halve and double each threshold of the analyzer and report what moves
    ///
    /// The snapshots of each run are collected once and analysed again; the table is sorted by what moves most.
    #[arg(long, conflicts_with_all = ["sweep", "verdicts", "plots"])]
    sensitivity: bool,
    /// Leave out each rule of the analyzer and report what it is worth
    #[arg(long, conflicts_with_all = ["sweep", "verdicts", "plots", "sensitivity"])]
    ablate: bool,
    /// Leave out a rule of the analyzer; can be repeated
    #[arg(long, value_name = "RULE", value_parser = parse_rule, conflicts_with_all = ["sensitivity", "ablate"])]
    without: Vec<String>,
    /// Multiply a threshold of the analyzer by a factor; can be repeated
    ///
    /// docs/thresholds.md has the names. Shares stay at most 1.
    #[arg(long, value_name = "NAME=FACTOR", value_parser = parse_scale, conflicts_with_all = ["sensitivity", "live"])]
    scale: Vec<(String, f64)>,
    /// Print the table as JSON on stdout
    #[arg(long)]
    json: bool,
}

fn parse_method(text: &str) -> Result<Contestant, String> {
    let names = || Contestant::ALL.map(Contestant::name).join(", ");
    Contestant::named(text).ok_or_else(|| format!("unknown method; expected one of {}", names()))
}

fn parse_scale(text: &str) -> Result<(String, f64), String> {
    let (name, factor) = text.split_once('=').ok_or("expected NAME=FACTOR")?;
    if !analyzer::thresholds::ALL.iter().any(|threshold| threshold.name == name) {
        return Err(format!("no threshold is called `{name}`; docs/thresholds.md lists them"));
    }
    match factor.parse::<f64>() {
        Ok(factor) if factor.is_finite() && factor >= 0.0 => Ok((name.to_string(), factor)),
        _ => Err(format!("`{factor}` is not a factor; expected a number of at least 0")),
    }
}

fn parse_rule(text: &str) -> Result<String, String> {
    let is_known = analyzer::rules::ALL.iter().any(|rule| rule.name == text);
    let names = || analyzer::rules::ALL.iter().map(|rule| rule.name).collect::<Vec<_>>().join(", ");
    if is_known { Ok(text.to_string()) } else { Err(format!("unknown rule; expected one of {}", names())) }
}

fn parse_probability(text: &str) -> Result<f64, String> {
    let number: Option<f64> = text.parse().ok();
    number.filter(|p| (0.0..=1.0).contains(p)).ok_or_else(|| "expected a number from 0 to 1".to_string())
}

/// The setting that a sweep varies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Sweep {
    /// Length of a telemetry epoch: 131 us to 4.2 ms
    Epoch,
    /// RTT threshold of the agents: 200 to 500 % of the base RTT
    Threshold,
}

/// Epoch lengths of a sweep, as powers of two of nanoseconds: 131 us to 4.2 ms.
const SWEPT_EPOCHS: [u32; 6] = [17, 18, 19, 20, 21, 22];
/// Thresholds of a sweep, in percent of the base RTT.
const SWEPT_THRESHOLDS: [u32; 4] = [200, 300, 400, 500];

impl Sweep {
    /// Returns a plan for each value, with the value as text.
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
            Sweep::Epoch => "epoch length",
            Sweep::Threshold => "agent threshold",
        }
    }
}

/// The JSON output of a sweep.
#[derive(Serialize)]
struct Swept {
    sweep: Vec<Point>,
}

/// The JSON output.
#[derive(Serialize)]
struct Report {
    judge: &'static str,
    rows: Vec<Row>,
    totals: Vec<Row>,
}

/// Runs the command. Exit status 1: a verdict of the first method is wrong, or it missed a disturbance.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let names = match args.scenarios.as_slice() {
        _ if args.generated => Vec::new(),
        [] if args.paper => scenario::paper_names(&PAPER_LOADS),
        [] => scenario::builtin_names().map(str::to_string).collect(),
        named => named.to_vec(),
    };
    let runs = args.runs.unwrap_or(if args.live { 1 } else { RUNS });
    let seeds = args.seed..args.seed.saturating_add(runs);
    let mut subjects = Vec::new();
    if args.generated {
        let kind = args.kind.as_deref();
        subjects = generated::subjects(seeds.clone(), kind)
            .with_context(|| "unknown kind; `harrier generate --list` lists them".to_string())?;
    }
    let loaded = |name: String| anyhow::Ok((Arc::new(load(&name)?), name));
    let scenarios = names.into_iter().map(loaded).collect::<anyhow::Result<Vec<_>>>()?;
    create_outputs(&args)?;
    for (scenario, name) in scenarios {
        subjects.extend(seeds.clone().map(|seed| Subject {
            row: name.clone(),
            name: name.clone(),
            scenario: scenario.clone(),
            seed,
            disturbances: None,
        }));
    }
    let methods = match args.methods.as_slice() {
        _ if args.live => vec![Contestant::Harrier],
        [] => Contestant::with_telemetry().collect(),
        named => named.to_vec(),
    };
    let trial = FaultInjection {
        survey: methods.iter().any(|method| method.sees_everything()),
        lose_polls: args.lose_polls,
        lose_digests: args.lose_digests,
        silent_switches: args.silent_switches,
        threshold_percent: args.threshold,
    };
    let plan = Plan {
        subjects,
        methods,
        jobs: args.jobs.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1),
        work: args.work,
        trial,
        draws: args.draws,
        budget: Budget { info: args.budget, alarms: args.alarm_budget, places: args.places },
        packets_ahead: args.packets_ahead,
        keeps_judged_only: args.generated,
        epoch_shift: args.epoch_shift,
        epoch_ring_bits: args.epoch_ring_bits,
        live: args.live.then_some(LIVE_ROUNDS),
        without: args.without.into_iter().collect(),
        scale: args.scale.into_iter().collect(),
        program: program(),
    };
    if let Some(sweep) = args.sweep {
        return run_sweep(sweep, &plan, args.plots.as_deref(), args.json);
    }
    let variants = match (args.sensitivity, args.ablate) {
        (true, _) => Some(("threshold", variation::of_thresholds())),
        (_, true) => Some(("rule left out", variation::of_rules())),
        _ => None,
    };
    if let Some((what, variants)) = variants {
        let effects = variation::vary(&plan, &variants)?;
        if args.json {
            print_json(&effects)?;
        } else {
            stderr_text!("{}", effects.text(what));
        }
        return Ok(Outcome::Fine);
    }
    let runs = evaluate(&plan)?;
    if let Some(file) = &args.verdicts {
        verdict_lines::write(file, &runs)?;
    }
    let failed = runs.iter().filter(|run| !run.failures.is_empty()).count();
    let observations: Vec<Observation> = runs.into_iter().flat_map(|run| run.observations).collect();
    let report = Report {
        judge: eval::judge::VERSION,
        rows: rows(&observations),
        totals: table::totals(&observations),
    };
    if let Some(plots) = &args.plots {
        for (name, svg) in bars(&report.totals)? {
            write_all(&[(&plots.join(name), svg.into_bytes())])?;
        }
    }
    if let Some(file) = &args.csv {
        write_all(&[(file, csv::table(report.rows.iter().chain(&report.totals))?.into_bytes())])?;
    }
    if args.json {
        print_json(&report)?;
    } else {
        stderr_text!("{}", table::text(report.rows.iter().chain(&report.totals)));
        stderr_text!("{}", host_cause_table::text(report.totals.iter()));
        stderr_text!("{}", table::packets_ahead_text(&report.totals));
    }
    if let Some((text, is_as_good)) = live::compare(&report.totals) {
        stderr_line!("{text}");
        return Ok(if is_as_good { Outcome::Fine } else { Outcome::Findings });
    }
    if failed > 0 {
        stderr_line!("{} not diagnosed correctly", count(failed as u64, "run"));
        return Ok(Outcome::Findings);
    }
    Ok(Outcome::Fine)
}

/// Identifies this build by size and modification time of the executable.
fn program() -> String {
    let file = std::env::current_exe().and_then(fs::metadata);
    let modified = |file: &fs::Metadata| file.modified().ok();
    file.map_or_else(|_| String::new(), |file| format!("{} {:?}", file.len(), modified(&file)))
}

/// Creates the directories and files of the results: an error must not appear after hours of work.
fn create_outputs(args: &Args) -> anyhow::Result<()> {
    for directory in [&args.work, &args.plots].into_iter().flatten() {
        fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    }
    for file in [&args.verdicts, &args.csv].into_iter().flatten() {
        write_all(&[(file, Vec::new())])?;
    }
    Ok(())
}

/// Evaluates each value of a sweep. The exit status does not depend on the diagnoses, because a sweep includes settings
/// at which they must fail.
fn run_sweep(sweep: Sweep, plan: &Plan, plots: Option<&Path>, json: bool) -> anyhow::Result<Outcome> {
    let mut points = Vec::new();
    for (value, plan) in sweep.plans(plan) {
        let runs = evaluate(&plan)?;
        let observations: Vec<Observation> = runs.into_iter().flat_map(|run| run.observations).collect();
        let totals = table::totals(&observations);
        stderr_text!("{value}\n{}", table::text(totals.iter()));
        points.push(Point { value, rows: rows(&observations), totals });
    }
    if let Some(plots) = plots {
        for (name, svg) in curves(sweep.name(), &points)? {
            write_all(&[(&plots.join(name), svg.into_bytes())])?;
        }
    }
    if json {
        print_json(&Swept { sweep: points })?;
    }
    Ok(Outcome::Fine)
}
