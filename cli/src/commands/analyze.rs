//! `harrier analyze`: diagnoses telemetry from files.

mod sonic;

use std::path::{Path, PathBuf};

use analyzer::import::hawkeye_ns3::{self, DumpFile};
use anyhow::{Context, bail};
use clap::ValueEnum;
use model::job::JobDescription;
use model::snapshot::SNAPSHOT_FORMAT;
use model::{FlowKey, Job, Snapshot, Topology};
use store::Case;

use crate::Outcome;
use crate::commands::case;
use crate::commands::run::{TOPOLOGY_FILE, Verdicts, verdicts};
use crate::configurations::{self, ConfigOf, parse_config_of};
use crate::counter_files::{TimeOf, parse_time_of};
use crate::counter_sources::{ExporterOf, parse_exporter};
use crate::host_verdicts::{EventReports, REPORTS_FILE};
use crate::input::{fail_with, read_text};
use crate::output::{describe, print_json};
use crate::report::RunReport;

const EXAMPLES: &str = "\
Examples:
  Save the snapshots of a run and diagnose them
    harrier run poster-fig1 --save-snapshots out
    harrier analyze out/event-*.json

  Diagnose dumps of the published ns-3 prototype
    harrier analyze --from hawkeye-ns3 --topology topo.txt telemetry_*.txt

  Find who sends the pauses, from two sets of dumps of SONiC switches, or from a paste of `show` commands
    harrier analyze --from sonic before after
    harrier analyze --from sonic - < paste.txt";

/// Arguments of `harrier analyze`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    /// Snapshot, case or dump files; with --from sonic also folders, archives of `show techsupport`, and - for stdin
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Format of the files
    #[arg(long, value_enum, default_value_t = From::Snapshot)]
    from: From,
    /// Topology of the network [default for snapshots: topology.json in the folder of the first file; for cases: theirs]
    ///
    /// Either Harrier's JSON or a topology file of the HPCC and ns-3 simulators. Counters of SONiC switches need none if
    /// they come with neighbours (LLDP or DEVICE_NEIGHBOR).
    #[arg(long, value_name = "FILE")]
    topology: Option<PathBuf>,
    /// Victim flow to diagnose, e.g. 10.0.0.1:10000>10.0.3.1:4791/udp [default: the victim in the snapshot]
    #[arg(long, value_name = "FLOW")]
    victim: Option<String>,
    /// Reports of hosts by event, which continue verdicts that end at a host [default for snapshots: host-reports.json in
    /// the folder of the first file, if there is one]
    #[arg(long, value_name = "FILE")]
    host_reports: Option<PathBuf>,
    /// Description of a collective operation that ran on the network, as JSON (docs/job.schema.json)
    #[arg(long, value_name = "FILE")]
    job: Vec<PathBuf>,
    /// SONiC configuration (config_db.json) of a switch
    ///
    /// The rules of `harrier check` are applied to it. Diagnoses name a finding as root cause if the telemetry shows
    /// its effect. A pg_profile_lookup.ini in the same folder is read too.
    #[arg(long, value_name = "SWITCH=PATH", value_parser = parse_config_of)]
    config: Vec<ConfigOf>,
    /// Time of the counters in a file or folder of --from sonic, e.g. before=2026-10-05T10:12:13Z
    ///
    /// Also seconds since 1970. Without it, the time is that in the names of the files, that of `date` in a paste, or that
    /// at which the files were changed.
    #[arg(long, value_name = "PATH=TIME", value_parser = parse_time_of)]
    time: Vec<TimeOf>,
    /// Capture (pcap, pcapng) of sFlow version 5, IPFIX or NetFlow version 9 datagrams, for --from sonic: verdicts name the
    /// likely flows
    ///
    /// As of `tcpdump -i IFNAME -w FILE udp port 6343`, while the counters were read.
    #[arg(long, value_name = "FILE")]
    samples: Vec<PathBuf>,
    /// Address of a switch as sFlow agent, IPFIX or NetFlow exporter, e.g. leaf1=10.0.0.9
    ///
    /// [default: the addresses in the topology and in the switch's configuration]
    #[arg(long, value_name = "SWITCH=ADDRESS", value_parser = parse_exporter)]
    exporter: Vec<ExporterOf>,
    /// Print the report as JSON on stdout
    #[arg(long)]
    json: bool,
}

