//! `RECONCILE_AND_COMMIT`: forwarding state carried from one program to the next.
//!
//! Everything a controller or the data plane has set is collected from the old program as entities and written into
//! the new one. What the new program has no place for makes the call fail before anything has changed.

use super::entity::{self, Target};
use super::read::Output;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, p4_data::Data, update::Type};
use tonic::Code;

/// A state to be carried over.
pub(crate) struct Kept {
    /// Tables whose entries are all among the writes, those that the old program began with included.
    tables: Vec<u32>,
    /// In an order in which they can be written.
    writes: Vec<(Type, Kind)>,
}

/// Everything that is not as the program makes it.
pub(crate) fn collect(target: &mut Target<'_>) -> Result<Kept, Refusal> {
    let requests = [
        Kind::ValueSetEntry(v1::ValueSetEntry::default()),
        Kind::ActionProfileMember(Box::default()),
        Kind::ActionProfileGroup(Box::default()),
        Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry::default()),
        Kind::DigestEntry(v1::DigestEntry::default()),
        Kind::TableEntry(Box::new(v1::TableEntry {
            counter_data: Some(v1::CounterData::default()),
            meter_config: Some(v1::MeterConfig::default()),
            ..Default::default()
        })),
        Kind::TableEntry(Box::new(v1::TableEntry {
            is_default_action: true,
            counter_data: Some(v1::CounterData::default()),
            meter_config: Some(v1::MeterConfig::default()),
            ..Default::default()
        })),
        Kind::CounterEntry(v1::CounterEntry::default()),
        Kind::MeterEntry(Box::default()),
        Kind::RegisterEntry(v1::RegisterEntry::default()),
    ];
    let mut writes = Vec::new();
    for request in requests {
        let mut out = Output::new();
        entity::read(target, &entity::wrap(request), &mut out)?;
        writes.extend(out.into_entities().filter_map(|entity| carried(target, entity.entity?)));
    }
    let tables = target.pipeline.program.tables.iter().map(|table| table.preamble.id);
    Ok(Kept { tables: tables.filter(|id| *id != 0).collect(), writes })
}

/// How an entity is written into the new program; nothing when it is as the program makes it.
fn carried(target: &Target<'_>, entity: Kind) -> Option<(Type, Kind)> {
    let kind = match &entity {
        Kind::TableEntry(entry) if entry.is_default_action => {
            let (_, table) = target.pipeline.table(entry.table_id).ok()?;
            let initial = table.actions.get(table.default_action.action)?.action;
            let call = target.control.default_action(entry.table_id).ok()?;
            let changed = call.action != initial || call.args != table.default_action.args;
            let noted = !entry.metadata.is_empty() || old_cookie(entry) != 0;
            if table.const_default || !(changed || noted) {
                return resources_of(entry);
            }
            Type::Modify
        }
        Kind::TableEntry(entry) if entry.is_const => return resources_of(entry),
        Kind::ValueSetEntry(set) if set.members.is_empty() => return None,
        Kind::CounterEntry(entry) if entry.data.is_none_or(|data| data == v1::CounterData::default()) => {
            return None;
        }
        Kind::MeterEntry(entry) if entry.config.is_none() => return None,
        Kind::RegisterEntry(entry) if entry.data.as_ref().is_none_or(is_zero) => return None,
        Kind::ValueSetEntry(_) | Kind::CounterEntry(_) | Kind::MeterEntry(_) | Kind::RegisterEntry(_) => {
            Type::Modify
        }
        _ => Type::Insert,
    };
    Some((kind, entity))
}

/// What the direct counter and meter of an entry hold that is the program's own, as a change of them alone.
fn resources_of(entry: &v1::TableEntry) -> Option<(Type, Kind)> {
    let counted = entry.counter_data.is_some_and(|data| data != v1::CounterData::default());
    if !counted && entry.meter_config.is_none() {
        return None;
    }
    let resources = v1::TableEntry {
        table_id: entry.table_id,
        r#match: entry.r#match.clone(),
        priority: entry.priority,
        is_default_action: entry.is_default_action,
        counter_data: entry.counter_data,
        meter_config: entry.meter_config,
        ..Default::default()
    };
    Some((Type::Modify, Kind::TableEntry(Box::new(resources))))
}

#[allow(deprecated, reason = "older clients use the cookie")]
fn old_cookie(entry: &v1::TableEntry) -> u64 {
    entry.controller_metadata
}

/// Whether a register's element is as it is at the start. Named values are not looked into and count as set.
fn is_zero(data: &v1::P4Data) -> bool {
    match &data.data {
        Some(Data::Bitstring(bytes)) | Some(Data::EnumValue(bytes)) => bytes.iter().all(|byte| *byte == 0),
        Some(Data::Bool(value)) => !value,
        Some(Data::Struct(value)) | Some(Data::Tuple(value)) => value.members.iter().all(is_zero),
        _ => false,
    }
}

/// Writes a state into another program.
///
/// # Errors
/// `INVALID_ARGUMENT` when the program has no place for a part of it.
pub(crate) fn apply(target: &mut Target<'_>, kept: &Kept) -> Result<(), Refusal> {
    for id in &kept.tables {
        // What a table of both programs begins with in the new one gives way to what it held in the old one.
        if target.pipeline.table(*id).is_ok_and(|(_, table)| !table.const_entries) {
            target.control.table_clear(*id)?;
        }
    }
    for (kind, entity) in &kept.writes {
        match entity::write(target, *kind, entity) {
            Err(refusal) if refusal.code == Code::NotFound && is_of_constant(entity) => {}
            written => written.map_err(|refusal| {
                Refusal::invalid(format!("the forwarding state cannot be kept: {}", refusal.message))
            })?,
        }
    }
    Ok(())
}

/// Whether a write is made of the resources of an entry of the program, which go with the entry.
fn is_of_constant(entity: &Kind) -> bool {
    matches!(entity, Kind::TableEntry(entry) if entry.action.is_none())
}
