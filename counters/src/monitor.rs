//! The pause monitor: which ports pause, are paused, drop or have a storm, whether or not a verdict names them.

use std::collections::BTreeMap;

use crate::PortPauses;
use crate::pressure::{PausedPart, Pressure};
use crate::wiring::{Neighbour, PortId, Wiring};

/// What is known about each port and priority: how much it was paused, and what is shown.
pub(crate) type Monitored = BTreeMap<(PortId, usize), (u64, PortPauses)>;

/// Adds the rows of a window; of each port and priority the window with the most pauses stays.
pub(crate) fn add(rows: &[Pressure], wiring: &Wiring, ports: &mut Monitored) {
    for row in rows {
        let is_quiet = !row.is_paused() && row.sent() == 0 && !row.has_storm();
        if is_quiet && (row.drops() == 0 || !row.is_lossless) {
            continue;
        }
        let amount = row.change.pause_rx_ns.unwrap_or(0).max(row.received()).max(row.sent());
        let entry = (row.port, row.priority);
        if ports.get(&entry).is_none_or(|(known, _)| *known < amount) {
            ports.insert(entry, (amount, shown(row, wiring)));
        }
    }
}

fn shown(row: &Pressure, wiring: &Wiring) -> PortPauses {
    let info = &wiring.ports[row.port];
    let neighbour = match &info.neighbour {
        Neighbour::Port(peer) => Some(format!("{} {}", wiring.ports[*peer].switch, wiring.ports[*peer].name)),
        Neighbour::Switch(name)
        | Neighbour::Host(name)
        | Neighbour::Unread(name)
        | Neighbour::System(name) => Some(name.clone()),
        Neighbour::Unknown { .. } => None,
    };
    let paused_part = match row.paused_part {
        PausedPart::Measured(part) => Some(part),
        PausedPart::AtMost(_) | PausedPart::Unknown => None,
    };
    PortPauses {
        port: info.at.clone(),
        name: info.name.clone(),
        priority: row.priority as u8,
        neighbour,
        received_frames: row.change.pause_rx_frames,
        sent_frames: row.change.pause_tx_frames,
        paused_part,
        queue_peak_bytes: row.queue_peak(),
        dropped_packets: row.drops(),
        storms: row.change.watchdog.map_or(0, |watchdog| watchdog.detected),
    }
}
