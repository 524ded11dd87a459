//! Table entries.
//!
//! Source: P4Runtime specification, "TableEntry".

use super::action::{self, Use};
use super::direct::{counter_data, counter_value, marked_message, marked_value, meter_config, meter_message};
use super::matching::{self, Field};
use super::{Target, profile, wrap};
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, table_action, update::Type};
use crate::server::as_written::EntryNotes;
use crate::server::pipeline::matched_keys;
use crate::server::read::Output;
use model::Time;
use p4_lang::ir::{self, MatchKind};
use p4_switch::control::{
    ActionCall, CounterValue, EntryAction, EntryKey, MarkedCounts, MeterConfig, TableEntry,
};

/// The fields of a table's key.
pub(crate) fn fields(table: &ir::Table) -> Vec<Field<'_>> {
    matched_keys(table)
        .map(|key| Field {
            id: key.id,
            name: &key.name,
            width: key.expr.ty.width(),
            kind: key.match_kind,
            type_name: key.type_name.as_ref(),
        })
        .collect()
}

fn needs_priority(table: &ir::Table) -> bool {
    matched_keys(table)
        .any(|key| matches!(key.match_kind, MatchKind::Ternary | MatchKind::Range | MatchKind::Optional))
}

/// Decodes the key of an entry: its match fields and priority.
pub(crate) fn key(
    target: &Target<'_>,
    table: &ir::Table,
    entry: &v1::TableEntry,
) -> Result<EntryKey, Refusal> {
    let matches = matching::decode(target.pipeline, &fields(table), &entry.r#match)?;
    match (needs_priority(table), entry.priority) {
        (true, priority) if priority <= 0 => {
            Err(Refusal::invalid("priority must be positive: the key has a ternary, range or optional field"))
        }
        (false, priority) if priority != 0 => {
            Err(Refusal::invalid("priority must be 0: no field of the key needs one"))
        }
        (_, priority) => Ok(EntryKey { matches, priority }),
    }
}

pub(crate) fn write(target: &mut Target<'_>, kind: Type, entry: &v1::TableEntry) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let (_, table) = pipeline.table(entry.table_id)?;
    if entry.is_const {
        return Err(Refusal::invalid("is_const can only be read"));
    }
    if kind == Type::Delete && !entry.is_default_action {
        let key = key(target, table, entry)?;
        target.control.table_delete(entry.table_id, &key)?;
        target.as_written.set_notes(entry.table_id, Some(&key), EntryNotes::default());
        return Ok(());
    }
    check_common(table, entry)?;
    if entry.is_default_action {
        return write_default(target, kind, table, entry);
    }
    if matched_keys(table).next().is_none() {
        return Err(Refusal::invalid(format!(
            "table {} has no key and takes no entries",
            table.preamble.name
        )));
    }
    match kind {
        Type::Insert => insert(target, table, entry),
        _ => modify(target, table, entry),
    }
}

/// Checks that apply to all entries.
fn check_common(table: &ir::Table, entry: &v1::TableEntry) -> Result<(), Refusal> {
    if entry.time_since_last_hit.is_some() {
        return Err(Refusal::invalid("time_since_last_hit can only be read"));
    }
    check_idle(table, entry)?;
    if entry.counter_data.is_some() && table.direct_counter.is_none() {
        return Err(Refusal::invalid(format!("table {} has no direct counter", table.preamble.name)));
    }
    if entry.meter_config.is_some() && table.direct_meter.is_none() {
        return Err(Refusal::invalid(format!("table {} has no direct meter", table.preamble.name)));
    }
    if entry.meter_counter_data.is_some() && table.direct_meter.is_none() {
        return Err(Refusal::invalid(format!("table {} has no direct meter", table.preamble.name)));
    }
    marked_value(entry.meter_counter_data.as_ref()).map(drop)
}

fn check_idle(table: &ir::Table, entry: &v1::TableEntry) -> Result<(), Refusal> {
    let requested = entry.idle_timeout_ns != 0 || entry.time_since_last_hit.is_some();
    if requested && (!table.idle_timeout || entry.is_default_action) {
        let what = if entry.is_default_action { "the default entry of table" } else { "table" };
        return Err(Refusal::invalid(format!("{what} {} does not support timeouts", table.preamble.name)));
    }
    if entry.idle_timeout_ns < 0 {
        return Err(Refusal::invalid("idle_timeout_ns is negative"));
    }
    Ok(())
}

/// Maximum timeout in the switch (53 days), so that no sum of times overflows.
const LONGEST_TIMEOUT: Time = Time(u64::MAX / 4);

/// Returns the timeout for the switch, and the written value if it exceeds the maximum (otherwise 0).
fn idle_timeout(entry: &v1::TableEntry) -> (Option<Time>, i64) {
    let nanoseconds = u64::try_from(entry.idle_timeout_ns).unwrap_or(0);
    let timeout = Time(nanoseconds.saturating_mul(1_000));
    match nanoseconds {
        0 => (None, 0),
        _ if timeout > LONGEST_TIMEOUT => (Some(LONGEST_TIMEOUT), entry.idle_timeout_ns),
        _ => (Some(timeout), 0),
    }
}

/// The direct resources of an entry.
struct Resources {
    meter: Option<MeterConfig>,
    counter: Option<CounterValue>,
    marked: Option<MarkedCounts>,
}

impl Resources {
    fn decode(entry: &v1::TableEntry) -> Result<Resources, Refusal> {
        Ok(Resources {
            meter: entry.meter_config.as_ref().map(meter_config).transpose()?,
            counter: entry.counter_data.as_ref().map(counter_value).transpose()?,
            marked: marked_value(entry.meter_counter_data.as_ref())?,
        })
    }
}

/// Modifies the direct resources of an entry, or of the default entry if `key` is `None`. A meter without configuration
/// is reset; counters that are not given stay.
fn set_resources(
    target: &mut Target<'_>,
    table: &ir::Table,
    key: Option<&EntryKey>,
    resources: Resources,
) -> Result<(), Refusal> {
    let id = table.preamble.id;
    if table.direct_meter.is_some() {
        target.control.set_direct_meter(id, key, resources.meter)?;
    }
    if let Some(counter) = resources.counter {
        target.control.set_direct_counter(id, key, counter)?;
    }
    if let Some(marked) = resources.marked {
        target.control.set_direct_meter_marked(id, key, marked)?;
    }
    Ok(())
}

fn insert(target: &mut Target<'_>, table: &ir::Table, entry: &v1::TableEntry) -> Result<(), Refusal> {
    if table.const_entries {
        return Err(constant(table));
    }
    let key = key(target, table, entry)?;
    let Some(wire) = entry.action.as_ref() else {
        return Err(Refusal::invalid("the action is not set; a new entry needs one"));
    };
    let (action, mut notes) = decode_action(target, table, wire)?;
    let resources = Resources::decode(entry)?;
    let (timeout, long_timeout_ns) = idle_timeout(entry);
    target.control.table_insert(
        entry.table_id,
        TableEntry {
            key: key.clone(),
            action,
            idle_timeout: timeout,
            metadata: entry.metadata.clone(),
            is_const: false,
        },
    )?;
    if let Some(meter) = resources.meter {
        target.control.set_direct_meter(entry.table_id, Some(&key), Some(meter))?;
    }
    if let Some(counter) = resources.counter {
        target.control.set_direct_counter(entry.table_id, Some(&key), counter)?;
    }
    notes.controller_metadata = old_cookie(entry);
    notes.long_timeout_ns = long_timeout_ns;
    target.as_written.set_notes(entry.table_id, Some(&key), notes);
    Ok(())
}

fn modify(target: &mut Target<'_>, table: &ir::Table, entry: &v1::TableEntry) -> Result<(), Refusal> {
    let key = key(target, table, entry)?;
    let existing = target.control.table_entry(entry.table_id, &key)?.clone();
    let resources = Resources::decode(entry)?;
    let fixed = table.const_entries || existing.is_const;
    let only_resources = entry.action.is_none()
        && entry.metadata.is_empty()
        && old_cookie(entry) == 0
        && entry.idle_timeout_ns == 0;
    if fixed && !only_resources {
        return Err(constant(table));
    }
    if !fixed {
        let mut notes = target.as_written.notes(entry.table_id, Some(&key));
        let action = match entry.action.as_ref() {
            None => existing.action,
            Some(wire) => {
                let (action, new_notes) = decode_action(target, table, wire)?;
                notes = new_notes;
                action
            }
        };
        notes.controller_metadata = old_cookie(entry);
        let (timeout, long_timeout_ns) = idle_timeout(entry);
        notes.long_timeout_ns = long_timeout_ns;
        target.control.table_modify(
            entry.table_id,
            TableEntry {
                key: key.clone(),
                action,
                idle_timeout: timeout,
                metadata: entry.metadata.clone(),
                is_const: false,
            },
        )?;
        target.as_written.set_notes(entry.table_id, Some(&key), notes);
    }
    set_resources(target, table, Some(&key), resources)
}

fn write_default(
    target: &mut Target<'_>,
    kind: Type,
    table: &ir::Table,
    entry: &v1::TableEntry,
) -> Result<(), Refusal> {
    if kind != Type::Modify {
        return Err(Refusal::invalid("a default entry can only be modified"));
    }
    if !entry.r#match.is_empty() || entry.priority != 0 {
        return Err(Refusal::invalid("a default entry has neither match fields nor a priority"));
    }
    let resources = Resources::decode(entry)?;
    let requested = entry.action.as_ref().and_then(|action| action.r#type.as_ref());
    let more_than_resources = requested.is_some() || !entry.metadata.is_empty() || old_cookie(entry) != 0;
    if table.const_default && more_than_resources {
        let name = &table.preamble.name;
        return Err(Refusal::denied(format!("the default action of table {name} is constant")));
    }
    let call = match requested {
        None => None,
        Some(table_action::Type::Action(wire)) => {
            if table.implementation.is_some() {
                return Err(Refusal::denied(
                    "the default action of a table with an action profile is constant",
                ));
            }
            Some(action::decode(target.pipeline, table, wire, Use::Default)?)
        }
        Some(_) => return Err(Refusal::invalid("a default entry needs an action, not a member or group")),
    };
    target.control.set_default_action(entry.table_id, call.as_ref())?;
    set_resources(target, table, None, resources)?;
    let notes = match call {
        None => EntryNotes::default(),
        Some(_) => EntryNotes {
            controller_metadata: old_cookie(entry),
            metadata: entry.metadata.clone(),
            ..EntryNotes::default()
        },
    };
    target.as_written.set_notes(entry.table_id, None, notes);
    Ok(())
}

fn decode_action(
    target: &Target<'_>,
    table: &ir::Table,
    wire: &v1::TableAction,
) -> Result<(EntryAction, EntryNotes), Refusal> {
    use table_action::Type as Wire;
    let Some(wire) = wire.r#type.as_ref() else { return Err(Refusal::invalid("the action is not set")) };
    let mismatch = |what: &str| Err(Refusal::invalid(format!("table {} takes {what}", table.preamble.name)));
    let profile = table.implementation.and_then(|id| target.pipeline.program.action_profiles.get(id.index()));
    let action = match (profile, wire) {
        (None, Wire::Action(wire)) => {
            EntryAction::Direct(action::decode(target.pipeline, table, wire, Use::Entry)?)
        }
        (None, _) => return mismatch("actions, not members or groups"),
        (Some(_), Wire::Action(_)) => {
            return mismatch("members or groups of its action profile, not actions");
        }
        (Some(_), Wire::ActionProfileMemberId(0)) => {
            return Err(Refusal::invalid("the member id is not set"));
        }
        (Some(_), Wire::ActionProfileMemberId(id)) => EntryAction::Member(*id),
        (Some(profile), _) if profile.selector.is_none() => {
            return mismatch("members: its action profile has no selector");
        }
        (Some(_), Wire::ActionProfileGroupId(0)) => return Err(Refusal::invalid("the group id is not set")),
        (Some(_), Wire::ActionProfileGroupId(id)) => EntryAction::Group(*id),
        (Some(profile), Wire::ActionProfileActionSet(set)) => {
            let (action, notes) = profile::decode_set(target, table, profile, set)?;
            profile::check_style(target, table, &action)?;
            return Ok((action, notes));
        }
    };
    if profile.is_some() {
        profile::check_style(target, table, &action)?;
    }
    Ok((action, EntryNotes::default()))
}

/// Filter of a read. Its set fields also select the direct resources to return; `action` is an action id.
struct Wanted<'a> {
    filter: &'a v1::TableEntry,
    action: Option<u32>,
}

