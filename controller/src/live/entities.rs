//! Plans as P4Runtime entities, and pipelines from P4Info.

use std::hash::Hasher;

use fnv::FnvHasher;
use p4runtime::client::{KeyMatch, Schema, SchemaError};
use p4runtime::proto::p4::v1::{
    DigestEntry, MulticastGroupEntry, PacketReplicationEngineEntry, Replica, digest_entry,
    entity::Entity as Kind, packet_replication_engine_entry::Type, replica::PortKind,
};

use crate::layout::{DigestInfo, PipelineInfo, RegisterInfo, TelemetryLayout};
use crate::plan::{MatchValue, PlanChange, SwitchPlan, TableEntry};

/// Maximum time for which the switch batches eviction digests.
const EVICTION_WAIT_NS: i64 = 1_000_000;
/// Maximum number of eviction digests in a list.
const EVICTION_LIST: i32 = 64;
/// Time for which the switch suppresses duplicates of an unacknowledged digest message.
const ACKNOWLEDGE_NS: i64 = 1_000_000_000;

/// Returns the registers and digests of a pipeline, for [`TelemetryLayout::new`].
pub fn pipeline_info(schema: &Schema) -> PipelineInfo {
    PipelineInfo {
        registers: schema
            .registers()
            .into_iter()
            .map(|register| RegisterInfo {
                width: register.components.iter().map(|(_, width)| width).sum(),
                name: register.name,
                size: register.size,
                annotations: register.annotations,
            })
            .collect(),
        digests: schema
            .digests()
            .into_iter()
            .map(|digest| DigestInfo { name: digest.name, fields: digest.fields })
            .collect(),
    }
}

/// All entities to write to a switch.
pub(super) struct Entities {
    /// To be inserted, or modified if they exist.
    pub(super) inserts: Vec<Kind>,
    /// To be modified.
    pub(super) modifies: Vec<Kind>,
    /// Hash of the plan.
    pub(super) fingerprint: u64,
}

/// Returns the entities of a plan and the digest subscriptions.
pub(super) fn entities(
    schema: &Schema,
    layout: &TelemetryLayout,
    plan: &SwitchPlan,
) -> Result<Entities, SchemaError> {
    let mut inserts = Vec::new();
    for entry in &plan.entries {
        inserts.push(Kind::TableEntry(Box::new(table_entry(schema, entry)?)));
    }
    for group in &plan.groups {
        inserts.push(multicast_group(group.id, &group.ports));
    }
    let [poll, eviction] = layout.digests();
    for (name, max_timeout_ns, max_list_size) in [(poll, 0, 1), (eviction, EVICTION_WAIT_NS, EVICTION_LIST)] {
        let config = digest_entry::Config { max_timeout_ns, max_list_size, ack_timeout_ns: ACKNOWLEDGE_NS };
        let digest_id = schema.digest(name)?.id;
        inserts.push(Kind::DigestEntry(DigestEntry { digest_id, config: Some(config) }));
    }

    let mut modifies = Vec::new();
    let mut sets: Vec<(&str, Vec<Vec<KeyMatch>>)> = Vec::new();
    for member in &plan.value_sets {
        let value = vec![KeyMatch::Exact(member.value.clone())];
        match sets.iter_mut().find(|(name, _)| *name == member.value_set) {
            Some((_, members)) => members.push(value),
            None => sets.push((member.value_set, vec![value])),
        }
    }
    for (name, members) in sets {
        modifies.push(Kind::ValueSetEntry(schema.value_set_entry(name, &members)?));
    }
    for write in &plan.registers {
        let register = schema.register(&write.register)?;
        modifies.push(Kind::RegisterEntry(register.entry(write.index, &write.value)));
    }
    Ok(Entities { inserts, modifies, fingerprint: fingerprint(format!("{plan:?}").as_bytes(), 0) })
}

/// Returns the entities to insert, to modify and to delete for a change of the plan.
pub(super) fn of_change(schema: &Schema, change: &PlanChange) -> Result<[Vec<Kind>; 3], SchemaError> {
    let entries = |entries: &[TableEntry]| -> Result<Vec<Kind>, SchemaError> {
        let entity = |entry| Ok(Kind::TableEntry(Box::new(table_entry(schema, entry)?)));
        entries.iter().map(entity).collect()
    };
    let mut modifies = entries(&change.modifies)?;
    modifies.extend(change.groups.iter().map(|group| multicast_group(group.id, &group.ports)));
    for write in &change.registers {
        let register = schema.register(&write.register)?;
        modifies.push(Kind::RegisterEntry(register.entry(write.index, &write.value)));
    }
    Ok([entries(&change.inserts)?, modifies, entries(&change.deletes)?])
}

fn table_entry(
    schema: &Schema,
    entry: &TableEntry,
) -> Result<p4runtime::proto::p4::v1::TableEntry, SchemaError> {
    let key: Vec<(&str, KeyMatch)> = entry
        .key
        .iter()
        .map(|(name, value)| {
            let value = match value {
                MatchValue::Exact(value) => KeyMatch::Exact(value.clone()),
                MatchValue::Lpm { value, prefix_length } => KeyMatch::Lpm(value.clone(), *prefix_length),
            };
            (*name, value)
        })
        .collect();
    schema.table_entry(entry.table, &key, 0, entry.action, &entry.params)
}

fn multicast_group(id: u32, ports: &[u16]) -> Kind {
    let replicas = ports
        .iter()
        .map(|port| {
            let bytes = port.to_be_bytes();
            let port = if bytes[0] == 0 { bytes[1..].to_vec() } else { bytes.to_vec() };
            Replica { port_kind: Some(PortKind::Port(port)), ..Replica::default() }
        })
        .collect();
    let group = MulticastGroupEntry { multicast_group_id: id, replicas, ..MulticastGroupEntry::default() };
    Kind::PacketReplicationEngineEntry(PacketReplicationEngineEntry {
        r#type: Some(Type::MulticastGroupEntry(group)),
    })
}

/// 64-bit FNV-1a hash of `bytes`; `seed` changes the initial value.
pub(super) fn fingerprint(bytes: &[u8], seed: u64) -> u64 {
    let mut hasher = FnvHasher::with_key(seed ^ FnvHasher::default().finish());
    hasher.write(bytes);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::fingerprint;

    #[test]
    fn fingerprints_are_fnv_1a_hashes() {
        assert_eq!(fingerprint(b"", 0), 0xcbf2_9ce4_8422_2325);
        assert_eq!(fingerprint(b"foobar", 0), 0x8594_4171_f739_67e8);
        assert_ne!(fingerprint(b"foobar", 1), fingerprint(b"foobar", 0));
    }
}
