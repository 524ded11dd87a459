//! Multicast groups and clone sessions.
//!
//! Source: P4Runtime specification, "PacketReplicationEngineEntry".

use super::{Ports, Target, wrap};
use crate::bytestring;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, packet_replication_engine_entry::Type as Engine};
use crate::proto::p4::v1::{replica::PortKind, update::Type};
use crate::server::read::Output;
use p4_switch::control::{CloneSession, Replica};
use std::collections::BTreeSet;

pub(crate) fn write(
    target: &mut Target<'_>,
    kind: Type,
    entry: &v1::PacketReplicationEngineEntry,
) -> Result<(), Refusal> {
    match &entry.r#type {
        Some(Engine::MulticastGroupEntry(group)) => write_group(target, kind, group),
        Some(Engine::CloneSessionEntry(session)) => write_session(target, kind, session),
        None => Err(Refusal::invalid("neither a multicast group nor a clone session is set")),
    }
}

fn write_group(target: &mut Target<'_>, kind: Type, group: &v1::MulticastGroupEntry) -> Result<(), Refusal> {
    let id = group.multicast_group_id;
    if id == 0 {
        return Err(Refusal::invalid("the multicast group id is not set"));
    }
    if kind == Type::Delete {
        target.control.multicast_delete(id)?;
        target.as_written.groups.remove(&id);
        return Ok(());
    }
    let (replicas, backups) = decode_replicas(target.ports, &group.replicas)?;
    target.control.check_backups(&replicas, &backups)?;
    match kind {
        Type::Insert => target.control.multicast_insert(id, replicas)?,
        _ => target.control.multicast_modify(id, replicas)?,
    }
    if backups.iter().any(|backups| !backups.is_empty()) {
        target.control.set_multicast_backups(id, backups)?;
    }
    target.as_written.groups.insert(id, canonical_group(group));
    Ok(())
}

fn write_session(
    target: &mut Target<'_>,
    kind: Type,
    session: &v1::CloneSessionEntry,
) -> Result<(), Refusal> {
    let id = session.session_id;
    if id == 0 {
        return Err(Refusal::invalid("the clone session id is not set"));
    }
    if kind == Type::Delete {
        target.control.clone_session_delete(id)?;
        target.as_written.sessions.remove(&id);
        return Ok(());
    }
    let (decoded, backups) = decode_session(target.ports, session)?;
    target.control.check_backups(&decoded.replicas, &backups)?;
    match kind {
        Type::Insert => target.control.clone_session_insert(id, decoded)?,
        _ => target.control.clone_session_modify(id, decoded)?,
    }
    if backups.iter().any(|backups| !backups.is_empty()) {
        target.control.set_clone_session_backups(id, backups)?;
    }
    target.as_written.sessions.insert(id, canonical_session(session));
    Ok(())
}

/// Decodes a session with the backups of its replicas.
fn decode_session(
    ports: &Ports,
    session: &v1::CloneSessionEntry,
) -> Result<(CloneSession, Vec<Vec<Replica>>), Refusal> {
    let Ok(truncate_bytes) = u32::try_from(session.packet_length_bytes) else {
        return Err(Refusal::invalid("packet_length_bytes is negative"));
    };
    let class = match u8::try_from(session.class_of_service) {
        Ok(class @ 0..=7) => class,
        _ => return Err(Refusal::invalid("class_of_service is above 7")),
    };
    let (replicas, backups) = decode_replicas(ports, &session.replicas)?;
    let session =
        CloneSession { replicas, multicast_group: None, class_of_service: Some(class), truncate_bytes };
    Ok((session, backups))
}

/// Decodes replicas with their backups, which are used while a replica's port is down.
fn decode_replicas(
    ports: &Ports,
    replicas: &[v1::Replica],
) -> Result<(Vec<Replica>, Vec<Vec<Replica>>), Refusal> {
    let mut seen = BTreeSet::new();
    let mut decode_one = |number: u32, instance: u32| {
        let Some(egress_port) = ports.resolve(number) else {
            return Err(Refusal::invalid(format!("{number} is not a port of the switch")));
        };
        let Ok(instance) = u16::try_from(instance) else {
            return Err(Refusal::invalid(format!("instance {instance} is above {}", u16::MAX)));
        };
        if !seen.insert((egress_port, instance)) {
            return Err(Refusal::invalid(format!("port {number} with instance {instance} is given twice")));
        }
        Ok(Replica { egress_port, instance })
    };
    let mut decoded = Vec::with_capacity(replicas.len());
    let mut backups = Vec::with_capacity(replicas.len());
    for replica in replicas {
        let number = match &replica.port_kind {
            #[allow(deprecated, reason = "clients before 1.4 number ports")]
            Some(PortKind::EgressPort(number)) => *number,
            Some(PortKind::Port(bytes)) => port_number(bytes)?,
            None => return Err(Refusal::invalid("the replica's port is not set")),
        };
        let primary = decode_one(number, replica.instance)?;
        let decoded_backups = replica.backup_replicas.iter().map(|backup| {
            let backup = decode_one(port_number(&backup.port)?, backup.instance)?;
            match backup.egress_port == primary.egress_port {
                true => Err(Refusal::invalid(format!("port {number} cannot be a backup of itself"))),
                false => Ok(backup),
            }
        });
        backups.push(decoded_backups.collect::<Result<_, _>>()?);
        decoded.push(primary);
    }
    Ok((decoded, backups))
}

