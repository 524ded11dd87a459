//! Entities that can be written and read, one file per kind.
//!
//! Each kind has `write(target, update, entry)` and `read(target, filter, out)`. A write is either applied
//! completely, or returns a [`Refusal`] and changes nothing.

pub(crate) mod action;
pub(crate) mod array;
pub(crate) mod digest;
pub(crate) mod direct;
pub(crate) mod matching;
pub(crate) mod profile;
pub(crate) mod register;
pub(crate) mod replication;
pub(crate) mod table;
pub(crate) mod value_set;

use super::as_written::AsWritten;
use super::pipeline::Pipeline;
use super::read::Output;
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use p4_switch::ControlPlane;
use p4_switch::tm::TmConfig;

/// The target of writes and reads: a loaded switch, and protocol state that the switch does not hold.
pub(crate) struct Target<'a> {
    pub(crate) pipeline: &'a Pipeline,
    pub(crate) control: ControlPlane<'a>,
    pub(crate) as_written: &'a mut AsWritten,
    pub(crate) ports: &'a Ports,
}

/// Port numbers of the switch.
#[derive(Clone, Debug)]
pub(crate) struct Ports {
    /// Numbers of the ports with a link, ascending.
    numbers: Vec<u16>,
    /// Port of the controller.
    cpu: u16,
}

/// The controller's number of the CPU port on every switch (`SDN_PORT_CPU`).
const SDN_PORT_CPU: u32 = 0xffff_fffd;

impl Ports {
    pub(crate) fn new(tm: &TmConfig, cpu: u16) -> Ports {
        let mut numbers: Vec<u16> = tm.ports.iter().map(|port| port.number).collect();
        numbers.sort_unstable();
        Ports { numbers, cpu }
    }

    /// Translates a controller's port number to the switch's.
    pub(crate) fn resolve(&self, number: u32) -> Option<u16> {
        if number == SDN_PORT_CPU {
            return Some(self.cpu);
        }
        let number = u16::try_from(number).ok()?;
        (number == self.cpu || self.numbers.binary_search(&number).is_ok()).then_some(number)
    }
}

/// Returns type and entity of an update.
pub(crate) fn kind_of(update: &v1::Update) -> Result<(Type, &Kind), Refusal> {
    let kind = match Type::try_from(update.r#type) {
        Ok(Type::Unspecified) | Err(_) => return Err(Refusal::invalid("the update's type is not set")),
        Ok(kind) => kind,
    };
    let entity = update.entity.as_ref().and_then(|entity| entity.entity.as_ref());
    Ok((kind, entity.ok_or_else(|| Refusal::invalid("the update's entity is not set"))?))
}

/// Checks that an update is `MODIFY`, for entities that exist as long as the program is loaded.
pub(crate) fn modify_only(kind: Type, what: &str) -> Result<(), Refusal> {
    match kind {
        Type::Modify => Ok(()),
        _ => Err(Refusal::invalid(format!("a {what} can only be modified"))),
    }
}

/// Applies an update.
pub(crate) fn write(target: &mut Target<'_>, kind: Type, entity: &Kind) -> Result<(), Refusal> {
    match entity {
        Kind::TableEntry(entry) => table::write(target, kind, entry),
        Kind::ActionProfileMember(member) => profile::write_member(target, kind, member),
        Kind::ActionProfileGroup(group) => profile::write_group(target, kind, group),
        Kind::MeterEntry(entry) => array::write_meter(target, kind, entry),
        Kind::DirectMeterEntry(entry) => direct::write_meter(target, kind, entry),
        Kind::CounterEntry(entry) => array::write_counter(target, kind, entry),
        Kind::DirectCounterEntry(entry) => direct::write_counter(target, kind, entry),
        Kind::PacketReplicationEngineEntry(entry) => replication::write(target, kind, entry),
        Kind::ValueSetEntry(entry) => value_set::write(target, kind, entry),
        Kind::RegisterEntry(entry) => register::write(target, kind, entry),
        Kind::DigestEntry(entry) => digest::write(target, kind, entry),
        Kind::ExternEntry(entry) => Err(no_extern(entry)),
    }
}

/// Reads the requested entities.
pub(crate) fn read(target: &mut Target<'_>, request: &v1::Entity, out: &mut Output) -> Result<(), Refusal> {
    let Some(entity) = &request.entity else {
        return Err(Refusal::invalid("the request's entity is not set"));
    };
    match entity {
        Kind::TableEntry(entry) => table::read(target, entry, out),
        Kind::ActionProfileMember(member) => profile::read_members(target, member, out),
        Kind::ActionProfileGroup(group) => profile::read_groups(target, group, out),
        Kind::MeterEntry(entry) => array::read_meters(target, entry, out),
        Kind::DirectMeterEntry(entry) => direct::read_meters(target, entry, out),
        Kind::CounterEntry(entry) => array::read_counters(target, entry, out),
        Kind::DirectCounterEntry(entry) => direct::read_counters(target, entry, out),
        Kind::PacketReplicationEngineEntry(entry) => replication::read(target, entry, out),
        Kind::ValueSetEntry(entry) => value_set::read(target, entry, out),
        Kind::RegisterEntry(entry) => register::read(target, entry, out),
        Kind::DigestEntry(entry) => digest::read(target, entry, out),
        // A wildcard read of externs succeeds and is empty.
        Kind::ExternEntry(entry) if entry.extern_type_id == 0 => Ok(()),
        Kind::ExternEntry(entry) => Err(no_extern(entry)),
    }
}

/// The P4Info of a v1model program has no `externs`: each of its externs has a separate message.
fn no_extern(entry: &v1::ExternEntry) -> Refusal {
    Refusal::unimplemented(format!(
        "extern {:#010x} of type {:#x}: v1model has no externs beyond those with messages of their own",
        entry.extern_id, entry.extern_type_id
    ))
}

/// Decodes an index; `None` for all elements.
pub(crate) fn element(index: Option<&v1::Index>, size: u64, what: &str) -> Result<Option<u64>, Refusal> {
    let Some(index) = index else { return Ok(None) };
    match u64::try_from(index.index) {
        Err(_) => Err(Refusal::invalid(format!("index {} of {what} is negative", index.index))),
        Ok(at) if at >= size => {
            Err(Refusal::out_of_range(format!("index {at} of {what} is beyond its {size} elements")))
        }
        Ok(at) => Ok(Some(at)),
    }
}

/// Wraps an entity.
pub(crate) fn wrap(entity: Kind) -> v1::Entity {
    v1::Entity { entity: Some(entity) }
}
