//! `harrier eval`: scenarios many times, methods side by side.

use std::path::PathBuf;
use std::thread;

use analyzer::evaluation::{Contestant, Observation, Row, plot, rows, table};
use anyhow::bail;
use serde::Serialize;

use crate::Outcome;
use crate::commands::run::load;
use crate::evaluation::{Plan, evaluate};
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
    /// Print the table as JSON
    #[arg(long)]
    json: bool,
}

fn parse_method(text: &str) -> Result<Contestant, String> {
    let names = || Contestant::ALL.map(Contestant::name).join(", ");
    Contestant::named(text).ok_or_else(|| format!("no such method; there are {}", names()))
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
        [] if args.paper => fabric::scenario::paper_names(&PAPER_LOADS),
        [] => fabric::scenario::builtin_names().map(str::to_string).collect(),
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
    if let Some(work) = &args.work {
        std::fs::create_dir_all(work)?;
    }
    let methods = if args.methods.is_empty() { Contestant::ALL.to_vec() } else { args.methods };
    let plan = Plan {
        scenarios,
        seeds: args.seed..args.seed.saturating_add(args.runs),
        methods,
        jobs: args.jobs.or_else(|| thread::available_parallelism().ok().map(usize::from)).unwrap_or(1),
        work: args.work,
    };
    let seen = evaluate(&plan)?;
    let failed = seen.iter().filter(|run| !run.failures.is_empty()).count();
    let observations: Vec<Observation> = seen.into_iter().flat_map(|run| run.observations).collect();
    let report = Report { rows: rows(&observations), totals: table::totals(&observations) };
    if let Some(plots) = &args.plots {
        std::fs::create_dir_all(plots)?;
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
