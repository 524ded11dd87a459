//! The SONiC configuration that a scenario names: read, judged by the rules of `harrier check`, resolved.
//!
//! An error of a rule stops the scenario as any other problem does, at its place in the configuration. A scenario that
//! is about the misconfiguration says `sonic_errors = "run"`: the findings are then kept beside the resolved switch, so
//! that a diagnosis can name them.

use std::sync::Arc;

use buffer_config::finding::{Finding, Severity};
use buffer_config::lookup::{self, Lookup};
use buffer_config::rules::{self, Options};
use buffer_config::source::Source;
use buffer_config::{forms, json};

use super::devices::word;
use super::table::{Load, Reader, Section};
use crate::problem::Problem;
use crate::settings::SwitchSettings;
use crate::sonic::view;

/// Reads `sonic`, `sonic_lookup` and `sonic_errors` of a switch.
pub(super) fn read(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    settings: &mut SwitchSettings,
    load: Load<'_>,
) {
    let file = section.text(reader, "sonic");
    let beside = section.text(reader, "sonic_lookup");
    let answers = [("refuse", true), ("run", false)];
    let errors = word(reader, section, "sonic_errors", &answers);
    let Some(file) = file else {
        if beside.is_some() || errors.is_some() {
            reader.problem(&section.span, "`sonic_lookup` and `sonic_errors` need `sonic`");
        }
        return;
    };
    let table = beside.and_then(|beside| match load(&beside.value) {
        Ok((path, text)) => read_lookup(reader, &path, &text),
        Err(why) => {
            reader.problem(&beside.span, format!("cannot read `{}`: {why}", beside.value));
            None
        }
    });
    match load(&file.value) {
        Ok((path, text)) => judge(reader, &path, &text, table.as_ref(), errors.unwrap_or(true), settings),
        Err(why) => reader.problem(&file.span, format!("cannot read `{}`: {why}", file.value)),
    }
}

fn placed(path: &str, text: &str, problem: &json::Problem) -> Problem {
    Problem::at(path, text, problem.span.start as usize, &*problem.message)
}

fn read_lookup(reader: &mut Reader<'_>, path: &str, text: &str) -> Option<Lookup> {
    let table = lookup::parse(text);
    reader.problems.extend(table.problems.iter().map(|problem| placed(path, text, problem)));
    table.problems.is_empty().then_some(table)
}

fn judge(
    reader: &mut Reader<'_>,
    path: &str,
    text: &str,
    table: Option<&Lookup>,
    refuses: bool,
    settings: &mut SwitchSettings,
) {
    let db = forms::load(text);
    reader.problems.extend(db.problems.iter().map(|problem| placed(path, text, problem)));
    if !db.problems.is_empty() {
        return;
    }
    let source = Source { name: path, text };
    let (findings, switch) = rules::check_resolved(source, &db, table, &Options::default());
    if refuses {
        reader.problems.extend(findings.iter().filter(|f| f.severity == Severity::Error).map(refused));
    }
    view::project(&switch, settings);
    settings.sonic = Some(Arc::new(switch));
    settings.sonic_findings = Arc::new(findings);
}

fn refused(finding: &Finding) -> Problem {
    Problem {
        file: finding.file.clone(),
        line: finding.place.line as usize,
        column: finding.place.column as usize,
        message: format!(
            "{} ({}); repair it, or say `sonic_errors = \"run\"` to see what it does",
            finding.message, finding.code
        ),
    }
}