fn port_number(bytes: &[u8]) -> Result<u32, Refusal> {
    let bits = bytestring::decode(bytes, 32)?;
    Ok(bits.to_u128().and_then(|number| u32::try_from(number).ok()).unwrap_or(u32::MAX))
}

/// Replicas in the form that reads return: as written, with canonical bytestrings.
fn canonical_replicas(replicas: &[v1::Replica]) -> Vec<v1::Replica> {
    let canonical = |replica: &v1::Replica| v1::Replica {
        port_kind: match &replica.port_kind {
            Some(PortKind::Port(bytes)) => Some(PortKind::Port(bytestring::canonical(bytes).to_vec())),
            other => other.clone(),
        },
        backup_replicas: replica
            .backup_replicas
            .iter()
            .map(|backup| v1::BackupReplica {
                port: bytestring::canonical(&backup.port).to_vec(),
                instance: backup.instance,
            })
            .collect(),
        instance: replica.instance,
    };
    replicas.iter().map(canonical).collect()
}

fn canonical_group(group: &v1::MulticastGroupEntry) -> v1::MulticastGroupEntry {
    v1::MulticastGroupEntry { replicas: canonical_replicas(&group.replicas), ..group.clone() }
}

fn canonical_session(session: &v1::CloneSessionEntry) -> v1::CloneSessionEntry {
    v1::CloneSessionEntry { replicas: canonical_replicas(&session.replicas), ..session.clone() }
}

pub(crate) fn read(
    target: &mut Target<'_>,
    filter: &v1::PacketReplicationEngineEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let mut push = |engine: Engine| {
        let entry = v1::PacketReplicationEngineEntry { r#type: Some(engine) };
        out.push(wrap(Kind::PacketReplicationEngineEntry(entry)));
    };
    let (groups, sessions) = match &filter.r#type {
        Some(Engine::MulticastGroupEntry(group)) => (Some(group.multicast_group_id), None),
        Some(Engine::CloneSessionEntry(session)) => (None, Some(session.session_id)),
        // Neither is set: a wildcard for both.
        None => (Some(0), Some(0)),
    };
    if let Some(wanted) = groups {
        for (id, replicas) in
            target.control.multicast_groups()?.filter(|(id, _)| wanted == 0 || *id == wanted)
        {
            let written = target.as_written.groups.get(&id);
            let same = |group: &&v1::MulticastGroupEntry| {
                decode_replicas(target.ports, &group.replicas).is_ok_and(|(written, _)| written == replicas)
            };
            push(Engine::MulticastGroupEntry(written.filter(same).cloned().unwrap_or_else(|| {
                v1::MulticastGroupEntry {
                    multicast_group_id: id,
                    replicas: encode_replicas(replicas),
                    metadata: Vec::new(),
                }
            })));
        }
    }
    if let Some(wanted) = sessions {
        for (id, session) in target.control.clone_sessions()?.filter(|(id, _)| wanted == 0 || *id == wanted) {
            let written = target.as_written.sessions.get(&id);
            let same = |written: &&v1::CloneSessionEntry| {
                decode_session(target.ports, written).is_ok_and(|(written, _)| written == *session)
            };
            push(Engine::CloneSessionEntry(written.filter(same).cloned().unwrap_or_else(|| {
                v1::CloneSessionEntry {
                    session_id: id,
                    replicas: encode_replicas(&session.replicas),
                    class_of_service: u32::from(session.class_of_service.unwrap_or(0)),
                    packet_length_bytes: i32::try_from(session.truncate_bytes).unwrap_or(i32::MAX),
                }
            })));
        }
    }
    Ok(())
}

fn encode_replicas(replicas: &[Replica]) -> Vec<v1::Replica> {
    let encode = |replica: &Replica| v1::Replica {
        port_kind: Some(PortKind::Port(bytestring::encode_u64(u64::from(replica.egress_port)))),
        instance: u32::from(replica.instance),
        backup_replicas: Vec::new(),
    };
    replicas.iter().map(encode).collect()
}
