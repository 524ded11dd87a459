//! The traffic manager: queues, buffers and flow control between ingress and egress of a switch.
//!
//! It has eight queues per port ([`queue`]), a shared packet memory ([`mmu`]), priority flow control in both
//! directions ([`flow_control`]) with a [`watchdog`], and ECN marking. It is generic over the packet type and
//! interprets no packet format except PFC.
//!
//! # Interface to the switch
//! - [`TrafficManager::enqueue`] after ingress; it returns a dropped packet with the reason.
//! - When a port is idle: [`TrafficManager::take_pfc`] first, then [`TrafficManager::dequeue`]. If both return
//!   `None`, a [`TmEvent::Ready`] reports when there is something to send.
//! - [`TrafficManager::receive_pfc`] for every PFC frame that arrives.
//! - [`TrafficManager::wake`] at the time that [`TrafficManager::next_wake`] returns.
//! - [`TrafficManager::drain_events`] after any of these.
//! - [`TrafficManager::clear`] between two experiments.
//!
//! Times must not decrease from call to call. Equal calls give equal results: marking uses a seeded generator.
//!
//! Sources: IEEE 802.1Qbb (PFC); Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 6.2 and
//! appendix A (pools, profiles, headroom); SONiC's buffer model.

mod clear;
mod config;
mod event;
mod flow_control;
mod inspect;
mod mmu;
mod pause;
mod queue;
#[cfg(test)]
mod tests;
mod watchdog;

use std::collections::BTreeSet;

use model::Time;
use rand_core::SeedableRng;
use rand_xoshiro::SplitMix64;

pub use config::{
    CLASSES, ClassMaps, Ecn, GroupProfile, Lossless, PauseEnd, PoolConfig, PortConfig, QueueProfile, Service,
    Threshold, TmConfig,
};
pub use event::{DropReason, TmEvent};
pub use inspect::{AuditError, ClassCounters, Totals};
pub use mmu::{GroupUse, PoolUse, QueueUse};
pub use pause::standard_reaction;
pub use watchdog::{Watchdog, WatchdogAction};

use mmu::Mmu;
use pause::{ReceivedPause, SentPause, Timer};
use queue::{Queues, StoredPacket};
use watchdog::WatchdogState;

use crate::random::chance;

/// A packet after ingress, as input of [`TrafficManager::enqueue`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// The ingress port.
    pub ingress_port: u16,
    /// The egress port.
    pub egress_port: u16,
    /// The traffic class, which [`ClassMaps`] map to priority group and queue; only the low three bits are used.
    pub priority: u8,
    /// Length on the wire in bytes.
    pub bytes: u32,
    /// Whether the packet may be ECN marked.
    pub ecn_capable: bool,
}

/// State of the queue when a packet was enqueued.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// Packets ahead of it in its queue.
    pub depth_packets: u64,
    /// Their bytes.
    pub depth_bytes: u64,
    /// Whether the queue is paused.
    pub paused: bool,
}

/// A dequeued packet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet.
    pub packet: P,
    /// The ingress port.
    pub ingress_port: u16,
    /// The traffic class given at arrival.
    pub priority: u8,
    /// The length given at arrival.
    pub bytes: u32,
    /// When it was enqueued.
    pub enqueued: Time,
    /// Packets that were ahead of it when it was enqueued.
    pub enqueue_depth_packets: u64,
    /// Packets left in its queue.
    pub depth_packets: u64,
    /// Bytes left in its queue.
    pub depth_bytes: u64,
    /// Whether the packet is to be ECN marked.
    pub ecn_mark: bool,
}

#[derive(Clone, Debug)]
struct Port<P> {
    config: PortConfig,
    queues: Queues<P>,
    queue_use: [QueueUse; CLASSES],
    group_use: [GroupUse; CLASSES],
    received: [ReceivedPause; CLASSES],
    sent: [SentPause; CLASSES],
    counters: [ClassCounters; CLASSES],
    watchdog: [WatchdogState; CLASSES],
    /// Bit n: the peer has paused priority n.
    paused: u8,
    /// Bit n: the watchdog overrides pauses of priority n.
    overridden: u8,
    /// Bit n: queue n is paused; derived from the two fields above.
    paused_queues: u8,
    /// Bit n: the watchdog drops packets for queue n.
    dropping_queues: u8,
    /// Bit n: the watchdog drops packets that arrive for group n.
    dropping_groups: u8,
    /// Bit n: a pause or resume for priority n is pending.
    pending: u8,
    /// Whether only PFC frames may leave ([`TrafficManager::block`]).
    blocked: bool,
    /// Whether the last dequeue found nothing to send.
    idle: bool,
}

