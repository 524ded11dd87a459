//! Tables: entries, default actions, direct counters and meters.

use model::Time;

use super::arrays::check_meter;
use super::{
    ActionCall, ControlPlane, CounterValue, EntryAction, EntryKey, MarkedCounts, MeterConfig, ObjectRef,
    Result, TableEntry,
};
use crate::error::ControlError;
use crate::table::entries::Entry;
use crate::table::{EntryTarget, Table};

impl ControlPlane<'_> {
    fn table_index(&self, reference: ObjectRef<'_>) -> Result<usize> {
        self.find("table", |p| p.tables.iter().map(|t| &t.preamble).collect(), reference)
    }

    fn table(&self, reference: ObjectRef<'_>) -> Result<&Table> {
        let at = self.table_index(reference)?;
        self.loaded()?.state.tables.get(at).ok_or_else(|| ControlError::not_found("table"))
    }

    fn table_mut(&mut self, reference: ObjectRef<'_>) -> Result<&mut Table> {
        let at = self.table_index(reference)?;
        self.state()?.tables.get_mut(at).ok_or_else(|| ControlError::not_found("table"))
    }

    /// Adds an entry.
    pub fn table_insert<'r>(&mut self, table: impl Into<ObjectRef<'r>>, entry: TableEntry) -> Result<()> {
        let reference = table.into();
        let target = self.check_entry(reference, &entry)?;
        let (now, timeout) = (self.now, entry.idle_timeout);
        self.table_mut(reference)?.insert(now, TableEntry { is_const: false, ..entry }, target)?;
        self.schedule_idle_scan(timeout);
        Ok(())
    }

    /// Replaces the action, timeout and metadata of an entry.
    pub fn table_modify<'r>(&mut self, table: impl Into<ObjectRef<'r>>, entry: TableEntry) -> Result<()> {
        let reference = table.into();
        let target = self.check_entry(reference, &entry)?;
        let (now, timeout) = (self.now, entry.idle_timeout);
        let table = self.table_mut(reference)?;
        reject_const_entry(table, &entry.key)?;
        table.modify(now, TableEntry { is_const: false, ..entry }, target)?;
        self.schedule_idle_scan(timeout);
        Ok(())
    }

    /// Removes an entry.
    pub fn table_delete<'r>(&mut self, table: impl Into<ObjectRef<'r>>, key: &EntryKey) -> Result<()> {
        let table = self.table_mut(table.into())?;
        reject_const_table(table)?;
        reject_const_entry(table, key)?;
        let id = table.find(key)?;
        table.remove(id);
        Ok(())
    }

    /// Removes all entries that are not constant.
    pub fn table_clear<'r>(&mut self, table: impl Into<ObjectRef<'r>>) -> Result<()> {
        let table = self.table_mut(table.into())?;
        reject_const_table(table)?;
        for id in 0..table.entries.len() as u32 {
            if table.get(id).is_some_and(|e| !e.shown.is_const) {
                table.remove(id);
            }
        }
        Ok(())
    }

    /// Returns one entry.
    pub fn table_entry<'r>(&self, table: impl Into<ObjectRef<'r>>, key: &EntryKey) -> Result<&TableEntry> {
        Ok(&self.entry(table.into(), key)?.shown)
    }

    /// Returns all entries.
    pub fn table_entries<'r>(
        &self,
        table: impl Into<ObjectRef<'r>>,
    ) -> Result<impl Iterator<Item = &TableEntry>> {
        Ok(self.table(table.into())?.iter().map(|e| &e.shown))
    }

    /// Returns the number of entries.
    pub fn table_len<'r>(&self, table: impl Into<ObjectRef<'r>>) -> Result<usize> {
        Ok(self.table(table.into())?.len())
    }

    /// Returns the time since an entry last matched, was added or was modified.
    pub fn time_since_hit<'r>(&self, table: impl Into<ObjectRef<'r>>, key: &EntryKey) -> Result<Time> {
        Ok(self.now.saturating_sub(self.entry(table.into(), key)?.last_hit))
    }

    /// Returns the default action.
    pub fn default_action<'r>(&self, table: impl Into<ObjectRef<'r>>) -> Result<ActionCall> {
        let table = self.table(table.into())?;
        Ok(table.shown_call(&table.default))
    }

    /// Sets the default action; `None` restores the one of the program.
    pub fn set_default_action<'r>(
        &mut self,
        table: impl Into<ObjectRef<'r>>,
        call: Option<&ActionCall>,
    ) -> Result<()> {
        let table = self.table_mut(table.into())?;
        let ready = match call {
            Some(call) => table.resolve(call, false)?,
            None => table.initial_default.clone(),
        };
        if table.const_default && ready != table.default {
            return Err(ControlError::Constant { what: format!("default action of table {}", table.name) });
        }
        table.default = ready;
        Ok(())
    }

    /// Reads the direct counter of an entry, or of the default action (`None`).
    pub fn direct_counter<'r>(
        &self,
        table: impl Into<ObjectRef<'r>>,
        key: Option<&EntryKey>,
    ) -> Result<CounterValue> {
        let reference = table.into();
        self.check_direct(reference, "counter")?;
        match key {
            Some(key) => Ok(self.entry(reference, key)?.counter),
            None => Ok(self.table(reference)?.default_counter),
        }
    }

    /// Sets the direct counter of an entry, or of the default action (`None`).
    pub fn set_direct_counter<'r>(
        &mut self,
        table: impl Into<ObjectRef<'r>>,
        key: Option<&EntryKey>,
        value: CounterValue,
    ) -> Result<()> {
        let reference = table.into();
        self.check_direct(reference, "counter")?;
        match key {
            Some(key) => self.entry_mut(reference, key)?.counter = value,
            None => self.table_mut(reference)?.default_counter = value,
        }
        Ok(())
    }

    /// Reads the settings of the direct meter of an entry, or of the default action (`None`).
    pub fn direct_meter<'r>(
        &self,
        table: impl Into<ObjectRef<'r>>,
        key: Option<&EntryKey>,
    ) -> Result<Option<MeterConfig>> {
        let reference = table.into();
        self.check_direct(reference, "meter")?;
        match key {
            Some(key) => Ok(self.entry(reference, key)?.meter.config()),
            None => Ok(self.table(reference)?.default_meter.config()),
        }
    }

    /// Sets or clears the direct meter of an entry, or of the default action (`None`).
    pub fn set_direct_meter<'r>(
        &mut self,
        table: impl Into<ObjectRef<'r>>,
        key: Option<&EntryKey>,
        config: Option<MeterConfig>,
    ) -> Result<()> {
        let reference = table.into();
        check_meter(config)?;
        self.check_direct(reference, "meter")?;
        let now = self.now;
        match key {
            Some(key) => self.entry_mut(reference, key)?.meter.configure(config, now),
            None => self.table_mut(reference)?.default_meter.configure(config, now),
        }
        Ok(())
    }

    /// Reads the per-colour counters of the direct meter of an entry, or of the default action (`None`).
    pub fn direct_meter_marked<'r>(
        &self,
        table: impl Into<ObjectRef<'r>>,
        key: Option<&EntryKey>,
    ) -> Result<MarkedCounts> {
        let reference = table.into();
        self.check_direct(reference, "meter")?;
        match key {
            Some(key) => Ok(self.entry(reference, key)?.meter.marked),
            None => Ok(self.table(reference)?.default_meter.marked),
        }
    }

    /// Sets the per-colour counters of the direct meter of an entry, or of the default action (`None`).
    pub fn set_direct_meter_marked<'r>(
        &mut self,
        table: impl Into<ObjectRef<'r>>,
        key: Option<&EntryKey>,
        marked: MarkedCounts,
    ) -> Result<()> {
        let reference = table.into();
        self.check_direct(reference, "meter")?;
        match key {
            Some(key) => self.entry_mut(reference, key)?.meter.marked = marked,
            None => self.table_mut(reference)?.default_meter.marked = marked,
        }
        Ok(())
    }

    /// Schedules a scan for idle entries when this timeout has passed.
    fn schedule_idle_scan(&mut self, timeout: Option<Time>) {
        if let Some(timeout) = timeout {
            let due = Time(self.now.0.saturating_add(timeout.0));
            *self.idle_check = Some(self.idle_check.map_or(due, |at| at.min(due)));
        }
    }

    fn entry(&self, table: ObjectRef<'_>, key: &EntryKey) -> Result<&Entry> {
        let table = self.table(table)?;
        let id = table.find(key)?;
        table.get(id).ok_or_else(|| ControlError::not_found("entry"))
    }

    fn entry_mut(&mut self, table: ObjectRef<'_>, key: &EntryKey) -> Result<&mut Entry> {
        let table = self.table_mut(table)?;
        let id = table.find(key)?;
        table.get_mut(id).ok_or_else(|| ControlError::not_found("entry"))
    }

    fn check_direct(&self, table: ObjectRef<'_>, kind: &str) -> Result<()> {
        let at = self.table_index(table)?;
        let source = self.loaded()?.program.tables.get(at);
        let has = source.is_some_and(|t| match kind {
            "counter" => t.direct_counter.is_some(),
            _ => t.direct_meter.is_some(),
        });
        if has { Ok(()) } else { Err(ControlError::not_found(format!("direct {kind} of table {table}"))) }
    }

    /// Checks an entry to be added or modified, except its key.
    fn check_entry(&self, reference: ObjectRef<'_>, entry: &TableEntry) -> Result<EntryTarget> {
        let table = self.table(reference)?;
        reject_const_table(table)?;
        if table.shape.needs_priority() && entry.key.priority <= 0 {
            return Err(ControlError::invalid(
                "priority",
                "must be positive: the key has a ternary, range or optional component",
            ));
        }
        let source = self.table_index(reference)?;
        let may_time_out = self.loaded()?.program.tables.get(source).is_some_and(|t| t.idle_timeout);
        if entry.idle_timeout.is_some() && !may_time_out {
            return Err(ControlError::invalid("idle_timeout_ns", "the table does not support timeouts"));
        }
        let target = table.target(&entry.action)?;
        let profile = table.implementation.and_then(|p| self.loaded.as_ref()?.state.profiles.get(p));
        if let Some(profile) = profile {
            match &entry.action {
                EntryAction::Member(id) if !profile.members.contains_key(id) => {
                    return Err(ControlError::not_found(format!("member {id} of {}", profile.name)));
                }
                EntryAction::Group(id) if !profile.groups.contains_key(id) => {
                    return Err(ControlError::not_found(format!("group {id} of {}", profile.name)));
                }
                EntryAction::OneShot(_) | EntryAction::OneShotRandom(_) if profile.selector.is_none() => {
                    return Err(ControlError::invalid(
                        "action",
                        format!("{} is not a selector", profile.name),
                    ));
                }
                _ => {}
            }
        }
        Ok(target)
    }
}

fn reject_const_table(table: &Table) -> Result<()> {
    if table.const_entries {
        return Err(ControlError::Constant { what: format!("table {}", table.name) });
    }
    Ok(())
}

fn reject_const_entry(table: &Table, key: &EntryKey) -> Result<()> {
    let id = table.find(key)?;
    if table.get(id).is_some_and(|e| e.shown.is_const) {
        return Err(ControlError::Constant { what: format!("entry of table {}", table.name) });
    }
    Ok(())
}
