//! `harrier run`: simulates a scenario in virtual time and diagnoses its slow flows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use analyzer::incident::without_ordinary;
use anyhow::{Context, bail};
use eval::{GroundTruth, names_event};
use fabric::pipeline::Pipeline;
use fabric::sonic::Asic;
use fabric::{BuildError, RunOptions, RunOutcome};
use model::{Diagnosis, FlowKey, Snapshot, Time, Topology};
use scenario::ns3::Loaded;
use scenario::{Expectation, Scenario};

use crate::Outcome;
use crate::commands::scenario::{did_you_mean, names};
use crate::host_verdicts::{EventReports, Events, REPORTS_FILE};
use crate::input::{read_text, write_all};
use crate::meter::Meter;
use crate::ns3_files::Ns3Files;
use crate::output::{describe, describe_truth, describe_verdict, name, print_json};
use crate::report::{RunFigures, RunReport};
use crate::traffic;
use crate::watcher::Watcher;

/// File name of the topology in a directory of saved snapshots.
pub(crate) const TOPOLOGY_FILE: &str = "topology.json";

const EXAMPLES: &str = "\
Examples:
  Simulate a built-in scenario and check the diagnosis with a counterfactual run
    harrier run poster-fig1 --verify

  Run another instance of a scenario and print the report as JSON
    harrier run incast-backpressure --seed 7 --json

  Save what ordinary switches would count in a run
    harrier run pfc-storm --save-counters out

  Run an HPCC/ns-3 simulation and write its output files
    harrier run --ns3 config.txt --ns3-out out";

/// Arguments of `harrier run`.
#[derive(clap::Args)]
#[command(
    after_help = EXAMPLES,
    after_long_help = format!(
        "Exit status 1: the run did not go as the scenario expects, no diagnosis names the ground truth, or --verify refutes a diagnosis.\n\n{EXAMPLES}"
    )
)]
pub(crate) struct Args {
    /// Built-in scenario or scenario file
    #[arg(value_name = "SCENARIO|FILE.toml", required_unless_present = "ns3", conflicts_with = "ns3")]
    scenario: Option<String>,
    /// Settings file of an HPCC/ns-3 simulation, which names the topology and flow files
    #[arg(long, value_name = "CONFIG.txt")]
    ns3: Option<PathBuf>,
    /// Directory for the output files that the --ns3 settings name, in the formats of that simulator
    #[arg(long, value_name = "DIR", requires = "ns3")]
    ns3_out: Option<PathBuf>,
    /// Seed of the random number generator
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Print the report as JSON on stdout
    #[arg(long)]
    json: bool,
    /// Directory for the topology, all snapshots and the reports of hosts, as input of `harrier analyze`
    #[arg(long, value_name = "DIR")]
    save_snapshots: Option<PathBuf>,
    /// Repeat the run without the root cause of each diagnosis and check that the victim recovers
    #[arg(long)]
    verify: bool,
    /// Report ordinary queueing as well: verdicts of severity `info`
    #[arg(long)]
    ordinary: bool,
    /// Directory for packet captures, one pcapng file for each link
    #[arg(long, value_name = "DIR")]
    pcap: Option<PathBuf>,
    /// File for the queue, pause state and rate of every port over time
    #[arg(long, value_name = "FILE.csv|FILE.json")]
    series: Option<PathBuf>,
    /// Directory for what the switches count, as dumps of SONiC's databases and input of `harrier analyze --from sonic`
    ///
    /// DIR/SWITCH/TIME/ holds the databases of one reading, as redis-dump writes them. The first reading of each switch
    /// is of the idle network before the run; after the run the network runs on until every switch has been read again.
    #[arg(long, value_name = "DIR")]
    save_counters: Option<PathBuf>,
    /// Polling interval of --save-counters, from 100ms to 30s as in SONiC
    #[arg(long, value_name = "TIME", value_parser = parse_counters_interval, default_value = "1s", requires = "save_counters")]
    counters_interval: Time,
    /// ASIC of the switches of --save-counters
    ///
    /// spectrum counts the time of received pauses, tomahawk how many pauses began, and whether a queue is paused.
    #[arg(long, value_name = "NAME", value_parser = parse_asic, default_value = "spectrum", requires = "save_counters")]
    counters_asic: Asic,
    /// Sampling interval of --series, e.g. 5us [default: a thousandth of the scenario's duration]
    #[arg(long, value_name = "TIME", value_parser = parse_interval, requires = "series")]
    series_interval: Option<Time>,
}

