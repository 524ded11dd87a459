//! The switch: receives, queues and transmits frames.

mod budget;
mod device_state;
mod ecn;
mod packet;
mod pass;

pub use device_state::{
    ClassState, DISCARD_COUNTERS, DeviceState, Discards, LINK_CHANGES, LinkChange, PEAK_WINDOW, PortState,
};
pub use packet::QueuedPacket;

use std::collections::VecDeque;
use std::sync::Arc;

use model::wire::{Frame, Pfc};
use model::{Rate, Time};
use p4_lang::ir::Program;

use crate::config::SwitchConfig;
use crate::control::{ControlPlane, Loaded};
use crate::engine::context::Context;
use crate::engine::hash::CrcParameters;
use crate::error::LoadError;
use crate::event::{Counters, DropReason, Event};
use crate::machine::Machine;
use crate::prepared::Prepared;
use crate::state::State;
use crate::tm::{self, PortConfig, TmEvent, TrafficManager};
use crate::trace::{Step, TraceLog, TraceRecord};
use budget::Budget;
use device_state::DeviceRecord;
use packet::{Arriving, IngressEntry, instance_type};

/// A loaded program, the machine that runs it, and its state.
#[derive(Debug)]
struct Pipeline {
    program: Arc<Program>,
    machine: Machine,
    state: State,
}

/// A P4 switch. The crate documentation describes its interface.
///
/// Times must not decrease from call to call; an earlier time counts as the latest time so far.
#[derive(Debug)]
pub struct Switch {
    config: SwitchConfig,
    pipeline: Option<Pipeline>,
    tm: TrafficManager<QueuedPacket>,
    cx: Context,
    counters: Counters,
    record: DeviceRecord,
    /// Packets to be processed by ingress; empty between calls.
    arriving: VecDeque<Arriving>,
    /// Storage of departed packets, for reuse.
    pool: Vec<QueuedPacket>,
    /// Storage for headers and metadata that are saved during a pass.
    saved_values: Vec<u64>,
    /// Whether the queue of the CPU port may hold a packet.
    cpu_waiting: bool,
    /// Number of packets numbered so far.
    packets: u64,
}

impl Switch {
    /// Creates a switch without a program; it drops all packets.
    pub fn new(mut config: SwitchConfig) -> Switch {
        if config.tm.ports.iter().all(|p| p.number != config.cpu_port) {
            // The rate is not used: the controller takes every packet immediately.
            config.tm.ports.push(PortConfig::lossy(config.cpu_port, Rate::from_gbps(10)));
        }
        let tm = TrafficManager::new(config.tm.clone());
        let mut cx = Context::new(config.limits.events, config.seed);
        cx.trace = config.trace.then(|| TraceLog::new(config.limits.trace_records));
        Switch {
            config,
            pipeline: None,
            tm,
            cx,
            counters: Counters::default(),
            record: DeviceRecord::default(),
            arriving: VecDeque::new(),
            pool: Vec::new(),
            saved_values: Vec::new(),
            cpu_waiting: false,
            packets: 0,
        }
    }

    /// Replaces the program and clears all forwarding state, including queued packets. On an error the old program
    /// stays loaded.
    pub fn load(&mut self, program: Arc<Program>) -> Result<(), LoadError> {
        self.load_prepared(&Prepared::for_switch(program, &self.config)?)
    }

    /// Loads a prepared program. If it was prepared for another engine or drop port, it is prepared again.
    pub fn load_prepared(&mut self, prepared: &Prepared) -> Result<(), LoadError> {
        let program = Arc::clone(prepared.program());
        if !prepared.suits(&self.config) {
            return self.load(program);
        }
        let machine = Machine::new(prepared)?;
        let state = State::new(&program, &self.config.limits)?;
        // Queued packets were parsed by the old program, so the new one cannot interpret their storage. Paused queues hold some
        // as well.
        drop(self.tm.remove_all());
        for port in self.tm.port_numbers().collect::<Vec<_>>() {
            while self.tm.dequeue(self.cx.now, port).is_some() {}
        }
        self.pool.clear();
        self.pipeline = Some(Pipeline { program, machine, state });
        self.settle_tm_events();
        Ok(())
    }

