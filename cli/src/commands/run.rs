//! `harrier run`: a scenario from start to verdict, in virtual time.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use analyzer::evaluation::names_event;
use anyhow::{Context, bail};
use fabric::pipeline::Pipeline;
use fabric::{RunOptions, RunOutcome};
use model::{Diagnosis, RunFigures, RunReport, Snapshot, Time, Topology};
use scenario::Scenario;
use scenario::ns3::Loaded;

use crate::Outcome;
use crate::commands::scenario::names;
use crate::input::{read_text, write_all};
use crate::meter::Meter;
use crate::ns3_files::Ns3Files;
use crate::output::{describe, describe_truth, print_json};
use crate::traffic;
use crate::watcher::Watcher;

/// Name of the topology's file among saved snapshots.
pub(crate) const TOPOLOGY_FILE: &str = "topology.json";

/// Arguments of `harrier run`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// A built-in scenario, or a scenario file
    #[arg(value_name = "SCENARIO|FILE.toml", required_unless_present = "ns3", conflicts_with = "ns3")]
    scenario: Option<String>,
    /// Settings file of an HPCC/ns-3 simulation; topology and flows come from the files it names
    #[arg(long, value_name = "CONFIG.txt")]
    ns3: Option<PathBuf>,
    /// Write the output files that the settings of --ns3 name into this directory, in that simulator's formats
    #[arg(long, value_name = "DIR", requires = "ns3")]
    ns3_out: Option<PathBuf>,
    /// Seed of everything random
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the report as JSON
    #[arg(long)]
    json: bool,
    /// Write the topology and every snapshot into this directory, for `harrier analyze`
    #[arg(long, value_name = "DIR")]
    save_snapshots: Option<PathBuf>,
    /// Run again without the culprit that each verdict names, and say whether its victim recovers
    #[arg(long)]
    verify: bool,
    /// Write what crosses each link into this directory, a pcapng file a link
    #[arg(long, value_name = "DIR")]
    pcap: Option<PathBuf>,
    /// Write queue, pause and rate of every port over time
    #[arg(long, value_name = "FILE.csv|FILE.json")]
    series: Option<PathBuf>,
    /// Time between two samples of --series, e.g. `5us`; a thousandth of the scenario's time if not given
    #[arg(long, value_name = "TIME", value_parser = parse_interval, requires = "series")]
    series_interval: Option<Time>,
}

fn parse_interval(text: &str) -> Result<Time, String> {
    let expected = "expected a time of at least 1ns, e.g. `5us`";
    scenario::parse_time(text).filter(|time| *time >= Time::from_ns(1)).ok_or(expected.to_string())
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    // The argument parser waives `requires` where a scenario excludes --ns3.
    if args.ns3_out.is_some() && args.ns3.is_none() {
        bail!("--ns3-out writes what the settings of --ns3 name; without --ns3 there are none");
    }
    let mut written = None;
    let scenario = match (&args.ns3, &args.scenario) {
        (Some(config), _) => {
            let loaded = load_ns3(config)?;
            if let Some(directory) = &args.ns3_out {
                written = Some(Ns3Files::new(directory, loaded.outputs)?);
            }
            loaded.scenario
        }
        (None, Some(named)) => load(named)?,
        (None, None) => bail!("name a scenario: {}", names()),
    };
    let options = RunOptions { pipeline: Pipeline::hawkeye(&[])?, diagnose: true };
    let mut watcher = watcher(&args, &scenario)?;
    if let Some(files) = &written {
        watcher.watch_queues(files.monitor(&scenario));
    }
    let meter = Meter::start();
    let outcome = fabric::run_watched(&scenario, args.seed, &options, &mut watcher)?;
    let figures = meter.read(&outcome);
    let queues = watcher.finish()?;
    if let Some(files) = &written {
        files.write(&scenario, &outcome, queues)?;
    }

    let mut report = report(&scenario, &outcome, figures.clone());
    if args.verify {
        fabric::counterfactual::verify(&scenario, args.seed, &options.pipeline, &mut report.diagnoses)?;
    }
    if let Some(directory) = &args.save_snapshots {
        save(directory, &scenario, &outcome)?;
    }
    if args.json {
        print_json(&report)?;
    } else {
        eprint!("{}", describe(&report));
    }
    let (hops, seconds) = (figures.packet_hops, figures.wall_seconds);
    eprintln!(
        "{} of network time, {hops} packet-hops in {seconds:.2} s ({:.0} a second)",
        outcome.end,
        hops as f64 / seconds
    );
    Ok(judge(&report, &outcome))
}

