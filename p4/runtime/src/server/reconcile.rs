//! `RECONCILE_AND_COMMIT`: forwarding state carried from one program to the next.
//!
//! The state that a controller or the data plane has set, except the per-colour counters of meters, is read from the
//! old program as entities and written to the new one. If the new program cannot hold a part of it, the call fails and
//! changes nothing.

use super::entity::{self, Target};
use super::read::Output;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, p4_data::Data, update::Type};
use tonic::Code;

/// Forwarding state to be carried over.
pub(crate) struct Kept {
    /// Tables whose entries are all among the writes, including the old program's initial entries.
    tables: Vec<u32>,
    /// Writes in a valid order.
    writes: Vec<(Type, Kind)>,
}

/// Returns the state that differs from the program's initial state.
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

/// Returns the write of an entity to the new program; `None` if it equals the initial state.
fn carried(target: &Target<'_>, entity: Kind) -> Option<(Type, Kind)> {
    let kind = match &entity {
        Kind::TableEntry(entry) if entry.is_default_action => {
            let (_, table) = target.pipeline.table(entry.table_id).ok()?;
            let initial = table.actions.get(table.default_action.action)?.action;
            let call = target.control.default_action(entry.table_id).ok()?;
            let changed = call.action != initial || call.args != table.default_action.args;
            let has_metadata = !entry.metadata.is_empty() || old_cookie(entry) != 0;
            if table.const_default || !(changed || has_metadata) {
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

/// Returns the write of the direct resources of an initial entry.
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

/// Whether a register element has its initial value. Named values count as set.
fn is_zero(data: &v1::P4Data) -> bool {
    match &data.data {
        Some(Data::Bitstring(bytes)) | Some(Data::EnumValue(bytes)) => bytes.iter().all(|byte| *byte == 0),
        Some(Data::Bool(value)) => !value,
        Some(Data::Struct(value)) | Some(Data::Tuple(value)) => value.members.iter().all(is_zero),
        _ => false,
    }
}

/// Writes state to another program.
///
/// # Errors
/// `INVALID_ARGUMENT` if the program cannot hold a part of it.
pub(crate) fn apply(target: &mut Target<'_>, kept: &Kept) -> Result<(), Refusal> {
    for id in &kept.tables {
        // Initial entries of a table in the new program are replaced by the entries of the old one.
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

/// Whether a write consists of the direct resources of an initial entry only.
fn is_of_constant(entity: &Kind) -> bool {
    matches!(entity, Kind::TableEntry(entry) if entry.action.is_none())
}