/// Ports, group and queue of an admitted packet.
#[derive(Clone, Copy, Debug)]
struct Admission {
    /// Index of its ingress port.
    ingress: usize,
    /// Index of its egress port.
    egress: usize,
    group: usize,
    queue: usize,
    /// Memory that it takes, in bytes.
    footprint: u64,
}

const NO_PORT: u16 = u16::MAX;

/// The traffic manager of one switch. The module documentation describes how to drive it.
#[derive(Clone, Debug)]
pub struct TrafficManager<P> {
    ports: Vec<Port<P>>,
    /// Maps a port number to its index in `ports`, or to [`NO_PORT`].
    index: Vec<u16>,
    mmu: Mmu,
    timers: BTreeSet<(Time, u16, u8, Timer)>,
    events: Vec<TmEvent>,
    random: SplitMix64,
    profiles: Vec<String>,
    pause_end: PauseEnd,
    pause_quanta: u16,
}

impl<P> TrafficManager<P> {
    /// Creates an empty traffic manager.
    pub fn new(config: TmConfig) -> TrafficManager<P> {
        let mmu =
            Mmu::new(config.memory_bytes, config.cell_bytes, &config.ingress_pools, &config.egress_pools);
        let mut tm = TrafficManager {
            ports: Vec::with_capacity(config.ports.len()),
            index: Vec::new(),
            mmu,
            timers: BTreeSet::new(),
            events: Vec::new(),
            random: SplitMix64::seed_from_u64(config.seed),
            profiles: config.profiles,
            pause_end: config.pause_end,
            pause_quanta: config.pause_quanta.max(1),
        };
        for port in config.ports {
            tm.add_port(port);
        }
        tm
    }

    /// Restarts the random numbers of marks and early drops, as in a new traffic manager with this seed.
    pub fn restart_random(&mut self, seed: u64) {
        self.random = SplitMix64::seed_from_u64(seed);
    }

    fn add_port(&mut self, config: PortConfig) {
        let number = usize::from(config.number);
        if self.index.len() <= number {
            self.index.resize(number + 1, NO_PORT);
        }
        let port = Port {
            queues: Queues::new(&config.queues),
            config,
            queue_use: Default::default(),
            group_use: Default::default(),
            received: Default::default(),
            sent: Default::default(),
            counters: Default::default(),
            watchdog: Default::default(),
            paused: 0,
            overridden: 0,
            paused_queues: 0,
            dropping_queues: 0,
            dropping_groups: 0,
            pending: 0,
            blocked: false,
            idle: true,
        };
        match self.index[number] {
            NO_PORT => {
                self.index[number] = self.ports.len() as u16;
                self.ports.push(port);
            }
            known => self.ports[usize::from(known)] = port,
        }
    }

    #[inline]
    fn find(&self, port: u16) -> Option<usize> {
        self.index.get(usize::from(port)).filter(|at| **at != NO_PORT).map(|at| usize::from(*at))
    }

    /// Stores a packet, or returns it with the reason for the drop. May cause a pause at the ingress port and make
    /// the egress port ready.
    pub fn enqueue(&mut self, now: Time, arrival: Arrival, packet: P) -> Result<Enqueued, (DropReason, P)> {
        let (admission, account) = match self.admit(arrival) {
            Ok(admitted) => admitted,
            Err(reason) => {
                self.count_drop(arrival, reason, false);
                return Err((reason, packet));
            }
        };
        let Admission { ingress, egress, group, queue, footprint } = admission;
        let port = &mut self.ports[ingress];
        self.mmu.store_ingress(&port.config.groups[group], &mut port.group_use[group], account, footprint);
        let port = &mut self.ports[egress];
        let ahead = port.queue_use[queue];
        self.mmu.store_egress(&port.config.queues[queue], &mut port.queue_use[queue], footprint);
        debug_assert!(
            self.mmu.is_consistent(),
            "invariant: a packet is counted equally at ingress and egress"
        );
        port.queues.push(
            queue,
            StoredPacket {
                packet,
                ingress: ingress as u16,
                ingress_number: arrival.ingress_port,
                group: group as u8,
                priority: arrival.priority & 7,
                bytes: arrival.bytes,
                footprint,
                ecn_capable: arrival.ecn_capable,
                enqueued: now,
                enqueue_depth_packets: u32::try_from(ahead.packets).unwrap_or(u32::MAX),
            },
        );
        let paused = port.paused_queues >> queue & 1 == 1;
        if !paused {
            self.signal_ready(egress);
        } else if ahead.packets == 0 && port.config.watchdog.is_some() {
            self.update_detection_of_queue(now, egress, queue);
        }
        self.pause_if_due(ingress, group);
        Ok(Enqueued { depth_packets: ahead.packets, depth_bytes: ahead.bytes, paused })
    }

