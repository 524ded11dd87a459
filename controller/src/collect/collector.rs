//! The state machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{FlowKey, Topology, Trigger};

use crate::layout::{LockState, Notice, PollReport, RegisterRows, TelemetryLayout};

use super::event::{Data, Event};
use super::settings::CollectSettings;
use super::stats::CollectStats;
use super::switch::Switch;
use super::{Command, Input, RequestId};

/// Collects the telemetry of events.
#[derive(Clone, Debug)]
pub struct Collector {
    pub(super) topology: Arc<Topology>,
    pub(super) settings: CollectSettings,
    pub(super) switches: BTreeMap<String, Switch>,
    pub(super) events: BTreeMap<u32, Event>,
    /// Events whose snapshot has been emitted, and when.
    pub(super) closed: BTreeMap<u32, u64>,
    requests: BTreeMap<RequestId, Request>,
    next_request: u64,
    pub(super) stats: CollectStats,
}

/// A request that has not been answered.
#[derive(Clone, Debug)]
struct Request {
    switch: String,
    deadline_ns: u64,
    purpose: Purpose,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Reads the bank of this generation, frozen then.
    Bank {
        generation: u16,
        frozen_ns: u64,
        attempt: u32,
    },
    /// Looks at the lock; `connecting` when the switch is new to us.
    Audit {
        connecting: bool,
    },
    Unlock,
    /// A question of this event, by this port and about this flow.
    Ask {
        event: u32,
        port: u16,
        flow: FlowKey,
    },
}

impl Collector {
    /// A collector for the switches of `topology`; they become known by [`Collector::add_switch`].
    pub fn new(topology: Arc<Topology>, settings: CollectSettings) -> Collector {
        Collector {
            topology,
            settings,
            switches: BTreeMap::new(),
            events: BTreeMap::new(),
            closed: BTreeMap::new(),
            requests: BTreeMap::new(),
            next_request: 0,
            stats: CollectStats::default(),
        }
    }

    /// Adds a switch that runs the program. Collection begins with its [`Input::Connected`].
    pub fn add_switch(&mut self, name: impl Into<String>, layout: Arc<TelemetryLayout>) {
        self.switches.insert(name.into(), Switch::new(layout));
    }

    /// What the collector has done so far.
    pub fn stats(&self) -> CollectStats {
        self.stats
    }

    /// Takes in what happened and says what to do.
    pub fn handle(&mut self, now_ns: u64, input: Input) -> Vec<Command> {
        let mut commands = Vec::new();
        match input {
            Input::Connected { switch } => self.audit(now_ns, &switch, true, &mut commands),
            Input::Digest { switch, name, fields } => {
                self.on_digest(now_ns, &switch, &name, &fields, &mut commands);
            }
            Input::Trigger { event, priority, trigger } => self.on_trigger(now_ns, event, priority, trigger),
            Input::ReadDone { request, rows } => self.on_read(now_ns, request, &rows, &mut commands),
            Input::UnlockDone { request } | Input::Asked { request } => {
                if self.requests.remove(&request).is_none() {
                    self.stats.ignored += 1;
                }
            }
            Input::Failed { request, reason } => self.on_failed(now_ns, request, &reason, &mut commands),
        }
        self.settle(now_ns, &mut commands);
        commands
    }

    /// When [`Collector::wake`] should be called next, if ever.
    pub fn next_wake_ns(&self) -> Option<u64> {
        let requests = self.requests.values().map(|request| request.deadline_ns);
        let audits = self.switches.values().filter_map(|switch| switch.audit_at_ns);
        let timeouts = self.events.values().map(|event| self.timeout_at_ns(event));
        let mut next_ns = requests.chain(audits).chain(timeouts).min();
        for event in self.events.values() {
            let due_ns = event.look_at_ns.unwrap_or_else(|| self.quiet_at_ns(event));
            // Of many events only those that could be next are looked at more closely.
            let is_sooner = next_ns.is_none_or(|next_ns| due_ns < next_ns);
            if is_sooner && event.is_settled() && (event.look_at_ns.is_some() || !self.is_auditing(event)) {
                next_ns = Some(due_ns);
            }
        }
        next_ns
    }

