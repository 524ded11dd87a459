//! `harrier check --fix`: repairs files in place.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use buffer_config::fix_patch::{self, FixPatch};
use buffer_config::rules;
use buffer_config::source::SourceText;

use super::Args;
use super::inputs::Input;
use super::read;
use super::setup::Setup;

/// Repairs all files. Findings that a suppression or the baseline accepts are left alone, and so are files that are not
/// judged; the check that follows reports those.
pub(super) fn fix(args: &Args, setup: &Setup, inputs: &[Input]) -> anyhow::Result<()> {
    if let Some(other) = inputs.iter().find(|input| input.path().is_none()) {
        bail!("--fix repairs files, not {}; use --fix-patch", other.name);
    }
    let mut filter = setup.filter()?;
    for input in inputs {
        let Some(path) = input.path().filter(|_| !input.is_lookup()) else { continue };
        let Ok((text, table)) = input.read_sound(args, setup) else { continue };
        let source = SourceText { name: &input.name, text: &text };
        let mut findings = rules::check_file(source, table.as_ref(), &setup.options).findings;
        setup.select(&mut findings);
        filter.apply_to_text(&mut findings, Some(&text));
        // A file with syntax errors has findings, but is no JSON that can be edited.
        let Ok(plan) = fix_patch::plan(source, &findings, table.as_ref(), &setup.options) else { continue };
        for (code, reason) in &plan.left_out {
            stderr_line!("{}: {code} is not fixed: {reason}", input.name);
        }
        if plan.text != text {
            replace(path, &text, &plan.text, setup.limit_bytes)?;
            report(&input.name, &plan);
        }
    }
    Ok(())
}

fn report(name: &str, plan: &FixPatch) {
    let count = plan.fixed.len();
    let findings = if count == 1 { "finding" } else { "findings" };
    let mut codes = plan.fixed.clone();
    codes.sort_unstable();
    codes.dedup();
    stderr_line!("{name}: fixed {count} {findings}: {}", codes.join(", "));
    for op in &plan.operations {
        if let Some(reason) = &op.refused_live {
            stderr_line!("{name}: {} takes effect after a reload: {reason}", op.path);
        }
    }
}

/// Replaces a file atomically: another process sees the old or the new text. The permissions stay, and a symbolic link
/// keeps its target.
fn replace(path: &Path, old: &str, new: &str, limit_bytes: u64) -> anyhow::Result<()> {
    let context = || format!("cannot write {}", path.display());
    let target = fs::canonicalize(path).with_context(context)?;
    let temporary = temporary(&target);
    let write = || -> anyhow::Result<()> {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
        file.set_permissions(fs::metadata(&target)?.permissions())?;
        file.write_all(new.as_bytes())?;
        file.sync_all()?;
        if read::read(&target, limit_bytes).is_ok_and(|now| now != old) {
            bail!("it was changed in the meantime");
        }
        Ok(fs::rename(&temporary, &target)?)
    };
    let written = write();
    if written.is_err() {
        // Best effort; the error to report is the first one.
        let _ = fs::remove_file(&temporary);
    }
    written.with_context(context)
}

fn temporary(target: &Path) -> PathBuf {
    let name = target.file_name().unwrap_or_default().to_string_lossy();
    target.with_file_name(format!(".{name}.{}.partial", std::process::id()))
}
