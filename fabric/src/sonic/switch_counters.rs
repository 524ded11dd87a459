//! What the ASIC of a switch counts, at one time.

use std::collections::{BTreeMap, BTreeSet};

use model::{LossReason, PortRef, Rate, Time};
use p4_switch::Switch;
use p4_switch::tm::{CLASSES, PortConfig, TrafficManager, Watchdog};
use scenario::topology::CPU_PORT;

use super::buffers::BufferSettings;
use crate::fabric::{Fabric, WireCounters};

/// The counters of a switch.
#[derive(Clone, Debug, PartialEq)]
pub struct SwitchCounters {
    /// The switch.
    pub switch: String,
    /// Its ports, ascending and without gaps from port 1 on. Ports without a link are down.
    pub ports: Vec<PortCounters>,
    /// The settings of its buffers.
    pub buffers: BufferSettings,
}

/// The counters of a port.
#[derive(Clone, Debug, PartialEq)]
pub struct PortCounters {
    /// Its number in the topology.
    pub number: u16,
    /// Rate of its link; absent without a link.
    pub rate: Option<Rate>,
    /// Whether the link is up.
    pub is_up: bool,
    /// The port at the other end.
    pub peer: Option<PortRef>,
    /// Whether the other end is a host.
    pub is_peer_host: bool,
    /// Frames received, without PFC frames.
    pub rx_packets: u64,
    /// Bytes received, with PFC frames.
    pub rx_bytes: u64,
    /// Packets discarded that arrived here: no room in their priority group, or no route.
    pub rx_discards: u64,
    /// Damaged frames that arrived here.
    pub rx_errors: u64,
    /// Frames sent, without PFC frames.
    pub tx_packets: u64,
    /// Bytes sent, with PFC frames.
    pub tx_bytes: u64,
    /// Packets discarded at the queues of this port, or because its link was down.
    pub tx_discards: u64,
    /// Bit n: PFC is enabled for priority n, and its priority group is lossless.
    pub lossless: u8,
    /// Egress queue that a pause of each priority stops.
    pub paused_queue: [u8; CLASSES],
    /// The watchdog of the port.
    pub watchdog: Option<Watchdog>,
    /// The priorities, priority groups and queues.
    pub classes: [ClassCounters; CLASSES],
}

/// The counters of one number of priority, priority group and queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounters {
    /// PFC frames for this priority that arrived, resumes included.
    pub pfc_rx_frames: u64,
    /// PFC frames for this priority that were sent, resumes included.
    pub pfc_tx_frames: u64,
    /// How often received pauses stopped this priority, refreshes not counted.
    pub pauses_begun: u64,
    /// For how long received pauses stopped this priority.
    pub paused: Time,
    /// Whether this priority is paused now.
    pub is_paused: bool,
    /// The queue with this number.
    pub queue: QueueCounters,
    /// The priority group with this number.
    pub group: GroupCounters,
    /// The watchdog of the priority.
    pub watchdog: WatchdogCounters,
}

/// The counters of a queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct QueueCounters {
    /// Packets sent.
    pub packets: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Packets dropped.
    pub dropped_packets: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
    /// Packets sent with a congestion mark.
    pub ecn_marked_packets: u64,
    /// Bytes in the queue now.
    pub occupancy_bytes: u64,
    /// Peak of the shared buffer that the queue used.
    pub shared: PeakBytes,
}

/// The counters of a priority group.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GroupCounters {
    /// Packets dropped.
    pub dropped_packets: u64,
    /// Peak of the shared buffer that the group used.
    pub shared: PeakBytes,
    /// Peak of the headroom that the group used.
    pub headroom: PeakBytes,
}

/// A watermark.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeakBytes {
    /// Peak since the ASIC's watermark was last read, which clears it.
    pub last_poll: u64,
    /// Peak of all polls.
    pub all_polls: u64,
}

impl PeakBytes {
    fn new(bytes: u64) -> PeakBytes {
        PeakBytes { last_poll: bytes, all_polls: bytes }
    }

    /// Adds what earlier polls have shown.
    pub(super) fn after(&mut self, earlier: PeakBytes) {
        self.all_polls = self.all_polls.max(earlier.all_polls);
    }
}

/// The counters of the PFC watchdog for one priority.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WatchdogCounters {
    /// Whether a storm was detected and has not ended.
    pub is_stormed: bool,
    /// Storms detected.
    pub detected: u64,
    /// Storms after which the queue was restored.
    pub restored: u64,
    /// Packets to the port that were dropped.
    pub tx_dropped_packets: u64,
    /// Packets from the port that were dropped.
    pub rx_dropped_packets: u64,
}

/// Discards and errors that ports count outside the traffic manager.
#[derive(Clone, Copy, Default)]
struct OtherLosses {
    rx_discards: u64,
    rx_errors: u64,
    tx_discards: u64,
}

impl SwitchCounters {
    /// Reads all switches of a network, in the order of its topology.
    pub fn of_network(fabric: &Fabric<Switch>) -> Vec<SwitchCounters> {
        let names = fabric.switches().map(|(name, _)| name).collect();
        SwitchCounters::of_switches(fabric, fabric.now(), &names)
    }

