//! The statistics that a driver names itself (`ethtool -S`).
//!
//! The names are those of mlx5 (Linux kernel, Documentation/networking/device_drivers/ethernet/mellanox/mlx5/
//! counters.rst). Drivers with other names yield no records.

use std::collections::BTreeMap;

use super::records::{InterfaceCounters, PriorityCounters};

/// Packets and bytes of the physical port, RDMA included.
pub const RX_PACKETS: &str = "rx_packets_phy";
/// As [`RX_PACKETS`].
pub const RX_BYTES: &str = "rx_bytes_phy";
/// As [`RX_PACKETS`].
pub const TX_PACKETS: &str = "tx_packets_phy";
/// As [`RX_PACKETS`].
pub const TX_BYTES: &str = "tx_bytes_phy";
/// Bytes that the NIC received from itself.
pub const LOOPBACK_BYTES: &str = "vport_loopback_bytes";

/// Statistics that show a host that receives slowly: drops for lack of buffers, a PCIe link that is the bottleneck, and
/// the NIC's own protection against pause storms; and what the port and the loopback carry.
pub const HOST_STATISTICS: [&str; 16] = [
    RX_PACKETS,
    RX_BYTES,
    TX_PACKETS,
    TX_BYTES,
    LOOPBACK_BYTES,
    "rx_out_of_buffer",
    "rx_discards_phy",
    "rx_global_pause_duration",
    "tx_global_pause_duration",
    "tx_pause_storm_warning_events",
    "tx_pause_storm_error_events",
    "outbound_pci_buffer_overflow",
    "outbound_pci_stalled_rd_events",
    "outbound_pci_stalled_wr_events",
    "rx_pci_signal_integrity",
    "tx_pci_signal_integrity",
];

/// Returns the names and values of an output of `ethtool -S`; lines without a number are ignored.
pub fn statistics(text: &str) -> impl Iterator<Item = (&str, u64)> {
    // Names may have colons: `[0]: rx_ucast_packets: 7`.
    let split = text.lines().filter_map(|line| line.rsplit_once(':'));
    split.filter_map(|(name, value)| Some((name.trim(), value.trim().parse().ok()?)))
}

/// Adds the statistics of a driver to the record of its interface; unknown names are ignored.
pub fn add<'s>(statistics: impl IntoIterator<Item = (&'s str, u64)>, interface: &mut InterfaceCounters) {
    for (name, value) in statistics {
        if HOST_STATISTICS.contains(&name) {
            interface.host.insert(name.to_string(), value);
        } else if let Some((priority, what)) = of_priority(name) {
            set(&mut interface.priorities, priority, what, value);
        }
    }
}

/// Splits `rx_prio3_pause` into the priority and `rx_pause`.
fn of_priority(name: &str) -> Option<(u8, (&str, &str))> {
    let (direction, rest) = name.split_once("_prio")?;
    let (priority, what) = rest.split_once('_')?;
    let priority = priority.parse().ok().filter(|priority| *priority < 8)?;
    Some((priority, (direction, what)))
}

fn set(priorities: &mut BTreeMap<u8, PriorityCounters>, priority: u8, what: (&str, &str), value: u64) {
    let mut counters = priorities.get(&priority).copied().unwrap_or_default();
    let field = match what {
        ("rx", "pause") => &mut counters.rx_pause_frames,
        ("tx", "pause") => &mut counters.tx_pause_frames,
        ("rx", "pause_duration") => &mut counters.rx_pause_us,
        ("tx", "pause_duration") => &mut counters.tx_pause_us,
        ("rx", "pause_transition") => &mut counters.rx_pause_transitions,
        ("rx", "discards") => &mut counters.rx_discards,
        ("rx", "cong_discard") => &mut counters.rx_congestion_discards,
        ("rx", "marked") => &mut counters.rx_marked,
        _ => return,
    };
    *field = Some(value);
    priorities.insert(priority, counters);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_mlx5_become_counters_of_priorities() {
        let mut interface = InterfaceCounters::default();
        let statistics = [
            ("rx_prio3_bytes", 1),
            ("rx_prio3_pause", 2),
            ("tx_prio3_pause_duration", 3),
            ("rx_prio4_marked", 4),
            ("rx_prio9_pause", 5),
            ("rx_prio_pause", 6),
            ("rx_out_of_buffer", 7),
            ("rx0_packets", 8),
        ];
        add(statistics, &mut interface);
        let of_3 = PriorityCounters {
            rx_pause_frames: Some(2),
            tx_pause_us: Some(3),
            ..PriorityCounters::default()
        };
        let of_4 = PriorityCounters { rx_marked: Some(4), ..PriorityCounters::default() };
        assert_eq!(interface.priorities, [(3, of_3), (4, of_4)].into());
        assert_eq!(interface.host, [("rx_out_of_buffer".to_string(), 7)].into());
    }

    #[test]
    fn the_output_of_ethtool_has_names_and_numbers() {
        let text = "NIC statistics:\n     rx_prio3_pause: 2\n     [0]: rx_ucast_packets: 7\n     odd: x\n";
        let found: Vec<(&str, u64)> = statistics(text).collect();
        assert_eq!(found, [("rx_prio3_pause", 2), ("[0]: rx_ucast_packets", 7)]);
    }
}
