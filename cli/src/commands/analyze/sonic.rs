//! `harrier analyze --from sonic`: who sends the pauses, by the counters of SONiC switches.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use analyzer::TopologyIndex;
use anyhow::bail;
use counters::sampling::agents;
use counters::{Cabling, Network, PortPauses, Report, diagnose_with};
use model::Topology;
use model::plain::{plain, plain_line};
use serde::Serialize;

use super::Args;
use crate::Outcome;
use crate::commands::run::TOPOLOGY_FILE;
use crate::configurations;
use crate::counter_files::{Gathered, gather, read_samples};
use crate::output::{describe_diagnosis, print_json};
use crate::report::RunReport;
use crate::units::bytes;

/// Ports that the table of pauses has at most; the others are counted.
const MAX_ROWS: usize = 40;

/// The report with the ports that pause or are paused.
#[derive(Serialize)]
struct CounterReport<'r> {
    #[serde(flatten)]
    report: RunReport,
    ports: &'r [PortPauses],
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    if args.victim.is_some() || !args.job.is_empty() {
        bail!("--victim and --job are about flows; counters of ports have none");
    }
    let Gathered { readings, problems } = gather(&args.files, &args.time);
    for problem in &problems {
        stderr_line!("warning: {}", plain_line(problem));
    }
    if readings.is_empty() {
        bail!("no counters to analyse; docs/counters.md says how to collect them");
    }
    let mut wrong = Vec::new();
    let topology = topology(args, &mut wrong);
    let switches: BTreeSet<&str> = readings.iter().map(|reading| reading.switch.as_str()).collect();
    let named = configurations::with_switches(&topology, switches.iter().copied());
    let network = Network { topology: topology.clone(), ..Network::default() };
    let cabling = Cabling::new(&readings, &network);
    let known = configurations::known_ports(&cabling);
    let findings = configurations::findings(&args.config, &named, &known, &mut wrong).cited;
    crate::input::fail_with("cannot analyse the input", &wrong)?;
    for (address, switch) in args.exporter.iter().filter(|(_, switch)| !switches.contains(switch.as_str())) {
        stderr_line!("warning: --exporter {}={address}: no reading is of this switch", plain_line(switch));
    }
    let agents = agents(&topology, &readings, &args.exporter);
    let (samples, problems) = read_samples(&args.samples, agents, &readings)?;
    for problem in &problems {
        stderr_line!("warning: {}", plain_line(problem));
    }
    let network = Network { findings, ..network };
    let found = diagnose_with(&cabling, &readings, &samples, &network);
    if args.json {
        print_json(&json(args, &found))?;
    } else {
        stderr_text!("{}", plain(&text(&found, &network.topology, switches.len())));
    }
    Ok(Outcome::Fine)
}

/// The topology of the arguments: a file, or the one in a folder that `harrier run --save-counters` wrote.
fn topology(args: &Args, problems: &mut Vec<String>) -> Topology {
    let saved = || args.files.iter().map(|path| path.join(TOPOLOGY_FILE)).find(|path| path.is_file());
    let Some(path): Option<PathBuf> = args.topology.clone().or_else(saved) else {
        return Topology::default();
    };
    let topology = match super::read_topology(&path) {
        Ok(topology) => topology,
        Err(error) => {
            problems.push(format!("{error:#}"));
            return Topology::default();
        }
    };
    problems.extend(topology.problems().iter().map(|problem| format!("topology: {problem}")));
    topology
}

fn json<'r>(args: &Args, found: &'r Report) -> CounterReport<'r> {
    let name = |path: &PathBuf| Path::new(path).file_name().map(|name| name.to_string_lossy().into_owned());
    let mut names: Vec<String> = args.files.iter().filter_map(name).collect();
    names.sort();
    let report = RunReport {
        scenario: names.join(" "),
        seed: None,
        ground_truth: None,
        diagnoses: found.diagnoses.clone(),
        ordinary: None,
        run: None,
        traffic: None,
        missing: found.problems.clone(),
    };
    CounterReport { report, ports: &found.ports }
}

fn text(found: &Report, topology: &Topology, switches: usize) -> String {
    let index = TopologyIndex::new(topology);
    let mut text = found
        .diagnoses
        .iter()
        .map(|diagnosis| describe_diagnosis(diagnosis, &index))
        .collect::<Vec<_>>()
        .join("\n");
    if found.diagnoses.is_empty() {
        let [pauses, drops] = found.statements(switches);
        text.push_str(&format!("{pauses}, and {drops}\n"));
    }
    if !found.ports.is_empty() {
        text.push('\n');
        text.push_str(&table(&found.ports));
    }
    for problem in &found.problems {
        text.push_str(&format!("{:>12}  {problem}\n", "note"));
    }
    text
}

/// The ports that pause or are paused, those that were paused the longest first.
fn table(ports: &[PortPauses]) -> String {
    let mut sorted: Vec<&PortPauses> = ports.iter().collect();
    let part = |port: &PortPauses| port.paused_part.unwrap_or(0.0);
    sorted.sort_by(|a, b| {
        let paused = part(b).total_cmp(&part(a)).then(b.received_frames.cmp(&a.received_frames));
        paused.then(b.sent_frames.cmp(&a.sent_frames))
    });
    let header = [
        "port",
        "name",
        "prio",
        "neighbour",
        "pauses in",
        "pauses out",
        "paused",
        "queue peak",
        "drops",
        "storms",
    ];
    let number = |value: Option<u64>| value.map_or("-".to_string(), |value| value.to_string());
    let mut rows: Vec<[String; 10]> = vec![header.map(str::to_owned)];
    rows.extend(sorted.iter().take(MAX_ROWS).map(|port| {
        [
            port.port.to_string(),
            port.name.clone(),
            port.priority.to_string(),
            port.neighbour.clone().unwrap_or("-".into()),
            number(port.received_frames),
            number(port.sent_frames),
            port.paused_part.map_or("-".into(), |part| format!("{:.2} %", part * 100.0)),
            port.queue_peak_bytes.map_or("-".into(), bytes),
            port.dropped_packets.to_string(),
            port.storms.to_string(),
        ]
    }));
    let widths: Vec<usize> = (0..header.len())
        .map(|column| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    let mut text = String::new();
    for row in &rows {
        let cells: Vec<String> = row
            .iter()
            .zip(&widths)
            .enumerate()
            .map(|(column, (cell, width))| match column {
                0 | 1 | 3 => format!("{cell:<width$}"),
                _ => format!("{cell:>width$}"),
            })
            .collect();
        text.push_str(cells.join("  ").trim_end());
        text.push('\n');
    }
    if sorted.len() > MAX_ROWS {
        text.push_str(&format!("and {} more with fewer pauses (--json has all)\n", sorted.len() - MAX_ROWS));
    }
    text
}
