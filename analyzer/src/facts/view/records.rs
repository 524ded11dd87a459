//! What a snapshot has apart from the records of ports: its kind, losses, link events, configuration findings, jobs, and
//! what the collection reports as missing. Later stages read these, never the snapshot.

use std::collections::BTreeSet;

use model::diagnosis::Collected;
use model::snapshot::Source;
use model::{ConfigFinding, FlowKey, Job, LossRecord, MissingData, NetworkEvent, Snapshot, Trigger};

use super::{Classes, View, saturating};

/// Returns the sets of priorities to analyse, one after the other. Pauses and queues are per priority, so only the
/// victim's priority counts. It has several if switches map its code point differently.
pub(crate) fn classes(snapshot: &Snapshot) -> Vec<Classes> {
    let victim = snapshot.victim.or_else(|| snapshot.trigger.as_ref().map(|t| t.flow));
    let flows = || snapshot.switches.iter().flat_map(|s| &s.flows);
    let of_flows: BTreeSet<u8> =
        flows().filter(|f| victim.is_none_or(|v| v == f.flow)).filter_map(|f| f.priority).collect();
    if victim.is_some() {
        return vec![if of_flows.is_empty() { Classes::ALL } else { of_flows.into_iter().collect() }];
    }
    let of_pauses = snapshot.switches.iter().flat_map(|s| &s.pauses).map(|p| p.priority);
    let all: BTreeSet<u8> = of_flows.into_iter().chain(of_pauses).collect();
    if all.is_empty() {
        vec![Classes::ALL]
    } else {
        all.into_iter().map(|c| Classes::from_iter([c])).collect()
    }
}

impl<'a> View<'a> {
    /// Returns the facts of the same snapshot over all priorities.
    pub(crate) fn of_all_classes(&self) -> View<'a> {
        View::new(self.snapshot, self.index, Classes::ALL, self.settings)
    }

    /// Returns the facts of the same snapshot over the other priorities; `None` if there are none.
    pub(crate) fn of_other_classes(&self) -> Option<View<'a>> {
        Some(View::new(self.snapshot, self.index, self.classes.others()?, self.settings))
    }

    /// Which program recorded the snapshot: some records mean different things.
    pub(crate) fn source(&self) -> Source {
        self.snapshot.source
    }

    /// What the agent measured; absent in dumps, and for a victim given by hand.
    pub(crate) fn trigger(&self) -> Option<&'a Trigger> {
        self.snapshot.trigger.as_ref()
    }

    /// Returns by how much a time of a switch may be wrong: the largest stated error of a clock.
    pub(crate) fn clock_error_ns(&self) -> u64 {
        self.snapshot.switches.iter().filter_map(|switch| switch.clock_error_ns).max().unwrap_or(0)
    }

    /// Packets that switches lost, with the reason.
    pub(crate) fn losses(&self) -> &'a [LossRecord] {
        &self.snapshot.losses
    }

    /// Changes of links and routes.
    pub(crate) fn events(&self) -> &'a [NetworkEvent] {
        &self.snapshot.events
    }

    /// Findings of the configuration check at switches of the event.
    pub(crate) fn configuration(&self) -> &'a [ConfigFinding] {
        &self.snapshot.configuration
    }

    /// Jobs with transfers near the event.
    pub(crate) fn jobs(&self) -> &'a [Job] {
        &self.snapshot.jobs
    }

    /// What the collection could not get.
    pub(crate) fn missing(&self) -> &'a [MissingData] {
        &self.snapshot.missing
    }

    /// The number of the event that the snapshot is about.
    pub(crate) fn event(&self) -> u32 {
        self.snapshot.event
    }

    /// The size of the snapshot.
    pub(crate) fn collected(&self) -> Collected {
        Collected {
            switches: self.switches.len() as u64,
            bytes: saturating(self.snapshot.switches.iter().map(|switch| switch.bytes)),
            polls: self.snapshot.polls,
        }
    }

    /// When the last switch was read.
    pub(crate) fn read_ns(&self) -> u64 {
        self.snapshot.switches.iter().map(|switch| switch.frozen_ns).max().unwrap_or(0)
    }

    /// Whether any switch has a record of a flow, of any priority.
    pub(crate) fn is_recorded(&self, flow: FlowKey) -> bool {
        let mut records = self.snapshot.switches.iter().flat_map(|switch| &switch.flows);
        records.any(|record| record.flow == flow)
    }
}