fn parse_interval(text: &str) -> Result<Time, String> {
    let expected = "expected a time of at least 1ns, e.g. `5us`";
    scenario::parse_time(text).filter(|time| *time >= Time::from_ns(1)).ok_or(expected.to_string())
}

/// The intervals that `counterpoll port interval` of SONiC accepts.
fn parse_asic(text: &str) -> Result<Asic, String> {
    let known = Asic::ALL.into_iter().find(|asic| asic.name() == text);
    known.ok_or_else(|| format!("expected {}", Asic::ALL.map(Asic::name).join(" or ")))
}

fn parse_counters_interval(text: &str) -> Result<Time, String> {
    let limits = Time::from_ms(100)..=Time::from_ms(30_000);
    let expected = "expected a time from 100ms to 30s";
    scenario::parse_time(text).filter(|time| limits.contains(time)).ok_or(expected.to_string())
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    // clap does not enforce `requires` here, because the scenario conflicts with --ns3.
    if args.ns3_out.is_some() && args.ns3.is_none() {
        bail!("--ns3-out requires --ns3 CONFIG.txt, whose settings name the files to write");
    }
    let mut ns3_files = None;
    let scenario = match (&args.ns3, &args.scenario) {
        (Some(config), _) => {
            let loaded = load_ns3(config)?;
            if let Some(directory) = &args.ns3_out {
                ns3_files = Some(Ns3Files::new(directory, loaded.outputs)?);
            }
            loaded.scenario
        }
        (None, Some(named)) => load(named)?,
        (None, None) => bail!("no scenario given; expected a file or one of {}", names()),
    };
    let options = RunOptions { pipeline: Pipeline::hawkeye(&[])?, diagnose: true };
    let mut watcher = watcher(&args, &scenario)?;
    if let Some(files) = &ns3_files {
        watcher.watch_queues(files.monitor(&scenario));
    }
    let meter = Meter::start();
    let outcome = fabric::run_watched(&scenario, args.seed, &options, &mut watcher)?;
    let figures = meter.read(&outcome);
    let queues = watcher.finish()?;
    if let Some(files) = &ns3_files {
        files.write(&scenario, &outcome, queues)?;
    }

    let instance = scenario.instance(args.seed).map_err(BuildError::from)?;
    let (ground_truth, deviations) = eval::truth::establish(&instance, &outcome);
    let mut report = report(&scenario, &outcome, ground_truth, figures.clone());
    if !args.ordinary {
        let (diagnoses, ordinary) = without_ordinary(std::mem::take(&mut report.diagnoses));
        (report.diagnoses, report.ordinary) = (diagnoses, Some(ordinary));
    }
    if args.verify {
        fabric::counterfactual::verify(&scenario, args.seed, &options.pipeline, &mut report.diagnoses)?;
    }
    if let Some(directory) = &args.save_snapshots {
        save(directory, &scenario, &outcome)?;
    }
    if args.json {
        print_json(&report)?;
    } else {
        stderr_text!("{}", describe(&report, &scenario.topology));
    }
    let (hops, seconds) = (figures.packet_hops, figures.wall_seconds);
    stderr_line!(
        "simulated {}, {hops} packet-hops in {seconds:.2} s ({:.0} packet-hops/s)",
        outcome.end,
        hops as f64 / seconds
    );
    let expected = instance.expect.as_ref().filter(|expect| !eval::truth::is_computed(expect));
    Ok(judge(&report, &deviations, expected))
}

