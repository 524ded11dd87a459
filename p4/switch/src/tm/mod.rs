//! The traffic manager: everything between ingress and egress of a switch.
//!
//! Eight queues a port ([`queue`]), one shared packet memory ([`mmu`]), priority flow control in both
//! directions ([`flow_control`]) with a [`watchdog`], congestion marking, and events. It is generic over what is
//! queued and knows no packet format beyond PFC.
//!
//! # How a switch drives it
//! - [`TrafficManager::enqueue`] after ingress; a refused packet comes back with the reason.
//! - When a port's wire is free: [`TrafficManager::take_pfc`] first, then [`TrafficManager::dequeue`]. When both
//!   return `None` the port is idle and a [`TmEvent::Ready`] will announce the next thing to send.
//! - [`TrafficManager::receive_pfc`] for every PFC frame that arrives.
//! - [`TrafficManager::wake`] when the time of [`TrafficManager::next_wake`] has come.
//! - [`TrafficManager::drain_events`] after any of these.
//!
//! Calls must not go back in time. The same calls give the same results: marking draws on a seeded generator.
//!
//! Sources: IEEE 802.1Qbb (PFC), Bai et al., "Empowering Azure Storage with RDMA", NSDI 2023, section 6.2 and
//! appendix A (pools, profiles, headroom), SONiC's buffer model.

mod config;
mod event;
mod flow_control;
mod inspect;
mod mmu;
mod pause;
mod queue;
mod rng;
#[cfg(test)]
mod tests;
mod watchdog;

use std::collections::BTreeSet;

use model::Time;

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
use pause::{Received, Sent, Timer};
use queue::{Queues, Waiting};
use rng::SplitMix64;
use watchdog::Guard;

/// What ingress decided about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Port it came in by.
    pub ingress_port: u16,
    /// Port it shall leave by.
    pub egress_port: u16,
    /// Its class of traffic, which decides ingress group and egress queue ([`ClassMaps`]); only the low three
    /// bits count.
    pub priority: u8,
    /// Bytes on the wire.
    pub bytes: u32,
    /// Whether congestion may be marked on it.
    pub ecn_capable: bool,
}

/// What a packet found when it was stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Enqueued {
    /// Packets ahead of it in its queue.
    pub depth_packets: u64,
    /// Their bytes.
    pub depth_bytes: u64,
    /// Whether the peer had silenced the queue.
    pub paused: bool,
}

/// A packet that leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet.
    pub packet: P,
    /// Port it came in by.
    pub ingress_port: u16,
    /// Its priority, as given on arrival.
    pub priority: u8,
    /// Bytes as given on arrival.
    pub bytes: u32,
    /// When it was stored.
    pub enqueued: Time,
    /// Packets that were ahead of it then.
    pub enqueue_depth_packets: u64,
    /// Packets left in its queue now.
    pub depth_packets: u64,
    /// Bytes left in its queue now.
    pub depth_bytes: u64,
    /// Whether congestion is to be marked on it.
    pub ecn_mark: bool,
}

#[derive(Clone, Debug)]
struct Port<P> {
    config: PortConfig,
    queues: Queues<P>,
    queue_use: [QueueUse; CLASSES],
    group_use: [GroupUse; CLASSES],
    received: [Received; CLASSES],
    sent: [Sent; CLASSES],
    counters: [ClassCounters; CLASSES],
    guard: [Guard; CLASSES],
    /// Bit n: the peer has paused priority n.
    paused: u8,
    /// Bit n: the watchdog defies pauses of priority n.
    defied: u8,
    /// Bit n: queue n is silent, which follows from the two above.
    silent: u8,
    /// Bit n: the watchdog drops what is to enter queue n.
    given_up_queues: u8,
    /// Bit n: the watchdog drops what comes in for group n.
    given_up_groups: u8,
    /// Bit n: the peer must be told about class n.
    pending: u8,
    /// Whether nothing but PFC may leave, for tests that look at a full memory.
    blocked: bool,
    /// Whether the last question for something to send was answered with nothing.
    idle: bool,
}

/// Where an arriving packet belongs.
#[derive(Clone, Copy, Debug)]
struct Place {
    /// Index of its ingress port ...
    ingress: usize,
    /// ... and its egress port.
    egress: usize,
    group: usize,
    queue: usize,
    /// Memory that it takes.
    footprint: u64,
}

const NO_PORT: u16 = u16::MAX;

