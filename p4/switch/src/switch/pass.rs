//! One pass of a packet through ingress, and one through egress.
//!
//! The operations at the end of each have the order of the reference switch. Ingress: digests, clone, then resubmit,
//! multicast, drop or unicast. Egress: clone, drop, checksum computation and deparser, then recirculate or send.

use model::wire::Frame;

use super::budget::Budget;
use super::packet::{Arriving, IngressEntry, QueuedPacket, instance_type};
use super::{Switch, ecn};
use crate::control::Replica;
use crate::event::{DropReason, Event};
use crate::machine::{BlockId, Field, Machine};
use crate::tm::Departure;
use crate::trace::{Origin, Step};

/// Number of departed packets whose storage is kept for reuse, enough for a queue of changing depth. The storage of
/// longer queues is freed.
const POOL: usize = 64;

impl Switch {
    /// Saves all headers and metadata.
    fn save(&mut self) -> Vec<u64> {
        let mut saved = std::mem::take(&mut self.saved_values);
        saved.clear();
        if let Some(p) = &self.pipeline {
            p.machine.save(&mut saved);
        }
        saved
    }

    /// Restores headers and metadata from [`Switch::save`].
    fn restore_saved(&mut self, saved: Vec<u64>) {
        if let Some(machine) = self.machine() {
            machine.load(&saved);
        }
        self.saved_values = saved;
    }

    /// Keeps the storage of a packet for reuse.
    pub(super) fn discard(&mut self, packet: QueuedPacket) {
        if self.pool.len() < POOL {
            self.pool.push(packet);
        }
    }

    /// Creates a queued packet with the headers and metadata that egress reads, but without its frame.
    fn queued(&mut self, truncate: Option<u64>, ingress_port: u16, budget: Budget) -> QueuedPacket {
        let mut made = self.pool.pop().unwrap_or_default();
        let queued = &mut *made.0;
        if let Some(p) = &self.pipeline {
            p.machine.carry(&mut queued.carried);
        }
        queued.id = self.cx.packet_id;
        queued.cursor = self.cx.cursor;
        queued.truncate = truncate;
        queued.ingress_port = ingress_port;
        queued.budget = budget;
        made
    }

    /// Resets machine and context, sets the metadata of an arriving packet and runs the parser.
    fn parse(&mut self, arriving: &IngressEntry) {
        let Some(p) = &mut self.pipeline else { return };
        let cx = &mut self.cx;
        cx.cursor = 0;
        cx.packet_bytes = cx.packet.len();
        cx.jumps_left = arriving.budget.jumps;
        cx.jumps_allowed = arriving.budget.jumps;
        cx.requests.clear();
        let (bytes, now) = (cx.packet_bytes, self.config.timestamp_unit.count(cx.now));
        let machine = &mut p.machine;
        machine.reset();
        // The program sees the port only of packets that arrive there (simple_switch.md, "ingress_port").
        let from_port = arriving.instance_type == instance_type::NORMAL;
        machine.set_all([
            (Field::IngressPort, if from_port { u64::from(arriving.ingress_port) } else { 0 }),
            (Field::PacketLength, bytes),
            (Field::InstanceType, arriving.instance_type),
            (Field::IngressGlobalTimestamp, now),
        ]);
        machine.restore(&arriving.preserved);
        let (error, stopped) = machine.parse(cx, &mut p.state);
        machine.set(Field::ParserError, error);
        self.counters.parser_timeouts += u64::from(stopped);
    }

    /// Runs a block; returns false if it reached the jump limit.
    #[inline(always)]
    fn block(&mut self, block: BlockId) -> bool {
        let Some(p) = &mut self.pipeline else { return true };
        p.machine.run(block, &mut self.cx, &mut p.state)
    }

    fn machine(&mut self) -> Option<&mut Machine> {
        self.pipeline.as_mut().map(|p| &mut p.machine)
    }

    /// Returns the next packet number.
    fn next_id(&mut self) -> u64 {
        self.packets += 1;
        self.packets
    }

    /// Runs ingress for all pending packets.
    #[inline]
    pub(super) fn ingress_all(&mut self) {
        if !self.arriving.is_empty() {
            self.ingress_waiting();
        }
    }

    #[inline(never)]
    fn ingress_waiting(&mut self) {
        while let Some(Arriving { frame, entry }) = self.arriving.pop_front() {
            *self.cx.packet = frame;
            self.ingress(&entry);
        }
    }