/// Creates the watcher with the observers that the arguments request.
fn watcher(args: &Args, scenario: &Scenario) -> anyhow::Result<Watcher> {
    let mut watcher = Watcher::new(scenario);
    if let Some(directory) = &args.pcap {
        watcher.capture(directory, scenario)?;
    }
    if let Some(file) = &args.series {
        let interval = args.series_interval.unwrap_or(Time(scenario.stop.0 / 1000));
        watcher.record_series(file, interval)?;
    }
    if let Some(directory) = &args.save_counters {
        watcher.count(directory, args.counters_interval, args.counters_asic, args.seed, scenario);
    }
    Ok(watcher)
}

/// Returns a built-in scenario by name, or reads a scenario file.
pub(crate) fn load(named: &str) -> anyhow::Result<Scenario> {
    if let Some(scenario) = scenario::builtin(named) {
        return Ok(scenario);
    }
    let path = Path::new(named);
    if let Some(problem) = scenario::paper_problem(named).filter(|_| !path.exists()) {
        bail!("{problem}");
    }
    if !path.exists() && path.extension().is_none() {
        let hint = did_you_mean(named).unwrap_or_else(|| format!("expected a file or one of {}", names()));
        bail!("unknown scenario `{named}`; {hint}");
    }
    // Names of further files are relative to the scenario file.
    let read_relative = |name: &str| {
        let path = path.parent().unwrap_or(Path::new("")).join(name);
        let text = read_text(&path).map_err(|error| format!("{error:#}"))?;
        Ok((path.display().to_string(), text))
    };
    Ok(scenario::parse_with(named, &read_text(path)?, read_relative)?)
}

fn load_ns3(config: &Path) -> anyhow::Result<Loaded> {
    let find = |named: &str| {
        let candidates = scenario::ns3::candidates(config, named);
        let not_found = || {
            let list: Vec<String> = candidates.iter().map(|p| p.display().to_string()).collect();
            format!("no such file; tried {}", list.join(", "))
        };
        let found = candidates.iter().find(|path| path.is_file()).ok_or_else(not_found)?;
        let text = read_text(found).map_err(|error| format!("{error:#}"))?;
        Ok((found.display().to_string(), text))
    };
    Ok(scenario::ns3::load(&config.display().to_string(), &read_text(config)?, find)?)
}

/// The diagnoses of several snapshots.
pub(crate) struct Verdicts {
    /// The diagnoses. Of an event and its follow-up poll only the better one.
    pub(crate) diagnoses: Vec<Diagnosis>,
    /// Why snapshots have none.
    pub(crate) missing: Vec<String>,
    /// The event of each diagnosis.
    pub(crate) events: Events,
}

/// Diagnoses all snapshots.
pub(crate) fn verdicts(snapshots: &[Snapshot], topology: &Topology) -> Verdicts {
    let settings = analyzer::Settings::default();
    let mut found_in: Vec<(&Snapshot, Vec<Diagnosis>)> = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    let mut events = Events::new();
    // Ordered by trigger: collections end, and files are named, in any order.
    let mut snapshots: Vec<&Snapshot> = snapshots.iter().collect();
    snapshots.sort_by_key(|snapshot| (snapshot.trigger.as_ref().map(|t| t.time_ns), snapshot.event));
    for snapshot in snapshots {
        let found = analyzer::diagnose(snapshot, topology, &settings);
        if found.is_empty() {
            missing.extend(analyzer::unanswered(snapshot, topology));
        }
        events.extend(found.iter().map(|diagnosis| (diagnosis.id.clone(), snapshot.event)));
        found_in.push((snapshot, found));
    }
    let diagnoses = analyzer::incident::settle(found_in);
    let mut seen = BTreeSet::new();
    missing.retain(|text| seen.insert(text.clone()));
    Verdicts { diagnoses, missing, events }
}