    /// Determines group and queue of a packet, and where it is counted at ingress.
    fn admit(&mut self, arrival: Arrival) -> Result<(Admission, mmu::Account), DropReason> {
        let class = usize::from(arrival.priority & 7);
        let (Some(ingress), Some(egress)) = (self.find(arrival.ingress_port), self.find(arrival.egress_port))
        else {
            return Err(DropReason::UnknownPort);
        };
        let (from, to) = (&self.ports[ingress], &self.ports[egress]);
        let group = usize::from(from.config.maps.group[class] & 7);
        let queue = usize::from(to.config.maps.queue[class] & 7);
        if to.dropping_queues >> queue & 1 == 1 || from.dropping_groups >> group & 1 == 1 {
            return Err(DropReason::Watchdog);
        }
        let footprint = self.mmu.footprint(arrival.bytes);
        let account = self.mmu.admit(
            &from.config.groups[group],
            &from.group_use[group],
            &to.config.queues[queue],
            &to.queue_use[queue],
            footprint,
        )?;
        let profile = &to.config.queues[queue];
        let early_drop = profile.early_drop.filter(|_| !arrival.ecn_capable || profile.ecn.is_none());
        let depth_bytes = to.queue_use[queue].bytes;
        if early_drop.is_some() && self.curve_selects(early_drop, depth_bytes) {
            return Err(DropReason::Early);
        }
        Ok((Admission { ingress, egress, group, queue, footprint }, account))
    }

    fn count_drop(&mut self, arrival: Arrival, reason: DropReason, stored: bool) {
        let class = usize::from(arrival.priority & 7);
        let (mut lossless, mut profile) = (false, 0);
        if let Some(ingress) = self.find(arrival.ingress_port) {
            let port = &mut self.ports[ingress];
            port.counters[class].dropped_packets += 1;
            port.counters[class].dropped_bytes += u64::from(arrival.bytes);
            let group = &port.config.groups[usize::from(port.config.maps.group[class] & 7)];
            (lossless, profile) = (group.lossless.is_some(), group.profile);
        }
        self.count_drop_by_place(arrival, reason);
        self.events.push(TmEvent::Dropped {
            ingress_port: arrival.ingress_port,
            egress_port: arrival.egress_port,
            priority: class as u8,
            bytes: arrival.bytes,
            reason,
            lossless,
            profile,
            stored,
        });
    }

    /// Counts a drop where the packet was refused: at the queue or at the priority group.
    fn count_drop_by_place(&mut self, arrival: Arrival, reason: DropReason) {
        let class = usize::from(arrival.priority & 7);
        let (Some(ingress), Some(egress)) = (self.find(arrival.ingress_port), self.find(arrival.egress_port))
        else {
            return;
        };
        let group = usize::from(self.ports[ingress].config.maps.group[class] & 7);
        let queue = usize::from(self.ports[egress].config.maps.queue[class] & 7);
        let is_at_group = match reason {
            DropReason::UnknownPort => return,
            DropReason::MemoryFull | DropReason::IngressThreshold | DropReason::HeadroomFull => true,
            DropReason::EgressThreshold | DropReason::Early => false,
            // Both directions of a port in a storm drop; a packet between two such ports counts at its queue.
            DropReason::Watchdog => self.ports[egress].dropping_queues >> queue & 1 == 0,
        };
        let is_watchdog = reason == DropReason::Watchdog;
        if is_at_group {
            let counters = &mut self.ports[ingress].counters[group];
            counters.group_dropped_packets += 1;
            counters.watchdog_rx_dropped_packets += u64::from(is_watchdog);
        } else {
            let counters = &mut self.ports[egress].counters[queue];
            counters.queue_dropped_packets += 1;
            counters.queue_dropped_bytes += u64::from(arrival.bytes);
            counters.watchdog_tx_dropped_packets += u64::from(is_watchdog);
        }
    }

