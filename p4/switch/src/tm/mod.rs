//! The traffic manager: everything between ingress and egress of a switch.
//!
//! Eight queues a port ([`queue`]), one shared packet memory ([`mmu`]), priority flow control in both
//! directions ([`pause`]), congestion marking, and events. It is generic over what is queued and knows no
//! packet format beyond PFC.
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
mod mmu;
mod pause;
mod queue;
mod rng;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use model::Time;
use model::wire::pfc::{Pfc, quanta_time};

pub use config::{
    CLASSES, Ecn, GroupProfile, Lossless, PauseEnd, PoolConfig, PortConfig, QueueProfile, Service, Threshold,
    TmConfig,
};
pub use event::{DropReason, TmEvent};
pub use mmu::{GroupUse, PoolUse, QueueUse};

use mmu::Mmu;
use pause::{Received, Sent, Timer};
use queue::{Queues, Waiting};
use rng::SplitMix64;

/// What ingress decided about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrival {
    /// Port it came in by.
    pub ingress_port: u16,
    /// Port it shall leave by.
    pub egress_port: u16,
    /// Priority, of its ingress group and its egress queue; only the low three bits count.
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
    /// Its queue.
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

/// What one class of one port has seen since the start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClassCounters {
    /// Pause frames sent, refreshes included.
    pub pauses_sent: u64,
    /// Resume frames sent.
    pub resumes_sent: u64,
    /// Pause frames received.
    pub pauses_received: u64,
    /// Resume frames received.
    pub resumes_received: u64,
    /// Packets refused that came in here.
    pub dropped_packets: u64,
    /// Their bytes.
    pub dropped_bytes: u64,
}

/// Totals that must agree at all times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes counted by all ingress groups, headroom included.
    pub ingress_bytes: u64,
    /// Bytes counted by all egress queues.
    pub egress_bytes: u64,
    /// Bytes of the packets that wait.
    pub waiting_bytes: u64,
    /// Bytes that the memory believes to hold.
    pub memory_bytes: u64,
}

impl Totals {
    /// Whether all four are the same.
    pub fn balanced(&self) -> bool {
        self.ingress_bytes == self.egress_bytes
            && self.egress_bytes == self.waiting_bytes
            && self.waiting_bytes == self.memory_bytes
    }
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
    /// Bit n: the peer has silenced queue n.
    silent: u8,
    /// Bit n: the peer must be told about class n.
    pending: u8,
    /// Whether the last question for something to send was answered with nothing.
    idle: bool,
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
            silent: 0,
            pending: 0,
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

    fn find(&self, port: u16) -> Option<usize> {
        self.index.get(usize::from(port)).filter(|at| **at != NO_PORT).map(|at| usize::from(*at))
    }

    /// Stores a packet, or gives it back with the reason for refusing it. May make a pause due at the packet's
    /// ingress port and the egress port ready.
    pub fn enqueue(&mut self, now: Time, arrival: Arrival, packet: P) -> Result<Enqueued, (DropReason, P)> {
        let class = usize::from(arrival.priority & 7);
        let (Some(ingress), Some(egress)) = (self.find(arrival.ingress_port), self.find(arrival.egress_port))
        else {
            self.count_drop(arrival, DropReason::UnknownPort);
            return Err((DropReason::UnknownPort, packet));
        };
        let group_profile = self.ports[ingress].config.groups[class];
        let queue_profile = self.ports[egress].config.queues[class];
        let footprint = self.mmu.footprint(arrival.bytes);
        let account = match self.mmu.admit(
            &group_profile,
            &self.ports[ingress].group_use[class],
            &queue_profile,
            &self.ports[egress].queue_use[class],
            footprint,
        ) {
            Ok(account) => account,
            Err(reason) => {
                self.count_drop(arrival, reason);
                return Err((reason, packet));
            }
        };
        let group = &mut self.ports[ingress].group_use[class];
        self.mmu.store_ingress(&group_profile, group, account, footprint);
        let port = &mut self.ports[egress];
        let ahead = port.queue_use[class];
        self.mmu.store_egress(&queue_profile, &mut port.queue_use[class], footprint);
        port.queues.push(
            class,
            Waiting {
                packet,
                ingress: ingress as u16,
                bytes: arrival.bytes,
                footprint,
                ecn_capable: arrival.ecn_capable,
                enqueued: now,
                enqueue_depth_packets: ahead.packets,
            },
        );
        let paused = port.silent >> class & 1 == 1;
        if !paused {
            self.announce(egress);
        }
        self.pause_if_due(ingress, class);
        Ok(Enqueued { depth_packets: ahead.packets, depth_bytes: ahead.bytes, paused })
    }