pub(crate) fn read(
    target: &mut Target<'_>,
    filter: &v1::TableEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let action = match filter.action.as_ref().and_then(|action| action.r#type.as_ref()) {
        None => None,
        Some(table_action::Type::Action(action)) if action.params.is_empty() => Some(action.action_id),
        Some(_) => return Err(Refusal::unimplemented("entries can be filtered by action id alone")),
    };
    let wanted = Wanted { filter, action };
    let pipeline = target.pipeline;
    if filter.table_id != 0 {
        let (_, table) = pipeline.table(filter.table_id)?;
        check_idle(table, filter)?;
        return read_table(target, table, &wanted, out);
    }
    if !filter.r#match.is_empty() || filter.priority != 0 || action.is_some() {
        return Err(Refusal::invalid("a read of all tables cannot be filtered; set table_id"));
    }
    for table in pipeline.program.tables.iter().filter(|table| table.preamble.id != 0) {
        read_table(target, table, &wanted, out)?;
    }
    Ok(())
}

fn read_table(
    target: &mut Target<'_>,
    table: &ir::Table,
    wanted: &Wanted<'_>,
    out: &mut Output,
) -> Result<(), Refusal> {
    let id = table.preamble.id;
    if wanted.filter.is_default_action {
        if !wanted.filter.r#match.is_empty() || wanted.filter.priority != 0 {
            return Err(Refusal::invalid("a default entry has neither match fields nor a priority"));
        }
        let call = target.control.default_action(id)?;
        if let Some(entry) = encode_default(target, table, &call, wanted)? {
            out.push(wrap(Kind::TableEntry(Box::new(entry))));
        }
        return Ok(());
    }
    let matches = match wanted.filter.r#match.as_slice() {
        [] => None,
        given => Some(matching::decode(target.pipeline, &fields(table), given)?),
    };
    let fields = fields(table);
    if let (Some(matches), false) = (&matches, needs_priority(table)) {
        let key = EntryKey { matches: matches.clone(), priority: 0 };
        if let Ok(entry) = target.control.table_entry(id, &key) {
            let entry = encode_entry(target, table, &fields, entry, wanted)?;
            out.extend(entry.map(|entry| wrap(Kind::TableEntry(Box::new(entry)))));
        }
        return Ok(());
    }
    for entry in target.control.table_entries(id)? {
        if matches.as_ref().is_some_and(|matches| *matches != entry.key.matches) {
            continue;
        }
        let entry = encode_entry(target, table, &fields, entry, wanted)?;
        out.extend(entry.map(|entry| wrap(Kind::TableEntry(Box::new(entry)))));
    }
    Ok(())
}

