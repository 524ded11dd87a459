//! The state of the device as an entity: discards of the traffic manager, links, queues and pauses of its ports.
//!
//! P4Runtime has no counters of a traffic manager and no state of ports. It has a place for what an architecture adds:
//! `ExternEntry`, with type ids of `OTHER_EXTERNS` (P4Runtime specification, "ID Allocation for P4Info Objects" and
//! "ExternEntry"). This module defines one such entry. It exists without a declaration in P4Info, because no program
//! declares it.

use model::Time;
use p4_switch::DeviceState;
use p4_switch::switch::{ClassState, Discards, LinkChange, PortState};
use p4_switch::tm::DropReason;
use prost::Message;

use crate::proto::p4::v1::{ExternEntry, entity::Entity as Kind};
use crate::proto::p4switch::v1;

/// Type id of the entry: one of `OTHER_EXTERNS`.
pub const EXTERN_TYPE: u32 = 0x9d;
/// Id of the only instance.
pub const EXTERN_ID: u32 = 0x9d00_0001;
/// Type of the payload.
pub const PAYLOAD_TYPE: &str = "type.googleapis.com/p4switch.v1.DeviceState";

/// Returns the request that reads the state.
pub fn request() -> Kind {
    Kind::ExternEntry(Box::new(ExternEntry {
        extern_type_id: EXTERN_TYPE,
        extern_id: EXTERN_ID,
        entry: None,
    }))
}

/// Whether an entity is that of the state. An id of 0 is a wildcard.
pub(crate) fn is_requested(kind: &Kind) -> bool {
    matches!(kind, Kind::ExternEntry(entry)
        if entry.extern_type_id == EXTERN_TYPE && [0, EXTERN_ID].contains(&entry.extern_id))
}

/// Returns a state as an entity.
pub(crate) fn entity(state: &DeviceState) -> Kind {
    let payload = prost_types::Any { type_url: PAYLOAD_TYPE.into(), value: message(state).encode_to_vec() };
    Kind::ExternEntry(Box::new(ExternEntry {
        extern_type_id: EXTERN_TYPE,
        extern_id: EXTERN_ID,
        entry: Some(payload),
    }))
}

/// Returns the state in an entity; `None` if it is another entity or malformed.
pub fn of_entity(kind: &Kind) -> Option<v1::DeviceState> {
    let Kind::ExternEntry(entry) = kind else { return None };
    let payload = entry.entry.as_ref().filter(|payload| payload.type_url == PAYLOAD_TYPE)?;
    v1::DeviceState::decode(payload.value.as_slice()).ok()
}

fn message(state: &DeviceState) -> v1::DeviceState {
    v1::DeviceState {
        time_ns: state.time.as_ns(),
        ports: state.ports.iter().map(port).collect(),
        discards: state.discards.iter().map(discards).collect(),
        link_changes: state.link_changes.iter().map(link_change).collect(),
        uncounted_discards: state.uncounted_discards,
    }
}

fn port(port: &PortState) -> v1::Port {
    v1::Port {
        port: port.port.into(),
        is_up: port.is_up,
        sent_packets: port.sent_packets,
        sent_bytes: port.sent_bytes,
        queue_packets: port.queue_packets,
        queue_bytes: port.queue_bytes,
        paused_ns: port.paused.iter().copied().map(Time::as_ns).collect(),
        paused_priorities: port.paused_priorities.into(),
        rate_bps: port.rate.0,
        classes: port.classes.iter().map(class).collect(),
    }
}

fn class(class: &ClassState) -> v1::Class {
    v1::Class {
        pfc_frames_received: class.pfc_frames_received,
        pfc_frames_sent: class.pfc_frames_sent,
        sent_packets: class.sent_packets,
        sent_bytes: class.sent_bytes,
        queue_bytes: class.queue_bytes,
        queue_peak_bytes: class.queue_peak_bytes,
        headroom_peak_bytes: Some(class.headroom_peak_bytes),
    }
}

fn discards(discards: &Discards) -> v1::Discards {
    let reason = match discards.reason {
        DropReason::UnknownPort => v1::DiscardReason::UnknownPort,
        DropReason::MemoryFull => v1::DiscardReason::MemoryFull,
        DropReason::IngressThreshold => v1::DiscardReason::IngressThreshold,
        DropReason::HeadroomFull => v1::DiscardReason::HeadroomFull,
        DropReason::EgressThreshold => v1::DiscardReason::EgressThreshold,
        DropReason::Early => v1::DiscardReason::Early,
        DropReason::Watchdog => v1::DiscardReason::Watchdog,
    };
    v1::Discards {
        ingress_port: discards.ingress_port.into(),
        egress_port: discards.egress_port.into(),
        priority: discards.priority.into(),
        reason: reason.into(),
        packets: discards.packets,
        first_ns: discards.first.as_ns(),
        last_ns: discards.last.as_ns(),
    }
}

fn link_change(change: &LinkChange) -> v1::LinkChange {
    v1::LinkChange { port: change.port.into(), is_up: change.is_up, time_ns: change.at.as_ns() }
}
