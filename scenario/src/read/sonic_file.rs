//! Reads the SONiC configuration that a scenario refers to, checks it with the rules of `harrier check` and resolves
//! it.
//!
//! An error of a rule is a problem of the scenario, reported at its position in the configuration. A scenario about the
//! misconfiguration sets `sonic_errors = "run"`: the findings are then kept with the resolved switch, so that a
//! diagnosis can cite them.

use std::sync::Arc;

use buffer_config::finding::{Finding, Severity};
use buffer_config::lookup::{self, Lookup};
use buffer_config::rules::{self, Options};
use buffer_config::source::SourceText;
use buffer_config::{input, json};

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
    let lookup_file = section.text(reader, "sonic_lookup");
    let words = [("refuse", true), ("run", false)];
    let errors = word(reader, section, "sonic_errors", &words);
    let Some(file) = file else {
        if lookup_file.is_some() || errors.is_some() {
            reader.problem(&section.span, "`sonic_lookup` and `sonic_errors` need `sonic`");
        }
        return;
    };
    let table = lookup_file.and_then(|named| match load(&named.value) {
        Ok((path, text)) => read_lookup(reader, &path, &text),
        Err(why) => {
            reader.problem(&named.span, format!("cannot read `{}`: {why}", named.value));
            None
        }
    });
    match load(&file.value) {
        Ok((path, text)) => check(reader, &path, &text, table.as_ref(), errors.unwrap_or(true), settings),
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

fn check(
    reader: &mut Reader<'_>,
    path: &str,
    text: &str,
    table: Option<&Lookup>,
    refuses: bool,
    settings: &mut SwitchSettings,
) {
    let db = input::load(text);
    reader.problems.extend(db.problems.iter().map(|problem| placed(path, text, problem)));
    if !db.problems.is_empty() {
        return;
    }
    let source = SourceText { name: path, text };
    let (findings, switch) = rules::check_resolved(source, &db, table, &Options::default());
    if refuses {
        reader.problems.extend(findings.iter().filter(|f| f.severity == Severity::Error).map(problem_of));
    }
    view::project(&switch, settings);
    settings.sonic = Some(Arc::new(switch));
    settings.sonic_findings = Arc::new(findings);
}

fn problem_of(finding: &Finding) -> Problem {
    Problem {
        file: finding.file.clone(),
        line: finding.position.line as usize,
        column: finding.position.column as usize,
        message: format!(
            "{} ({}); fix it, or set `sonic_errors = \"run\"` to simulate its effect",
            finding.message, finding.code
        ),
    }
}
