//! Full polling: what every switch holds at one instant, read without freezing anything.
//!
//! The upper bound that Hawkeye's evaluation compares with (SIGCOMM 2025): every switch is read, whether anything leads
//! there or not. A driver that holds the switches still while it reads, as the simulated fabric can, gets the records of
//! both banks as they stand; what earlier collections took out of the registers is added from the history.

use std::collections::BTreeMap;

use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::{MissingData, Snapshot, SwitchTelemetry, Trigger};

use crate::layout::{ReadError, RegisterRows};

use super::collector::Collector;
use super::event::Part;
use super::merge::merge;
use super::settings::CollectSettings;
use super::switch::Switch;

impl Collector {
    /// Full names of the registers that [`Collector::survey`] needs of a switch; none for a switch that is not known.
    pub fn survey_registers(&self, switch: &str) -> Vec<String> {
        let Some(known) = self.switches.get(switch) else { return Vec::new() };
        let mut names: Vec<String> = Vec::new();
        for name in (0..2).flat_map(|bank| known.layout.bank_registers(bank)) {
            if !names.iter().any(|known| known == name) {
                names.push(name.to_string());
            }
        }
        names
    }

    /// What was read of the switches at `now_ns`, as a snapshot. A switch whose reading lacks something is named under
    /// `missing`. Nothing that the collector does later is changed by it.
    pub fn survey(
        &self,
        now_ns: u64,
        event: u32,
        trigger: &Trigger,
        readings: &BTreeMap<String, Vec<RegisterRows>>,
    ) -> Snapshot {
        let mut switches: Vec<SwitchTelemetry> = Vec::new();
        let mut missing: Vec<MissingData> = Vec::new();
        for (name, rows) in readings {
            let Some(switch) = self.switches.get(name) else { continue };
            match as_it_stands(name, switch, now_ns, rows, &self.settings) {
                Ok((telemetry, gaps)) => {
                    switches.extend(telemetry);
                    missing.extend(gaps);
                }
                Err(error) => {
                    missing.push(MissingData::Unread { switch: name.clone(), why: error.to_string() })
                }
            }
        }
        missing.sort();
        missing.dedup();
        let epoch_ns = self.switches.values().map(|switch| switch.layout.epoch_ns()).next().unwrap_or(0);
        Snapshot {
            format: SNAPSHOT_FORMAT,
            event,
            source: Source::Harrier,
            victim: Some(trigger.flow),
            trigger: Some(trigger.clone()),
            epoch_ns,
            switches,
            missing,
            polls: 0,
            configuration: Vec::new(),
            losses: Vec::new(),
            jobs: Vec::new(),
        }
    }
}

/// One switch: what was collected of it before, and what stands in both banks now.
fn as_it_stands(
    name: &str,
    switch: &Switch,
    now_ns: u64,
    rows: &[RegisterRows],
    settings: &CollectSettings,
) -> Result<(Option<SwitchTelemetry>, Vec<MissingData>), ReadError> {
    let mut switch = switch.clone();
    let lock = switch.layout.read_lock(rows)?;
    let frozen = switch.layout.read_uncollected(rows, lock.frozen_generation())?;
    let active = switch.layout.read_uncollected(rows, lock.generation)?;
    if lock.generation != 0 {
        switch.collected(frozen, settings);
    }
    switch.collected(active, settings);
    let part =
        Part { generation: lock.generation, frozen_ns: now_ns, evictions: lock.evictions, ..Part::default() };
    Ok(match merge(name, &switch, &part, settings) {
        Some(merged) => (Some(merged.telemetry), merged.missing),
        None => (None, Vec::new()),
    })
}