    fn count_drop(&mut self, arrival: Arrival, reason: DropReason) {
        let class = usize::from(arrival.priority & 7);
        let mut lossless = false;
        if let Some(ingress) = self.find(arrival.ingress_port) {
            let port = &mut self.ports[ingress];
            port.counters[class].dropped_packets += 1;
            port.counters[class].dropped_bytes += u64::from(arrival.bytes);
            lossless = port.config.groups[class].lossless.is_some();
        }
        self.events.push(TmEvent::Dropped {
            ingress_port: arrival.ingress_port,
            egress_port: arrival.egress_port,
            priority: class as u8,
            bytes: arrival.bytes,
            reason,
            lossless,
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

    fn pause_if_due(&mut self, ingress: usize, class: usize) {
        let port = &mut self.ports[ingress];
        let must = !port.sent[class].pausing
            && self.mmu.must_pause(&port.config.groups[class], &port.group_use[class]);
        if must {
            port.sent[class] = Sent { pausing: true, pending: true, refresh: false, ..port.sent[class] };
            port.pending |= 1 << class;
            self.announce(ingress);
        }
    }

    fn resume_if_due(&mut self, ingress: usize, class: usize) {
        let port = &mut self.ports[ingress];
        let may = port.sent[class].pausing
            && self.mmu.may_resume(&port.config.groups[class], &port.group_use[class]);
        if may {
            let refresh_at = port.sent[class].refresh_at.take();
            port.sent[class] = Sent { pausing: false, pending: true, refresh: false, refresh_at: None };
            port.pending |= 1 << class;
            if let Some(at) = refresh_at {
                self.timers.remove(&(at, ingress as u16, class as u8, Timer::Refresh));
            }
            self.announce(ingress);
        }
    }

    /// The PFC frame that must leave `port` before anything else, if there is one. One frame speaks of all
    /// classes that have something to say.
    pub fn take_pfc(&mut self, now: Time, port: u16) -> Option<Pfc> {
        let at = self.find(port)?;
        if self.ports[at].pending == 0 {
            return None;
        }
        let mut pfc = Pfc::default();
        for class in 0..CLASSES {
            if self.ports[at].pending >> class & 1 == 1 {
                let quanta = self.tell(now, at, class);
                pfc.set(class as u8, quanta);
            }
        }
        self.ports[at].pending = 0;
        Some(pfc)
    }

    /// Settles what is pending about a class and returns its quanta.
    fn tell(&mut self, now: Time, at: usize, class: usize) -> u16 {
        let port = &mut self.ports[at];
        let sent = &mut port.sent[class];
        let refresh = std::mem::take(&mut sent.refresh);
        sent.pending = false;
        let quanta = if sent.pausing { self.pause_quanta } else { 0 };
        if sent.pausing {
            // Renewed at half time, so that a frame that waits for a long one on the wire is not too late.
            let half = quanta_time(quanta, port.config.rate).0 / 2;
            let due = Time(now.0.saturating_add(half));
            sent.refresh_at = Some(due);
            self.timers.insert((due, at as u16, class as u8, Timer::Refresh));
            port.counters[class].pauses_sent += 1;
        } else {
            port.counters[class].resumes_sent += 1;
        }
        let (number, priority) = (port.config.number, class as u8);
        self.events.push(TmEvent::PauseSent { port: number, priority, quanta, refresh });
        quanta
    }

    /// The next packet to leave `port`; `None` when nothing may leave now.
    pub fn dequeue(&mut self, _now: Time, port: u16) -> Option<Departure<P>> {
        let at = self.find(port)?;
        let port = &mut self.ports[at];
        let Some(class) = port.queues.select(&port.config.queues, port.silent) else {
            port.idle = port.pending == 0;
            return None;
        };
        let waiting = port.queues.pop(class)?;
        let profile = port.config.queues[class];
        self.mmu.free_egress(&profile, &mut port.queue_use[class], waiting.footprint);
        let left = port.queue_use[class];
        let ecn_mark = waiting.ecn_capable && self.marks(profile.ecn, left.bytes);
        let ingress = usize::from(waiting.ingress);
        let from = &mut self.ports[ingress];
        let group_profile = from.config.groups[class];
        self.mmu.free_ingress(&group_profile, &mut from.group_use[class], waiting.footprint);
        let ingress_port = from.config.number;
        self.resume_if_due(ingress, class);
        Some(Departure {
            packet: waiting.packet,
            ingress_port,
            priority: class as u8,
            bytes: waiting.bytes,
            enqueued: waiting.enqueued,
            enqueue_depth_packets: waiting.enqueue_depth_packets,
            depth_packets: left.packets,
            depth_bytes: left.bytes,
            ecn_mark,
        })
    }

    fn marks(&mut self, ecn: Option<Ecn>, depth_bytes: u64) -> bool {
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

    /// Obeys a PFC frame that arrived at `port`. An unknown port is ignored.
    pub fn receive_pfc(&mut self, now: Time, port: u16, pfc: &Pfc) {
        let Some(at) = self.find(port) else {
            return;
        };
        for (priority, quanta) in pfc.classes() {
            self.receive_class(now, at, priority, quanta);
        }
    }

    fn receive_class(&mut self, now: Time, at: usize, priority: u8, quanta: u16) {
        let class = usize::from(priority);
        let port = &mut self.ports[at];
        self.events.push(TmEvent::PauseReceived { port: port.config.number, priority, quanta });
        if let Some(until) = port.received[class].until.take() {
            self.timers.remove(&(until, at as u16, priority, Timer::Expire));
        }
        if quanta == 0 {
            port.counters[class].resumes_received += 1;
            self.unsilence(at, class);
            return;
        }
        port.counters[class].pauses_received += 1;
        port.silent |= 1 << class;
        let until = match self.pause_end {
            PauseEnd::ResumeOnly => Time::MAX,
            PauseEnd::Quanta => {
                let until = Time(now.0.saturating_add(quanta_time(quanta, port.config.rate).0));
                self.timers.insert((until, at as u16, priority, Timer::Expire));
                until
            }
        };
        port.received[class].until = Some(until);
    }

    fn unsilence(&mut self, at: usize, class: usize) {
        let port = &mut self.ports[at];
        port.received[class].until = None;
        port.silent &= !(1 << class);
        if port.queues.has_work(port.silent) {
            self.announce(at);
        }
    }

    /// When [`TrafficManager::wake`] must be called next; absent while nothing is due.
    pub fn next_wake(&self) -> Option<Time> {
        self.timers.first().map(|timer| timer.0)
    }

    /// Lets pauses run out and renews the ones that were sent, up to `now`.
    pub fn wake(&mut self, now: Time) {
        while let Some(&(due, at, priority, kind)) = self.timers.first() {
            if due > now {
                return;
            }
            self.timers.pop_first();
            let (at, class) = (usize::from(at), usize::from(priority));
            match kind {
                Timer::Expire => {
                    let port = self.ports[at].config.number;
                    self.events.push(TmEvent::PauseExpired { port, priority });
                    self.unsilence(at, class);
                }
                Timer::Refresh => {
                    let port = &mut self.ports[at];
                    port.sent[class].refresh_at = None;
                    port.sent[class].pending = true;
                    port.sent[class].refresh = true;
                    port.pending |= 1 << class;
                    self.announce(at);
                }
            }
        }
    }

    /// Moves all events since the last call to the end of `into`.
    pub fn drain_events(&mut self, into: &mut Vec<TmEvent>) {
        into.append(&mut self.events);
    }

    /// All events since the last call, in order.
    pub(crate) fn events(&mut self) -> std::vec::Drain<'_, TmEvent> {
        self.events.drain(..)
    }

    /// Whether there are events to drain.
    pub fn has_events(&self) -> bool {
        !self.events.is_empty()
    }

    /// What a queue holds.
    pub fn queue(&self, port: u16, priority: u8) -> Option<QueueUse> {
        Some(self.ports[self.find(port)?].queue_use[usize::from(priority & 7)])
    }

    /// What a priority group holds.
    pub fn group(&self, port: u16, priority: u8) -> Option<GroupUse> {
        Some(self.ports[self.find(port)?].group_use[usize::from(priority & 7)])
    }

    /// Counters of a class.
    pub fn counters(&self, port: u16, priority: u8) -> Option<ClassCounters> {
        Some(self.ports[self.find(port)?].counters[usize::from(priority & 7)])
    }

    /// Until when the peer has silenced an egress class; [`Time::MAX`] when only a resume frame ends it.
    pub fn paused_until(&self, port: u16, priority: u8) -> Option<Time> {
        self.ports[self.find(port)?].received[usize::from(priority & 7)].until
    }

    /// Whether the peer of an ingress class has been, or is about to be, told to be silent.
    pub fn is_pausing_peer(&self, port: u16, priority: u8) -> bool {
        self.find(port).is_some_and(|at| self.ports[at].sent[usize::from(priority & 7)].pausing)
    }

    /// The ingress pools, as configured.
    pub fn ingress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.mmu.ingress_pools()
    }

    /// The egress pools, as configured.
    pub fn egress_pools(&self) -> impl Iterator<Item = &PoolUse> {
        self.mmu.egress_pools()
    }

    /// Bytes of memory in use now, and the most ever.
    pub fn memory(&self) -> (u64, u64) {
        (self.mmu.used_bytes, self.mmu.watermark_bytes)
    }

    /// Starts all watermarks anew from the present levels.
    pub fn clear_watermarks(&mut self) {
        self.mmu.clear_watermarks();
        for port in &mut self.ports {
            for group in &mut port.group_use {
                group.watermark_bytes = group.bytes;
                group.headroom_watermark_bytes = group.headroom_bytes;
            }
            for queue in &mut port.queue_use {
                queue.watermark_bytes = queue.bytes;
                queue.watermark_packets = queue.packets;
            }
        }
    }

    /// The totals that must agree. Walks every queue; meant for tests and checks.
    pub fn totals(&self) -> Totals {
        let groups = self.ports.iter().flat_map(|port| &port.group_use);
        let queues = self.ports.iter().flat_map(|port| &port.queue_use);
        let waiting = self.ports.iter().flat_map(|port| port.queues.iter());
        Totals {
            ingress_bytes: groups.map(|g| g.bytes + g.headroom_bytes).sum(),
            egress_bytes: queues.map(|q| q.bytes).sum(),
            waiting_bytes: waiting.map(|(_, w)| w.footprint).sum(),
            memory_bytes: self.mmu.used_bytes,
        }
    }

    /// The numbers of all ports, in the order of the configuration.
    pub fn port_numbers(&self) -> impl Iterator<Item = u16> {
        self.ports.iter().map(|port| port.config.number)
    }
}
