//! Full polling: the telemetry of every switch at one instant, read without freezing.
//!
//! This is the upper bound in Hawkeye's evaluation (SIGCOMM 2025): every switch is read, on the pause path or not. The
//! driver must stop the switches while it reads them, as the simulated fabric does. The result holds the records of
//! both banks; rows that earlier collections have read are added from the history.

use std::collections::BTreeMap;

use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::{MissingData, Snapshot, SwitchTelemetry, Trigger};

use crate::layout::{ReadError, RegisterRows};

use super::collector::Collector;
use super::merge::merge;
use super::open_event::Part;
use super::settings::CollectSettings;
use super::switch::Switch;

impl Collector {
    /// Full names of the registers that [`Collector::survey`] needs; empty for an unknown switch.
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

    /// Returns a snapshot of the registers that were read at `now_ns`. Incomplete reads are listed under `missing`.
    /// Does not change the state of the collector.
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
            match survey_switch(name, switch, now_ns, rows, &self.settings) {
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
            events: Vec::new(),
            jobs: Vec::new(),
        }
    }
}

/// Telemetry of one switch: earlier collections, and the current rows of both banks.
fn survey_switch(
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