    /// Reads some switches of a network at `now`, in the order of its topology.
    pub(super) fn of_switches(
        fabric: &Fabric<Switch>,
        now: Time,
        names: &BTreeSet<&str>,
    ) -> Vec<SwitchCounters> {
        let mut wires: BTreeMap<PortRef, WireCounters> =
            fabric.wire_counters().map(|wire| (wire.port.clone(), wire)).collect();
        let losses = other_losses(fabric);
        let read = |(name, switch): (&str, &Switch)| {
            let tm = switch.traffic_manager();
            let last = tm.port_numbers().filter(|number| *number < CPU_PORT).max().unwrap_or(0);
            let ports = (1..=last).map(|number| {
                let port = PortRef::new(name, number);
                let (wire, other) = (wires.remove(&port), losses.get(&port).copied().unwrap_or_default());
                PortCounters::read(tm, number, wire, other, now)
            });
            let ports = ports.collect();
            SwitchCounters { switch: name.to_string(), ports, buffers: BufferSettings::of(tm, 1..=last) }
        };
        fabric.switches().filter(|(name, _)| names.contains(name)).map(read).collect()
    }
}

/// The losses that the traffic managers do not count: packets without a route, damaged frames, links that are down.
fn other_losses(fabric: &Fabric<Switch>) -> BTreeMap<PortRef, OtherLosses> {
    let mut losses: BTreeMap<PortRef, OtherLosses> = BTreeMap::new();
    for loss in fabric.losses() {
        let mut at = |port: Option<u16>, add: fn(&mut OtherLosses) -> &mut u64| {
            if let Some(port) = port {
                *add(losses.entry(PortRef::new(loss.switch.clone(), port)).or_default()) += loss.packets;
            }
        };
        match loss.reason {
            LossReason::NoRoute | LossReason::Ttl => at(loss.ingress_port, |port| &mut port.rx_discards),
            LossReason::Corrupted => at(loss.ingress_port, |port| &mut port.rx_errors),
            LossReason::LinkDown => at(loss.egress_port, |port| &mut port.tx_discards),
            LossReason::Headroom | LossReason::Lossy | LossReason::Watchdog | LossReason::Other => {}
        }
    }
    losses
}

impl PortCounters {
    fn read<P>(
        tm: &TrafficManager<P>,
        number: u16,
        wire: Option<WireCounters>,
        other: OtherLosses,
        now: Time,
    ) -> PortCounters {
        let config = tm.port_config(number);
        let classes: [ClassCounters; CLASSES] =
            std::array::from_fn(|class| ClassCounters::read(tm, config, number, class as u8, now));
        let of_groups: u64 = classes.iter().map(|class| class.group.dropped_packets).sum();
        let of_queues: u64 = classes.iter().map(|class| class.queue.dropped_packets).sum();
        let wire = wire.as_ref();
        let count = |of: fn(&WireCounters) -> u64| wire.map_or(0, of);
        PortCounters {
            number,
            rate: wire.map(|wire| wire.rate),
            is_up: wire.is_some_and(|wire| wire.is_up),
            peer: wire.map(|wire| wire.peer.clone()),
            is_peer_host: wire.is_some_and(|wire| wire.is_peer_host),
            rx_packets: count(|wire| wire.rx_frames.saturating_sub(wire.rx_control_frames)),
            rx_bytes: count(|wire| wire.rx_bytes),
            rx_discards: of_groups + other.rx_discards,
            rx_errors: other.rx_errors,
            tx_packets: count(|wire| wire.tx_frames.saturating_sub(wire.tx_control_frames)),
            tx_bytes: count(|wire| wire.tx_bytes),
            tx_discards: of_queues + other.tx_discards,
            lossless: config.map_or(0, lossless),
            paused_queue: config.map_or_else(
                || std::array::from_fn(|priority| priority as u8),
                |config| config.maps.paused_queue.map(|queue| queue & 7),
            ),
            watchdog: config.and_then(|config| config.watchdog),
            classes,
        }
    }
}

/// The priorities with PFC and a lossless group, as a bit mask.
fn lossless(config: &PortConfig) -> u8 {
    let groups = config.groups.iter().enumerate().filter(|(_, group)| group.lossless.is_some());
    groups.fold(0, |mask, (number, _)| mask | 1 << number) & config.pfc_enabled
}

impl ClassCounters {
    fn read<P>(
        tm: &TrafficManager<P>,
        config: Option<&PortConfig>,
        port: u16,
        class: u8,
        now: Time,
    ) -> ClassCounters {
        let index = usize::from(class);
        let Some((((config, counted), queue), group)) =
            config.zip(tm.counters(port, class)).zip(tm.queue(port, class)).zip(tm.group(port, class))
        else {
            return ClassCounters::default();
        };
        // The shared buffer begins above the reservations.
        let shared = |bytes: u64, reserved_bytes: u64| PeakBytes::new(bytes.saturating_sub(reserved_bytes));
        ClassCounters {
            pfc_rx_frames: counted.pfc_frames_received,
            pfc_tx_frames: counted.pauses_sent + counted.resumes_sent,
            pauses_begun: counted.pauses_begun,
            paused: tm.paused_time(port, class, now).unwrap_or_default(),
            is_paused: tm.paused_until(port, class).is_some_and(|until| until > now),
            queue: QueueCounters {
                packets: counted.queue_packets,
                bytes: counted.queue_bytes,
                dropped_packets: counted.queue_dropped_packets,
                dropped_bytes: counted.queue_dropped_bytes,
                ecn_marked_packets: counted.ecn_marked_packets,
                occupancy_bytes: queue.bytes,
                shared: shared(queue.watermark_bytes, config.queues[index].reserved_bytes),
            },
            group: GroupCounters {
                dropped_packets: counted.group_dropped_packets,
                shared: shared(group.watermark_bytes, config.groups[index].reserved_bytes),
                headroom: PeakBytes::new(group.headroom_watermark_bytes),
            },
            watchdog: WatchdogCounters {
                is_stormed: tm.storm_since(port, class).is_some(),
                detected: counted.watchdog_fires,
                restored: counted.watchdog_restores,
                tx_dropped_packets: counted.watchdog_tx_dropped_packets,
                rx_dropped_packets: counted.watchdog_rx_dropped_packets,
            },
        }
    }
}