    /// Receives a frame at a port: runs parser and ingress and enqueues the frame. The traffic manager processes PFC
    /// frames first.
    pub fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        self.advance(now);
        self.counters.received += 1;
        if let Some(pfc) = Pfc::from_bytes(&frame.head) {
            self.tm.receive_pfc(self.cx.now, port, &pfc);
        }
        *self.cx.packet = frame;
        self.ingress(&IngressEntry {
            parent: 0,
            ingress_port: port,
            instance_type: instance_type::NORMAL,
            preserved: Vec::new(),
            budget: Budget::new(&self.config.limits),
        });
        self.settle();
    }

    /// Returns the next frame for an idle port, after egress and deparser: PFC frames first, then packets by
    /// priority. `None` if nothing can be sent; an [`Event::PortReady`] reports the next frame.
    pub fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        self.advance(now);
        if let Some(pfc) = self.tm.take_pfc(self.cx.now, port) {
            self.settle();
            return Some(pfc.to_frame(self.port_address(port)));
        }
        let sent = self.transmit_packet(port);
        if let Some(frame) = &sent {
            self.record.sent(port, frame.len());
        }
        self.settle();
        sent
    }

    /// Receives a frame from the controller at the CPU port.
    pub fn packet_out(&mut self, now: Time, frame: Frame) {
        self.receive(now, self.config.cpu_port, frame);
    }

    /// Empties the queues and ends all pauses, as if every link had been cut and had come up again with an idle peer. The
    /// program receives a resume frame of all priorities at each port, so that its own record of pauses ends as well.
    /// Tables, registers and counters stay; the removed packets do not count as dropped.
    pub fn clear_traffic(&mut self, now: Time) {
        let mut resume = Pfc::default();
        (0..tm::CLASSES as u8).for_each(|priority| resume.set(priority, 0));
        let cpu_port = self.config.cpu_port;
        let ports: Vec<u16> = self.tm.port_numbers().filter(|port| *port != cpu_port).collect();
        for port in ports {
            self.receive(now, port, resume.to_frame(self.port_address(port)));
        }
        for packet in self.tm.clear() {
            self.discard(packet);
        }
        self.cx.events.waiting.retain(|event| !matches!(event, Event::PortReady(_)));
        self.settle_tm_events();
    }

    /// Restarts the random numbers, as in a new switch with these seeds: `seed` of the program's, `tm_seed` of the traffic
    /// manager's marks and early drops. With [`Switch::clear_traffic`], equal traffic is then treated equally again.
    pub fn restart_random(&mut self, seed: u64, tm_seed: u64) {
        self.cx.restart_random(seed);
        self.tm.restart_random(tm_seed);
    }

    /// Returns when [`Switch::wake`] must be called: a pause expires or is refreshed, or an entry may have become
    /// idle.
    pub fn next_wake(&self) -> Option<Time> {
        [self.tm.next_wake(), self.cx.idle_check].into_iter().flatten().min()
    }

    /// Runs all timers up to `now`.
    pub fn wake(&mut self, now: Time) {
        self.advance(now);
        self.tm.wake(self.cx.now);
        if self.cx.idle_check.is_some_and(|at| at <= self.cx.now) {
            self.report_idle_entries();
        }
        self.settle_tm_events();
    }

    /// Returns the events since the last call.
    pub fn take_events(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.cx.events.waiting)
    }

    /// Moves the events since the last call to the end of `into`.
    pub fn drain_events(&mut self, into: &mut Vec<Event>) {
        into.append(&mut self.cx.events.waiting);
    }

    /// Whether there are events.
    pub fn has_events(&self) -> bool {
        !self.cx.events.waiting.is_empty()
    }

    /// Returns the trace records since the last call; empty if tracing is disabled.
    pub fn take_trace(&mut self) -> Vec<TraceRecord> {
        self.cx.trace.as_mut().map_or_else(Vec::new, |trace| std::mem::take(&mut trace.waiting))
    }

    /// Returns access to tables, registers and all other state.
    pub fn control(&mut self) -> ControlPlane<'_> {
        ControlPlane {
            now: self.cx.now,
            limits: &self.config.limits,
            idle_check: &mut self.cx.idle_check,
            loaded: self.pipeline.as_mut().map(|p| Loaded { program: &p.program, state: &mut p.state }),
        }
    }

    /// Returns the loaded program.
    pub fn program(&self) -> Option<&Arc<Program>> {
        self.pipeline.as_ref().map(|p| &p.program)
    }

    /// Returns the configuration. The CPU port has been added to the ports of the traffic manager.
    pub fn config(&self) -> &SwitchConfig {
        &self.config
    }

    /// Returns the counters.
    pub fn counters(&self) -> Counters {
        let trace_lost = self.cx.trace.as_ref().map_or(0, |trace| trace.lost);
        Counters { events_lost: self.cx.events.lost, trace_lost, ..self.counters }
    }

    /// Returns the traffic manager, for its occupancy and counters.
    pub fn traffic_manager(&self) -> &TrafficManager<QueuedPacket> {
        &self.tm
    }

    /// Resets the watermarks of the traffic manager to the current occupancy.
    pub fn clear_watermarks(&mut self) {
        self.tm.clear_watermarks();
    }

    /// Sets whether the link of a port is up; initially all links are up. Group members that watch a port that is
    /// down are not selected, and replicas are replaced by their backups. Packets that the program sends to that port
    /// are still enqueued. Loading a program does not change the state of links.
    pub fn set_port_up(&mut self, port: u16, up: bool) {
        self.cx.down.set(port, up);
    }

    /// As [`Switch::set_port_up`], for a link that goes down or comes up at `now`: a change is reported in
    /// [`Switch::device_state`].
    pub fn set_link(&mut self, now: Time, port: u16, up: bool) {
        self.advance(now);
        if self.is_port_up(port) != up {
            self.record.link_changed(self.cx.now, port, up);
        }
        self.set_port_up(port, up);
    }

    /// Whether the link of a port is up.
    pub fn is_port_up(&self, port: u16) -> bool {
        self.cx.down.is_up(port)
    }

    /// Sets the parameters of `crc16_custom`; the default is CRC-16/ARC.
    pub fn set_crc16_custom(&mut self, parameters: CrcParameters) {
        self.cx.custom_crc.crc16 = crate::engine::hash::Crc::new(16, parameters);
    }

    /// Sets the parameters of `crc32_custom`; the default is the CRC of Ethernet.
    pub fn set_crc32_custom(&mut self, parameters: CrcParameters) {
        self.cx.custom_crc.crc32 = crate::engine::hash::Crc::new(32, parameters);
    }

    fn advance(&mut self, now: Time) {
        self.cx.now = self.cx.now.max(now);
    }

    /// Runs ingress for pending packets, passes packets to the controller, and collects the traffic manager's events.
    #[inline]
    fn settle(&mut self) {
        if self.cpu_waiting || !self.arriving.is_empty() {
            self.settle_packets();
        }
        if self.tm.has_events() {
            self.settle_tm_events();
        }
    }

    #[inline(never)]
    fn settle_packets(&mut self) {
        loop {
            self.ingress_all();
            if !self.cpu_waiting {
                break;
            }
            self.cpu_waiting = false;
            while let Some(frame) = self.transmit_packet(self.config.cpu_port) {
                self.cx.events.push(Event::PacketIn { at: self.cx.now, frame });
            }
        }
    }

    fn settle_tm_events(&mut self) {
        let at = self.cx.now;
        let mut dropped = false;
        let events = self.tm.take_events();
        for event in &events {
            let event = match *event {
                TmEvent::Ready { port } if port == self.config.cpu_port => continue,
                TmEvent::Ready { port } => Event::PortReady(port),
                TmEvent::PauseSent { port, priority, quanta, refresh } => {
                    Event::PauseSent { at, port, priority, quanta, refresh }
                }
                TmEvent::PauseReceived { port, priority, quanta } => {
                    self.record.paused(at, port, priority, quanta > 0);
                    Event::PauseReceived { at, port, priority, quanta }
                }
                TmEvent::PauseExpired { port, priority } => {
                    self.record.paused(at, port, priority, false);
                    Event::PauseExpired { at, port, priority }
                }
                TmEvent::Dropped { .. } => {
                    dropped = true;
                    continue;
                }
                TmEvent::WatchdogFired { port, priority, action } => {
                    Event::WatchdogFired { at, port, priority, action }
                }
                TmEvent::WatchdogRestored { port, priority } => {
                    Event::WatchdogRestored { at, port, priority }
                }
            };
            self.cx.events.push(event);
        }
        if dropped {
            events.iter().for_each(|event| self.report_drop(*event));
        }
        self.tm.give_back(events);
    }

    /// Reports a packet that the watchdog flushed; a packet that was not admitted has been reported where it was
    /// dropped. Reports a loss in a lossless group in addition, with its profile.
    fn report_drop(&mut self, drop: TmEvent) {
        let TmEvent::Dropped {
            ingress_port,
            egress_port,
            priority,
            bytes,
            reason,
            lossless,
            profile,
            stored,
        } = drop
        else {
            return;
        };
        if stored {
            let (egress, class) = (Some(egress_port), Some(priority));
            self.lost(ingress_port, egress, class, u64::from(bytes), DropReason::Queue(reason), true);
        }
        if lossless {
            let (at, profile) = (self.cx.now, self.tm.profile_name(profile).to_string());
            let lost =
                Event::LosslessDrop { at, ingress_port, egress_port, priority, bytes, reason, profile };
            self.cx.events.push(lost);
        }
    }

    /// Reports every entry that has not matched for its idle timeout, and repeats the report each time the timeout
    /// passes.
    ///
    /// A scan visits all entries, so scans are at least [`crate::config::Limits::idle_scan`] apart, even for shorter
    /// timeouts (P4Runtime specification, "Table Idle Timeout Notification").
    fn report_idle_entries(&mut self) {
        let now = self.cx.now;
        self.cx.idle_check = None;
        let Some(pipeline) = &mut self.pipeline else { return };
        let mut next: Option<Time> = None;
        let mut expect = |due: Time| next = Some(next.map_or(due, |at| at.min(due)));
        for (index, table) in pipeline.state.tables.iter_mut().enumerate() {
            for entry in table.entries.iter_mut().flatten() {
                let Some(timeout) = entry.shown.idle_timeout else { continue };
                let since = entry.last_hit.max(entry.reported_idle);
                let due = Time(since.0.saturating_add(timeout.0));
                if due > now {
                    expect(due);
                    continue;
                }
                entry.reported_idle = now;
                expect(Time(now.0.saturating_add(timeout.0)));
                let table = p4_lang::ir::TableId(index as u32);
                self.cx.events.push(Event::EntryIdle { at: now, table, key: entry.shown.key.clone() });
            }
        }
        let earliest = Time(now.0.saturating_add(self.config.limits.idle_scan.0));
        self.cx.idle_check = next.map(|due| due.max(earliest));
    }

    fn dropped(&mut self, ingress_port: u16, egress_port: Option<u16>, bytes: u64, reason: DropReason) {
        self.lost(ingress_port, egress_port, None, bytes, reason, false);
    }

    fn lost(
        &mut self,
        ingress_port: u16,
        egress_port: Option<u16>,
        priority: Option<u8>,
        bytes: u64,
        reason: DropReason,
        stored: bool,
    ) {
        self.counters.count_drop(reason);
        self.cx.note(|| Step::Dropped { reason: reason.name().to_owned(), port: egress_port });
        let at = self.cx.now;
        if let (DropReason::Queue(reason), Some(egress_port), Some(priority)) =
            (reason, egress_port, priority)
        {
            self.record.discarded(at, ingress_port, egress_port, priority, reason);
        }
        let event = Event::Dropped { at, ingress_port, egress_port, priority, bytes, reason, stored };
        self.cx.events.push(event);
    }

    /// Returns the source address of a port's PFC frames: the switch's address with the port number XORed into the
    /// last two bytes.
    fn port_address(&self, port: u16) -> [u8; 6] {
        let mut address = self.config.address;
        let [high, low] = port.to_be_bytes();
        address[4] ^= high;
        address[5] ^= low;
        address
    }

    fn enqueue(&mut self, egress_port: u16, priority: u8, packet: QueuedPacket) {
        let bytes = packet.0.frame.len();
        let arrival = tm::Arrival {
            ingress_port: packet.0.ingress_port,
            egress_port,
            priority,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            ecn_capable: ecn::is_capable(&packet.0.frame.head),
        };
        self.cpu_waiting |= egress_port == self.config.cpu_port;
        if let Err((reason, packet)) = self.tm.enqueue(self.cx.now, arrival, packet) {
            let (ingress, egress) = (packet.0.ingress_port, Some(egress_port));
            // The traffic manager uses the low three bits.
            let class = Some(priority & 7);
            self.lost(ingress, egress, class, bytes, DropReason::Queue(reason), false);
            self.discard(packet);
        }
    }
}
