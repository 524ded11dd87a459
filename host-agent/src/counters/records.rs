//! The records of counters.

use std::collections::BTreeMap;

/// Counters of a host at one time, by device and interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HostCounters {
    /// Ports of RDMA devices, by name and number.
    pub rdma_ports: Vec<RdmaPort>,
    /// Network interfaces that have at least one of these records, by name.
    pub interfaces: Vec<InterfaceCounters>,
}

/// A port of an RDMA device.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RdmaPort {
    /// Name of the device, e.g. `mlx5_0`.
    pub device: String,
    /// Number of the port, from 1.
    pub port: u32,
    /// The network interface of the port, if sysfs names it.
    pub interface: Option<String>,
    /// Whether the port is active; absent if sysfs does not say.
    pub is_active: Option<bool>,
    /// Its rate in bits per second; absent if sysfs does not say.
    pub rate_bps: Option<u64>,
    /// Files of `counters`. `port_rcv_data` and `port_xmit_data` count words of 4 bytes (InfiniBand Architecture
    /// Specification, PortCounters).
    pub counters: BTreeMap<String, u64>,
    /// Files of `hw_counters`, which the driver names.
    pub hw_counters: BTreeMap<String, u64>,
}

/// A network interface.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct InterfaceCounters {
    /// Its name.
    pub name: String,
    /// The PCIe link of its NIC; absent for virtual interfaces.
    pub pcie: Option<PcieLink>,
    /// Pause frames (IEEE 802.3, annex 31B), without PFC; absent if the driver does not count them.
    pub pause: Option<PauseCounters>,
    /// PFC and drops by priority; absent if the driver does not name such statistics.
    pub priorities: BTreeMap<u8, PriorityCounters>,
    /// Further statistics of the driver that show a slow host ([`super::driver::HOST_STATISTICS`]), by the driver's
    /// names.
    pub host: BTreeMap<String, u64>,
    /// Share of the last second before the reading in which the PCIe link took no write although the NIC had one, in percent.
    /// A momentary value, no counter.
    pub stalled_writes_percent: Option<u64>,
}

/// A PCIe link: what was negotiated, and what both ends can do.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PcieLink {
    /// Transfers per second and lane, in millions; absent if the kernel does not know it.
    pub speed_mtps: Option<u32>,
    /// Lanes.
    pub lanes: Option<u32>,
    /// Maximum transfers per second and lane, in millions.
    pub max_speed_mtps: Option<u32>,
    /// Maximum lanes.
    pub max_lanes: Option<u32>,
}

impl PcieLink {
    /// Whether the link is slower or narrower than the device permits: a bottleneck inside the host that slows its
    /// receiver down.
    pub fn is_degraded(&self) -> bool {
        let below = |now: Option<u32>, max| now.zip(max).is_some_and(|(now, max)| now < max);
        below(self.speed_mtps, self.max_speed_mtps) || below(self.lanes, self.max_lanes)
    }
}

/// Pause frames that the MAC has counted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PauseCounters {
    /// Received.
    pub rx_frames: Option<u64>,
    /// Sent.
    pub tx_frames: Option<u64>,
}

/// What a driver counts for one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PriorityCounters {
    /// PFC frames received that pause this priority.
    pub rx_pause_frames: Option<u64>,
    /// PFC frames sent.
    pub tx_pause_frames: Option<u64>,
    /// Time for which a received pause stopped the priority, in microseconds.
    pub rx_pause_us: Option<u64>,
    /// Time for which the NIC paused its peer, in microseconds.
    pub tx_pause_us: Option<u64>,
    /// Changes from running to paused because of received pauses.
    pub rx_pause_transitions: Option<u64>,
    /// Received packets dropped because the NIC had no buffer for them.
    pub rx_discards: Option<u64>,
    /// Of these, packets that the NIC dropped because its host was congested.
    pub rx_congestion_discards: Option<u64>,
    /// Received packets that the NIC marked with ECN because its host was congested.
    pub rx_marked: Option<u64>,
}

impl HostCounters {
    /// Whether there is nothing.
    pub fn is_empty(&self) -> bool {
        self.rdma_ports.is_empty() && self.interfaces.is_empty()
    }

