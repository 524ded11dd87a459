//! `harrier case`: verdicts that people have judged, as test cases of the analyzer.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use model::diagnosis::Record;
use model::plain::plain;
use model::{Diagnosis, FlowKey, PortRef};
use serde::Serialize;
use store::{Case, Feedback};

use crate::Outcome;
use crate::commands::run::verdicts;
use crate::input::{fail_with, read_text};
use crate::output::print_json;
use crate::units::count;

const EXAMPLES: &str = "\
Examples:
  Keep a verdict that turned out to be wrong
    curl -s $HARRIER_SERVER/api/v1/incidents/$ID/case > cases/$ID.json

  Analyse all kept telemetry again, e.g. with a new version
    harrier case check cases/

Exit status: 0 verdicts that were right are the same and those that were wrong are others, 1 at least one is not so,
2 a file is not a case.";

/// Arguments of `harrier case`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Analyse the telemetry of cases again, and compare the verdicts with what people said about them
    Check {
        /// Cases, as `GET /api/v1/incidents/{id}/case` returns them, or folders of them (*.json)
        #[arg(required = true, value_name = "FILE")]
        files: Vec<PathBuf>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// Runs the command.
pub(crate) fn execute(args: &Args) -> anyhow::Result<Outcome> {
    let Action::Check { files, json } = &args.action;
    let mut problems = Vec::new();
    let cases: Vec<(PathBuf, Case)> = paths(files, &mut problems)
        .into_iter()
        .filter_map(|path| {
            let case = read(&path).map_err(|error| problems.push(format!("{error:#}")));
            Some((path, case.ok()?))
        })
        .collect();
    if cases.is_empty() && problems.is_empty() {
        problems.push("there is no case: no folder has a file *.json".to_string());
    }
    fail_with("cannot check the cases", &problems)?;
    let checked: Vec<Checked> = cases.iter().map(|(path, case)| check(path, case)).collect();
    if *json {
        print_json(&checked)?;
    } else {
        for case in &checked {
            stdout_line!("{}", case.line())?;
        }
        stderr_line!("{}", summary(&checked));
    }
    let is_fine = checked.iter().all(|case| case.outcome != Held::Fails);
    Ok(if is_fine { Outcome::Fine } else { Outcome::Findings })
}

/// The files, and those in folders by name.
fn paths(files: &[PathBuf], problems: &mut Vec<String>) -> Vec<PathBuf> {
    let mut paths = Vec::new();
    for file in files {
        if !file.is_dir() {
            paths.push(file.clone());
            continue;
        }
        let entries = file.read_dir().and_then(|entries| entries.collect::<Result<Vec<_>, _>>());
        match entries {
            Ok(entries) => {
                let json = entries.into_iter().map(|entry| entry.path());
                let mut json: Vec<PathBuf> =
                    json.filter(|path| path.extension().is_some_and(|end| end == "json")).collect();
                json.sort();
                paths.extend(json);
            }
            Err(error) => problems.push(format!("{}: {error}", file.display())),
        }
    }
    paths
}

fn read(path: &Path) -> anyhow::Result<Case> {
    let text = read_text(path)?;
    parse(&text).with_context(|| path.display().to_string())
}

/// Reads a case.
///
/// # Errors
/// The text is not a case, or one of a later version.
pub(crate) fn parse(text: &str) -> anyhow::Result<Case> {
    let case: Case = serde_json::from_str(text).context("not a case of `GET /api/v1/incidents/{id}/case`")?;
    anyhow::ensure!(
        case.format == Case::FORMAT,
        "format {} is not known; this version reads format {}",
        case.format,
        Case::FORMAT
    );
    Ok(case)
}

/// Whether a case holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum Held {
    /// What was right is the same, what was wrong is another verdict.
    Holds,
    /// What was right is another verdict, or what was wrong is the same.
    Fails,
    /// No person has said whether the verdict was right.
    Unjudged,
    /// The telemetry does not have what the verdict rests on.
    NotRepeated,
}

