//! Retries of polling packets: when a polling packet does not reach a switch, or its digest does not reach the
//! controller.
//!
//! Polling ends where a polling packet is lost, so all switches behind that point would be missing from the snapshot.
//! The reports of the other switches determine which switch should have been polled, for which ingress port and with
//! which `follow` bits ([`Known::missing_polls`]). The controller sends that polling packet to the switch by
//! packet-out. A poll that a switch has reported is never retried.

use model::wire::polling::Polling;

use super::collector::{Collector, Purpose};
use super::expect::{Known, MissingPoll};
use super::{Command, PollRetry};

impl Collector {
    /// Schedules the search for lost polls of event `id`, after a new report or trigger.
    pub(super) fn schedule_retry(&mut self, now_ns: u64, id: u32) {
        let retry_at_ns = now_ns.saturating_add(self.settings.poll_retry_ns);
        if self.settings.poll_retries > 0
            && let Some(event) = self.events.get_mut(&id)
        {
            event.retry_at_ns = Some(retry_at_ns);
        }
    }

    /// Handles a packet-out that failed: the poll is not retried again.
    pub(super) fn poll_failed(&mut self, now_ns: u64, id: u32, poll: (String, u16, model::FlowKey)) {
        if let Some(event) = self.events.get_mut(&id) {
            event.retries.insert(poll, self.settings.poll_retries);
            event.retry_at_ns = event.retry_at_ns.map(|_| now_ns);
        }
    }

    /// Retries the lost polls of every event that has had no report for `poll_retry_ns`.
    pub(super) fn retry_lost_polls(&mut self, now_ns: u64, commands: &mut Vec<Command>) {
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= now_ns);
        let events = self.events.iter();
        let due: Vec<u32> = events
            .filter(|(_, event)| is_due(event.retry_at_ns) && event.is_settled())
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let lost = self.due_retries(id);
            let is_over = lost.is_empty();
            for poll in lost {
                self.send_poll(now_ns, id, poll, commands);
            }
            if let Some(event) = self.events.get_mut(&id) {
                event.retry_at_ns =
                    if is_over { None } else { Some(now_ns.saturating_add(self.settings.poll_retry_ns)) };
            }
        }
    }

    /// Lost polls of event `id` within the limits on retries.
    fn due_retries(&mut self, id: u32) -> Vec<MissingPoll> {
        // A polling packet carries the priority, which is unknown before the first report or trigger.
        let Some(event) = self.events.get(&id).filter(|event| event.priority.is_some()) else {
            return Vec::new();
        };
        let (telemetry, _) = self.telemetry(event, "");
        let retries = |poll: &MissingPoll| {
            let key = (poll.switch.clone(), poll.port, poll.flow);
            event.retries.get(&key).copied().unwrap_or(0)
        };
        let known: Known<'_> = self.known(event, &telemetry);
        let mut lost: Vec<MissingPoll> = known
            .missing_polls()
            .into_iter()
            .filter(|poll| self.switches.contains_key(&poll.switch))
            .filter(|poll| retries(poll) < self.settings.poll_retries)
            .collect();
        let sent: u32 = event.retries.values().sum();
        let left = self.settings.max_poll_retries.saturating_sub(sent as usize);
        let beyond = lost.len().saturating_sub(left);
        lost.truncate(left);
        self.stats.limited_poll_retries += beyond as u64;
        lost
    }

    fn send_poll(&mut self, now_ns: u64, id: u32, poll: MissingPoll, commands: &mut Vec<Command>) {
        let Some(event) = self.events.get_mut(&id) else { return };
        let Some(priority) = event.priority else { return };
        *event.retries.entry((poll.switch.clone(), poll.port, poll.flow)).or_insert(0) += 1;
        let polling = Polling {
            follow: poll.follow,
            hop_limit: self.settings.hop_limit,
            priority,
            event: id,
            flow: poll.flow,
        };
        let packet = PollRetry { port: poll.port, polling };
        let purpose = Purpose::Poll { event: id, port: poll.port, flow: poll.flow };
        let request = self.request(now_ns, &poll.switch, purpose);
        self.stats.poll_retries_sent += 1;
        commands.push(Command::Poll { switch: poll.switch, request, packet });
    }
}
