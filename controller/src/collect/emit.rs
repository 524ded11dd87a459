//! Snapshots of events.

use std::collections::BTreeMap;

use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::{MissingData, Snapshot, SwitchTelemetry};

use super::Command;
use super::collector::{ClosedEvent, Collector};
use super::expect::{Known, victim_path};
use super::merge::merge;
use super::open_event::{BankData, OpenEvent};

/// Maximum number of closed events that are remembered, so that late reports do not reopen them.
const MAX_CLOSED: usize = 4_096;

impl Collector {
    /// Returns the telemetry of the event's switches by name, and the missing data. `unread` is the reason for switches
    /// whose read is pending.
    pub(super) fn telemetry(
        &self,
        event: &OpenEvent,
        unread: &str,
    ) -> (BTreeMap<String, SwitchTelemetry>, Vec<MissingData>) {
        let mut telemetry = BTreeMap::new();
        let mut missing = Vec::new();
        for (name, part) in &event.parts {
            let merged = self.switches.get(name).and_then(|switch| merge(name, switch, part, &self.settings));
            match (merged, &part.data) {
                (Some(merged), _) => {
                    missing.extend(merged.missing);
                    telemetry.insert(name.clone(), merged.telemetry);
                }
                (None, data) => {
                    let why = if let BankData::Failed(why) = data { why } else { unread };
                    missing.push(MissingData::Unread { switch: name.clone(), why: why.to_string() });
                }
            }
        }
        (telemetry, missing)
    }

    /// The reports and telemetry of an event.
    pub(super) fn known<'c>(
        &'c self,
        event: &'c OpenEvent,
        telemetry: &'c BTreeMap<String, SwitchTelemetry>,
    ) -> Known<'c> {
        Known { topology: &self.topology, event, telemetry, switches: &self.switches }
    }

    /// Emits the snapshot of event `id`. `unread` is the reason for switches whose read is pending.
    pub(super) fn emit(&mut self, now_ns: u64, id: u32, unread: &str, commands: &mut Vec<Command>) {
        let Some(event) = self.events.remove(&id) else { return };
        let victim = event.victim_flow();
        let (mut telemetry, mut missing) = self.telemetry(&event, unread);
        for (switch, why) in self.known(&event, &telemetry).missing_switches() {
            missing.push(match self.switches.contains_key(&switch) {
                true => MissingData::NoReport { switch, why },
                false => MissingData::NoProgram { switch, why },
            });
        }
        if let Some(victim) = &event.victim {
            for name in victim_path(&self.topology, &event, victim) {
                let is_unsure = event.parts.get(&name).is_some_and(|part| part.report_lost);
                if let Some(part) = telemetry.get_mut(&name).filter(|_| is_unsure) {
                    part.on_victim_path = true;
                }
            }
        }
        missing.iter_mut().for_each(|missing| self.name_victim(missing));
        missing.sort();
        missing.dedup();
        let layouts = telemetry.keys().filter_map(|name| self.switches.get(name));
        let epoch_ns = layouts.chain(self.switches.values()).map(|s| s.layout.epoch_ns()).next().unwrap_or(0);
        commands.push(Command::Emit(Box::new(Snapshot {
            format: SNAPSHOT_FORMAT,
            event: id,
            source: Source::Harrier,
            victim: event.victim,
            trigger: event.trigger,
            epoch_ns,
            switches: telemetry.into_values().collect(),
            missing,
            polls: event.polls,
            configuration: Vec::new(),
            losses: Vec::new(),
            events: Vec::new(),
            jobs: Vec::new(),
        })));
        self.stats.snapshots += 1;
        self.closed.insert(id, ClosedEvent { at_ns: now_ns, victim });
        while self.closed.len() > MAX_CLOSED {
            let Some(oldest) = self.closed.iter().min_by_key(|(_, closed)| closed.at_ns).map(|(id, _)| *id)
            else {
                break;
            };
            self.closed.remove(&oldest);
        }
    }
}
