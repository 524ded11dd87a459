//! What is known about one event.

use std::collections::{BTreeMap, BTreeSet};

use model::{FlowKey, Trigger};

use crate::layout::{LockState, PollReport, at_or_after};

/// An event whose snapshot has not been emitted.
#[derive(Clone, Debug)]
pub(super) struct Event {
    pub(super) victim: Option<FlowKey>,
    pub(super) trigger: Option<Trigger>,
    pub(super) opened_ns: u64,
    /// When a switch last reported.
    pub(super) active_ns: u64,
    pub(super) polls: u64,
    pub(super) parts: BTreeMap<String, Part>,
    /// Switches whose lock has been looked at because no report came.
    pub(super) audited: BTreeSet<String>,
    /// Class of the victim's data, once somebody has said it.
    pub(super) priority: Option<u8>,
    /// When to look for questions that got lost; absent: not before there is news.
    pub(super) look_at_ns: Option<u64>,
    /// Questions that the controller has asked itself: switch, port and flow, and how often.
    pub(super) asked: BTreeMap<(String, u16, FlowKey), u32>,
}

/// One switch's part in an event.
#[derive(Clone, Debug, Default)]
pub(super) struct Part {
    pub(super) polled_from: BTreeSet<u16>,
    /// Ports from which pauses were to be followed.
    pub(super) traced_from: BTreeSet<u16>,
    pub(super) on_victim_path: bool,
    pub(super) victim_port: Option<u16>,
    /// Where answers to the victim leave, if the switch was asked about their way.
    pub(super) back_port: Option<u16>,
    pub(super) priority: Option<u8>,
    /// The frozen generation that holds this event's data.
    pub(super) generation: u16,
    pub(super) frozen_ns: u64,
    /// Set when the bank had been frozen for another event: that event, and when this one asked.
    pub(super) frozen_for: Option<(u32, u64)>,
    /// Exports of the switch at the freeze.
    pub(super) evictions: u32,
    /// Whether this part is known only from the switch's lock.
    pub(super) report_lost: bool,
    pub(super) data: Data,
}

/// Where a part's data is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Data {
    /// Being read.
    #[default]
    Pending,
    /// In the switch's history.
    Collected,
    /// Not to be had.
    Failed(String),
}

/// Whether `flow` carries what answers `victim`: RoCEv2 answers go the other way between the same hosts.
fn answers(flow: &FlowKey, victim: &FlowKey) -> bool {
    flow != victim && (flow.src, flow.dst, flow.proto) == (victim.dst, victim.src, victim.proto)
}

impl Part {
    /// Whether a row that `generation` wrote last had been written before this part's freeze.
    pub(super) fn includes(&self, generation: u16) -> bool {
        at_or_after(self.generation, generation)
    }
}

impl Event {
    pub(super) fn new(now_ns: u64) -> Event {
        Event {
            victim: None,
            trigger: None,
            opened_ns: now_ns,
            active_ns: now_ns,
            polls: 0,
            parts: BTreeMap::new(),
            audited: BTreeSet::new(),
            priority: None,
            look_at_ns: None,
            asked: BTreeMap::new(),
        }
    }

    /// The flow that is asked about.
    pub(super) fn asked_flow(&self) -> Option<FlowKey> {
        self.trigger.as_ref().map(|trigger| trigger.flow).or(self.victim)
    }

    /// Takes a switch's report in.
    pub(super) fn report(&mut self, now_ns: u64, switch: &str, report: &PollReport) {
        self.polls += 1;
        self.active_ns = now_ns;
        let asked = self.asked_flow();
        self.priority = Some(report.priority);
        let is_back = asked.is_some_and(|victim| answers(&report.victim, &victim));
        if !is_back {
            self.victim.get_or_insert(report.victim);
        }
        let is_first = !self.parts.contains_key(switch);
        let part = self.parts.entry(switch.to_string()).or_default();
        part.polled_from.insert(report.ingress_port);
        part.priority = Some(report.priority);
        part.report_lost = false;
        if report.followed & 1 == 1 && is_back {
            part.back_port = report.victim_port;
        } else if report.followed & 1 == 1 {
            part.on_victim_path = true;
            part.victim_port = report.victim_port;
        }
        if report.followed & 2 == 2 {
            part.traced_from.insert(report.ingress_port);
        }
        // A later generation of the same event includes what the earlier one held.
        if is_first || part.generation != report.frozen_generation {
            part.generation = report.frozen_generation;
            part.frozen_ns = report.frozen_ns;
            part.evictions = report.evictions;
            part.frozen_for =
                (report.frozen_event != report.event).then_some((report.frozen_event, report.time_ns));
            part.data = Data::Pending;
        }
    }

    /// Takes in that a switch is locked for this event without having said so.
    pub(super) fn adopt(&mut self, now_ns: u64, switch: &str, lock: &LockState) {
        self.active_ns = now_ns;
        let part = self.parts.entry(switch.to_string()).or_default();
        part.generation = lock.frozen_generation();
        part.frozen_ns = lock.frozen_ns;
        part.evictions = lock.evictions;
        part.report_lost = part.polled_from.is_empty();
        part.data = Data::Pending;
    }

    /// Whether no part is being read.
    pub(super) fn is_settled(&self) -> bool {
        self.parts.values().all(|part| part.data != Data::Pending)
    }
}
