//! Structured logs on stderr, as text or JSON.
//!
//! A log whose reader has gone (`harrier demo 2>&1 | head`) is lost and changes nothing else. By default the library
//! reports a failed write with `eprintln!`, which panics for the same reason and ends the task that logged.

use std::io::IsTerminal as _;

use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;
use tracing_subscriber::{EnvFilter, fmt, reload};

use crate::daemons::config::settings::Settings;

/// Changes the level of the log at run time.
pub(crate) struct LogLevel(reload::Handle<EnvFilter, tracing_subscriber::Registry>);

/// Starts the log. The variable `HARRIER_LOG` takes precedence over the level, with the syntax of `EnvFilter`.
pub(crate) fn start(settings: &Settings) -> LogLevel {
    let (filter, handle) = reload::Layer::new(filter(settings));
    let registry = tracing_subscriber::registry().with(filter);
    let layer = fmt::layer().with_writer(std::io::stderr).log_internal_errors(false);
    // Only a second start in the same process could fail, and it would change nothing.
    let _ = match settings.text("log_format") {
        Some("json") => registry.with(layer.json().flatten_event(true)).try_init(),
        _ => registry.with(layer.with_ansi(false)).try_init(),
    };
    LogLevel(handle)
}

/// Starts the log of a command without a configuration file: warnings, or what the variable `HARRIER_LOG` says.
pub(crate) fn start_plain() {
    let filter = EnvFilter::try_from_env("HARRIER_LOG").unwrap_or_else(|_| EnvFilter::new("warn"));
    let is_terminal = std::io::stderr().is_terminal();
    let log = fmt().with_env_filter(filter).with_writer(std::io::stderr).with_ansi(is_terminal);
    let _ = log.log_internal_errors(false).try_init();
}

impl LogLevel {
    /// Applies the level of new settings.
    pub(crate) fn apply(&self, settings: &Settings) {
        let _ = self.0.reload(filter(settings));
    }
}

fn filter(settings: &Settings) -> EnvFilter {
    let level = settings.text("log_level").unwrap_or("info");
    EnvFilter::try_from_env("HARRIER_LOG").unwrap_or_else(|_| EnvFilter::new(level))
}