    /// Acts on times that have come.
    pub fn wake(&mut self, now_ns: u64) -> Vec<Command> {
        let mut commands = Vec::new();
        let late: Vec<RequestId> =
            self.requests.iter().filter(|(_, r)| r.deadline_ns <= now_ns).map(|(id, _)| *id).collect();
        for request in late {
            self.on_timeout(now_ns, request, &mut commands);
        }
        let due: Vec<String> = self
            .switches
            .iter()
            .filter(|(_, switch)| switch.audit_at_ns.is_some_and(|at| at <= now_ns))
            .map(|(name, _)| name.clone())
            .collect();
        for switch in due {
            self.audit(now_ns, &switch, false, &mut commands);
        }
        self.settle(now_ns, &mut commands);
        commands
    }

    fn on_digest(
        &mut self,
        now_ns: u64,
        name: &str,
        digest: &str,
        fields: &[Vec<u8>],
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get_mut(name) else {
            self.stats.ignored += 1;
            return;
        };
        match switch.layout.notice(digest, fields) {
            Ok(Notice::Eviction(eviction)) => {
                self.stats.evictions += 1;
                switch.evicted(eviction, &self.settings);
            }
            Ok(Notice::Poll(report)) => self.on_poll(now_ns, name, &report, commands),
            Err(_) => self.stats.ignored += 1,
        }
    }

    fn on_poll(&mut self, now_ns: u64, switch: &str, report: &PollReport, commands: &mut Vec<Command>) {
        if self.is_closed(now_ns, report.event) {
            self.stats.late_polls += 1;
        } else {
            let event = self.events.entry(report.event).or_insert_with(|| Event::new(now_ns));
            event.report(now_ns, switch, report);
            self.look_later(now_ns, report.event);
        }
        self.need_bank(now_ns, switch, report.frozen_generation, report.frozen_ns, commands);
    }

    /// Whether what still comes of `event` belongs to a snapshot that has been emitted. Later the number stands for
    /// another question: hosts count anew when they restart.
    fn is_closed(&self, now_ns: u64, event: u32) -> bool {
        let closed = self.closed.get(&event);
        closed.is_some_and(|at| now_ns.saturating_sub(*at) < self.settings.straggler_ns)
    }

    fn on_trigger(&mut self, now_ns: u64, id: u32, priority: u8, trigger: Trigger) {
        if self.is_closed(now_ns, id) {
            self.stats.ignored += 1;
            return;
        }
        let event = self.events.entry(id).or_insert_with(|| Event::new(now_ns));
        event.victim.get_or_insert(trigger.flow);
        event.priority.get_or_insert(priority);
        event.trigger = Some(trigger);
        self.look_later(now_ns, id);
    }

    /// Reads a frozen bank, unless that has been done or is being done.
    fn need_bank(
        &mut self,
        now_ns: u64,
        name: &str,
        generation: u16,
        frozen_ns: u64,
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get(name) else { return };
        if switch.bank(generation).is_some() {
            self.mark(name, generation, &Data::Collected);
        } else if let Some(lost) = switch.lost.iter().find(|lost| lost.generation == generation) {
            let why = lost.why.clone();
            self.mark(name, generation, &Data::Failed(why));
        } else if !self.is_reading(name, generation) {
            self.read_bank(now_ns, name, generation, frozen_ns, 1, commands);
        }
    }

    fn is_reading(&self, name: &str, wanted: u16) -> bool {
        self.requests.values().any(|request| {
            request.switch == name
                && matches!(request.purpose, Purpose::Bank { generation, .. } if generation == wanted)
        })
    }