    /// Runs parser, checksum verification and ingress for the packet in the context, and carries out the requests of
    /// the program.
    pub(super) fn ingress(&mut self, arriving: &IngressEntry) {
        let (port, bytes) = (arriving.ingress_port, self.cx.packet.len());
        self.cx.packet_id = self.next_id();
        let origin = match arriving.instance_type {
            instance_type::RESUBMITTED => Origin::Resubmit,
            instance_type::RECIRCULATED => Origin::Recirculate,
            _ => Origin::Port,
        };
        let parent = Some(arriving.parent).filter(|id| *id > 0);
        self.cx.note(|| Step::Ingress { port, bytes, origin, parent });
        if self.pipeline.is_none() {
            return self.dropped(port, None, bytes, DropReason::NoProgram);
        }
        let Some(mut budget) = arriving.budget.pass() else {
            return self.dropped(port, None, bytes, DropReason::PassLimit);
        };
        self.parse(arriving);
        let mut in_time = self.block(BlockId::VerifyChecksum);
        if let (true, Some(p)) = (self.cx.requests.checksum_error, &mut self.pipeline) {
            p.machine.set(Field::ChecksumError, 1);
        }
        in_time &= self.block(BlockId::Ingress);
        if !in_time {
            return self.dropped(port, None, bytes, DropReason::JumpLimit);
        }
        if !self.cx.requests.digests.is_empty() {
            self.send_digests();
        }
        budget.jumps = self.cx.jumps_left;
        self.after_ingress(port, budget);
    }

    #[inline(never)]
    fn send_digests(&mut self) {
        let at = self.cx.now;
        for (digest, values) in self.cx.requests.digests.drain(..) {
            let digest = p4_lang::ir::DigestId(digest);
            self.cx.events.push(Event::Digest { at, digest, values });
        }
    }

    fn after_ingress(&mut self, port: u16, mut budget: Budget) {
        if let Some((session, field_list)) = self.cx.requests.clone {
            budget = self.clone_from_ingress(session, field_list, port, budget);
        }
        let Some(p) = &mut self.pipeline else { return };
        let machine = &mut p.machine;
        let (egress_spec, mcast_grp) =
            (machine.get(Field::EgressSpec) as u16, machine.get(Field::McastGrp) as u32);
        let drop_port = self.config.drop_port;
        let bytes = self.cx.packet_bytes;
        if let Some(field_list) = self.cx.requests.resubmit {
            let preserved = machine.preserved(field_list);
            self.counters.resubmitted += 1;
            let (parent, instance_type) = (self.cx.packet_id, instance_type::RESUBMITTED);
            let entry = IngressEntry { parent, ingress_port: port, instance_type, preserved, budget };
            self.arriving.push_back(Arriving { frame: std::mem::take(&mut *self.cx.packet), entry });
        } else if mcast_grp != 0 {
            machine.set(Field::InstanceType, instance_type::REPLICATION);
            self.multicast(mcast_grp, port, budget);
        } else if egress_spec == drop_port {
            self.dropped(port, None, bytes, DropReason::Ingress);
        } else {
            machine.set(Field::InstanceType, instance_type::NORMAL);
            let priority = self.priority();
            let mut packet = self.queued(self.cx.requests.truncate, port, budget);
            std::mem::swap(&mut packet.0.frame, &mut self.cx.packet);
            self.cx.note(|| Step::Queued {
                port: egress_spec,
                priority,
                instance: None,
                parent: None,
                origin: None,
            });
            self.enqueue(egress_spec, priority, packet);
        }
    }

    fn priority(&self) -> u8 {
        self.pipeline.as_ref().map_or(0, |p| p.machine.get(Field::Priority) as u8)
    }

    /// Copies the packet in the frame and context to all members of a group.
    fn multicast(&mut self, group: u32, port: u16, budget: Budget) {
        let replicas = self.pipeline.as_ref().map_or(0, |p| p.state.replication.group(group).len());
        if replicas == 0 {
            return self.dropped(port, None, self.cx.packet_bytes, DropReason::NoReplicas);
        }
        let priority = self.priority();
        let (share, _) = budget.divided(replicas as u32, 0);
        for index in 0..replicas {
            let down = &self.cx.down;
            let replica =
                self.pipeline.as_ref().and_then(|p| p.state.replication.group_copy(group, index, down));
            if let Some(replica) = replica {
                let truncate = self.cx.requests.truncate;
                self.copy(replica, priority, truncate, port, share, Origin::Multicast);
            }
        }
    }