/// The traffic manager of one switch. See the module's description for how it is driven.
#[derive(Clone, Debug)]
pub struct TrafficManager<P> {
    ports: Vec<Port<P>>,
    /// Port number to index in `ports`, or [`NO_PORT`].
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
    /// An empty traffic manager.
    pub fn new(config: TmConfig) -> TrafficManager<P> {
        let mmu =
            Mmu::new(config.memory_bytes, config.cell_bytes, &config.ingress_pools, &config.egress_pools);
        let mut tm = TrafficManager {
            ports: Vec::with_capacity(config.ports.len()),
            index: Vec::new(),
            mmu,
            timers: BTreeSet::new(),
            events: Vec::new(),
            random: SplitMix64::new(config.seed),
            profiles: config.profiles,
            pause_end: config.pause_end,
            pause_quanta: config.pause_quanta.max(1),
        };
        for port in config.ports {
            tm.add_port(port);
        }
        tm
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
            guard: Default::default(),
            paused: 0,
            defied: 0,
            silent: 0,
            given_up_queues: 0,
            given_up_groups: 0,
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

    /// Stores a packet, or gives it back with the reason for refusing it. May make a pause due at the packet's
    /// ingress port and the egress port ready.
    pub fn enqueue(&mut self, now: Time, arrival: Arrival, packet: P) -> Result<Enqueued, (DropReason, P)> {
        let (place, account) = match self.admit(arrival) {
            Ok(admitted) => admitted,
            Err(reason) => {
                self.count_drop(arrival, reason, false);
                return Err((reason, packet));
            }
        };
        let Place { ingress, egress, group, queue, footprint } = place;
        let port = &mut self.ports[ingress];
        self.mmu.store_ingress(&port.config.groups[group], &mut port.group_use[group], account, footprint);
        let port = &mut self.ports[egress];
        let ahead = port.queue_use[queue];
        self.mmu.store_egress(&port.config.queues[queue], &mut port.queue_use[queue], footprint);
        debug_assert!(self.mmu.is_balanced(), "invariant: a packet is charged to both sides alike");
        port.queues.push(
            queue,
            Waiting {
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
        let paused = port.silent >> queue & 1 == 1;
        if !paused {
            self.announce(egress);
        } else if ahead.packets == 0 && port.config.watchdog.is_some() {
            self.watch_queue(now, egress, queue);
        }
        self.pause_if_due(ingress, group);
        Ok(Enqueued { depth_packets: ahead.packets, depth_bytes: ahead.bytes, paused })
    }

    /// Where a packet belongs and on whose account it may be stored.
    fn admit(&mut self, arrival: Arrival) -> Result<(Place, mmu::Account), DropReason> {
        let class = usize::from(arrival.priority & 7);
        let (Some(ingress), Some(egress)) = (self.find(arrival.ingress_port), self.find(arrival.egress_port))
        else {
            return Err(DropReason::UnknownPort);
        };
        let (from, to) = (&self.ports[ingress], &self.ports[egress]);
        let group = usize::from(from.config.maps.group[class] & 7);
        let queue = usize::from(to.config.maps.queue[class] & 7);
        if to.given_up_queues >> queue & 1 == 1 || from.given_up_groups >> group & 1 == 1 {
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
        if early_drop.is_some() && self.strikes(early_drop, depth_bytes) {
            return Err(DropReason::Early);
        }
        Ok((Place { ingress, egress, group, queue, footprint }, account))
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

    /// Tells the driver that an idle port has something to send.
    fn announce(&mut self, at: usize) {
        let port = &mut self.ports[at];
        if port.idle {
            port.idle = false;
            self.events.push(TmEvent::Ready { port: port.config.number });
        }
    }

    /// The next packet to leave `port`; `None` when nothing may leave now.
    pub fn dequeue(&mut self, _now: Time, port: u16) -> Option<Departure<P>> {
        let at = self.find(port)?;
        let port = &mut self.ports[at];
        let silent = if port.blocked { u8::MAX } else { port.silent };
        let Some(queue) = port.queues.select(&port.config.queues, silent) else {
            port.idle = port.pending == 0;
            return None;
        };
        let waiting = self.take_out(at, queue)?;
        let port = &self.ports[at];
        let left = port.queue_use[queue];
        let ecn = port.config.queues[queue].ecn.filter(|_| waiting.ecn_capable);
        let ecn_mark = self.strikes(ecn, left.bytes);
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

    /// Takes the first packet out of a queue and off the books.
    fn take_out(&mut self, at: usize, queue: usize) -> Option<Waiting<P>> {
        let port = &mut self.ports[at];
        let waiting = port.queues.pop(queue)?;
        self.mmu.free_egress(&port.config.queues[queue], &mut port.queue_use[queue], waiting.footprint);
        let (ingress, group) = (usize::from(waiting.ingress), usize::from(waiting.group));
        let from = &mut self.ports[ingress];
        self.mmu.free_ingress(&from.config.groups[group], &mut from.group_use[group], waiting.footprint);
        debug_assert!(self.mmu.is_balanced(), "invariant: a packet is freed on both sides alike");
        self.resume_if_due(ingress, group);
        Some(waiting)
    }

    /// Whether a packet that finds a queue of this depth is hit by a marking or dropping curve.
    #[inline]
    fn strikes(&mut self, ecn: Option<Ecn>, depth_bytes: u64) -> bool {
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
        self.random.chance(above, u128::from(ecn.kmax_bytes - ecn.kmin_bytes) * 1_000_000)
    }

    /// Moves all events since the last call to the end of `into`.
    pub fn drain_events(&mut self, into: &mut Vec<TmEvent>) {
        into.append(&mut self.events);
    }

    /// All events since the last call, in order; their storage should be given back.
    #[inline]
    pub(crate) fn take_events(&mut self) -> Vec<TmEvent> {
        std::mem::take(&mut self.events)
    }

    /// Takes the storage of events back that have been dealt with.
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