    fn read_bank(
        &mut self,
        now_ns: u64,
        name: &str,
        generation: u16,
        frozen_ns: u64,
        attempt: u32,
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get(name) else { return };
        let registers = switch.layout.bank_registers(usize::from(generation & 1));
        let registers = registers.into_iter().map(str::to_string).collect();
        let request = self.request(now_ns, name, Purpose::Bank { generation, frozen_ns, attempt });
        commands.push(Command::Read { switch: name.to_string(), request, registers });
    }

    fn audit(&mut self, now_ns: u64, name: &str, connecting: bool, commands: &mut Vec<Command>) {
        let Some(switch) = self.switches.get_mut(name) else {
            self.stats.ignored += 1;
            return;
        };
        switch.audit_at_ns = None;
        let registers = switch.layout.lock_registers().into_iter().map(str::to_string).collect();
        let request = self.request(now_ns, name, Purpose::Audit { connecting });
        commands.push(Command::Read { switch: name.to_string(), request, registers });
    }

    /// Releases the bank that is frozen while `generation` is written; `collected`: it has been read completely.
    fn unlock(
        &mut self,
        now_ns: u64,
        name: &str,
        generation: u16,
        collected: bool,
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get_mut(name) else { return };
        let writes = switch.layout.unlock(generation, collected);
        if self.settings.audit_ns > 0 {
            switch.audit_at_ns = Some(now_ns.saturating_add(self.settings.audit_ns));
        }
        self.stats.unlocks += 1;
        let request = self.request(now_ns, name, Purpose::Unlock);
        commands.push(Command::Unlock { switch: name.to_string(), request, writes });
    }

