//! `harrier host check`: runs the detectors of hosts on reports, with the fabric's verdicts if there are some.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::ValueEnum;
use host_diagnosis::{CheckResult, Fabric, HostDiagnosis, HostFinding, United, diagnose, unite};
use model::{Diagnosis, HostReport, Topology};
use serde_json::{Value, json};

use super::live::{Live, LiveArgs};
use crate::Outcome;
use crate::input::{fail_with, read_text};
use crate::output::{describe_diagnosis, name, print_json};

const EXAMPLES: &str = "\
Examples:
  Judge the report of one host
    harrier host check h3.json

  Judge this host, and keep its report
    harrier host check --live --save h3.json

  Continue a verdict that ends at a host
    harrier analyze --json event-00020000.json > verdict.json
    harrier host check h3.json --fabric verdict.json

  Continue it on the host itself, with counters of ten seconds
    harrier host check --live --interval 10 --fabric verdict.json

  Measure the paths between its RNICs and memory as well
    harrier host check --live --loopback --baseline h3-baseline.json";

/// Arguments of `harrier host check`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(super) struct Args {
    /// Reports of hosts (docs/host-report.schema.json)
    #[arg(required_unless_present = "live", value_name = "FILE")]
    files: Vec<PathBuf>,
    #[command(flatten)]
    live: LiveArgs,
    /// The fabric's verdict: a diagnosis, or the output of `harrier run|analyze --json`
    ///
    /// A verdict that ends at a host names its part; while the fabric explains the delay, no host is blamed.
    #[arg(long, value_name = "FILE")]
    fabric: Option<PathBuf>,
    /// Whether a PFC watchdog fired at the host's switch port [default: unknown]
    #[arg(long, value_enum)]
    watchdog: Option<Watchdog>,
    /// Print findings and checks as JSON on stdout
    #[arg(long)]
    json: bool,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Watchdog {
    /// It fired
    Fired,
    /// It did not
    Silent,
}

/// Runs the command.
pub(super) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let mut problems = Vec::new();
    let mut reports: Vec<HostReport> =
        args.files.iter().filter_map(|path| read_report(path, &mut problems)).collect();
    let verdicts: Vec<Diagnosis> =
        args.fabric.iter().flat_map(|path| read_verdicts(path, &mut problems)).collect();
    fail_with("cannot judge the reports", &problems)?;
    reports.extend(live_report(&args.live)?);
    let watchdog_fired = args.watchdog.map(|seen| seen == Watchdog::Fired);
    if args.fabric.is_some() {
        let united: Vec<United> =
            verdicts.iter().map(|verdict| unite(verdict, &reports, watchdog_fired)).collect();
        if args.json {
            print_json(&json!({ "verdicts": united }))?;
        } else {
            stdout_text!("{}", united.iter().map(describe_united).collect::<Vec<_>>().join("\n"))?;
        }
        return Ok(outcome(united.iter().flat_map(|united| &united.hosts)));
    }
    let fabric = Fabric { watchdog_fired, ..Fabric::default() };
    let hosts: Vec<HostDiagnosis> = reports.iter().map(|report| diagnose(report, &fabric)).collect();
    if args.json {
        print_json(&json!({ "hosts": hosts }))?;
    } else {
        stdout_text!("{}", hosts.iter().map(describe_host).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(outcome(hosts.iter()))
}

/// Findings count first; a host of which no detector could judge anything is not fine.
fn outcome<'h>(hosts: impl Iterator<Item = &'h HostDiagnosis>) -> Outcome {
    let (mut has_findings, mut are_judged) = (false, true);
    for host in hosts {
        has_findings |= !host.findings.is_empty();
        if host.checks.iter().all(|check| check.result == CheckResult::MissingEvidence) {
            stderr_line!("{}: not judged: its report has nothing that a detector needs", host.host);
            are_judged = false;
        }
    }
    match (has_findings, are_judged) {
        (true, _) => Outcome::Findings,
        (false, true) => Outcome::Fine,
        (false, false) => Outcome::NotJudged,
    }
}

/// The report of this host, if it is wanted; it is written where the arguments want it.
fn live_report(args: &LiveArgs) -> anyhow::Result<Option<HostReport>> {
    let Some(Live { report, no_counters, not_measured }) = args.collect()? else { return Ok(None) };
    if let Some(why) = no_counters {
        stderr_line!("{}: no counters of NICs: {why}", report.host);
    }
    for path in not_measured {
        stderr_line!("{}: not measured: {path}", report.host);
    }
    args.save(&report)?;
    let problems: Vec<String> = host_diagnosis::problems(&report).iter().map(ToString::to_string).collect();
    fail_with(&format!("cannot judge the report of {}", report.host), &problems)?;
    Ok(Some(report))
}