/// Formats of telemetry files.
#[derive(Clone, Copy, ValueEnum)]
enum From {
    /// Snapshots of `harrier run --save-snapshots` or of the REST API, and cases of incidents
    Snapshot,
    /// Dumps of Hawkeye's published ns-3 prototypes, one file for each switch
    HawkeyeNs3,
    /// Counters of SONiC switches: dumps of their databases, `show techsupport`, output of `show` commands
    Sonic,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    if matches!(args.from, From::Sonic) {
        return sonic::execute(&args);
    }
    if !args.time.is_empty() {
        bail!("--time is for --from sonic");
    }
    if !args.samples.is_empty() || !args.exporter.is_empty() {
        bail!("--samples and --exporter are for --from sonic");
    }
    let mut problems = Vec::new();
    let victim = args.victim.as_deref().and_then(|text| {
        let flow = text.parse::<FlowKey>();
        flow.map_err(|error| problems.push(format!("--victim: {error}"))).ok()
    });
    let reports = load_reports(&args, &mut problems);
    let texts: Vec<(&Path, String)> = args
        .files
        .iter()
        .filter_map(|path| {
            let text = read_text(path).map_err(|error| problems.push(format!("{error:#}")));
            Some((path.as_path(), text.ok()?))
        })
        .collect();
    let topology = load_topology(&args, &texts, &mut problems);
    let is_known = topology.is_some();
    let topology = topology.unwrap_or_default();
    let snapshots = match args.from {
        From::Snapshot => read_snapshots(&texts, victim, &mut problems),
        From::HawkeyeNs3 => read_dumps(&texts, &topology, victim, &mut problems),
        From::Sonic => Vec::new(),
    };
    let jobs: Vec<Job> =
        args.job.iter().filter_map(|path| read_job(path, &topology, &mut problems)).collect();
    // Without a topology every switch would be unknown; the missing topology is already reported.
    let configs = if is_known { args.config.as_slice() } else { &[] };
    let none = scenario::KnownPorts::default();
    let configuration = configurations::findings(configs, &topology, &none, &mut problems).cited;
    let mut snapshots = snapshots;
    for snapshot in &mut snapshots {
        snapshot.jobs.retain(|known| jobs.iter().all(|job| job.name != known.name));
        snapshot.jobs.extend(jobs.iter().cloned());
        snapshot.configuration.retain(|known| configuration.iter().all(|finding| finding.id != known.id));
        snapshot.configuration.extend(configuration.iter().cloned());
    }
    if is_known {
        problems.extend(topology.problems().iter().map(|problem| format!("topology: {problem}")));
        for snapshot in &snapshots {
            let found = snapshot.problems(&topology);
            problems.extend(found.iter().map(|problem| format!("event {:#x}: {problem}", snapshot.event)));
        }
    }
    fail_with("cannot analyse the input", &problems)?;
    for snapshot in &snapshots {
        for unknown in analyzer::validate::unknown_places(snapshot, &topology) {
            stderr_line!("warning: event {:#x}: {unknown}", snapshot.event);
        }
    }

    let Verdicts { mut diagnoses, missing, events } = verdicts(&snapshots, &topology);
    if let Some(reports) = &reports {
        reports.continue_all(&mut diagnoses, &events, &topology);
    }
    let mut names: Vec<_> = args.files.iter().filter_map(|p| p.file_name()?.to_str()).collect();
    names.sort_unstable();
    let scenario = names.join(" ");
    let report = RunReport {
        scenario,
        seed: None,
        ground_truth: None,
        diagnoses,
        ordinary: None,
        run: None,
        traffic: None,
        missing,
    };
    if args.json {
        print_json(&report)?;
    } else {
        stderr_text!("{}", describe(&report, &topology));
    }
    Ok(Outcome::Fine)
}

fn load_reports(args: &Args, problems: &mut Vec<String>) -> Option<EventReports> {
    let beside = || args.files.first().map(|file| file.with_file_name(REPORTS_FILE));
    let path = match (&args.host_reports, args.from) {
        (Some(path), _) => path.clone(),
        (None, From::Snapshot) => beside().filter(|path| path.is_file())?,
        (None, From::HawkeyeNs3 | From::Sonic) => return None,
    };
    EventReports::read(&path).map_err(|error| problems.push(format!("{error:#}"))).ok()
}

