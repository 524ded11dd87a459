//! What the counters of a switch were at one time.

use std::collections::BTreeMap;

use model::Rate;
use model::plain::{is_unprintable, plain_line};
use serde::{Deserialize, Serialize};

/// Number of PFC priorities (IEEE 802.1Q).
pub const PRIORITIES: usize = 8;

/// Where a reading comes from: says what its counters can and cannot show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Source {
    /// SONiC's databases, live or dumped.
    SonicDatabase,
    /// The output of SONiC's `show` commands.
    SonicShow,
    /// gNMI, OpenConfig or SONiC paths.
    Gnmi,
    /// The state of the device of a P4 switch.
    P4Runtime,
}

/// All counters of one switch at one time. A counter that the source does not have is `None`, never 0.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// The switch, by its name in the topology.
    pub switch: String,
    /// Wall-clock time at which the counters were read, in nanoseconds since 1970. Pasted output has no time of its
    /// own: its reader supplies one.
    pub time_ns: u64,
    /// Whether `time_ns` is only an order (pasted output): rates are unknown then.
    #[serde(default)]
    pub time_is_assumed: bool,
    /// Where it comes from.
    pub source: Source,
    /// Whether the source has no statistics of the watchdog at all (a paste without `show pfcwd stats`): what a later
    /// reading has may be old. Otherwise a queue without statistics has had no storm.
    #[serde(default)]
    pub lacks_watchdog: bool,
    /// The ports, by SONiC's name (`Ethernet0`).
    pub ports: BTreeMap<String, PortReading>,
    /// Neighbours by LLDP or by configuration.
    #[serde(default)]
    pub neighbours: Vec<LocalNeighbour>,
    /// Addresses that the switch has by its configuration; sFlow agents and IPFIX exporters are known by them.
    #[serde(default)]
    pub addresses: Vec<std::net::IpAddr>,
    /// How old counters may be when they are read.
    #[serde(default)]
    pub polled: PollIntervals,
}

/// The intervals at which a switch reads the counters of its ASIC, in milliseconds: what is read of it may be as old. `None` where
/// the source does not tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PollIntervals {
    /// Of the counters of ports: pauses, drops, bytes.
    #[serde(default)]
    pub ports_ms: Option<u32>,
    /// Of the counters of queues.
    #[serde(default)]
    pub queues_ms: Option<u32>,
    /// Of the watermarks of queues and priority groups: the longer one.
    #[serde(default)]
    pub watermarks_ms: Option<u32>,
}

impl Reading {
    /// The reading with the watermarks of an earlier one where those are higher: of an interval that ends with this reading and
    /// has the earlier one in it. A watermark that was cleared in between would lose its peak.
    #[must_use]
    pub fn with_peaks_of(&self, earlier: &Reading) -> Reading {
        let mut all = self.clone();
        for (name, port) in &mut all.ports {
            let Some(before) = earlier.ports.get(name) else { continue };
            for (own, before) in port.priorities.iter_mut().zip(&before.priorities) {
                for (own, before) in own.watermarks_mut().into_iter().zip(before.watermarks()) {
                    *own = (*own).max(before);
                }
            }
        }
        all
    }

    /// Whether no watermark of an earlier reading is higher, so that [`Reading::with_peaks_of`] would change nothing.
    pub fn has_peaks_of(&self, earlier: &Reading) -> bool {
        self.ports_with(earlier).all(|(_, port, before)| {
            let before = before.into_iter().flat_map(|before| &before.priorities);
            port.priorities.iter().zip(before).all(|(own, before)| {
                own.watermarks().into_iter().zip(before.watermarks()).all(|(own, before)| own >= before)
            })
        })
    }

    /// How many ports have counters of pauses or packets that are lower than in an earlier reading: they were cleared, or
    /// the switch booted.
    pub fn cleared_ports(&self, earlier: &Reading) -> u64 {
        let fell = |now: Option<u64>, before: Option<u64>| matches!((now, before), (Some(now), Some(before)) if now < before);
        // A counter of 32 bits that wraps falls as well, but not to the first quarter from below the last one.
        let is_wrap =
            |before: Option<u64>| before.is_some_and(|before| before >> 30 == 3 || before >> 62 == 3);
        let is_cleared = |now: Option<u64>, before: Option<u64>| fell(now, before) && !is_wrap(before);
        let count = self.ports_with(earlier).filter(|(_, port, before)| {
            let Some(before) = before else { return false };
            port.priorities.iter().zip(&before.priorities).any(|(now, before)| {
                is_cleared(now.pause_rx_frames, before.pause_rx_frames)
                    || is_cleared(now.pause_tx_frames, before.pause_tx_frames)
                    || is_cleared(now.queue.packets, before.queue.packets)
            })
        });
        count.count() as u64
    }

    /// Takes everything that is counted from a reading of the same ports. Names stay, and with them their memory.
    pub(crate) fn take_counters_of(&mut self, other: &Reading) {
        // A monitor may have given the switch another name.
        self.switch.clone_from(&other.switch);
        for (port, other) in self.ports.values_mut().zip(other.ports.values()) {
            *port = PortReading { alias: port.alias.take(), ..*other };
        }
    }