    /// Enqueues a copy of the packet in the frame and context.
    fn copy(
        &mut self,
        to: Replica,
        priority: u8,
        truncate: Option<u64>,
        port: u16,
        budget: Budget,
        origin: Origin,
    ) {
        if let Some(machine) = self.machine() {
            machine.set(Field::EgressRid, u64::from(to.instance));
        }
        self.counters.copies += 1;
        let parent = self.cx.packet_id;
        self.cx.packet_id = self.next_id();
        self.cx.note(|| Step::Queued {
            port: to.egress_port,
            priority,
            instance: Some(to.instance),
            parent: Some(parent),
            origin: Some(origin),
        });
        let mut packet = self.queued(truncate, port, budget);
        packet.0.frame.clone_from(&self.cx.packet);
        self.enqueue(to.egress_port, priority, packet);
        self.cx.packet_id = parent;
    }

    /// Makes the copies of a clone session from the packet in the frame and context. Returns the budget left for the
    /// original.
    fn copies(&mut self, session: u32, port: u16, budget: Budget, origin: Origin) -> Budget {
        let Some(p) = &self.pipeline else { return budget };
        let Some(found) = p.state.replication.sessions.get(&session) else {
            self.dropped(port, None, self.cx.packet_bytes, DropReason::NoReplicas);
            return budget;
        };
        let copies = p.state.replication.session_copies(found);
        let truncate = (found.truncate_bytes > 0).then_some(u64::from(found.truncate_bytes));
        let class = found.class_of_service;
        if let (Some(class), Some(machine)) = (class, self.machine()) {
            machine.set(Field::Priority, u64::from(class));
        }
        let priority = self.priority();
        let (share, left) = budget.divided(copies as u32 + 1, copies as u32);
        for index in 0..copies {
            let down = &self.cx.down;
            let replica =
                self.pipeline.as_ref().and_then(|p| p.state.replication.session_copy(session, index, down));
            if let Some(replica) = replica {
                self.copy(replica, priority, truncate, port, share, origin);
            }
        }
        left
    }

    /// Clones the packet as it arrived: parses it again, then restores the fields of the field list.
    fn clone_from_ingress(
        &mut self,
        session: u32,
        field_list: Option<u8>,
        port: u16,
        budget: Budget,
    ) -> Budget {
        let Some(p) = &self.pipeline else { return budget };
        let preserved = p.machine.preserved(field_list);
        let priority = p.machine.get(Field::Priority);
        let original = self.save();
        let (requests, cursor) = (std::mem::take(&mut self.cx.requests), self.cx.cursor);
        // Parsing the packet again is an implementation detail: it is neither traced nor charged to the budget.
        let jumps_left = self.cx.jumps_left;
        let trace = self.cx.trace.take();
        self.parse(&IngressEntry {
            parent: 0,
            ingress_port: port,
            instance_type: instance_type::INGRESS_CLONE,
            preserved: Vec::new(),
            budget: Budget { jumps: self.cx.jumps_allowed, ..budget },
        });
        self.cx.trace = trace;
        self.cx.jumps_left = jumps_left;
        if let Some(machine) = self.machine() {
            machine.set(Field::Priority, priority);
            machine.restore(&preserved);
        }
        let left = self.copies(session, port, budget, Origin::CloneIngress);
        self.restore_saved(original);
        self.cx.requests = requests;
        self.cx.cursor = cursor;
        left
    }

    /// Clones the packet as it leaves, with current headers and fresh metadata, except for the fields of the field
    /// list.
    fn clone_from_egress(
        &mut self,
        session: u32,
        field_list: Option<u8>,
        port: u16,
        budget: Budget,
    ) -> Budget {
        let Some(machine) = self.machine() else { return budget };
        let preserved = machine.preserved(field_list);
        let kept = [Field::IngressPort, Field::Priority, Field::IngressGlobalTimestamp]
            .map(|field| (field, machine.get(field)));
        let original = self.save();
        let Some(machine) = self.machine() else { return budget };
        machine.clear_metadata();
        for (field, value) in kept {
            machine.set(field, value);
        }
        machine.set(Field::InstanceType, instance_type::EGRESS_CLONE);
        machine.restore(&preserved);
        let left = self.copies(session, port, budget, Origin::CloneEgress);
        self.restore_saved(original);
        left
    }

