//! Reads what a switch gives beside frozen telemetry: the counters of the program's losses, and the state of the device if
//! the switch offers it.

use model::LossReason;
use p4runtime::client::{Client, Schema};
use p4runtime::proto::p4switch::v1::{self, DiscardReason};

use crate::layout::{LossCounter, ReadError, TelemetryLayout};
use crate::records::{DeviceReading, LinkChange, PortReading, Reading};

use super::LiveError;
use super::session::read;

/// The wall clock just before and after the state of a device was read, in nanoseconds since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ReadTimes {
    pub(crate) sent_ns: u64,
    pub(crate) received_ns: u64,
}

/// Reads the records of a switch, and when the state of its device was read. `offers_device`: the switch has not rejected
/// that state in this session.
pub(super) async fn read_records(
    mut client: Client,
    schema: &Schema,
    layout: &TelemetryLayout,
    offers_device: bool,
    wall_clock: fn() -> u64,
) -> Result<(Reading, ReadTimes), LiveError> {
    let register = layout.loss_register().to_string();
    let rows = read(client.clone(), schema, std::slice::from_ref(&register)).await?;
    let losses = layout.read_losses(&rows).map_err(|ReadError::Missing(name)| LiveError::Unread(name))?;
    let sent_ns = wall_clock();
    let device = if offers_device { client.device_state().await? } else { None };
    let times = ReadTimes { sent_ns, received_ns: wall_clock() };
    Ok((Reading { losses, device: device.as_ref().map(reading) }, times))
}

/// Maximum ports that are read; switches have a few hundred.
const MAX_PORTS: usize = 1_024;
/// Maximum counters of discards that are read: by two ports, priority and reason.
const MAX_DISCARDS: usize = 65_536;
/// Maximum changes of links that are read, the latest: they are part of every snapshot.
const MAX_CHANGES: usize = 256;

/// What is malformed in the state of a device, or beyond the limits, is left out.
fn reading(state: &v1::DeviceState) -> DeviceReading {
    // The oldest come first.
    let latest = state.link_changes.len().saturating_sub(MAX_CHANGES);
    let latest = state.link_changes.get(latest..).unwrap_or_default();
    let changes = latest.iter().filter_map(|change| {
        let port = u16::try_from(change.port).ok()?;
        Some(LinkChange { time_ns: change.time_ns, port, is_up: change.is_up })
    });
    DeviceReading {
        time_ns: state.time_ns,
        ports: state.ports.iter().take(MAX_PORTS).filter_map(port).collect(),
        discards: state.discards.iter().take(MAX_DISCARDS).filter_map(discards).collect(),
        link_changes: changes.collect(),
    }
}

fn port(port: &v1::Port) -> Option<PortReading> {
    let mut paused_ns = [0; 8];
    for (known, read) in paused_ns.iter_mut().zip(&port.paused_ns) {
        *known = *read;
    }
    Some(PortReading {
        port: u16::try_from(port.port).ok()?,
        is_up: port.is_up,
        rate_bps: port.rate_bps,
        sent_bytes: port.sent_bytes,
        queue_packets: port.queue_packets,
        queue_bytes: port.queue_bytes,
        paused_ns,
        paused_priorities: port.paused_priorities as u8,
    })
}

fn discards(discards: &v1::Discards) -> Option<LossCounter> {
    let reason = match discards.reason() {
        DiscardReason::HeadroomFull => LossReason::Headroom,
        DiscardReason::Watchdog => LossReason::Watchdog,
        DiscardReason::MemoryFull
        | DiscardReason::IngressThreshold
        | DiscardReason::EgressThreshold
        | DiscardReason::Early => LossReason::Lossy,
        DiscardReason::UnknownPort | DiscardReason::Unspecified => LossReason::Other,
    };
    Some(LossCounter {
        ingress_port: Some(u16::try_from(discards.ingress_port).ok()?),
        egress_port: Some(u16::try_from(discards.egress_port).ok()?),
        priority: Some(u8::try_from(discards.priority).ok()?),
        reason,
        packets: discards.packets,
        first_ns: discards.first_ns,
        last_ns: discards.last_ns,
    })
}