    /// The ports, each with the same port of an earlier reading. Both are in the order of their names and nearly always have the
    /// same ports, so that they are walked through together.
    pub(crate) fn ports_with<'r>(
        &'r self,
        earlier: &'r Reading,
    ) -> impl Iterator<Item = (&'r String, &'r PortReading, Option<&'r PortReading>)> {
        let mut before = earlier.ports.iter().peekable();
        self.ports.iter().map(move |(name, port)| {
            while before.next_if(|(other, _)| *other < name).is_some() {}
            (name, port, before.next_if(|(other, _)| *other == name).map(|(_, port)| port))
        })
    }

    /// The reading with names that a terminal can show: switches and neighbours choose them.
    pub(crate) fn with_plain_names(mut self) -> Reading {
        let plain = |text: &mut String| {
            if text.contains(is_unprintable) {
                *text = plain_line(text).into_owned();
            }
        };
        plain(&mut self.switch);
        if self.ports.keys().any(|name| name.contains(is_unprintable)) {
            let ports = std::mem::take(&mut self.ports).into_iter();
            self.ports = ports.map(|(name, port)| (plain_line(&name).into_owned(), port)).collect();
        }
        self.ports.values_mut().filter_map(|port| port.alias.as_mut()).for_each(plain);
        for neighbour in &mut self.neighbours {
            plain(&mut neighbour.port);
            plain(&mut neighbour.system);
            let ends = [&mut neighbour.remote_port, &mut neighbour.remote_description];
            ends.into_iter().flatten().for_each(plain);
        }
        self
    }
}

/// A neighbour that a switch sees at a port.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct LocalNeighbour {
    /// The port of this switch, by SONiC's name.
    pub port: String,
    /// The neighbour's system name.
    pub system: String,
    /// The neighbour's port, as it announces it: a name, an alias or a MAC address.
    pub remote_port: Option<String>,
    /// The description of the neighbour's port (LLDP); SONiC announces its alias as port id and its name here.
    #[serde(default)]
    pub remote_description: Option<String>,
    /// Whether the neighbour is a host, if the source says what it is (CONFIG_DB's DEVICE_NEIGHBOR_METADATA).
    #[serde(default)]
    pub is_host: Option<bool>,
}

/// The counters of a port.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PortReading {
    /// SONiC's alias (`etp1`), if known.
    #[serde(default)]
    pub alias: Option<String>,
    /// The port's number in the topology, if the source knows it.
    #[serde(default)]
    pub number: Option<u16>,
    /// Speed.
    #[serde(default)]
    pub speed: Option<Rate>,
    /// Whether the link is up.
    #[serde(default)]
    pub up: Option<bool>,
    /// Bytes received (`SAI_PORT_STAT_IF_IN_OCTETS`).
    #[serde(default)]
    pub rx_bytes: Option<u64>,
    /// Bytes sent (`SAI_PORT_STAT_IF_OUT_OCTETS`).
    #[serde(default)]
    pub tx_bytes: Option<u64>,
    /// Bytes sent in a second at the time of the reading (`TX_BPS` of `RATES`, smoothed by SONiC).
    #[serde(default)]
    pub tx_bytes_per_s: Option<u64>,
    /// Packets dropped at ingress (`SAI_PORT_STAT_IF_IN_DISCARDS`).
    #[serde(default)]
    pub rx_drops: Option<u64>,
    /// Packets dropped at egress (`SAI_PORT_STAT_IF_OUT_DISCARDS`).
    #[serde(default)]
    pub tx_drops: Option<u64>,
    /// Damaged packets received (`SAI_PORT_STAT_IF_IN_ERRORS`).
    #[serde(default)]
    pub rx_errors: Option<u64>,
    /// The priorities, 0 to 7.
    pub priorities: [PriorityReading; PRIORITIES],
}

/// The counters of one priority of a port. Queue and priority group are those that the port's maps give to the
/// priority; SONiC's defaults map each to the same number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PriorityReading {
    /// PFC frames received: the neighbour pauses this port (`SAI_PORT_STAT_PFC_n_RX_PKTS`).
    #[serde(default)]
    pub pause_rx_frames: Option<u64>,
    /// PFC frames sent: this port pauses the neighbour (`SAI_PORT_STAT_PFC_n_TX_PKTS`).
    #[serde(default)]
    pub pause_tx_frames: Option<u64>,
    /// Pauses that began: how often received frames stopped the priority, without those that prolong a pause
    /// (`SAI_PORT_STAT_PFC_n_ON2OFF_RX_PKTS`, which SONiC's watchdog polls on ASICs of Broadcom).
    #[serde(default)]
    pub pauses_begun: Option<u64>,
    /// Time for which received pauses stopped this port, where the ASIC has it, in ns
    /// (`SAI_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US`, or the estimate of the watchdog's script for Broadcom,
    /// `EST_PORT_STAT_PFC_n_RX_PAUSE_DURATION_US`). `..._RX_PAUSE_DURATION` is not used: SAI counts it in quanta, and
    /// some ASICs in microseconds.
    #[serde(default)]
    pub pause_rx_ns: Option<u64>,
    /// Time for which this port paused its neighbour, in ns (`SAI_PORT_STAT_PFC_n_TX_PAUSE_DURATION_US`).
    #[serde(default)]
    pub pause_tx_ns: Option<u64>,
    /// Whether PFC is enabled for the priority (`pfc_enable` of CONFIG_DB's PORT_QOS_MAP), if known.
    #[serde(default)]
    pub pfc_enabled: Option<bool>,
    /// Whether the queue of the priority is paused at the time of the reading (`SAI_QUEUE_ATTR_PAUSE_STATUS`).
    #[serde(default)]
    pub is_paused: Option<bool>,
    /// The egress queue of this priority.
    #[serde(default)]
    pub queue: QueueReading,
    /// The ingress priority group of this priority.
    #[serde(default)]
    pub group: GroupReading,
    /// The PFC watchdog of the queue.
    #[serde(default)]
    pub watchdog: Option<WatchdogReading>,
}

