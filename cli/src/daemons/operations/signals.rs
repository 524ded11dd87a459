//! SIGTERM and SIGINT stop a daemon, SIGHUP reloads its configuration. SIGXFSZ ends nothing: a file that reaches the limit
//! of its size is an error of the write, as a full medium is.

use anyhow::Context as _;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// What a signal demands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Demand {
    /// To finish what has begun, and to end.
    Stop,
    /// To read the configuration again.
    Reload,
}

/// The signals of this process.
pub(crate) struct Signals {
    terminate: Signal,
    interrupt: Signal,
    hangup: Signal,
    #[expect(dead_code, reason = "a handler replaces the default, which kills the process")]
    file_size: Signal,
}

impl Signals {
    /// Installs the handlers. Must be called within a tokio runtime.
    ///
    /// # Errors
    /// A handler cannot be installed.
    pub(crate) fn install() -> anyhow::Result<Signals> {
        let install = |kind| signal(kind).context("cannot install a signal handler");
        Ok(Signals {
            terminate: install(SignalKind::terminate())?,
            interrupt: install(SignalKind::interrupt())?,
            hangup: install(SignalKind::hangup())?,
            file_size: install(SignalKind::from_raw(nix::sys::signal::Signal::SIGXFSZ as i32))?,
        })
    }

    /// Waits for the next signal.
    pub(crate) async fn next(&mut self) -> Demand {
        tokio::select! {
            _ = self.terminate.recv() => Demand::Stop,
            _ = self.interrupt.recv() => Demand::Stop,
            _ = self.hangup.recv() => Demand::Reload,
        }
    }
}
