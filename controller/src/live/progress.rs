//! How far a controller is, for a simulated network: its clock drives the timers of collection, and it stands still while
//! the controller works.

use tokio::sync::watch;

use crate::collect::{Command, Input};

/// What a controller has processed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Progress {
    /// The last time of the network's clock, in nanoseconds, at which timers were processed.
    pub time_ns: u64,
    /// Triggers of agents.
    pub triggers: u64,
    /// Digests of polling packets.
    pub polls: u64,
    /// Requests to switches without a response.
    pub requests: u64,
    /// Snapshots emitted.
    pub snapshots: u64,
    /// Whether a timer of collection runs: an event is open, a request is pending or, if
    /// [`crate::collect::CollectSettings::audit_ns`] is not 0, an audit of an idle switch is due some time.
    pub is_collecting: bool,
}

impl Progress {
    /// Counts a response.
    pub(super) fn count_input(&mut self, input: &Input) {
        let is_response = matches!(
            input,
            Input::ReadDone { .. } | Input::UnlockDone { .. } | Input::Polled { .. } | Input::Failed { .. }
        );
        if is_response {
            self.requests = self.requests.saturating_sub(1);
        }
    }

    /// Counts a request that a session has taken.
    pub(super) fn count_command(&mut self, command: &Command) {
        self.requests += u64::from(!matches!(command, Command::Emit(_)));
    }
}

/// Waits until the clock of a network advances; for ever without one, or when the network has ended.
pub(super) async fn advance(clock: &mut Option<watch::Receiver<u64>>) {
    if let Some(clock) = clock
        && clock.changed().await.is_ok()
    {
        return;
    }
    std::future::pending().await
}
