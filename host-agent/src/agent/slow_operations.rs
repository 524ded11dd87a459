//! Polls for operations and jobs that are slow although round trips are normal. They have no follow-up poll: what delays them does not
//! spread.

use model::{Trigger, TriggerReason};

use super::{Agent, FlowId, Poll, Watched};
use crate::operations::{Iteration, Operation};
use crate::settings::Settings;

/// Operations or iterations that took longer than they should.
#[derive(Clone, Copy, Debug)]
struct SlowOperations {
    reason: TriggerReason,
    /// When the last one ended.
    time_ns: u64,
    took_ns: u64,
    expected_ns: u64,
}

impl Agent {
    /// Handles an operation that is complete. Returns a poll if operations of the flow are slow although its round trips are
    /// normal, and the limits allow one.
    pub fn completed(&mut self, now_ns: u64, id: FlowId, operation: &Operation) -> Option<Poll> {
        let settings = &self.settings;
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        let base_rtt_ns = watched.base.trusted_ns(settings.min_samples)?;
        let expected_ns = watched.operations.expected_ns(operation, base_rtt_ns);
        let is_due = watched.operations.completed(settings, operation, expected_ns);
        if !is_due || watched.has_question_since(settings, operation.posted_ns) {
            return None;
        }
        let slow = SlowOperations {
            reason: TriggerReason::SlowOperation,
            time_ns: operation.polled_ns,
            took_ns: operation.took_ns(),
            expected_ns,
        };
        self.poll_for_operations(now_ns, id, base_rtt_ns, slow)
    }

    /// Handles the end of an iteration of a job. Returns a poll if the job is slow although its round trips are normal, and the
    /// limits allow one.
    pub fn iterated(&mut self, now_ns: u64, id: FlowId, iteration: &Iteration) -> Option<Poll> {
        let settings = &self.settings;
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        let base_rtt_ns = watched.base.trusted_ns(settings.min_samples)?;
        let (mean_ns, first_ns) = watched.operations.iterated(settings, iteration)?;
        if watched.has_question_since(settings, first_ns) {
            return None;
        }
        let slow = SlowOperations {
            reason: TriggerReason::SlowJob,
            time_ns: iteration.ended_ns,
            took_ns: mean_ns,
            expected_ns: iteration.expected_ns,
        };
        self.poll_for_operations(now_ns, id, base_rtt_ns, slow)
    }

    /// Polls for operations or iterations that took longer than expected.
    fn poll_for_operations(
        &mut self,
        now_ns: u64,
        id: FlowId,
        base_rtt_ns: u64,
        slow: SlowOperations,
    ) -> Option<Poll> {
        if !self.bucket.take(now_ns) {
            self.stats.limited_by_host += 1;
            return None;
        }
        let watched = self.flows.get_mut(id.0 as usize)?.as_mut()?;
        watched.operations.polled(now_ns);
        let trigger = Trigger {
            host: self.host.clone(),
            flow: watched.flow,
            time_ns: slow.time_ns,
            reason: slow.reason,
            base_rtt_ns,
            rtt_ns: slow.took_ns,
            expected_ns: Some(slow.expected_ns),
            follows: None,
        };
        let priority = watched.priority;
        Some(self.numbered(priority, trigger))
    }
}

impl Watched {
    /// Whether the flow was polled for a slow round trip or a silence since shortly before a time. Operations that begin then wait
    /// for what the congestion has left.
    fn has_question_since(&self, settings: &Settings, from_ns: u64) -> bool {
        let recovered_ns = settings.recovered_interval_ns;
        self.polled_ns.is_some_and(|polled_ns| polled_ns.saturating_add(recovered_ns) >= from_ns)
    }
}