/// Reads a report; all contradictions of a report are problems.
fn read_report(path: &Path, problems: &mut Vec<String>) -> Option<HostReport> {
    let name = path.display();
    let text = read_text(path).map_err(|error| problems.push(format!("{error:#}"))).ok()?;
    let report = serde_json::from_str::<HostReport>(&text).map_err(|error| {
        problems.push(format!("{name}:{}:{}: not a host report: {error}", error.line(), error.column()));
    });
    let report = report.ok()?;
    let found = host_diagnosis::problems(&report);
    problems.extend(found.iter().map(|problem| format!("{name}: {problem}")));
    found.is_empty().then_some(report)
}

/// Reads one diagnosis, or the diagnoses of a report of `harrier run` or `harrier analyze`.
fn read_verdicts(path: &Path, problems: &mut Vec<String>) -> Vec<Diagnosis> {
    let name = path.display();
    let text = match read_text(path) {
        Ok(text) => text,
        Err(error) => {
            problems.push(format!("{error:#}"));
            return Vec::new();
        }
    };
    let value: Value = match serde_json::from_str(&text) {
        Ok(value) => value,
        Err(error) => {
            problems.push(format!("{name}:{}:{}: not JSON: {error}", error.line(), error.column()));
            return Vec::new();
        }
    };
    let (at, rows) = match &value["diagnoses"] {
        Value::Array(rows) => ("/diagnoses/", rows.as_slice()),
        _ => ("/", std::slice::from_ref(&value)),
    };
    let read = |(row, value): (usize, &Value)| {
        let found = serde_json::from_value::<Diagnosis>(value.clone());
        let place = if at == "/" { String::new() } else { format!("{at}{row}: ") };
        found.map_err(|error| problems.push(format!("{name}: {place}not a diagnosis: {error}"))).ok()
    };
    rows.iter().enumerate().filter_map(read).collect()
}

fn describe_united(united: &United) -> String {
    let topology = Topology::default();
    let verdict = describe_diagnosis(&united.diagnosis, &analyzer::TopologyIndex::new(&topology));
    let hosts = united.hosts.iter().map(describe_host);
    format!("{verdict}\n{}", hosts.collect::<Vec<_>>().join("\n"))
}

/// Returns the findings of a host, then what was not checked.
fn describe_host(host: &HostDiagnosis) -> String {
    let mut text = host.findings.iter().map(describe_finding).collect::<String>();
    let clean = named(host, CheckResult::Clean);
    if !clean.is_empty() {
        text.push_str(&format!("{}: no problem found by {}\n", host.host, clean.join(", ")));
    }
    let withheld = named(host, CheckResult::FabricExplains);
    if !withheld.is_empty() {
        text.push_str(&format!("{}: the fabric explains the delay: {}\n", host.host, withheld.join(", ")));
    }
    // Many detectors lack the same section.
    let mut without: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for check in host.checks.iter().filter(|check| check.result == CheckResult::MissingEvidence) {
        without.entry(check.missing.join("; ")).or_default().push(&check.detector);
    }
    for (missing, detectors) in without {
        text.push_str(&format!("{}: not checked: {} ({missing})\n", host.host, detectors.join(", ")));
    }
    text
}

fn named(host: &HostDiagnosis, result: CheckResult) -> Vec<&str> {
    host.checks.iter().filter(|check| check.result == result).map(|check| check.detector.as_str()).collect()
}

fn describe_finding(finding: &HostFinding) -> String {
    let mut text = format!(
        "{}: {} [{}, {}, confidence {:.0} %]\n",
        finding.host,
        finding.summary,
        finding.detector,
        name(&finding.cause),
        finding.confidence * 100.0
    );
    let mut lines = |label: &str, values: &[String]| {
        for value in values {
            text.push_str(&format!("{label:>12}  {value}\n"));
        }
    };
    lines("part", &[finding.part.to_string()]);
    let claims: Vec<String> = finding.evidence.iter().map(|claim| claim.claim.clone()).collect();
    lines("evidence", &claims);
    lines("missing", &finding.missing);
    lines("advice", &finding.advice);
    text
}
