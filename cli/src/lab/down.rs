//! `harrier lab down`: removes a lab completely, also what a crash of `up` left behind.

use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;

use super::names::LabNumber;
use super::state::{STATE, lock};
use super::{links, namespace, process};

/// Time for daemons to end after SIGTERM before they are killed.
const GRACE: Duration = Duration::from_secs(5);

/// What was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Removed {
    /// Processes that ended.
    pub(super) processes: usize,
    /// Those of them that did not end at SIGTERM.
    pub(super) killed: usize,
    /// Namespaces.
    pub(super) namespaces: usize,
}

/// Removes a lab and reports what was removed.
pub(crate) fn down(number: LabNumber) -> anyhow::Result<()> {
    let _lock = lock(number)?;
    let removed = remove(number)?;
    let _ = std::fs::remove_dir_all(kept_logs(number));
    if removed == Removed::default() {
        stderr_line!("lab {} does not exist", number.0);
        return Ok(());
    }
    stderr_line!(
        "lab {}: {} processes ended ({} killed), {} namespaces removed",
        number.0,
        removed.processes,
        removed.killed,
        removed.namespaces
    );
    Ok(())
}

/// Removes everything that carries the lab's number. The state file is removed last, so that an interrupted `down` can
/// be repeated.
pub(super) fn remove(number: LabNumber) -> anyhow::Result<Removed> {
    let (processes, killed) = process::stop_all(number, GRACE)?;
    let prefix = format!("hl{}-", number.0);
    let mut removed = Removed { processes, killed, namespaces: 0 };
    for name in namespace::with_prefix(&prefix) {
        removed.namespaces += usize::from(namespace::remove(&name)?);
    }
    // Its peer is in a namespace that is gone, but the kernel removes a namespace some time after its last use.
    if let Err(error) = links::remove(&number.host_interface()) {
        let vanished = nix::net::if_::if_nametoindex(number.host_interface().as_str()).is_err();
        if !vanished {
            return Err(error);
        }
    }
    remove_directory(&number.directory())?;
    Ok(removed)
}

/// Removes the directory of a lab, its state last.
fn remove_directory(directory: &Path) -> anyhow::Result<()> {
    let Ok(entries) = std::fs::read_dir(directory) else { return Ok(()) };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| !path.ends_with(STATE)) {
        let removed =
            if path.is_dir() { std::fs::remove_dir_all(&path) } else { std::fs::remove_file(&path) };
        removed.with_context(|| format!("cannot remove {}", path.display()))?;
    }
    std::fs::remove_dir_all(directory).with_context(|| format!("cannot remove {}", directory.display()))
}

/// Where the logs of a lab whose `up` failed are kept, until `down`.
fn kept_logs(number: LabNumber) -> PathBuf {
    number.directory().with_extension("failed")
}

/// Moves the logs of a lab whose `up` failed out of the directory that is removed. Returns where they are.
pub(super) fn keep_logs(number: LabNumber) -> Option<PathBuf> {
    let kept = kept_logs(number);
    // Logs of an earlier failure.
    let _ = std::fs::remove_dir_all(&kept);
    std::fs::rename(process::log_directory(number), &kept).ok()?;
    Some(kept)
}
