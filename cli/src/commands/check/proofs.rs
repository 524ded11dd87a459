//! `harrier check --prove`: simulates each lossless profile, next to the errors of the check that the simulation does not cover.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::anyhow;
use buffer_config::db::ConfigDb;
use buffer_config::finding::{Finding, Severity};
use buffer_config::fleet::Fleet;
use buffer_config::report;
use buffer_config::source::{SourceText, position};
use fabric::prove::{Assumed, Verdict};
use scenario::SonicError;

use super::inputs::Input;
use super::read::located;
use super::run::{self, Judged};
use super::setup::Setup;
use super::show::{named, with_chips};
use super::{Args, write_text};
use crate::Outcome;
use crate::commands::prove;
use crate::finding_reports::FormatArg;
use crate::output::print_json;

/// Findings of a check next to the simulation of the same file.
#[derive(Default)]
struct Checked {
    /// A file with errors is not proven, even if no packet is dropped: maps, queues, the watchdog and the neighbours are not
    /// part of the simulation.
    errors: Vec<Finding>,
    /// Warnings about buffers. They explain a packet that is dropped in a file without errors.
    warnings: Vec<Finding>,
}

/// Simulates each lossless profile under the worst case of its link, and compares the result with that of a check.
pub(super) fn prove_all(args: &Args, setup: &Setup, inputs: &[Input]) -> anyhow::Result<Outcome> {
    let assumed = Assumed { frame_bytes: setup.options.lossless_mtu };
    let is_json = args.format.contains(&FormatArg::Json);
    let mut checked = checked(args, setup, inputs)?;
    let mut all = BTreeMap::new();
    let mut outcome = Outcome::Fine;
    for input in inputs {
        let Checked { errors, mut warnings } = checked.remove(&input.name).unwrap_or_default();
        let mut is_dropping = false;
        if !errors.is_empty() {
            outcome = Outcome::Findings;
        }
        with_chips(args, setup, input, |chip, db, switch| {
            let name = named(&input.name, chip);
            if switch.ports.is_empty() && chip == "localhost" {
                return Ok(());
            }
            let mut report = fabric::prove::prove(&switch, assumed);
            if let Ok(report) = &mut report
                && matches!(report.verdict, Verdict::Holds | Verdict::NothingToProve)
            {
                if !errors.is_empty() {
                    report.verdict = Verdict::NotProvable;
                }
            } else {
                outcome = Outcome::Findings;
                is_dropping |= report.as_ref().is_ok_and(|report| report.verdict == Verdict::Fails);
            }
            if !is_json {
                let text = match &report {
                    Ok(report) => prove::describe(&name, report),
                    Err(error) => not_simulated(setup, input, (&name, db), error),
                };
                return write_text(Path::new("-"), &text);
            }
            let mut report = match report {
                Ok(report) => serde_json::to_value(report)?,
                Err(error) => serde_json::json!({
                    "asic": switch.asic, "verdict": Verdict::NotProvable, "why": error.to_string(),
                    "proofs": [], "unproved": [],
                }),
            };
            report["errors"] = errors.iter().map(report::json).collect();
            report["warnings"] = warnings.iter().map(report::json).collect();
            all.insert(name, report);
            Ok(())
        })?;
        if !errors.is_empty() || !is_dropping {
            warnings.clear();
        }
        if !is_json {
            write_text(Path::new("-"), &prove::describe_findings(&input.name, &errors, &warnings))?;
        }
    }
    if is_json {
        print_json(&all)?;
    }
    Ok(outcome)
}

/// Checks the inputs. Returns the findings by file, without accepted ones.
fn checked(args: &Args, setup: &Setup, inputs: &[Input]) -> anyhow::Result<BTreeMap<String, Checked>> {
    let mut filter = setup.filter()?;
    let mut fleet = Fleet::default();
    let mut all = Vec::new();
    for input in inputs {
        let judged = run::one(input, args, setup).map_err(|reason| anyhow!(located(&input.name, &reason)))?;
        let Judged::Configuration(run::Checked { text, mut findings, switches, device }) = judged else {
            continue;
        };
        setup.select(&mut findings);
        filter.apply_to_text(&mut findings, Some(&text));
        all.append(&mut findings);
        switches.iter().for_each(|switch| fleet.add(&input.name, switch));
        if let Some(device) = &device {
            fleet.add_device(SourceText { name: &input.name, text: &text }, device);
        }
    }
    setup.links().iter().for_each(|ends| fleet.connect(ends));
    let mut between = fleet.check();
    setup.select(&mut between);
    filter.apply(&mut between);
    all.append(&mut between);
    let mut by_file: BTreeMap<String, Checked> = BTreeMap::new();
    for finding in all {
        let of_file = by_file.entry(finding.file.clone()).or_default();
        match finding.severity {
            Severity::Error => of_file.errors.push(finding),
            Severity::Warning if is_about_buffers(finding.code) => of_file.warnings.push(finding),
            _ => {}
        }
    }
    Ok(by_file)
}

/// Whether a rule is about the buffers that the simulation contains: priority groups, profiles and pools.
fn is_about_buffers(code: &str) -> bool {
    code.starts_with("PG") || code.starts_with("BUF")
}

/// Why a switch cannot be simulated, with the position of the value if there is one.
fn not_simulated(
    setup: &Setup,
    input: &Input,
    (name, db): (&str, &ConfigDb<'_>),
    error: &SonicError,
) -> String {
    let text = || input.read(None, setup.limit_bytes).map_or(String::new(), |read| read.0);
    let position = offset_of(error, db).map(|at| format!(":{}", position(&text(), at))).unwrap_or_default();
    format!("{name}{position}: NOT PROVABLE: the switch cannot be simulated: {error}\n")
}

/// The offset of the value because of which the switch cannot be simulated.
fn offset_of(error: &SonicError, db: &ConfigDb<'_>) -> Option<u32> {
    let of = |table: &str, key: &str, field: &str| {
        let entry = db.row(table, key)?;
        Some(db.field(entry, field).map_or(entry.key_span, |field| field.span).start)
    };
    match error {
        SonicError::PoolSize(pool) => of("BUFFER_POOL", pool, "size"),
        SonicError::Direction { profile, .. } => of("BUFFER_PROFILE", profile, "pool"),
        SonicError::NoPool(_) => db.table("BUFFER_POOL").map(|table| table.span.start),
        SonicError::TooFewPorts { .. } => None,
    }
}