    pub(super) fn request(&mut self, now_ns: u64, switch: &str, purpose: Purpose) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        let deadline_ns = now_ns.saturating_add(self.settings.read_timeout_ns);
        self.requests.insert(id, Request { switch: switch.to_string(), deadline_ns, purpose });
        id
    }

    fn on_read(&mut self, now_ns: u64, id: RequestId, rows: &[RegisterRows], commands: &mut Vec<Command>) {
        // An answer after the timeout fits no request: the bank has been released since.
        let Some(request) = self.requests.remove(&id) else {
            self.stats.ignored += 1;
            return;
        };
        match request.purpose {
            Purpose::Bank { generation, frozen_ns, .. } => {
                self.on_bank(now_ns, &request.switch, generation, frozen_ns, rows, commands);
            }
            Purpose::Audit { connecting } => {
                self.on_lock(now_ns, &request.switch, connecting, rows, commands);
            }
            Purpose::Unlock | Purpose::Ask { .. } => self.stats.ignored += 1,
        }
    }

    fn on_bank(
        &mut self,
        now_ns: u64,
        name: &str,
        generation: u16,
        frozen_ns: u64,
        rows: &[RegisterRows],
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get_mut(name) else { return };
        let content = match switch.layout.read_bank(rows) {
            Ok(content) if content.generation == generation && content.lock.is_locked() => content,
            Ok(content) => {
                let why = format!(
                    "its bank was released while it was read (generation {generation}, now {})",
                    content.lock.generation
                );
                self.stats.failed_reads += 1;
                switch.not_collected(generation, frozen_ns, why.clone());
                self.mark(name, generation, &Data::Failed(why));
                // It may have restarted: what to release is not known before a look at the lock.
                self.audit(now_ns, name, false, commands);
                return;
            }
            Err(error) => {
                self.give_up(now_ns, name, generation, frozen_ns, error.to_string(), commands);
                return;
            }
        };
        switch.collected(content, &self.settings);
        self.stats.banks += 1;
        self.mark(name, generation, &Data::Collected);
        self.unlock(now_ns, name, generation.wrapping_add(1), true, commands);
    }

    /// Leaves a bank unread: the switch keeps its counts and goes on with them when the bank's turn comes.
    fn give_up(
        &mut self,
        now_ns: u64,
        name: &str,
        generation: u16,
        frozen_ns: u64,
        why: String,
        commands: &mut Vec<Command>,
    ) {
        self.stats.failed_reads += 1;
        if let Some(switch) = self.switches.get_mut(name) {
            switch.not_collected(generation, frozen_ns, why.clone());
        }
        self.mark(name, generation, &Data::Failed(why));
        self.unlock(now_ns, name, generation.wrapping_add(1), false, commands);
    }

    fn on_lock(
        &mut self,
        now_ns: u64,
        name: &str,
        connecting: bool,
        rows: &[RegisterRows],
        commands: &mut Vec<Command>,
    ) {
        let retry_ns = now_ns.saturating_add(self.settings.retry_ns);
        let Some(switch) = self.switches.get_mut(name) else { return };
        let Ok(lock) = switch.layout.read_lock(rows) else {
            self.stats.failed_reads += 1;
            switch.audit_at_ns = Some(retry_ns);
            return;
        };
        let is_new = connecting || switch.has_restarted(&lock);
        if is_new {
            switch.connected(&lock);
        }
        switch.saw_generation(lock.generation);
        if self.settings.audit_ns > 0 {
            switch.audit_at_ns = Some(now_ns.saturating_add(self.settings.audit_ns));
        }
        if lock.is_locked() {
            self.on_locked(now_ns, name, &lock, is_new, commands);
        }
    }

    /// A switch turned out to be locked; `is_new`: for a reason from before this controller or the switch began.
    fn on_locked(
        &mut self,
        now_ns: u64,
        name: &str,
        lock: &LockState,
        is_new: bool,
        commands: &mut Vec<Command>,
    ) {
        let generation = lock.frozen_generation();
        if self.is_reading(name, generation) || self.is_unlocking(name) {
            return;
        }
        let Some(switch) = self.switches.get_mut(name) else { return };
        if switch.bank(generation).is_some() {
            // It has been read; the unlock was lost.
            self.unlock(now_ns, name, lock.generation, true, commands);
            return;
        }
        let is_lost = switch.lost.iter().any(|lost| lost.generation == generation);
        match self.events.get_mut(&lock.event) {
            Some(event) if !is_lost => {
                event.adopt(now_ns, name, lock);
                self.look_later(now_ns, lock.event);
                self.read_bank(now_ns, name, generation, lock.frozen_ns, 1, commands);
            }
            // The report of the event may still be on its way.
            None if is_new => self.read_bank(now_ns, name, generation, lock.frozen_ns, 1, commands),
            _ => {
                if !is_lost {
                    let why = "nobody asked for it in time".to_string();
                    switch.not_collected(generation, lock.frozen_ns, why);
                }
                self.unlock(now_ns, name, lock.generation, false, commands);
            }
        }
    }

    fn is_unlocking(&self, name: &str) -> bool {
        self.requests.values().any(|r| r.switch == name && r.purpose == Purpose::Unlock)
    }

    fn on_failed(&mut self, now_ns: u64, id: RequestId, reason: &str, commands: &mut Vec<Command>) {
        let Some(request) = self.requests.get(&id) else {
            self.stats.ignored += 1;
            return;
        };
        if let Purpose::Bank { generation, frozen_ns, attempt } = request.purpose
            && attempt < self.settings.read_attempts
        {
            let name = request.switch.clone();
            let deadline_ns = request.deadline_ns;
            self.requests.remove(&id);
            self.stats.failed_reads += 1;
            self.read_bank(now_ns, &name, generation, frozen_ns, attempt + 1, commands);
            // A repeated read does not make the switch stay locked for longer.
            if let Some(mut last) = self.requests.last_entry() {
                last.get_mut().deadline_ns = deadline_ns;
            }
            return;
        }
        self.close_request(now_ns, id, reason, commands);
    }

    fn on_timeout(&mut self, now_ns: u64, id: RequestId, commands: &mut Vec<Command>) {
        let reason = format!("no answer within {} us", self.settings.read_timeout_ns / 1_000);
        self.close_request(now_ns, id, &reason, commands);
    }

    fn close_request(&mut self, now_ns: u64, id: RequestId, reason: &str, commands: &mut Vec<Command>) {
        let Some(request) = self.requests.remove(&id) else { return };
        if let Purpose::Bank { generation, frozen_ns, .. } = request.purpose {
            let why = format!("its registers could not be read: {reason}");
            self.give_up(now_ns, &request.switch, generation, frozen_ns, why, commands);
            return;
        }
        if let Purpose::Ask { event, port, flow } = request.purpose {
            self.not_asked(now_ns, event, (request.switch, port, flow));
            return;
        }
        // Nobody knows whether the switch is locked: look again later.
        if let Purpose::Audit { .. } = request.purpose {
            self.stats.failed_reads += 1;
        }
        if let Some(switch) = self.switches.get_mut(&request.switch) {
            switch.audit_at_ns = Some(now_ns.saturating_add(self.settings.retry_ns));
        }
    }

    /// Sets where the data of a bank is, in every event that waits for it.
    fn mark(&mut self, name: &str, generation: u16, data: &Data) {
        for event in self.events.values_mut() {
            if let Some(part) = event.parts.get_mut(name)
                && part.generation == generation
                && part.data == Data::Pending
            {
                part.data = data.clone();
            }
        }
    }

    fn is_auditing(&self, event: &Event) -> bool {
        self.requests.values().any(|request| {
            matches!(request.purpose, Purpose::Audit { .. }) && event.audited.contains(&request.switch)
        })
    }

    fn timeout_at_ns(&self, event: &Event) -> u64 {
        event.opened_ns.saturating_add(self.settings.event_timeout_ns)
    }

    /// When the event's polling wave counts as over if nobody reports. The first report may take as long as a read.
    fn quiet_at_ns(&self, event: &Event) -> u64 {
        let wait_ns =
            if event.parts.is_empty() { self.settings.read_timeout_ns } else { self.settings.quiet_ns };
        event.active_ns.saturating_add(wait_ns)
    }

    /// Emits what is complete, or has waited long enough.
    fn settle(&mut self, now_ns: u64, commands: &mut Vec<Command>) {
        self.ask_what_got_lost(now_ns, commands);
        let mut due = Vec::new();
        for (id, event) in &self.events {
            let is_over = event.look_at_ns.is_none()
                && self.quiet_at_ns(event) <= now_ns
                && event.is_settled()
                && !self.is_auditing(event);
            let is_late = self.timeout_at_ns(event) <= now_ns;
            if is_over || is_late {
                due.push((*id, is_late));
            }
        }
        for (id, is_late) in due {
            if is_late || !self.audit_missing(now_ns, id, commands) {
                let unread = "its registers had not arrived when the event timed out";
                self.emit(now_ns, id, unread, commands);
            }
        }
        while self.events.len() > self.settings.max_events {
            let oldest = self.events.iter().min_by_key(|(_, event)| event.opened_ns).map(|(id, _)| *id);
            let Some(id) = oldest else { break };
            let most = self.settings.max_events;
            let unread = format!(
                "its registers had not arrived when the event had to make room: more than {most} were open at the same time"
            );
            self.stats.given_up_early += 1;
            self.emit(now_ns, id, &unread, commands);
        }
    }

    /// Looks at the locks of switches that should have reported for event `id`; whether there was one to look at.
    fn audit_missing(&mut self, now_ns: u64, id: u32, commands: &mut Vec<Command>) -> bool {
        let Some(event) = self.events.get(&id) else { return false };
        let (telemetry, _) = self.telemetry(event, "");
        let unasked: Vec<String> = self
            .known(event, &telemetry)
            .missing_switches()
            .into_iter()
            .map(|(switch, _)| switch)
            .filter(|name| self.switches.contains_key(name) && !event.audited.contains(name))
            .collect();
        for name in &unasked {
            self.audit(now_ns, name, false, commands);
        }
        if let Some(event) = self.events.get_mut(&id) {
            event.audited.extend(unasked.iter().cloned());
        }
        !unasked.is_empty()
    }
}