    /// Returns the next packet of a port that egress does not drop.
    pub(super) fn transmit_packet(&mut self, port: u16) -> Option<Frame> {
        loop {
            let departure = self.tm.dequeue(self.cx.now, port)?;
            if self.egress(port, departure) {
                self.counters.transmitted += 1;
                let bytes = self.cx.packet.len();
                self.cx.note(|| Step::Sent { port, bytes });
                return Some(std::mem::take(&mut *self.cx.packet));
            }
            // Recirculated packets are enqueued before the next packet leaves.
            self.ingress_all();
        }
    }

    /// Runs egress, checksum computation and deparser, and carries out the requests of the program. Returns whether
    /// the packet in the context is sent.
    fn egress(&mut self, port: u16, departure: Departure<QueuedPacket>) -> bool {
        let queued = &departure.packet.0;
        let id = queued.id;
        let (ingress_port, bytes) = (queued.ingress_port, queued.frame.len());
        let mut truncate = queued.truncate;
        let budget = queued.budget.pass();
        self.cx.packet_id = id;
        let (depth_packets, waited) =
            (departure.enqueue_depth_packets, self.cx.now.saturating_sub(departure.enqueued));
        self.cx.note(|| Step::Egress { port, depth_packets, waited_ps: waited.0 });
        let ecn_mark = departure.ecn_mark;
        let Some(mut budget) = budget else {
            self.dropped(ingress_port, Some(port), bytes, DropReason::PassLimit);
            return false;
        };
        self.begin_egress(port, departure);
        if !self.block(BlockId::Egress) {
            self.dropped(ingress_port, Some(port), bytes, DropReason::JumpLimit);
            return false;
        }
        truncate = self.cx.requests.truncate.or(truncate);
        budget.jumps = self.cx.jumps_left;
        if let Some((session, field_list)) = self.cx.requests.clone {
            budget = self.clone_from_egress(session, field_list, ingress_port, budget);
        }
        let egress_spec = self.machine().map(|machine| machine.get(Field::EgressSpec));
        if egress_spec == Some(u64::from(self.config.drop_port)) {
            self.dropped(ingress_port, Some(port), bytes, DropReason::Egress);
            return false;
        }
        self.block(BlockId::ComputeChecksum);
        self.cx.begin_deparser();
        self.block(BlockId::Deparser);
        self.cx.deparse(truncate);
        if let Some(field_list) = self.cx.requests.recirculate {
            let preserved = self.machine().map_or_else(Vec::new, |machine| machine.preserved(field_list));
            let instance_type = instance_type::RECIRCULATED;
            self.recirculate(IngressEntry { parent: id, ingress_port, instance_type, preserved, budget });
            return false;
        }
        if ecn_mark {
            ecn::mark(&mut self.cx.packet.head);
        }
        true
    }

    /// Sends the packet in the context to ingress again.
    fn recirculate(&mut self, entry: IngressEntry) {
        self.counters.recirculated += 1;
        self.arriving.push_back(Arriving { frame: std::mem::take(&mut *self.cx.packet), entry });
    }

    fn begin_egress(&mut self, port: u16, departure: Departure<QueuedPacket>) {
        let Some(p) = &mut self.pipeline else { return };
        let cx = &mut self.cx;
        let mut packet = departure.packet;
        let queued = &mut *packet.0;
        let machine = &mut p.machine;
        machine.resume(&queued.carried);
        std::mem::swap(&mut cx.packet, &mut queued.frame);
        cx.cursor = queued.cursor;
        cx.packet_bytes = cx.packet.len();
        if let Some(bytes) = queued.truncate {
            cx.packet_bytes = cx.packet_bytes.min(bytes);
        }
        cx.jumps_left = queued.budget.jumps;
        cx.requests.clear();
        let unit = self.config.timestamp_unit;
        let (now, enqueued) = (unit.count(cx.now), unit.count(departure.enqueued));
        machine.set_all([
            (Field::EgressPort, u64::from(port)),
            // Differs from the drop port, as in the reference switch.
            (Field::EgressSpec, u64::from(self.config.drop_port) + 1),
            (Field::PacketLength, cx.packet_bytes),
            (Field::EnqTimestamp, enqueued),
            (Field::EnqQdepth, departure.enqueue_depth_packets),
            (Field::DeqTimedelta, now.saturating_sub(enqueued)),
            (Field::DeqQdepth, departure.depth_packets),
            (Field::Qid, u64::from(departure.priority)),
            (Field::EgressGlobalTimestamp, now),
        ]);
        self.discard(packet);
    }
}
