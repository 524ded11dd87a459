//! The collector's state machine.

use std::collections::BTreeMap;
use std::sync::Arc;

use model::{FlowKey, Topology, Trigger};

use crate::layout::{Digest, LockState, PollReport, RegisterRows, TelemetryLayout};

use super::open_event::{BankData, OpenEvent};
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
    pub(super) events: BTreeMap<u32, OpenEvent>,
    /// Events whose snapshot has been emitted.
    pub(super) closed: BTreeMap<u32, ClosedEvent>,
    requests: BTreeMap<RequestId, Request>,
    next_request: u64,
    pub(super) stats: CollectStats,
}

/// An event whose snapshot has been emitted.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClosedEvent {
    pub(super) at_ns: u64,
    pub(super) victim: Option<FlowKey>,
}

/// A request whose result is pending.
#[derive(Clone, Debug)]
struct Request {
    switch: String,
    deadline_ns: u64,
    purpose: Purpose,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// Read a frozen bank; `attempt` counts from 1.
    Bank { frozen: FrozenBank, attempt: u32 },
    /// Read the freeze state; `connecting`: for the first time in this session.
    Audit { connecting: bool },
    /// Release the frozen bank.
    Unlock,
    /// Retry a polling packet of this event, for this ingress port and flow.
    Poll { event: u32, port: u16, flow: FlowKey },
    /// Poll a switch again that had been frozen for another event.
    PollAgain,
}

/// A frozen bank of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct FrozenBank {
    generation: u16,
    frozen_ns: u64,
}

impl Collector {
    /// Creates a collector for the network `topology`. [`Collector::add_switch`] adds the switches.
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

    /// Replaces the network. Events that are open are completed with the new one.
    pub fn set_topology(&mut self, topology: Arc<Topology>) {
        self.topology = topology;
    }

    /// Adds a switch that runs the program. Collection begins with its [`Input::Connected`].
    pub fn add_switch(&mut self, name: impl Into<String>, layout: Arc<TelemetryLayout>) {
        self.switches.insert(name.into(), Switch::new(layout));
    }

    /// Returns the counters of the collector.
    pub fn stats(&self) -> CollectStats {
        self.stats
    }

    /// Returns the number of events whose snapshot has not been emitted.
    pub fn open_events(&self) -> usize {
        self.events.len()
    }

    /// Processes an input and returns the commands to carry out.
    pub fn handle(&mut self, now_ns: u64, input: Input) -> Vec<Command> {
        let mut commands = Vec::new();
        match input {
            Input::Connected { switch } => self.audit(now_ns, &switch, true, &mut commands),
            Input::Digest { switch, name, fields } => {
                self.on_digest(now_ns, &switch, &name, &fields, &mut commands);
            }
            Input::Trigger { event, priority, trigger } => self.on_trigger(now_ns, event, priority, trigger),
            Input::ReadDone { request, rows } => self.on_read(now_ns, request, &rows, &mut commands),
            Input::UnlockDone { request } | Input::Polled { request } => match self.requests.remove(&request)
            {
                Some(Request { switch, purpose: Purpose::Unlock, .. }) => {
                    self.poll_again(now_ns, &switch, &mut commands);
                }
                Some(Request { switch, purpose: Purpose::PollAgain, .. }) => {
                    self.audit_later(now_ns, &switch)
                }
                Some(_) => {}
                None => self.stats.ignored += 1,
            },
            Input::Failed { request, reason } => self.on_failed(now_ns, request, &reason, &mut commands),
        }
        self.settle(now_ns, &mut commands);
        commands
    }

    /// Returns the time at which [`Collector::wake`] must be called next, if nothing happens before.
    pub fn next_wake_ns(&self) -> Option<u64> {
        let requests = self.requests.values().map(|request| request.deadline_ns);
        let audits = self.switches.values().filter_map(|switch| switch.audit_at_ns);
        let timeouts = self.events.values().map(|event| self.timeout_at_ns(event));
        let mut next_ns = requests.chain(audits).chain(timeouts).min();
        for event in self.events.values() {
            let due_ns = event.retry_at_ns.unwrap_or_else(|| self.quiet_at_ns(event));
            // The full check is costly with many events, so only events that could be next are checked.
            let is_sooner = next_ns.is_none_or(|next_ns| due_ns < next_ns);
            if is_sooner && event.is_settled() && (event.retry_at_ns.is_some() || !self.is_auditing(event)) {
                next_ns = Some(due_ns);
            }
        }
        next_ns
    }

