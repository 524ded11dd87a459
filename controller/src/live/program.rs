//! A plan as P4Runtime messages.

use p4runtime::bytestring::canonical;
use p4runtime::client::{KeyMatch, Schema, SchemaError};
use p4runtime::proto::p4::v1::{
    self, digest_entry, entity::Entity as Kind, packet_replication_engine_entry, replica::PortKind,
};

use crate::plan::{MatchValue, RegisterWrite, SwitchPlan, TableEntry};

/// Poll reports are few and waited for: each is sent at once. Exported slots come in bursts and may wait for company.
const EVICTION_LIST: i32 = 64;
const EVICTION_WAIT_NS: i64 = 1_000_000;
/// How long a digest list that was not acknowledged suppresses repetitions. Every digest differs, so nothing is.
const ACK_TIMEOUT_NS: i64 = 1_000_000_000;

/// What to insert and what to modify, in this order.
#[derive(Debug, Default)]
pub(super) struct Updates {
    pub(super) insert: Vec<Kind>,
    pub(super) modify: Vec<Kind>,
}

/// The messages that write a plan and ask for digests.
pub(super) fn updates(plan: &SwitchPlan, schema: &Schema, poll_digest: &str) -> Result<Updates, SchemaError> {
    let mut updates = Updates::default();
    for entry in &plan.entries {
        let message = table_entry(entry, schema)?;
        let list = if message.is_default_action { &mut updates.modify } else { &mut updates.insert };
        list.push(Kind::TableEntry(message));
    }
    for (value_set, values) in value_sets(plan) {
        let members: Vec<Vec<KeyMatch>> = values.into_iter().map(|v| vec![KeyMatch::Exact(v)]).collect();
        updates.modify.push(Kind::ValueSetEntry(schema.value_set_entry(value_set, &members)?));
    }
    for group in &plan.groups {
        let replicas = group.ports.iter().map(|port| v1::Replica {
            instance: 0,
            port_kind: Some(PortKind::Port(canonical(&port.to_be_bytes()).to_vec())),
            ..Default::default()
        });
        let entry = v1::MulticastGroupEntry {
            multicast_group_id: group.id,
            replicas: replicas.collect(),
            ..Default::default()
        };
        updates.insert.push(Kind::PacketReplicationEngineEntry(v1::PacketReplicationEngineEntry {
            r#type: Some(packet_replication_engine_entry::Type::MulticastGroupEntry(entry)),
        }));
    }
    for write in &plan.registers {
        updates.modify.push(register_write(write, schema)?);
    }
    for digest in schema.digests() {
        let urgent = digest.name == poll_digest;
        let config = digest_entry::Config {
            max_list_size: if urgent { 1 } else { EVICTION_LIST },
            max_timeout_ns: if urgent { 0 } else { EVICTION_WAIT_NS },
            ack_timeout_ns: ACK_TIMEOUT_NS,
        };
        let entry = v1::DigestEntry { digest_id: digest.id, config: Some(config) };
        updates.insert.push(Kind::DigestEntry(entry));
    }
    Ok(updates)
}

/// The message that writes a register element.
pub(super) fn register_write(write: &RegisterWrite, schema: &Schema) -> Result<Kind, SchemaError> {
    Ok(Kind::RegisterEntry(schema.register(&write.register)?.entry(write.index, &write.value)))
}

fn table_entry(entry: &TableEntry, schema: &Schema) -> Result<v1::TableEntry, SchemaError> {
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

/// Members by value set, in the plan's order: P4Runtime writes a value set as a whole.
fn value_sets(plan: &SwitchPlan) -> Vec<(&str, Vec<Vec<u8>>)> {
    let mut sets: Vec<(&str, Vec<Vec<u8>>)> = Vec::new();
    for member in &plan.value_sets {
        match sets.iter_mut().find(|(name, _)| *name == member.value_set) {
            Some((_, values)) => values.push(member.value.clone()),
            None => sets.push((member.value_set, vec![member.value.clone()])),
        }
    }
    sets
}