/// Whoever looks on, as the arguments want it.
fn watcher(args: &Args, scenario: &Scenario) -> anyhow::Result<Watcher> {
    let mut watcher = Watcher::new(scenario);
    if let Some(directory) = &args.pcap {
        watcher.capture(directory, scenario)?;
    }
    if let Some(file) = &args.series {
        let interval = args.series_interval.unwrap_or(Time(scenario.stop.0 / 1000));
        watcher.keep_series(file, interval)?;
    }
    Ok(watcher)
}

/// A scenario by name, or from a file.
pub(crate) fn load(named: &str) -> anyhow::Result<Scenario> {
    if let Some(scenario) = scenario::builtin(named) {
        return Ok(scenario);
    }
    let path = Path::new(named);
    if !path.exists() && path.extension().is_none() {
        bail!("there is no scenario `{named}`; there are: {}", names());
    }
    // Files that it names are looked for beside it.
    let beside = |name: &str| {
        let place = path.parent().unwrap_or(Path::new("")).join(name);
        let text = read_text(&place).map_err(|error| format!("{error:#}"))?;
        Ok((place.display().to_string(), text))
    };
    Ok(scenario::parse_with(named, &read_text(path)?, beside)?)
}

fn load_ns3(config: &Path) -> anyhow::Result<Loaded> {
    let find = |named: &str| {
        let places = scenario::ns3::candidates(config, named);
        let tried = || {
            let list: Vec<String> = places.iter().map(|p| p.display().to_string()).collect();
            format!("no such file; looked at {}", list.join(", "))
        };
        let found = places.iter().find(|place| place.is_file()).ok_or_else(tried)?;
        let text = read_text(found).map_err(|error| format!("{error:#}"))?;
        Ok((found.display().to_string(), text))
    };
    Ok(scenario::ns3::load(&config.display().to_string(), &read_text(config)?, find)?)
}

/// Diagnoses every snapshot, and says of those without a verdict why there is none. Of a trouble that was asked about
/// twice the answer that saw it whole is given.
pub(crate) fn verdicts(snapshots: &[Snapshot], topology: &Topology) -> (Vec<Diagnosis>, Vec<String>) {
    let settings = analyzer::Settings::default();
    let mut answers: Vec<(&Snapshot, Vec<Diagnosis>)> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    // In the order of the questions, whatever the order in which collections ended or files were named.
    let mut snapshots: Vec<&Snapshot> = snapshots.iter().collect();
    snapshots.sort_by_key(|snapshot| (snapshot.trigger.as_ref().map(|t| t.time_ns), snapshot.event));
    for snapshot in snapshots {
        let found = analyzer::diagnose(snapshot, topology, &settings);
        if found.is_empty() {
            missing.extend(analyzer::unanswered(snapshot, topology));
        }
        answers.push((snapshot, found));
    }
    let diagnoses = analyzer::incident::settle(answers);
    let mut seen = BTreeSet::new();
    missing.retain(|text| seen.insert(text.clone()));
    (diagnoses, missing)
}

fn report(scenario: &Scenario, outcome: &RunOutcome, figures: RunFigures) -> RunReport {
    let (diagnoses, missing) = verdicts(&outcome.snapshots, &scenario.topology);
    RunReport {
        scenario: scenario.name.clone(),
        seed: Some(outcome.seed),
        ground_truth: outcome.ground_truth.clone(),
        diagnoses,
        run: Some(figures),
        traffic: Some(traffic::summary(outcome)),
        missing,
    }
}

/// Whether the run went as the scenario expects and the truth was found. What is not known cannot fail.
fn judge(report: &RunReport, outcome: &RunOutcome) -> Outcome {
    for deviation in &outcome.deviations {
        eprintln!("not as the scenario expects: {deviation}");
    }
    let Some(truth) = &report.ground_truth else { return Outcome::Fine };
    let mut all_found = true;
    for truth in std::iter::once(truth).chain(&truth.others) {
        let found = match truth.anomaly {
            None => report.diagnoses.is_empty(),
            Some(_) => report.diagnoses.iter().any(|diagnosis| names_event(diagnosis, truth)),
        };
        if !found {
            eprintln!("no verdict names what really happened: {}", describe_truth(truth));
        }
        all_found &= found;
    }
    if all_found && outcome.deviations.is_empty() { Outcome::Fine } else { Outcome::Findings }
}

fn save(directory: &Path, scenario: &Scenario, outcome: &RunOutcome) -> anyhow::Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let mut files = vec![(directory.join(TOPOLOGY_FILE), serde_json::to_vec_pretty(&scenario.topology)?)];
    for snapshot in &outcome.snapshots {
        let name = format!("event-{:08x}.json", snapshot.event);
        files.push((directory.join(name), serde_json::to_vec_pretty(snapshot)?));
    }
    let files: Vec<(&Path, Vec<u8>)> =
        files.iter().map(|(path, bytes)| (path.as_path(), bytes.clone())).collect();
    write_all(&files)
}
