//! Events whose polling packet reached a switch that was frozen for another event.
//!
//! Such an event gets the frozen bank of the other one, which lacks the records between that freeze and its own poll.
//! These records are in the active bank, so the next freeze of the switch includes them:
//!
//! - If the switch is frozen for any event before the snapshot is emitted, the event shares that freeze.
//! - Otherwise, when the bank has been released, the collector polls the switch again by packet-out, once for an event
//!   and switch. One poll serves all events that lack records of this switch. Its hop limit is 1, so that it is not
//!   forwarded.

use model::wire::polling::{Follow, Polling};
use model::{FlowKey, MissingData};

use super::collector::{Collector, Purpose};
use super::{Command, PollRetry};
use crate::layout::{PollReport, at_or_after};

impl Collector {
    /// Uses the freeze that `report` describes for all other events that lack records of `switch` from before it.
    pub(super) fn share_freeze(&mut self, switch: &str, report: &PollReport) {
        for (id, event) in &mut self.events {
            let Some(part) = event.parts.get_mut(switch).filter(|_| *id != report.event) else { continue };
            let is_later = part.generation != report.frozen_generation
                && at_or_after(report.frozen_generation, part.generation);
            if part.frozen_for.is_some() && is_later && report.frozen_ns >= part.asked_ns {
                part.take_freeze(report);
                self.stats.shared_freezes += 1;
            }
        }
    }

    /// Polls a switch that has been released again, if open events lack records of it.
    pub(super) fn poll_again(&mut self, now_ns: u64, switch: &str, commands: &mut Vec<Command>) {
        if self.settings.poll_retries == 0 {
            return;
        }
        let mut polling: Option<(Polling, u16)> = None;
        for (id, event) in &mut self.events {
            let (Some(flow), Some(priority)) = (event.victim_flow(), event.priority) else { continue };
            let Some(part) = event.parts.get_mut(switch) else { continue };
            if part.frozen_for.is_none() || part.polled_again {
                continue;
            }
            let Some(port) = part.polled_from.first().copied() else { continue };
            part.polled_again = true;
            let follow = match part.on_victim_path {
                true => Follow::VictimPath,
                false => Follow::Pauses,
            };
            // A switch of the reverse path was polled for the flow of the ACKs.
            let flow = match part.back_port.is_some() && !part.on_victim_path {
                true => FlowKey { src: flow.dst, dst: flow.src, ..flow },
                false => flow,
            };
            event.active_ns = now_ns;
            polling.get_or_insert((Polling { follow, hop_limit: 1, priority, event: *id, flow }, port));
        }
        if let Some((polling, port)) = polling {
            let purpose = Purpose::PollAgain;
            let request = self.request(now_ns, switch, purpose);
            self.stats.polls_after_release += 1;
            let packet = PollRetry { port, polling };
            commands.push(Command::Poll { switch: switch.to_string(), request, packet });
        }
    }

    /// Schedules a read of the freeze state of a switch that was polled again, in case its digest is lost. The release
    /// of the bank cancels it.
    pub(super) fn audit_later(&mut self, now_ns: u64, switch: &str) {
        if let Some(switch) = self.switches.get_mut(switch) {
            let at_ns = now_ns.saturating_add(self.settings.quiet_ns);
            switch.audit_at_ns = Some(switch.audit_at_ns.map_or(at_ns, |known_ns| known_ns.min(at_ns)));
        }
    }

    /// Adds the victim of the other event to the missing data of a switch that was frozen before.
    pub(super) fn name_victim(&self, missing: &mut MissingData) {
        if let MissingData::FrozenBefore { event, victim, .. } = missing {
            let open = self.events.get(event).and_then(|open| open.victim_flow());
            *victim = open.or_else(|| self.closed.get(event).and_then(|closed| closed.victim));
        }
    }
}
