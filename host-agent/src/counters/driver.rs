//! The statistics that a driver names itself (`ethtool -S`).
//!
//! The names are those of mlx5 (Linux kernel, Documentation/networking/device_drivers/ethernet/mellanox/mlx5/
//! counters.rst), and for pauses also those of bnxt_en (bnxt_ethtool.c) and ice (ice_ethtool.c). Drivers with other names yield
//! no records.

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

/// The share of the last second, 0 to 100, in which the NIC had writes to the host that lacked credits of the PCIe link.
const STALLED_WRITES_PERCENT: &str = "outbound_pci_stalled_wr";

/// Received packets and bytes, sent packets and bytes of the physical port, by driver. The port of mlx5 has suffixes, because
/// its names without them leave RDMA out; those of bnxt_en are counters of the port.
pub const PORT_TOTALS: [[&str; 4]; 2] = [
    [RX_PACKETS, RX_BYTES, TX_PACKETS, TX_BYTES],
    ["rx_total_frames", "rx_bytes", "tx_total_frames", "tx_bytes"],
];

/// Statistics that show a host that receives slowly: drops for lack of buffers, a PCIe link that is the bottleneck, and
/// the NIC's own protection against pause storms; and what the port and the loopback carry.
pub const HOST_STATISTICS: [&str; 20] = [
    RX_PACKETS,
    RX_BYTES,
    TX_PACKETS,
    TX_BYTES,
    LOOPBACK_BYTES,
    "rx_total_frames",
    "rx_bytes",
    "tx_total_frames",
    "tx_bytes",
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
        if name == STALLED_WRITES_PERCENT {
            interface.stalled_writes_percent = Some(value).filter(|percent| *percent <= 100);
        } else if HOST_STATISTICS.contains(&name) {
            interface.host.insert(name.to_string(), value);
        } else if let Some((priority, what)) = of_priority(name) {
            set(&mut interface.priorities, priority, what, value);
        }
    }
}

/// Splits the name of a statistic into its priority, and direction and event in the words of mlx5: `rx_prio3_pause` of mlx5,
/// `rx_pfc_ena_frames_pri3` of bnxt_en and `rx_priority_3_xoff.nic` of ice are priority 3 and `("rx", "pause")`.
fn of_priority(name: &str) -> Option<(u8, (&str, &str))> {
    let (priority, what) = of_mlx5(name).or_else(|| of_bnxt(name)).or_else(|| of_ice(name))?;
    let priority = priority.parse().ok().filter(|priority| *priority < 8)?;
    Some((priority, what))
}

type Named<'n> = Option<(&'n str, (&'n str, &'n str))>;

fn of_mlx5(name: &str) -> Named<'_> {
    let (direction, rest) = name.split_once("_prio")?;
    let (priority, what) = rest.split_once('_').filter(|(priority, _)| !priority.starts_with("rity"))?;
    Some((priority, (direction, what)))
}

fn of_bnxt(name: &str) -> Named<'_> {
    if let Some((direction, priority)) = name.split_once("_pfc_ena_frames_pri") {
        return Some((priority, (direction, "pause")));
    }
    // `pfc_pri3_rx_duration_us`
    let (priority, rest) = name.strip_prefix("pfc_pri")?.split_once('_')?;
    match rest.split_once('_')? {
        (direction, "duration_us") => Some((priority, (direction, "pause_duration"))),
        (direction, "transitions") => Some((priority, (direction, "pause_transition"))),
        _ => None,
    }
}

/// Frames that resume a priority (`xon`) are no pauses.
fn of_ice(name: &str) -> Named<'_> {
    let (direction, rest) = name.split_once("_priority_")?;
    let priority = rest.strip_suffix("_xoff.nic")?;
    Some((priority, (direction, "pause")))
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
    fn names_of_other_drivers_become_the_same_counters() {
        let check = |statistics: &[(&str, u64)]| {
            let mut interface = InterfaceCounters::default();
            add(statistics.iter().copied(), &mut interface);
            interface.priorities
        };
        let bnxt = [
            ("rx_pfc_ena_frames_pri3", 1),
            ("tx_pfc_ena_frames_pri3", 2),
            ("pfc_pri3_rx_duration_us", 3),
            ("pfc_pri3_tx_duration_us", 4),
            ("pfc_pri3_rx_transitions", 5),
            ("rx_pfc_frames", 6),
        ];
        let of_bnxt = PriorityCounters {
            rx_pause_frames: Some(1),
            tx_pause_frames: Some(2),
            rx_pause_us: Some(3),
            tx_pause_us: Some(4),
            rx_pause_transitions: Some(5),
            ..PriorityCounters::default()
        };
        assert_eq!(check(&bnxt), [(3, of_bnxt)].into());
        let ice =
            [("rx_priority_4_xoff.nic", 1), ("tx_priority_4_xoff.nic", 2), ("rx_priority_4_xon.nic", 3)];
        let of_ice = PriorityCounters {
            rx_pause_frames: Some(1),
            tx_pause_frames: Some(2),
            ..PriorityCounters::default()
        };
        assert_eq!(check(&ice), [(4, of_ice)].into());
    }

    #[test]
    fn the_share_of_stalled_writes_is_no_counter() {
        let mut interface = InterfaceCounters::default();
        add([("outbound_pci_stalled_wr", 37), ("outbound_pci_stalled_wr_events", 2)], &mut interface);
        assert_eq!(interface.stalled_writes_percent, Some(37));
        assert_eq!(interface.host, [("outbound_pci_stalled_wr_events".to_string(), 2)].into());
    }

    #[test]
    fn the_output_of_ethtool_has_names_and_numbers() {
        let text = "NIC statistics:\n     rx_prio3_pause: 2\n     [0]: rx_ucast_packets: 7\n     odd: x\n";
        let found: Vec<(&str, u64)> = statistics(text).collect();
        assert_eq!(found, [("rx_prio3_pause", 2), ("[0]: rx_ucast_packets", 7)]);
    }
}
