//! What all verdicts of a window are based on.

use model::diagnosis::{Evidence, Record};

use crate::Network;
use crate::causality::{Cluster, Loop};
use crate::flow_sample::FlowSample;
use crate::interval::Window;
use crate::pressure::Pressure;
use crate::wiring::{Neighbour, PortId, Wiring};

/// A window with its rows, clusters and loops.
pub(crate) struct Case<'c> {
    pub(crate) window: &'c Window,
    pub(crate) wiring: &'c Wiring,
    pub(crate) network: &'c Network,
    pub(crate) samples: &'c [FlowSample],
    /// In order of port and priority.
    pub(crate) rows: &'c [Pressure],
    pub(crate) clusters: &'c [Cluster],
    pub(crate) loops: &'c [Loop],
}

impl<'c> Case<'c> {
    pub(crate) fn row(&self, port: PortId, priority: usize) -> Option<&'c Pressure> {
        let key = |row: &Pressure| (row.port, row.priority);
        let found = self.rows.binary_search_by_key(&(port, priority), key);
        found.ok().map(|position| &self.rows[position])
    }

    /// The rows of a port.
    pub(crate) fn rows_at(&self, port: PortId) -> &'c [Pressure] {
        let from = self.rows.partition_point(|row| row.port < port);
        let rows = &self.rows[from..];
        &rows[..rows.partition_point(|row| row.port == port)]
    }

    /// The rows of a switch.
    pub(crate) fn rows_of<'s>(&'s self, switch: &'s str) -> impl Iterator<Item = &'c Pressure> + 's {
        self.wiring.ports_of(switch).iter().flat_map(|port| self.rows_at(*port))
    }

    /// A port for people: its reference and its name, `leaf1:3 (Ethernet8)`.
    pub(crate) fn shown(&self, port: PortId) -> String {
        let info = &self.wiring.ports[port];
        format!("{} ({})", info.at, info.name)
    }

    /// The neighbour of a port for people, with its kind.
    pub(crate) fn neighbour(&self, port: PortId) -> String {
        match &self.wiring.ports[port].neighbour {
            Neighbour::Port(peer) => self.shown(*peer),
            Neighbour::Switch(name) | Neighbour::Unread(name) => format!("switch {name}"),
            Neighbour::Host(name) => format!("host {name}"),
            Neighbour::System(name) => format!("{name} (a host or a switch)"),
            Neighbour::Unknown { .. } => "an unknown device".to_string(),
        }
    }

    /// The name of the host at a port, if it is one or may be one.
    pub(crate) fn host(&self, port: PortId) -> Option<&'c str> {
        match &self.wiring.ports[port].neighbour {
            Neighbour::Host(name) | Neighbour::System(name) => Some(name),
            _ => None,
        }
    }

    /// A counter of a row as a record; `None` if the source lacks it.
    pub(crate) fn record(&self, row: &Pressure, counter: Counter) -> Option<Record> {
        let info = &self.wiring.ports[row.port];
        let (name, value) = counter.of(row)?;
        Some(Record::Counter {
            port: info.at.clone(),
            name: info.name.clone(),
            counter: name,
            from_ns: row.from_ns,
            to_ns: row.to_ns,
            value,
        })
    }

    /// A claim about a row with the counters that support it.
    pub(crate) fn evidence(&self, row: &Pressure, counters: &[Counter], claim: String) -> Evidence {
        let info = &self.wiring.ports[row.port];
        Evidence {
            claim,
            template: None,
            switch: Some(info.switch.clone()),
            port: Some(info.at.clone()),
            epoch: None,
            records: counters.iter().filter_map(|counter| self.record(row, *counter)).collect(),
        }
    }
}

/// A counter that verdicts cite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Counter {
    PausesReceived,
    PausesSent,
    PausedTime,
    PausesBegun,
    QueuePeak,
    QueuePackets,
    QueueDrops,
    GroupDrops,
    HeadroomPeak,
    EcnMarked,
    Occupancy,
    StormsDetected,
    WatchdogTxDrops,
    WatchdogRxDrops,
}

impl Counter {
    /// SONiC's name of the counter, and its growth in the window or its value at the end.
    fn of(self, row: &Pressure) -> Option<(String, u64)> {
        let of = &row.change;
        let priority = row.priority;
        let (name, value) = match self {
            Counter::PausesReceived => {
                return Some((format!("SAI_PORT_STAT_PFC_{priority}_RX_PKTS"), of.pause_rx_frames?));
            }
            Counter::PausesSent => {
                return Some((format!("SAI_PORT_STAT_PFC_{priority}_TX_PKTS"), of.pause_tx_frames?));
            }
            Counter::PausesBegun => {
                return Some((format!("SAI_PORT_STAT_PFC_{priority}_ON2OFF_RX_PKTS"), of.pauses_begun?));
            }
            Counter::PausedTime => {
                let us = of.pause_rx_ns? / 1_000;
                return Some((format!("SAI_PORT_STAT_PFC_{priority}_RX_PAUSE_DURATION_US"), us));
            }
            Counter::QueuePeak => {
                ("SAI_QUEUE_STAT_SHARED_WATERMARK_BYTES", of.queue_peak.map(|peak| peak.bytes))
            }
            Counter::QueuePackets => ("SAI_QUEUE_STAT_PACKETS", of.queue_packets),
            Counter::QueueDrops => ("SAI_QUEUE_STAT_DROPPED_PACKETS", of.queue_drops),
            Counter::GroupDrops => ("SAI_INGRESS_PRIORITY_GROUP_STAT_DROPPED_PACKETS", of.group_drops),
            Counter::HeadroomPeak => (
                "SAI_INGRESS_PRIORITY_GROUP_STAT_XOFF_ROOM_WATERMARK_BYTES",
                of.headroom_peak.map(|peak| peak.bytes),
            ),
            Counter::EcnMarked => ("SAI_QUEUE_STAT_WRED_ECN_MARKED_PACKETS", of.ecn_marked),
            Counter::Occupancy => ("SAI_QUEUE_STAT_CURR_OCCUPANCY_BYTES", of.occupancy_bytes),
            Counter::StormsDetected => {
                ("PFC_WD_QUEUE_STATS_DEADLOCK_DETECTED", of.watchdog.map(|watchdog| watchdog.detected))
            }
            Counter::WatchdogTxDrops => (
                "PFC_WD_QUEUE_STATS_TX_DROPPED_PACKETS",
                of.watchdog.and_then(|watchdog| watchdog.tx_dropped_packets),
            ),
            Counter::WatchdogRxDrops => (
                "PFC_WD_QUEUE_STATS_RX_DROPPED_PACKETS",
                of.watchdog.and_then(|watchdog| watchdog.rx_dropped_packets),
            ),
        };
        Some((name.to_string(), value?))
    }
}