    /// Reports that an idle port has something to send.
    fn signal_ready(&mut self, at: usize) {
        let port = &mut self.ports[at];
        if port.idle {
            port.idle = false;
            self.events.push(TmEvent::Ready { port: port.config.number });
        }
    }

    /// Returns the next packet to leave `port`; `None` if no packet may leave.
    pub fn dequeue(&mut self, _now: Time, port: u16) -> Option<Departure<P>> {
        let at = self.find(port)?;
        let port = &mut self.ports[at];
        let unavailable = if port.blocked { u8::MAX } else { port.paused_queues };
        let Some(queue) = port.queues.select(&port.config.queues, unavailable) else {
            port.idle = port.pending == 0;
            return None;
        };
        let waiting = self.remove_first(at, queue)?;
        let port = &mut self.ports[at];
        let left = port.queue_use[queue];
        let counters = &mut port.counters[queue];
        counters.queue_packets += 1;
        counters.queue_bytes += u64::from(waiting.bytes);
        let ecn = port.config.queues[queue].ecn.filter(|_| waiting.ecn_capable);
        let ecn_mark = self.curve_selects(ecn, left.bytes);
        if ecn_mark {
            self.ports[at].counters[queue].ecn_marked_packets += 1;
        }
        Some(Departure {
            packet: waiting.packet,
            ingress_port: waiting.ingress_number,
            priority: waiting.priority,
            bytes: waiting.bytes,
            enqueued: waiting.enqueued,
            enqueue_depth_packets: u64::from(waiting.enqueue_depth_packets),
            depth_packets: left.packets,
            depth_bytes: left.bytes,
            ecn_mark,
        })
    }

    /// Removes the first packet of a queue and frees its memory.
    fn remove_first(&mut self, at: usize, queue: usize) -> Option<StoredPacket<P>> {
        let port = &mut self.ports[at];
        let waiting = port.queues.pop(queue)?;
        self.mmu.free_egress(&port.config.queues[queue], &mut port.queue_use[queue], waiting.footprint);
        let (ingress, group) = (usize::from(waiting.ingress), usize::from(waiting.group));
        let from = &mut self.ports[ingress];
        self.mmu.free_ingress(&from.config.groups[group], &mut from.group_use[group], waiting.footprint);
        debug_assert!(self.mmu.is_consistent(), "invariant: a packet is freed equally at ingress and egress");
        self.resume_if_due(ingress, group);
        Some(waiting)
    }

    /// Whether a WRED curve selects a packet at this queue depth.
    #[inline]
    fn curve_selects(&mut self, ecn: Option<Ecn>, depth_bytes: u64) -> bool {
        let Some(ecn) = ecn else {
            return false;
        };
        if depth_bytes > ecn.kmax_bytes {
            return true;
        }
        if depth_bytes <= ecn.kmin_bytes {
            return false;
        }
        let above = u128::from(depth_bytes - ecn.kmin_bytes) * u128::from(ecn.pmax_ppm);
        chance(&mut self.random, above, u128::from(ecn.kmax_bytes - ecn.kmin_bytes) * 1_000_000)
    }

    /// Moves all events since the last call to the end of `into`.
    pub fn drain_events(&mut self, into: &mut Vec<TmEvent>) {
        into.append(&mut self.events);
    }

    /// Returns all events since the last call, in order. [`TrafficManager::give_back`] returns their storage.
    #[inline]
    pub(crate) fn take_events(&mut self) -> Vec<TmEvent> {
        std::mem::take(&mut self.events)
    }

    /// Takes back the storage of processed events.
    #[inline]
    pub(crate) fn give_back(&mut self, mut events: Vec<TmEvent>) {
        if self.events.is_empty() {
            events.clear();
            self.events = events;
        }
    }

    /// Whether there are events to drain.
    #[inline]
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }
}