    /// Returns all values under path-like names, e.g. `rdma/mlx5_0/1/hw_counters/out_of_sequence` and
    /// `net/eth1/priority/3/rx_pause_frames`, in a fixed order.
    pub fn flattened(&self) -> Vec<(String, u64)> {
        let mut all = Vec::new();
        for port in &self.rdma_ports {
            let prefix = format!("rdma/{}/{}", port.device, port.port);
            for (folder, counters) in [("counters", &port.counters), ("hw_counters", &port.hw_counters)] {
                all.extend(
                    counters.iter().map(|(name, value)| (format!("{prefix}/{folder}/{name}"), *value)),
                );
            }
        }
        for interface in &self.interfaces {
            interface.flatten(&mut all);
        }
        all
    }
}

impl InterfaceCounters {
    /// Whether there is nothing but the name.
    pub(crate) fn is_empty(&self) -> bool {
        let has_statistics =
            !self.priorities.is_empty() || !self.host.is_empty() || self.stalled_writes_percent.is_some();
        self.pcie.is_none() && self.pause.is_none() && !has_statistics
    }

    fn flatten(&self, all: &mut Vec<(String, u64)>) {
        let prefix = format!("net/{}", self.name);
        let mut add = |folder: &str, name: &str, value: Option<u64>| {
            all.extend(value.map(|value| (format!("{prefix}/{folder}/{name}"), value)));
        };
        if let Some(pcie) = &self.pcie {
            for (name, value) in pcie.named() {
                add("pcie", name, value.map(u64::from));
            }
        }
        if let Some(pause) = &self.pause {
            add("pause", "rx_frames", pause.rx_frames);
            add("pause", "tx_frames", pause.tx_frames);
        }
        for (priority, counters) in &self.priorities {
            for (name, value) in counters.named() {
                add(&format!("priority/{priority}"), name, value);
            }
        }
        for (name, value) in &self.host {
            add("host", name, Some(*value));
        }
    }
}

impl PcieLink {
    /// Returns the values with their names.
    pub fn named(&self) -> [(&'static str, Option<u32>); 4] {
        [
            ("speed_mtps", self.speed_mtps),
            ("lanes", self.lanes),
            ("max_speed_mtps", self.max_speed_mtps),
            ("max_lanes", self.max_lanes),
        ]
    }
}

impl PriorityCounters {
    /// Returns the values with their names.
    pub fn named(&self) -> [(&'static str, Option<u64>); 8] {
        [
            ("rx_pause_frames", self.rx_pause_frames),
            ("tx_pause_frames", self.tx_pause_frames),
            ("rx_pause_us", self.rx_pause_us),
            ("tx_pause_us", self.tx_pause_us),
            ("rx_pause_transitions", self.rx_pause_transitions),
            ("rx_discards", self.rx_discards),
            ("rx_congestion_discards", self.rx_congestion_discards),
            ("rx_marked", self.rx_marked),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_below_its_maximum_is_degraded() {
        let check = |now: (u32, u32), expected| {
            let link = PcieLink {
                speed_mtps: Some(now.0),
                lanes: Some(now.1),
                max_speed_mtps: Some(16_000),
                max_lanes: Some(16),
            };
            assert_eq!(link.is_degraded(), expected, "{now:?}");
        };
        check((16_000, 16), false);
        check((8_000, 16), true);
        check((16_000, 8), true);
        assert!(!PcieLink::default().is_degraded());
    }

    #[test]
    fn absent_counters_have_no_name() {
        let interface = InterfaceCounters {
            name: "eth1".into(),
            pause: Some(PauseCounters { rx_frames: Some(7), tx_frames: None }),
            priorities: [(3, PriorityCounters { rx_pause_us: Some(9), ..PriorityCounters::default() })]
                .into(),
            ..InterfaceCounters::default()
        };
        let all = HostCounters { rdma_ports: Vec::new(), interfaces: vec![interface] }.flattened();
        let expected = [("net/eth1/pause/rx_frames", 7), ("net/eth1/priority/3/rx_pause_us", 9)];
        assert_eq!(all, expected.map(|(name, value)| (name.to_string(), value)));
    }
}
