//! Judged runs in the work directory, from which an interrupted evaluation continues.

use std::fs;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::instance::{file, fingerprint, hash};
use super::{Evaluated, Plan, Subject};
use crate::input::write_all;

/// A judged run in its file.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Identifies scenario, seed, settings, program and judge; another one is not used.
    fingerprint: String,
    evaluated: Evaluated,
}

/// The judged run of a subject, if the work directory has it; a damaged file does not count.
pub(super) fn read(plan: &Plan, subject: &Subject) -> Option<Evaluated> {
    let kept: Kept = serde_json::from_slice(&fs::read(path(plan, subject)?).ok()?).ok()?;
    (kept.fingerprint == identity(plan, subject)).then_some(kept.evaluated)
}

/// Keeps a judged run in the work directory, if there is one.
pub(super) fn keep(plan: &Plan, subject: &Subject, evaluated: Evaluated) -> anyhow::Result<Evaluated> {
    let Some(path) = path(plan, subject) else { return Ok(evaluated) };
    let kept = Kept { fingerprint: identity(plan, subject), evaluated };
    write_all(&[(&path, serde_json::to_vec(&kept)?)])?;
    Ok(kept.evaluated)
}

fn path(plan: &Plan, subject: &Subject) -> Option<PathBuf> {
    let work = plan.work.as_ref()?;
    Some(file(work, &subject.name, subject.seed).with_extension("judged"))
}

/// What the judgement of a run depends on.
fn identity(plan: &Plan, subject: &Subject) -> String {
    let run = fingerprint(plan, &subject.scenario, subject.seed);
    let settings = format!(
        "{:?} {:?} {} {:?} {:?} {}",
        plan.methods, plan.budget, plan.draws, plan.without, plan.scale, plan.packets_ahead
    );
    let known = format!("{} {:?}", subject.row, subject.disturbances);
    format!("{run}-{}-{:016x}", eval::judge::VERSION, hash(&format!("{settings} {known}")))
}