/// A case and its verdict of now.
#[derive(Debug, Serialize)]
struct Checked {
    file: String,
    incident: String,
    feedback: Option<Feedback>,
    outcome: Held,
    /// Whether the same verdict comes out; null if it was not repeated.
    is_same: Option<bool>,
    /// The verdict that was judged.
    judged: String,
    /// The verdicts of now.
    now: Vec<String>,
}

impl Checked {
    fn line(&self) -> String {
        let outcome = match self.outcome {
            Held::Holds => "ok      ",
            Held::Fails => "FAILED  ",
            Held::Unjudged => "unjudged",
            Held::NotRepeated => "skipped ",
        };
        let feedback = match self.feedback {
            Some(Feedback::Right) => "was right",
            Some(Feedback::Wrong) => "was wrong",
            Some(Feedback::Unclear) => "is unclear",
            None => "was not judged",
        };
        let now = match self.is_same {
            Some(true) => "and is the same".to_string(),
            Some(false) if self.now.is_empty() => "and there is none now".to_string(),
            Some(false) => format!("and is now: {}", self.now.join("; ")),
            None => "and rests on reports or counters, which a case does not have".to_string(),
        };
        plain(&format!("{outcome}  {}: the verdict {feedback} {now} ({})", self.file, self.judged))
            .into_owned()
    }
}

fn summary(checked: &[Checked]) -> String {
    let number = |outcome| checked.iter().filter(|case| case.outcome == outcome).count() as u64;
    format!(
        "{}: {} ok, {} failed, {} not judged, {} skipped",
        count(checked.len() as u64, "case"),
        number(Held::Holds),
        number(Held::Fails),
        number(Held::Unjudged),
        number(Held::NotRepeated)
    )
}

/// Analyses a case again.
fn check(path: &Path, case: &Case) -> Checked {
    let topology = case.topology.clone().unwrap_or_default();
    let is_repeatable =
        !case.diagnosis.evidence.iter().flat_map(|evidence| &evidence.records).any(|record| {
            // What hosts and ordinary switches report is no part of a snapshot.
            matches!(record, Record::Host { .. } | Record::Counter { .. })
        });
    let now = match is_repeatable {
        true => verdicts(std::slice::from_ref(&case.snapshot), &topology).diagnoses,
        false => Vec::new(),
    };
    let is_same = is_repeatable.then(|| now.iter().any(|diagnosis| is_same(diagnosis, &case.diagnosis)));
    let outcome = match (is_same, case.feedback) {
        (None, _) => Held::NotRepeated,
        (Some(is_same), Some(Feedback::Right)) => held(is_same),
        (Some(is_same), Some(Feedback::Wrong)) => held(!is_same),
        (Some(_), Some(Feedback::Unclear) | None) => Held::Unjudged,
    };
    Checked {
        file: path.display().to_string(),
        incident: case.incident.clone(),
        feedback: case.feedback,
        outcome,
        is_same,
        judged: case.diagnosis.summary.clone(),
        now: now.into_iter().map(|diagnosis| diagnosis.summary).collect(),
    }
}

fn held(holds: bool) -> Held {
    if holds { Held::Holds } else { Held::Fails }
}

/// Whether two verdicts name the same anomaly, cause and culprits. Their texts, evidence and confidence may differ.
fn is_same(a: &Diagnosis, b: &Diagnosis) -> bool {
    named(a) == named(b)
}

fn named(diagnosis: &Diagnosis) -> impl PartialEq + use<'_> {
    let root = &diagnosis.root_cause;
    let flows: BTreeSet<&FlowKey> = root.flows.iter().collect();
    let config: BTreeSet<&String> = root.config.iter().collect();
    let pause_loop: BTreeSet<&PortRef> = diagnosis.pause_loop.iter().collect();
    (diagnosis.anomaly, diagnosis.cause, &root.port, &root.host, flows, config, pause_loop)
}
