//! Batches of updates in the three modes of atomicity.
//!
//! Source: P4Runtime specification, "Batch Atomicity". A batch is applied while the switch is locked, so that in
//! every mode a packet is processed either before or after the whole batch. The modes differ in the state that remains
//! when an update fails.

use super::entity::{self, Target};
use super::read::Output;
use super::role::Scope;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, update::Type, write_request::Atomicity};
use p4_switch::control::MarkedCounts;
use tonic::Code;

/// Applies a batch and returns one result per update, in order.
///
/// # Errors
/// If the mode is unknown.
pub(crate) fn apply(
    target: &mut Target<'_>,
    updates: &[v1::Update],
    atomicity: i32,
    scope: &Scope,
) -> Result<Vec<Result<(), Refusal>>, Refusal> {
    match Atomicity::try_from(atomicity) {
        Ok(Atomicity::ContinueOnError) => {
            Ok(updates.iter().map(|update| apply_one(target, update, scope)).collect())
        }
        Ok(Atomicity::RollbackOnError | Atomicity::DataplaneAtomic) => {
            Ok(apply_all_or_none(target, updates, scope))
        }
        Err(_) => Err(Refusal::invalid(format!("there is no atomicity mode {atomicity}"))),
    }
}

fn apply_one(target: &mut Target<'_>, update: &v1::Update, scope: &Scope) -> Result<(), Refusal> {
    let (kind, entity) = entity::kind_of(update)?;
    scope.check_write(entity)?;
    entity::write(target, kind, entity)
}

fn apply_all_or_none(
    target: &mut Target<'_>,
    updates: &[v1::Update],
    scope: &Scope,
) -> Vec<Result<(), Refusal>> {
    let mut before = Vec::with_capacity(updates.len());
    for (at, update) in updates.iter().enumerate() {
        let saved = entity::kind_of(update).map(|(_, entity)| (entity, save(target, entity)));
        match saved.and_then(|saved| apply_one(target, update, scope).map(|()| saved)) {
            Ok(saved) => before.push(saved),
            Err(refusal) => {
                for (entity, saved) in before.into_iter().rev() {
                    restore(target, entity, saved);
                }
                return outcome(updates.len(), at, refusal);
            }
        }
    }
    vec![Ok(()); updates.len()]
}

/// Results of a failed batch: the reason for the failed update, `ABORTED` for the others.
fn outcome(count: usize, failed: usize, refusal: Refusal) -> Vec<Result<(), Refusal>> {
    let aborted =
        |what: &str| Err(Refusal::new(Code::Aborted, format!("{what}: update {failed} of the batch failed")));
    (0..count)
        .map(|at| match at.cmp(&failed) {
            std::cmp::Ordering::Less => aborted("undone"),
            std::cmp::Ordering::Equal => Err(refusal.clone()),
            std::cmp::Ordering::Greater => aborted("not tried"),
        })
        .collect()
}

/// Reads the entities that an update will change; empty if they do not exist yet.
fn save(target: &mut Target<'_>, entity: &Kind) -> Vec<v1::Entity> {
    if let Kind::TableEntry(entry) = entity {
        return entity::table::read_exact(target, entry).ok().flatten().into_iter().collect();
    }
    let mut out = Output::new();
    // An entity that cannot be read cannot be written either.
    let _ = entity::read(target, &entity::wrap(entity.clone()), &mut out);
    out.into_entities().collect()
}

/// Restores the entities returned by [`save`]. All intermediate states were valid, so each restoring write is valid
/// too.
fn restore(target: &mut Target<'_>, entity: &Kind, saved: Vec<v1::Entity>) {
    if saved.is_empty() && can_be_deleted(entity) {
        report(entity::write(target, Type::Delete, entity));
    }
    for mut saved in saved.into_iter().filter_map(|saved| saved.entity) {
        if let Kind::TableEntry(entry) = &mut saved {
            omit_constant_action(target, entry);
        }
        let marked = take_marked(&mut saved);
        if entity::write(target, Type::Modify, &saved).is_err() {
            report(entity::write(target, Type::Insert, &saved));
        }
        if let Some(marked) = marked {
            report(restore_marked(target, &saved, entity::direct::marked_before(&marked)));
        }
    }
}

/// Removes the action of a constant entry: only its direct resources can have changed, and only these can be written.
fn omit_constant_action(target: &Target<'_>, entry: &mut v1::TableEntry) {
    let indirect = target.pipeline.table(entry.table_id).is_ok_and(|(_, t)| t.implementation.is_some());
    if std::mem::take(&mut entry.is_const) || (entry.is_default_action && indirect) {
        entry.action = None;
    }
}

/// Takes out the per-colour counters of a meter, which clients can only set to zero.
fn take_marked(saved: &mut Kind) -> Option<v1::MeterCounterData> {
    match saved {
        Kind::TableEntry(entry) => entry.meter_counter_data.take(),
        Kind::MeterEntry(entry) => entry.counter_data.take(),
        Kind::DirectMeterEntry(entry) => entry.counter_data.take(),
        _ => None,
    }
}

fn restore_marked(target: &mut Target<'_>, saved: &Kind, marked: MarkedCounts) -> Result<(), Refusal> {
    let entry = match saved {
        Kind::MeterEntry(meter) => {
            let index = meter.index.as_ref().and_then(|index| u64::try_from(index.index).ok()).unwrap_or(0);
            return Ok(target.control.set_meter_marked(meter.meter_id, index, marked)?);
        }
        Kind::TableEntry(entry) => entry,
        Kind::DirectMeterEntry(meter) => match &meter.table_entry {
            Some(entry) => entry,
            None => return Ok(()),
        },
        _ => return Ok(()),
    };
    let (table, key) = entity::direct::owner(target, Some(entry))?;
    Ok(target.control.set_direct_meter_marked(table.preamble.id, key.as_ref(), marked)?)
}

fn report(undone: Result<(), Refusal>) {
    if let Err(refusal) = undone {
        tracing::error!(%refusal, "an update of a failed batch could not be undone");
    }
}

fn can_be_deleted(entity: &Kind) -> bool {
    matches!(
        entity,
        Kind::TableEntry(_)
            | Kind::ActionProfileMember(_)
            | Kind::ActionProfileGroup(_)
            | Kind::PacketReplicationEngineEntry(_)
            | Kind::DigestEntry(_)
    )
}
