//! The files that a configuration names: whether the daemon could use them.
//!
//! `harrier config check` reads them with what reads them when the daemon starts.

use std::path::Path;

use model::ConfigFinding;

use crate::daemons::config::settings::{Problem, Settings};
use crate::daemons::tls;
use crate::{configurations, input};

/// The folder of files that exist only while the machine, or a daemon, runs: systemd and Kubernetes put credentials there
/// when they start the daemon.
const RUN: &str = "/run";

/// Returns what is wrong with the file of a key, if it has a value. `check` is what reads it.
pub(crate) fn read<T>(
    settings: &Settings,
    key: &str,
    check: impl FnOnce(&Path) -> anyhow::Result<T>,
) -> Option<Problem> {
    let path = settings.path(key).filter(|path| is_expected(path))?;
    let error = check(path).err()?;
    Some(settings.problem(key, format!("{error:#}")))
}

/// Whether a file must exist before the daemon starts.
fn is_expected(path: &Path) -> bool {
    !path.starts_with(RUN) || path.exists()
}

/// Returns what is wrong with the files of the authorities, the own certificate and its key.
pub(crate) fn certificates(settings: &Settings, keys: [&str; 3]) -> Vec<Problem> {
    tls::problems(settings, keys, is_expected)
}

/// Returns what is wrong with the configurations of switches that a key lists.
pub(crate) fn configurations(settings: &Settings, key: &str) -> Vec<Problem> {
    let mut problems = Vec::new();
    let configs = configurations::of_key(settings, key, &mut problems);
    configurations::texts(&configs, &mut problems);
    problems.into_iter().map(|problem| settings.problem(key, problem)).collect()
}

/// Reads further findings of configurations.
///
/// # Errors
/// The file cannot be read, or is something else.
pub(crate) fn findings(path: &Path) -> anyhow::Result<Vec<ConfigFinding>> {
    json(path, "a list of findings")
}

/// Reads a file as JSON.
///
/// # Errors
/// It cannot be read, or is not `what`.
pub(crate) fn json<T: serde::de::DeserializeOwned>(path: &Path, what: &str) -> anyhow::Result<T> {
    let text = input::read_text(path)?;
    serde_json::from_str(&text).map_err(|error| anyhow::anyhow!("{}: not {what}: {error}", path.display()))
}