/// Reads one entry with all its direct resources; `None` if it does not exist.
pub(crate) fn read_exact(target: &Target<'_>, entry: &v1::TableEntry) -> Result<Option<v1::Entity>, Refusal> {
    let (_, table) = target.pipeline.table(entry.table_id)?;
    let everything = v1::TableEntry {
        table_id: entry.table_id,
        meter_config: table.direct_meter.map(|_| v1::MeterConfig::default()),
        counter_data: table.direct_counter.map(|_| v1::CounterData::default()),
        meter_counter_data: table.direct_meter.map(|_| v1::MeterCounterData::default()),
        ..v1::TableEntry::default()
    };
    let wanted = Wanted { filter: &everything, action: None };
    let found = if entry.is_default_action {
        let call = target.control.default_action(entry.table_id)?;
        encode_default(target, table, &call, &wanted)?
    } else {
        let key = key(target, table, entry)?;
        match target.control.table_entry(entry.table_id, &key) {
            Ok(found) => encode_entry(target, table, &fields(table), found, &wanted)?,
            Err(_) => None,
        }
    };
    Ok(found.map(|entry| wrap(Kind::TableEntry(Box::new(entry)))))
}

/// Encodes an entry without its action, for idle notifications.
pub(crate) fn describe(target: &Target<'_>, table: &ir::Table, key: &EntryKey) -> Option<v1::TableEntry> {
    let entry = target.control.table_entry(table.preamble.id, key).ok()?;
    let nothing = v1::TableEntry::default();
    let wanted = Wanted { filter: &nothing, action: None };
    let described = encode_entry(target, table, &fields(table), entry, &wanted).ok().flatten()?;
    Some(v1::TableEntry { action: None, ..described })
}