impl PriorityReading {
    fn watermarks(&self) -> [Option<u64>; 3] {
        let group = &self.group;
        [self.queue.watermark_bytes, group.shared_watermark_bytes, group.headroom_watermark_bytes]
    }

    fn watermarks_mut(&mut self) -> [&mut Option<u64>; 3] {
        let group = &mut self.group;
        [
            &mut self.queue.watermark_bytes,
            &mut group.shared_watermark_bytes,
            &mut group.headroom_watermark_bytes,
        ]
    }
}

/// The counters of an egress queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct QueueReading {
    /// Packets sent (`SAI_QUEUE_STAT_PACKETS`).
    #[serde(default)]
    pub packets: Option<u64>,
    /// Bytes sent (`SAI_QUEUE_STAT_BYTES`).
    #[serde(default)]
    pub bytes: Option<u64>,
    /// Packets dropped (`SAI_QUEUE_STAT_DROPPED_PACKETS`).
    #[serde(default)]
    pub dropped_packets: Option<u64>,
    /// Packets marked by ECN (`SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS`).
    #[serde(default)]
    pub ecn_marked_packets: Option<u64>,
    /// Largest occupancy of the shared buffer since the watermark was cleared, in bytes
    /// (`SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES`). Not cumulative: it falls when it is cleared.
    #[serde(default)]
    pub watermark_bytes: Option<u64>,
    /// Occupancy at the time of the reading, in bytes (`SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES`).
    #[serde(default)]
    pub occupancy_bytes: Option<u64>,
}

/// The counters of an ingress priority group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupReading {
    /// Largest use of the shared buffer since the watermark was cleared, in bytes
    /// (`SAI_INGRESS_PRIORITY_GROUP_STAT_SHARED_WATERMARK_BYTES`).
    #[serde(default)]
    pub shared_watermark_bytes: Option<u64>,
    /// Largest use of the headroom since the watermark was cleared, in bytes
    /// (`SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES`).
    #[serde(default)]
    pub headroom_watermark_bytes: Option<u64>,
    /// Packets dropped (`SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS`).
    #[serde(default)]
    pub dropped_packets: Option<u64>,
}

/// The statistics of SONiC's PFC watchdog for a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct WatchdogReading {
    /// Its state at the time of the reading (`PFC_WD_STATUS`).
    pub state: WatchdogState,
    /// Storms detected (`PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED`).
    pub detected: u64,
    /// Storms after which the queue was restored (`PFC_WD_QUEUE_STATS_DEADLOCK_RESTORED`).
    pub restored: u64,
    /// Packets dropped at egress while a storm lasted (`PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS`).
    #[serde(default)]
    pub tx_dropped_packets: Option<u64>,
    /// Packets dropped at ingress while a storm lasted (`PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS`).
    #[serde(default)]
    pub rx_dropped_packets: Option<u64>,
}

/// The state of a queue by the PFC watchdog.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum WatchdogState {
    /// The queue sends.
    #[default]
    Operational,
    /// A storm was detected and has not ended.
    Stormed,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reading(watermark_bytes: Option<u64>) -> Reading {
        let mut port = PortReading::default();
        port.priorities[3].queue.watermark_bytes = watermark_bytes;
        Reading {
            switch: "leaf1".into(),
            time_ns: 1,
            time_is_assumed: false,
            source: Source::SonicDatabase,
            lacks_watchdog: false,
            ports: BTreeMap::from([("Ethernet0".into(), port)]),
            neighbours: Vec::new(),
            addresses: Vec::new(),
            polled: PollIntervals::default(),
        }
    }

    #[test]
    fn a_peak_that_was_cleared_in_between_stays() {
        let check = |earlier, own, expected| {
            assert_eq!(reading(own).with_peaks_of(&reading(earlier)), reading(expected));
        };
        check(Some(900), Some(0), Some(900));
        check(Some(100), Some(900), Some(900));
        check(None, Some(900), Some(900));
        check(Some(900), None, Some(900));
    }
}