fn report(
    scenario: &Scenario,
    outcome: &RunOutcome,
    ground_truth: Option<GroundTruth>,
    figures: RunFigures,
) -> RunReport {
    let Verdicts { mut diagnoses, missing, events } = verdicts(&outcome.snapshots, &scenario.topology);
    reports_of(outcome).continue_all(&mut diagnoses, &events, &scenario.topology);
    RunReport {
        scenario: scenario.name.clone(),
        seed: Some(outcome.seed),
        ground_truth,
        diagnoses,
        ordinary: None,
        run: Some(figures),
        traffic: Some(traffic::summary(outcome)),
        missing,
    }
}

/// Checks that the run went as the scenario expects, that no diagnosis was refuted, and that the diagnoses name the
/// ground truth, if there is one, or an expected anomaly that is not computed.
fn judge(report: &RunReport, deviations: &[String], expected: Option<&Expectation>) -> Outcome {
    for deviation in deviations {
        stderr_line!("unlike the scenario's expectation: {deviation}");
    }
    let refuted = report.diagnoses.iter().filter(|diagnosis| diagnosis.verified == Some(false));
    let mut is_refuted = false;
    for diagnosis in refuted {
        stderr_line!("refuted by a counterfactual run: {}", describe_verdict(diagnosis));
        is_refuted = true;
    }
    let fine = if is_refuted { Outcome::Findings } else { Outcome::Fine };
    if let Some(expect) = expected {
        let is_named = report.diagnoses.iter().any(|diagnosis| is_expected(diagnosis, expect));
        if !is_named {
            let anomaly = expect.anomaly.map(|anomaly| name(&anomaly)).unwrap_or_default();
            stderr_line!(
                "no diagnosis is the expected one: {anomaly} with the port, host and flows of [expect]"
            );
        }
        return if is_named && deviations.is_empty() { fine } else { Outcome::Findings };
    }
    let Some(truth) = &report.ground_truth else { return fine };
    let mut all_found = true;
    for truth in std::iter::once(truth).chain(&truth.others) {
        let found = match truth.anomaly {
            None => report.diagnoses.is_empty(),
            Some(_) => report.diagnoses.iter().any(|diagnosis| names_event(diagnosis, truth)),
        };
        if !found {
            stderr_line!("no diagnosis names the ground truth: {}", describe_truth(truth));
        }
        all_found &= found;
    }
    if all_found && deviations.is_empty() { fine } else { Outcome::Findings }
}

/// Whether a diagnosis has the expected anomaly, and the port, host and flows that the expectation states.
fn is_expected(diagnosis: &Diagnosis, expect: &Expectation) -> bool {
    let root = &diagnosis.root_cause;
    let has_flows = |flows: &Vec<FlowKey>| flows.iter().all(|flow| root.flows.contains(flow));
    Some(diagnosis.anomaly) == expect.anomaly
        && (expect.port.is_none() || expect.port == root.port)
        && (expect.host.is_none() || expect.host == root.host)
        && expect.flows.as_ref().is_none_or(has_flows)
}

fn reports_of(outcome: &RunOutcome) -> EventReports {
    EventReports::new(outcome.snapshots.iter().map(|snapshot| snapshot.event), &outcome.host_reports)
}

fn save(directory: &Path, scenario: &Scenario, outcome: &RunOutcome) -> anyhow::Result<()> {
    fs::create_dir_all(directory).with_context(|| format!("cannot create {}", directory.display()))?;
    let mut files = vec![
        (directory.join(TOPOLOGY_FILE), serde_json::to_vec_pretty(&scenario.topology)?),
        (directory.join(REPORTS_FILE), serde_json::to_vec_pretty(&reports_of(outcome))?),
    ];
    for snapshot in &outcome.snapshots {
        let name = format!("event-{:08x}.json", snapshot.event);
        files.push((directory.join(name), serde_json::to_vec_pretty(snapshot)?));
    }
    let files: Vec<(&Path, Vec<u8>)> =
        files.iter().map(|(path, bytes)| (path.as_path(), bytes.clone())).collect();
    write_all(&files)
}
