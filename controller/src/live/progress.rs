//! How far a controller is, for its end and for a simulated network: the network's clock drives the timers of
//! collection, and it stands still while the controller works.

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
    /// Events whose snapshot has not been emitted.
    pub open_events: u64,
    /// Whether a timer of collection runs: an event is open, a request is pending or, if
    /// [`crate::collect::CollectSettings::audit_ns`] is not 0, an audit of an idle switch is due some time.
    pub is_collecting: bool,
}

impl Progress {
    /// Whether no event is open and no response is missing: all banks that were read are released.
    pub fn is_idle(&self) -> bool {
        self.open_events == 0 && self.requests == 0
    }

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
