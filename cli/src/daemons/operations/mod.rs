//! What every daemon needs to be operated: logs, signals, systemd's notifications, random ids, the wall clock.

pub(crate) mod clock;
pub(crate) mod files;
pub(crate) mod log;
pub(crate) mod notify;
pub(crate) mod signals;

use anyhow::Context as _;

pub(crate) use clock::wall_ns;

use super::config::settings::Settings;

/// Runs a daemon, or a client of one, to its end. Threads that block, e.g. in a read of the standard input, do not delay the end.
///
/// # Errors
/// The runtime cannot be started, or the daemon's error.
pub(crate) fn block_on<T>(daemon: impl Future<Output = anyhow::Result<T>>) -> anyhow::Result<T> {
    files::raise_limit();
    let runtime = tokio::runtime::Runtime::new().context("cannot start the runtime")?;
    let ended = runtime.block_on(daemon);
    runtime.shutdown_background();
    ended
}

/// Draws a random number, for ids and jitter.
///
/// # Errors
/// The system has no source of randomness.
pub(crate) fn random() -> anyhow::Result<u64> {
    getrandom::u64().map_err(|error| anyhow::anyhow!("no random numbers: {error}"))
}

/// Draws the id of this start of a daemon: 32 hexadecimal digits.
///
/// # Errors
/// As [`random`].
pub(crate) fn boot_id() -> anyhow::Result<String> {
    Ok(format!("{:016x}{:016x}", random()?, random()?))
}

/// Returns the name of this machine.
///
/// # Errors
/// It cannot be read.
pub(crate) fn host_name() -> anyhow::Result<String> {
    let path = "/proc/sys/kernel/hostname";
    let name = std::fs::read_to_string(path).with_context(|| format!("cannot read {path}"))?;
    Ok(name.trim().to_string())
}

/// Logs what a reload has changed, and what needs a restart.
pub(crate) fn log_reload(old: &Settings, new: &Settings) {
    let (applied, restart) = old.changed(new);
    if !applied.is_empty() {
        tracing::info!(changed = applied.join(", "), "the configuration is reloaded");
    } else if restart.is_empty() {
        tracing::info!("the configuration is read again; no key has changed");
    }
    if !restart.is_empty() {
        tracing::warn!(keys = restart.join(", "), "these keys have changed and need a restart");
    }
}
