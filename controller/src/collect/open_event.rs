//! The state of an event from its first report to its snapshot.

use std::collections::{BTreeMap, BTreeSet};

use model::{FlowKey, Trigger};

use crate::layout::{LockState, PollReport, at_or_after};

/// An event whose snapshot has not been emitted.
#[derive(Clone, Debug)]
pub(super) struct OpenEvent {
    pub(super) victim: Option<FlowKey>,
    pub(super) trigger: Option<Trigger>,
    pub(super) opened_ns: u64,
    /// When a switch last reported.
    pub(super) active_ns: u64,
    pub(super) polls: u64,
    pub(super) parts: BTreeMap<String, Part>,
    /// Switches whose freeze state has been read because their report is missing.
    pub(super) audited: BTreeSet<String>,
    /// Priority of the victim's data, from the trigger or the first report.
    pub(super) priority: Option<u8>,
    /// When to search for lost polls; `None`: not before the next report.
    pub(super) retry_at_ns: Option<u64>,
    /// Number of retries of each polling packet, by switch, ingress port and flow.
    pub(super) retries: BTreeMap<(String, u16, FlowKey), u32>,
}

/// One switch's part in an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) polled_from: BTreeSet<u16>,
    /// Ingress ports from which the switch followed pauses.
    pub(super) traced_from: BTreeSet<u16>,
    pub(super) on_victim_path: bool,
    pub(super) victim_port: Option<u16>,
    /// Egress port of the victim's ACKs, if the switch was polled for the reverse path.
    pub(super) back_port: Option<u16>,
    pub(super) priority: Option<u8>,
    /// The frozen generation that holds this event's data.
    pub(super) generation: u16,
    pub(super) frozen_ns: u64,
    /// When the switch received the first poll of this event.
    pub(super) asked_ns: u64,
    /// The event for which the bank had been frozen before `asked_ns`: records in between are missing.
    pub(super) frozen_for: Option<u32>,
    /// Whether the switch has been polled again for these records.
    pub(super) polled_again: bool,
    /// Slots that the switch had exported at the freeze.
    pub(super) evictions: u32,
    /// Whether only the switch's freeze state refers to the event, because its digest was lost.
    pub(super) report_lost: bool,
    pub(super) data: BankData,
}

/// State of a bank's data.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum BankData {
    /// The read is pending.
    #[default]
    Pending,
    /// In the switch's history.
    Collected,
    /// Could not be read, for this reason.
    Failed(String),
}

/// Whether `flow` carries the ACKs of `victim`: in RoCEv2 these are the flows from the victim's destination to its
/// source.
fn is_reverse_of(flow: &FlowKey, victim: &FlowKey) -> bool {
    flow != victim && (flow.src, flow.dst, flow.proto) == (victim.dst, victim.src, victim.proto)
}

impl Part {
    /// Whether a row that `generation` wrote last was written before this part's freeze.
    pub(super) fn includes(&self, generation: u16) -> bool {
        at_or_after(self.generation, generation)
    }

    /// Uses the freeze that `report` describes.
    pub(super) fn take_freeze(&mut self, report: &PollReport) {
        self.generation = report.frozen_generation;
        self.frozen_ns = report.frozen_ns;
        self.evictions = report.evictions;
        let is_of_another = report.frozen_event != report.event && report.frozen_ns < self.asked_ns;
        self.frozen_for = is_of_another.then_some(report.frozen_event);
        self.data = BankData::Pending;
    }
}

impl OpenEvent {
    pub(super) fn new(now_ns: u64) -> OpenEvent {
        OpenEvent {
            victim: None,
            trigger: None,
            opened_ns: now_ns,
            active_ns: now_ns,
            polls: 0,
            parts: BTreeMap::new(),
            audited: BTreeSet::new(),
            priority: None,
            retry_at_ns: None,
            retries: BTreeMap::new(),
        }
    }

    /// The victim: from the trigger, otherwise from the first report.
    pub(super) fn victim_flow(&self) -> Option<FlowKey> {
        self.trigger.as_ref().map(|trigger| trigger.flow).or(self.victim)
    }

    /// Adds the report of a switch.
    pub(super) fn report(&mut self, now_ns: u64, switch: &str, report: &PollReport) {
        self.polls += 1;
        self.active_ns = now_ns;
        let victim = self.victim_flow();
        self.priority = Some(report.priority);
        let is_reverse = victim.is_some_and(|victim| is_reverse_of(&report.victim, &victim));
        if !is_reverse {
            self.victim.get_or_insert(report.victim);
        }
        let is_first = !self.parts.contains_key(switch);
        let part = self.parts.entry(switch.to_string()).or_default();
        part.polled_from.insert(report.ingress_port);
        part.priority = Some(report.priority);
        part.report_lost = false;
        if report.followed & 1 == 1 && is_reverse {
            part.back_port = report.victim_port;
        } else if report.followed & 1 == 1 {
            part.on_victim_path = true;
            part.victim_port = report.victim_port;
        }
        if report.followed & 2 == 2 {
            part.traced_from.insert(report.ingress_port);
        }
        if is_first {
            part.asked_ns = report.time_ns;
        }
        // A later generation of the same event includes the rows of the earlier one.
        if is_first || part.generation != report.frozen_generation {
            part.take_freeze(report);
        }
    }

    /// Adds a switch that is frozen for this event and whose digest was lost.
    pub(super) fn adopt(&mut self, now_ns: u64, switch: &str, lock: &LockState) {
        self.active_ns = now_ns;
        let part = self.parts.entry(switch.to_string()).or_default();
        part.generation = lock.frozen_generation();
        part.frozen_ns = lock.frozen_ns;
        part.evictions = lock.evictions;
        part.report_lost = part.polled_from.is_empty();
        part.data = BankData::Pending;
    }

    /// Whether no read is pending.
    pub(super) fn is_settled(&self) -> bool {
        self.parts.values().all(|part| part.data != BankData::Pending)
    }
}
