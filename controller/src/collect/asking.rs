//! Asking again what got lost: a polling packet that did not reach a switch, or a report that did not reach the controller.
//!
//! The agent's packet crosses the network once. Where it gets lost the wave ends, and what lies behind would be missing
//! from the snapshot although nothing is wrong with it. What the others reported says which switch should have been
//! asked, by which port and what ([`Known::unanswered`]); that question goes there by packet-out. A question that a switch has
//! answered is never asked again.

use model::wire::polling::Polling;

use super::Command;
use super::collector::{Collector, Purpose};
use super::expect::{Known, Unanswered};

impl Collector {
    /// There is news about event `id`: what is missing is looked for when the wave has been still for a moment.
    pub(super) fn look_later(&mut self, now_ns: u64, id: u32) {
        let look_at_ns = now_ns.saturating_add(self.settings.ask_after_ns);
        if self.settings.ask_attempts > 0
            && let Some(event) = self.events.get_mut(&id)
        {
            event.look_at_ns = Some(look_at_ns);
        }
    }

    /// A question could not be put into its switch: it is not tried again.
    pub(super) fn not_asked(&mut self, now_ns: u64, id: u32, question: (String, u16, model::FlowKey)) {
        if let Some(event) = self.events.get_mut(&id) {
            event.asked.insert(question, self.settings.ask_attempts);
            event.look_at_ns = event.look_at_ns.map(|_| now_ns);
        }
    }

    /// Asks in every event whose wave has been still for long enough.
    pub(super) fn ask_what_got_lost(&mut self, now_ns: u64, commands: &mut Vec<Command>) {
        let is_due = |at: Option<u64>| at.is_some_and(|at| at <= now_ns);
        let events = self.events.iter();
        let due: Vec<u32> = events
            .filter(|(_, event)| is_due(event.look_at_ns) && event.is_settled())
            .map(|(id, _)| *id)
            .collect();
        for id in due {
            let open = self.open_questions(id);
            let is_over = open.is_empty();
            for question in open {
                self.ask(now_ns, id, question, commands);
            }
            if let Some(event) = self.events.get_mut(&id) {
                event.look_at_ns =
                    if is_over { None } else { Some(now_ns.saturating_add(self.settings.ask_after_ns)) };
            }
        }
    }

    /// What of event `id` may still be asked.
    fn open_questions(&mut self, id: u32) -> Vec<Unanswered> {
        // Without a class there is no question: nobody has said anything yet.
        let Some(event) = self.events.get(&id).filter(|event| event.priority.is_some()) else {
            return Vec::new();
        };
        let (telemetry, _) = self.telemetry(event, "");
        let asked = |question: &Unanswered| {
            let key = (question.switch.clone(), question.port, question.flow);
            event.asked.get(&key).copied().unwrap_or(0)
        };
        let known: Known<'_> = self.known(event, &telemetry);
        let mut open: Vec<Unanswered> = known
            .unanswered()
            .into_iter()
            .filter(|question| self.switches.contains_key(&question.switch))
            .filter(|question| asked(question) < self.settings.ask_attempts)
            .collect();
        let questions: u32 = event.asked.values().sum();
        let left = self.settings.max_questions.saturating_sub(questions as usize);
        let beyond = open.len().saturating_sub(left);
        open.truncate(left);
        self.stats.limited_questions += beyond as u64;
        open
    }

    fn ask(&mut self, now_ns: u64, id: u32, open: Unanswered, commands: &mut Vec<Command>) {
        let Some(event) = self.events.get_mut(&id) else { return };
        let Some(priority) = event.priority else { return };
        *event.asked.entry((open.switch.clone(), open.port, open.flow)).or_insert(0) += 1;
        let polling = Polling {
            follow: open.follow,
            hop_limit: self.settings.hop_limit,
            priority,
            event: id,
            flow: open.flow,
        };
        let question = super::PortQuestion { port: open.port, polling };
        let purpose = Purpose::Ask { event: id, port: open.port, flow: open.flow };
        let request = self.request(now_ns, &open.switch, purpose);
        self.stats.questions += 1;
        commands.push(Command::Ask { switch: open.switch, request, question });
    }
}