    /// Processes all timers that have expired at `now_ns`.
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
        match switch.layout.decode_digest(digest, fields) {
            Ok(Digest::Eviction(eviction)) => {
                self.stats.evictions += 1;
                switch.evicted(eviction, &self.settings);
            }
            Ok(Digest::Poll(report)) => self.on_poll(now_ns, name, &report, commands),
            Err(_) => self.stats.ignored += 1,
        }
    }

    fn on_poll(&mut self, now_ns: u64, switch: &str, report: &PollReport, commands: &mut Vec<Command>) {
        if self.is_closed(now_ns, report.event) {
            self.stats.late_polls += 1;
        } else {
            let event = self.events.entry(report.event).or_insert_with(|| OpenEvent::new(now_ns));
            event.report(now_ns, switch, report);
            self.schedule_retry(now_ns, report.event);
        }
        self.share_freeze(switch, report);
        let frozen = FrozenBank { generation: report.frozen_generation, frozen_ns: report.frozen_ns };
        self.need_bank(now_ns, switch, frozen, commands);
    }

    /// Whether reports of `event` belong to a snapshot that has been emitted. After `straggler_ns` the event id denotes
    /// a new event: hosts restart their numbering when they restart.
    fn is_closed(&self, now_ns: u64, event: u32) -> bool {
        let closed = self.closed.get(&event);
        closed.is_some_and(|closed| now_ns.saturating_sub(closed.at_ns) < self.settings.straggler_ns)
    }

    fn on_trigger(&mut self, now_ns: u64, id: u32, priority: u8, trigger: Trigger) {
        if self.is_closed(now_ns, id) {
            self.stats.ignored += 1;
            return;
        }
        let event = self.events.entry(id).or_insert_with(|| OpenEvent::new(now_ns));
        event.victim.get_or_insert(trigger.flow);
        event.priority.get_or_insert(priority);
        event.trigger = Some(trigger);
        self.schedule_retry(now_ns, id);
    }

    /// Reads a frozen bank, unless it has been read or a read is pending.
    fn need_bank(&mut self, now_ns: u64, name: &str, frozen: FrozenBank, commands: &mut Vec<Command>) {
        let Some(switch) = self.switches.get(name) else { return };
        let generation = frozen.generation;
        if switch.bank(generation).is_some() {
            self.mark(name, generation, &BankData::Collected);
        } else if let Some(lost) = switch.lost.iter().find(|lost| lost.generation == generation) {
            let why = lost.why.clone();
            self.mark(name, generation, &BankData::Failed(why));
        } else if !self.is_reading(name, generation) {
            self.read_bank(name, frozen, 1, self.deadline_ns(now_ns), commands);
        }
    }

    fn is_reading(&self, name: &str, wanted: u16) -> bool {
        self.requests.values().any(|request| {
            request.switch == name
                && matches!(request.purpose, Purpose::Bank { frozen, .. } if frozen.generation == wanted)
        })
    }

    fn read_bank(
        &mut self,
        name: &str,
        frozen: FrozenBank,
        attempt: u32,
        deadline_ns: u64,
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get(name) else { return };
        let registers = switch.layout.bank_registers(usize::from(frozen.generation & 1));
        let registers = registers.into_iter().map(str::to_string).collect();
        let request = self.request_until(deadline_ns, name, Purpose::Bank { frozen, attempt });
        commands.push(Command::Read { switch: name.to_string(), request, registers });
    }

    /// Reads the freeze state of a switch.
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

    /// Releases the bank that is frozen while packets write `generation`; `collected`: it has been read completely.
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
        let audit_ns = Some(self.settings.audit_ns).filter(|audit_ns| *audit_ns > 0);
        switch.audit_at_ns = audit_ns.map(|audit_ns| now_ns.saturating_add(audit_ns));
        self.stats.unlocks += 1;
        let request = self.request(now_ns, name, Purpose::Unlock);
        commands.push(Command::Unlock { switch: name.to_string(), request, writes });
    }

    /// The deadline of a request that is sent at `now_ns`.
    fn deadline_ns(&self, now_ns: u64) -> u64 {
        now_ns.saturating_add(self.settings.read_timeout_ns)
    }

    /// Registers a new request and returns its id.
    pub(super) fn request(&mut self, now_ns: u64, switch: &str, purpose: Purpose) -> RequestId {
        self.request_until(self.deadline_ns(now_ns), switch, purpose)
    }

    fn request_until(&mut self, deadline_ns: u64, switch: &str, purpose: Purpose) -> RequestId {
        let id = RequestId(self.next_request);
        self.next_request += 1;
        self.requests.insert(id, Request { switch: switch.to_string(), deadline_ns, purpose });
        id
    }

    fn on_read(&mut self, now_ns: u64, id: RequestId, rows: &[RegisterRows], commands: &mut Vec<Command>) {
        // The result arrived after the timeout. The bank has been released since, so the rows are unusable.
        let Some(request) = self.requests.remove(&id) else {
            self.stats.ignored += 1;
            return;
        };
        match request.purpose {
            Purpose::Bank { frozen, .. } => self.on_bank(now_ns, &request.switch, frozen, rows, commands),
            Purpose::Audit { connecting } => {
                self.on_lock(now_ns, &request.switch, connecting, rows, commands);
            }
            Purpose::Unlock | Purpose::Poll { .. } | Purpose::PollAgain => self.stats.ignored += 1,
        }
    }

    fn on_bank(
        &mut self,
        now_ns: u64,
        name: &str,
        frozen: FrozenBank,
        rows: &[RegisterRows],
        commands: &mut Vec<Command>,
    ) {
        let Some(switch) = self.switches.get_mut(name) else { return };
        let generation = frozen.generation;
        let content = match switch.layout.read_bank(rows) {
            Ok(content) if content.generation == generation && content.lock.is_locked() => content,
            Ok(content) => {
                let why = format!(
                    "the bank was released while it was read (generation {generation}, now {})",
                    content.lock.generation
                );
                self.stats.failed_reads += 1;
                switch.not_collected(generation, frozen.frozen_ns, why.clone());
                self.mark(name, generation, &BankData::Failed(why));
                // The switch may have restarted, so the generation to release is unknown until the freeze state is
                // read.
                self.audit(now_ns, name, false, commands);
                return;
            }
            Err(error) => {
                self.abandon_bank(now_ns, name, frozen, error.to_string(), commands);
                return;
            }
        };
        switch.collected(content, &self.settings);
        self.stats.banks += 1;
        self.mark(name, generation, &BankData::Collected);
        self.unlock(now_ns, name, generation.wrapping_add(1), true, commands);
    }

    /// Releases a bank without reading it. The switch keeps its rows and continues to count in them when the bank
    /// becomes active again.
    fn abandon_bank(
        &mut self,
        now_ns: u64,
        name: &str,
        frozen: FrozenBank,
        why: String,
        commands: &mut Vec<Command>,
    ) {
        let generation = frozen.generation;
        self.stats.failed_reads += 1;
        if let Some(switch) = self.switches.get_mut(name) {
            switch.not_collected(generation, frozen.frozen_ns, why.clone());
        }
        self.mark(name, generation, &BankData::Failed(why));
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

    /// Handles a switch that is frozen; `is_new`: it was frozen before this session or before the switch restarted.
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
            // The bank has been read, and its release was lost.
            self.unlock(now_ns, name, lock.generation, true, commands);
            return;
        }
        let is_lost = switch.lost.iter().any(|lost| lost.generation == generation);
        let frozen = FrozenBank { generation, frozen_ns: lock.frozen_ns };
        match self.events.get_mut(&lock.event) {
            Some(event) if !is_lost => {
                event.adopt(now_ns, name, lock);
                self.schedule_retry(now_ns, lock.event);
                self.read_bank(name, frozen, 1, self.deadline_ns(now_ns), commands);
            }
            // The digest of the event may still arrive.
            None if is_new => self.read_bank(name, frozen, 1, self.deadline_ns(now_ns), commands),
            _ => {
                if !is_lost {
                    let why = "no open event refers to it".to_string();
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
        if let Purpose::Bank { frozen, attempt } = request.purpose
            && attempt < self.settings.read_attempts
        {
            let name = request.switch.clone();
            // A retried read keeps the deadline of the first one, so that the switch is not frozen for longer.
            let deadline_ns = request.deadline_ns;
            self.requests.remove(&id);
            self.stats.failed_reads += 1;
            self.read_bank(&name, frozen, attempt + 1, deadline_ns, commands);
            return;
        }
        self.close_request(now_ns, id, reason, commands);
    }

    fn on_timeout(&mut self, now_ns: u64, id: RequestId, commands: &mut Vec<Command>) {
        let reason = format!("no response within {} us", self.settings.read_timeout_ns / 1_000);
        self.close_request(now_ns, id, &reason, commands);
    }

    fn close_request(&mut self, now_ns: u64, id: RequestId, reason: &str, commands: &mut Vec<Command>) {
        let Some(request) = self.requests.remove(&id) else { return };
        if let Purpose::Bank { frozen, .. } = request.purpose {
            let why = format!("its registers could not be read: {reason}");
            self.abandon_bank(now_ns, &request.switch, frozen, why, commands);
            return;
        }
        if let Purpose::Poll { event, port, flow } = request.purpose {
            self.poll_failed(now_ns, event, (request.switch, port, flow));
            return;
        }
        if request.purpose == Purpose::PollAgain {
            return;
        }
        // It is unknown whether the switch is frozen, so its freeze state is read again later.
        if let Purpose::Audit { .. } = request.purpose {
            self.stats.failed_reads += 1;
        }
        if let Some(switch) = self.switches.get_mut(&request.switch) {
            switch.audit_at_ns = Some(now_ns.saturating_add(self.settings.retry_ns));
        }
    }

    /// Sets the state of a bank's data in every event for which it is pending.
    fn mark(&mut self, name: &str, generation: u16, data: &BankData) {
        for event in self.events.values_mut() {
            if let Some(part) = event.parts.get_mut(name)
                && part.generation == generation
                && part.data == BankData::Pending
            {
                part.data = data.clone();
            }
        }
    }

    fn is_auditing(&self, event: &OpenEvent) -> bool {
        self.requests.values().any(|request| {
            matches!(request.purpose, Purpose::Audit { .. }) && event.audited.contains(&request.switch)
        })
    }

    fn timeout_at_ns(&self, event: &OpenEvent) -> u64 {
        event.opened_ns.saturating_add(self.settings.event_timeout_ns)
    }

    /// When polling for the event counts as complete without further reports. The first report may take as long as a
    /// read.
    fn quiet_at_ns(&self, event: &OpenEvent) -> u64 {
        let wait_ns =
            if event.parts.is_empty() { self.settings.read_timeout_ns } else { self.settings.quiet_ns };
        event.active_ns.saturating_add(wait_ns)
    }

    /// Retries lost polling packets, then emits the snapshots of events that are complete or have timed out.
    fn settle(&mut self, now_ns: u64, commands: &mut Vec<Command>) {
        self.retry_lost_polls(now_ns, commands);
        let mut due = Vec::new();
        for (id, event) in &self.events {
            let is_over = event.retry_at_ns.is_none()
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
                let unread = "its registers had not been read when the event timed out";
                self.emit(now_ns, id, unread, commands);
            }
        }
        while self.events.len() > self.settings.max_events {
            let oldest = self.events.iter().min_by_key(|(_, event)| event.opened_ns).map(|(id, _)| *id);
            let Some(id) = oldest else { break };
            let most = self.settings.max_events;
            let unread = format!(
                "its registers had not been read when the snapshot was emitted early: more than {most} events were open"
            );
            self.stats.emitted_early += 1;
            self.emit(now_ns, id, &unread, commands);
        }
    }

    /// Reads the freeze state of the switches that should have reported for event `id` and did not. Returns whether
    /// there were any.
    fn audit_missing(&mut self, now_ns: u64, id: u32, commands: &mut Vec<Command>) -> bool {
        let Some(event) = self.events.get(&id) else { return false };
        let (telemetry, _) = self.telemetry(event, "");
        let unaudited: Vec<String> = self
            .known(event, &telemetry)
            .missing_switches()
            .into_iter()
            .map(|(switch, _)| switch)
            .filter(|name| self.switches.contains_key(name) && !event.audited.contains(name))
            .collect();
        for name in &unaudited {
            self.audit(now_ns, name, false, commands);
        }
        if let Some(event) = self.events.get_mut(&id) {
            event.audited.extend(unaudited.iter().cloned());
        }
        !unaudited.is_empty()
    }
}
