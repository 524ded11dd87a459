//! Structured logs on stderr, as text or JSON.

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
    let layer = fmt::layer().with_writer(std::io::stderr);
    // Only a second start in the same process could fail, and it would change nothing.
    let _ = match settings.text("log_format") {
        Some("json") => registry.with(layer.json().flatten_event(true)).try_init(),
        _ => registry.with(layer.with_ansi(false)).try_init(),
    };
    LogLevel(handle)
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
