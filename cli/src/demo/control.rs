//! The network's side of the controller.

use std::sync::Arc;
use std::time::{Duration, Instant};

use controller::layout::TelemetryLayout;
use controller::live::{AgentTrigger, Controller, Planner, Progress};
use controller::plan::PlanSettings;
use fabric::PollRequest;
use model::Time;
use p4_lang::ir::Program;
use p4_switch::Event;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::timeout;
use tracing::warn;

use super::records::Records;

/// Maximum wall-clock time for which the network stands still while the controller works; a lost message must not stop it.
const MAX_WAIT: Duration = Duration::from_secs(2);

/// What the network uses of the controller.
pub(super) struct Control {
    runtime: Handle,
    planner: Planner,
    triggers: mpsc::Sender<AgentTrigger>,
    layout: Arc<TelemetryLayout>,
    /// The digest of a polling packet, by its position among the program's digests.
    poll_digest: Option<usize>,
    /// The clock of the controller.
    clock: watch::Sender<u64>,
    progress: watch::Receiver<Progress>,
    /// Triggers and digests of polling packets that the controller is to process.
    expected: (u64, u64),
    /// Snapshots that are missing.
    lost_snapshots: u64,
}

impl Control {
    /// Creates the network's side of a controller whose clock is `clock`.
    pub(super) fn new(
        controller: &Controller,
        clock: watch::Sender<u64>,
        layout: Arc<TelemetryLayout>,
        program: &Program,
    ) -> Control {
        let [poll, _] = layout.digests();
        let poll_digest = program.digests.iter().position(|digest| digest.preamble.name == poll);
        Control {
            runtime: Handle::current(),
            planner: controller.planner(),
            triggers: controller.triggers(),
            layout,
            poll_digest,
            clock,
            progress: controller.progress(),
            expected: (0, 0),
            lost_snapshots: 0,
        }
    }

    /// The layout of the telemetry.
    pub(super) fn layout(&self) -> &TelemetryLayout {
        &self.layout
    }

    /// Whether the controller collects telemetry of an event.
    pub(super) fn is_collecting(&self) -> bool {
        self.progress.borrow().is_collecting
    }

    /// Sets the clock of the controller.
    pub(super) fn set_time(&self, now: Time) {
        self.clock.send_replace(now.as_ns());
    }

    /// Passes a trigger on.
    pub(super) fn trigger(&mut self, poll: PollRequest) {
        let (event, priority) = (poll.event, poll.polling.priority);
        // If the controller's queue is full, the digests of the switches still report the event.
        let sent = self.triggers.try_send(AgentTrigger { event, priority, trigger: poll.trigger });
        self.expected.0 += u64::from(sent.is_ok());
    }

    /// Counts an event that a switch sends to the controller.
    pub(super) fn count(&mut self, event: &Event) {
        if let Event::Digest { digest, .. } = event
            && Some(digest.index()) == self.poll_digest
        {
            self.expected.1 += 1;
        }
    }

    /// Waits until the controller has processed all messages and its timers, has received the responses of switches,
    /// and its snapshots have the records of this time.
    pub(super) fn keep_up(&mut self, records: &Records) {
        let (deadline, time_ns) = (Instant::now() + MAX_WAIT, *self.clock.borrow());
        let (triggers, polls) = self.expected;
        let is_done = |progress: &Progress| {
            progress.time_ns >= time_ns
                && progress.triggers >= triggers
                && progress.polls >= polls
                && progress.requests == 0
        };
        let is_late = {
            let wait = async { timeout(MAX_WAIT, self.progress.wait_for(is_done)).await.is_err() };
            self.runtime.block_on(wait)
        };
        let progress = *self.progress.borrow();
        if is_late {
            warn!(
                triggers = progress.triggers,
                expected_triggers = triggers,
                polls = progress.polls,
                expected_polls = polls,
                "this machine is busy: the controller is late, and the simulated network goes on without waiting for it"
            );
            self.expected = (progress.triggers, progress.polls);
        }
        let wanted = progress.snapshots.saturating_sub(self.lost_snapshots);
        let completed =
            records.wait_for_completed(wanted, deadline.saturating_duration_since(Instant::now()));
        self.lost_snapshots += wanted.saturating_sub(completed);
    }

    /// Programs the switches, and waits until that is done.
    pub(super) fn program(&self, settings: PlanSettings) {
        if let Err(error) = self.runtime.block_on(self.planner.replan(settings)) {
            warn!(%error, "the routes of the scenario are not programmed");
        }
    }
}