#[allow(deprecated, reason = "the filter and the entry may carry the deprecated cookie")]
fn encode_entry(
    target: &Target<'_>,
    table: &ir::Table,
    fields: &[Field<'_>],
    entry: &TableEntry,
    wanted: &Wanted<'_>,
) -> Result<Option<v1::TableEntry>, Refusal> {
    let (id, key, filter) = (table.preamble.id, &entry.key, wanted.filter);
    let notes = target.as_written.notes(id, Some(key));
    let unwanted = (filter.priority != 0 && filter.priority != key.priority)
        || (!filter.metadata.is_empty() && filter.metadata != entry.metadata)
        || (filter.controller_metadata != 0 && filter.controller_metadata != notes.controller_metadata)
        || wanted.action.is_some_and(|action| !runs(target, &entry.action, action));
    if unwanted {
        return Ok(None);
    }
    let mut encoded = v1::TableEntry {
        table_id: id,
        r#match: fields
            .iter()
            .zip(&key.matches)
            .filter_map(|(field, m)| matching::encode(target.pipeline, *field, m))
            .collect(),
        action: Some(profile::encode_action(target, &entry.action, &notes)),
        priority: key.priority,
        controller_metadata: notes.controller_metadata,
        metadata: entry.metadata.clone(),
        idle_timeout_ns: match notes.long_timeout_ns {
            0 => entry.idle_timeout.map_or(0, |timeout| timeout.as_ns() as i64),
            written => written,
        },
        is_const: entry.is_const,
        ..Default::default()
    };
    add_resources(target, table, Some(key), filter, &mut encoded)?;
    if filter.time_since_last_hit.is_some() && table.idle_timeout {
        let elapsed = target.control.time_since_hit(id, key)?;
        encoded.time_since_last_hit =
            Some(v1::table_entry::IdleTimeout { elapsed_ns: elapsed.as_ns() as i64 });
    }
    Ok(Some(encoded))
}

#[allow(deprecated, reason = "the filter and the entry may carry the deprecated cookie")]
fn encode_default(
    target: &Target<'_>,
    table: &ir::Table,
    call: &ActionCall,
    wanted: &Wanted<'_>,
) -> Result<Option<v1::TableEntry>, Refusal> {
    let (id, filter) = (table.preamble.id, wanted.filter);
    let notes = target.as_written.notes(id, None);
    let action = action::encode(target.pipeline, call);
    let unwanted = (!filter.metadata.is_empty() && filter.metadata != notes.metadata)
        || (filter.controller_metadata != 0 && filter.controller_metadata != notes.controller_metadata)
        || wanted.action.is_some_and(|wanted| wanted != action.action_id);
    if unwanted {
        return Ok(None);
    }
    let mut encoded = v1::TableEntry {
        table_id: id,
        action: Some(v1::TableAction { r#type: Some(table_action::Type::Action(action)) }),
        controller_metadata: notes.controller_metadata,
        metadata: notes.metadata,
        is_default_action: true,
        is_const: table.const_default,
        ..Default::default()
    };
    add_resources(target, table, None, filter, &mut encoded)?;
    Ok(Some(encoded))
}

/// Adds the direct counter and meter if the request sets their fields.
fn add_resources(
    target: &Target<'_>,
    table: &ir::Table,
    key: Option<&EntryKey>,
    filter: &v1::TableEntry,
    encoded: &mut v1::TableEntry,
) -> Result<(), Refusal> {
    let id = table.preamble.id;
    if filter.counter_data.is_some() && table.direct_counter.is_some() {
        encoded.counter_data = Some(counter_data(target.control.direct_counter(id, key)?));
    }
    if filter.meter_config.is_some() && table.direct_meter.is_some() {
        encoded.meter_config = target.control.direct_meter(id, key)?.map(meter_message);
    }
    if filter.meter_counter_data.is_some() && table.direct_meter.is_some() {
        encoded.meter_counter_data = Some(marked_message(target.control.direct_meter_marked(id, key)?));
    }
    Ok(())
}

/// Whether an entry runs the action with this id.
fn runs(target: &Target<'_>, action: &EntryAction, id: u32) -> bool {
    match action {
        EntryAction::Direct(call) => target
            .pipeline
            .program
            .actions
            .get(call.action.index())
            .is_some_and(|action| action.preamble.id == id),
        _ => false,
    }
}

fn constant(table: &ir::Table) -> Refusal {
    Refusal::denied(format!("the entries of table {} are constant", table.preamble.name))
}

#[allow(deprecated, reason = "older clients use the cookie")]
fn old_cookie(entry: &v1::TableEntry) -> u64 {
    entry.controller_metadata
}