fn load_topology(args: &Args, texts: &[(&Path, String)], problems: &mut Vec<String>) -> Option<Topology> {
    // A case has its own.
    let of_case = || texts.iter().find_map(|(_, text)| case::parse(text).ok()?.topology);
    if let (None, From::Snapshot, Some(topology)) = (&args.topology, args.from, of_case()) {
        return Some(topology);
    }
    let default_path = || args.files.first().map(|file| file.with_file_name(TOPOLOGY_FILE));
    let path = match (&args.topology, args.from) {
        (Some(path), _) => path.clone(),
        (None, From::Snapshot) => default_path()?,
        (None, From::HawkeyeNs3 | From::Sonic) => {
            problems.push("these dumps do not contain the topology; add --topology FILE".into());
            return None;
        }
    };
    let read = read_text(&path).with_context(|| match args.topology {
        Some(_) => "topology".to_string(),
        None => "no topology in the folder of the snapshot; add --topology FILE".to_string(),
    });
    let topology = read.and_then(|text| parse_topology(&path, &text));
    topology.map_err(|error| problems.push(format!("{error:#}"))).ok()
}

/// Reads a topology: Harrier's JSON, or a file of the HPCC and ns-3 simulators.
fn read_topology(path: &Path) -> anyhow::Result<Topology> {
    parse_topology(path, &read_text(path).context("topology")?)
}

fn parse_topology(path: &Path, text: &str) -> anyhow::Result<Topology> {
    let name = path.display().to_string();
    if text.trim_start().starts_with('{') {
        return serde_json::from_str(text).with_context(|| format!("{name}: not a topology"));
    }
    let (file, found) = scenario::ns3::parse_topology(&name, text);
    if found.is_empty() {
        return Ok(file.topology);
    }
    bail!("{}", found.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"))
}

fn read_snapshots(
    texts: &[(&Path, String)],
    victim: Option<FlowKey>,
    problems: &mut Vec<String>,
) -> Vec<Snapshot> {
    let mut snapshots = Vec::new();
    for (path, text) in texts {
        match serde_json::from_str::<Snapshot>(text) {
            Ok(snapshot) if snapshot.format != SNAPSHOT_FORMAT => problems.push(format!(
                "{}: snapshot format {} is not supported; this version reads format {SNAPSHOT_FORMAT}",
                path.display(),
                snapshot.format
            )),
            Ok(mut snapshot) => {
                snapshot.victim = victim.or(snapshot.victim);
                snapshots.push(snapshot);
            }
            Err(error) => match case::parse(text) {
                Ok(Case { mut snapshot, .. }) => {
                    snapshot.victim = victim.or(snapshot.victim);
                    snapshots.push(snapshot);
                }
                Err(_) => problems.push(format!(
                    "{}:{}:{}: not a snapshot: {error}",
                    path.display(),
                    error.line(),
                    error.column()
                )),
            },
        }
    }
    snapshots
}

/// Reads a job. It replaces a job of the same name in the snapshots.
fn read_job(path: &Path, topology: &Topology, problems: &mut Vec<String>) -> Option<Job> {
    let text = read_text(path).map_err(|error| problems.push(format!("{error:#}"))).ok()?;
    let name = path.display();
    let description = serde_json::from_str::<JobDescription>(&text).map_err(|error| {
        let (line, column) = (error.line(), error.column());
        problems.push(format!("{name}:{line}:{column}: not a job: {error}"));
    });
    let job = description.ok()?.resolve(topology);
    job.map_err(|wrong| problems.extend(wrong.into_iter().map(|text| format!("{name}: {text}")))).ok()
}

fn read_dumps(
    texts: &[(&Path, String)],
    topology: &Topology,
    victim: Option<FlowKey>,
    problems: &mut Vec<String>,
) -> Vec<Snapshot> {
    let names: Vec<String> = texts.iter().map(|(path, _)| path.display().to_string()).collect();
    let files: Vec<DumpFile<'_>> =
        texts.iter().zip(&names).map(|((_, text), name)| DumpFile { name, switch: None, text }).collect();
    // Without a topology every switch would be unknown; the missing topology is already reported.
    let imported = hawkeye_ns3::import(&files, topology, victim);
    if !topology.nodes.is_empty() {
        problems.extend(imported.problems.iter().map(ToString::to_string));
    }
    imported.snapshots
}
