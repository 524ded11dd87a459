//! One pass of a packet through ingress, and one through egress.
//!
//! What happens at the end of each follows the order of the reference switch: clone, then (ingress) digest,
//! resubmit, multicast, drop, unicast, or (egress) drop, recirculate, send.

use model::wire::Frame;

use super::packet::{Arriving, QueuedPacket, instance_type};
use super::{Switch, ecn};
use crate::control::Replica;
use crate::event::{DropReason, Event};
use crate::machine::{BlockId, Field, Machine};
use crate::tm::Departure;
use crate::trace::{Origin, Step};

/// Storage of departed packets that is kept for the next ones.
const POOL: usize = 4_096;

impl Switch {
    /// Storage for a packet's headers and metadata, filled from the frame.
    fn carry(&mut self) -> Vec<u64> {
        let mut carried = self.pool.pop().unwrap_or_default();
        carried.clear();
        if let Some(p) = &self.pipeline {
            p.machine.save(&mut carried);
        }
        carried
    }

    fn discard(&mut self, carried: Vec<u64>) {
        if self.pool.len() < POOL {
            self.pool.push(carried);
        }
    }

    fn queued(
        &mut self,
        frame: Frame,
        truncate: Option<u64>,
        ingress_port: u16,
        passes_left: u32,
    ) -> QueuedPacket {
        QueuedPacket {
            id: self.cx.packet_id,
            carried: self.carry(),
            frame,
            cursor: self.cx.cursor,
            truncate,
            ingress_port,
            passes_left,
        }
    }

    /// Resets machine and context, sets the metadata of an arriving packet and runs the parser.
    fn parse(&mut self, arriving: &Arriving) {
        let Some(p) = &mut self.pipeline else { return };
        let cx = &mut self.cx;
        cx.cursor = 0;
        cx.packet_bytes = cx.packet.len();
        cx.jumps_left = self.config.limits.jumps_per_pass;
        cx.requests.clear();
        let (bytes, now) = (cx.packet_bytes, self.config.timestamp_unit.count(cx.now));
        let machine = &mut p.machine;
        machine.reset();
        machine.set(Field::IngressPort, u64::from(arriving.ingress_port));
        machine.set(Field::PacketLength, bytes);
        machine.set(Field::InstanceType, arriving.instance_type);
        machine.set(Field::IngressGlobalTimestamp, now);
        machine.restore(&arriving.preserved);
        let (error, stopped) = machine.parse(cx, &mut p.state);
        machine.set(Field::ParserError, error);
        self.counters.parser_timeouts += u64::from(stopped);
    }

    /// Runs a block; false when it took too long.
    fn block(&mut self, block: BlockId) -> bool {
        let Some(p) = &mut self.pipeline else { return true };
        p.machine.run(block, &mut self.cx, &mut p.state)
    }

    fn machine(&mut self) -> Option<&mut Machine> {
        self.pipeline.as_mut().map(|p| &mut p.machine)
    }

    /// A number for the next packet.
    fn next_id(&mut self) -> u64 {
        self.packets += 1;
        self.packets
    }

    /// Parser, checksum verification, ingress, and what follows from them.
    pub(super) fn ingress(&mut self, mut arriving: Arriving) {
        let (port, bytes) = (arriving.ingress_port, arriving.frame.len());
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
        let Some(passes_left) = arriving.passes_left.checked_sub(1) else {
            return self.dropped(port, None, bytes, DropReason::PassLimit);
        };
        self.cx.packet = std::mem::take(&mut arriving.frame);
        self.parse(&arriving);
        let mut in_time = self.block(BlockId::VerifyChecksum);
        if let (true, Some(p)) = (self.cx.requests.checksum_error, &mut self.pipeline) {
            p.machine.set(Field::ChecksumError, 1);
        }
        in_time &= self.block(BlockId::Ingress);
        if !in_time {
            return self.dropped(port, None, bytes, DropReason::JumpLimit);
        }
        self.send_digests();
        self.after_ingress(port, passes_left);
    }

    fn send_digests(&mut self) {
        let at = self.cx.now;
        for (digest, values) in self.cx.requests.digests.drain(..) {
            let digest = p4_lang::ir::DigestId(digest);
            self.cx.events.push(Event::Digest { at, digest, values });
        }
    }

    fn after_ingress(&mut self, port: u16, mut passes_left: u32) {
        if let Some((session, field_list)) = self.cx.requests.clone {
            passes_left = self.clone_from_ingress(session, field_list, port, passes_left);
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
            self.arriving.push_back(Arriving {
                parent: self.cx.packet_id,
                frame: std::mem::take(&mut self.cx.packet),
                ingress_port: port,
                instance_type: instance_type::RESUBMITTED,
                preserved,
                passes_left,
            });
        } else if mcast_grp != 0 {
            machine.set(Field::InstanceType, instance_type::REPLICATION);
            self.multicast(mcast_grp, port, passes_left);
        } else if egress_spec == drop_port {
            self.dropped(port, None, bytes, DropReason::Ingress);
        } else {
            machine.set(Field::InstanceType, instance_type::NORMAL);
            let priority = self.priority();
            let frame = std::mem::take(&mut self.cx.packet);
            let packet = self.queued(frame, self.cx.requests.truncate, port, passes_left);
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

    /// Copies the packet in frame and context to every member of a group.
    fn multicast(&mut self, group: u32, port: u16, passes_left: u32) {
        let replicas = self.pipeline.as_ref().map_or(0, |p| p.state.replication.group(group).len());
        if replicas == 0 {
            return self.dropped(port, None, self.cx.packet_bytes, DropReason::NoReplicas);
        }
        let priority = self.priority();
        for index in 0..replicas {
            let replica =
                self.pipeline.as_ref().and_then(|p| p.state.replication.group(group).get(index).copied());
            if let Some(replica) = replica {
                let truncate = self.cx.requests.truncate;
                let share = passes_left / replicas as u32;
                self.copy(replica, priority, truncate, port, share, Origin::Multicast);
            }
        }
    }

    /// Queues a copy of the packet in frame and context.
    fn copy(
        &mut self,
        to: Replica,
        priority: u8,
        truncate: Option<u64>,
        port: u16,
        passes_left: u32,
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
        let packet = self.queued(self.cx.packet.clone(), truncate, port, passes_left);
        self.enqueue(to.egress_port, priority, packet);
        self.cx.packet_id = parent;
    }

    /// Makes the copies of a session from the packet in frame and context; returns the passes that are left for
    /// the original.
    fn copies(&mut self, session: u32, port: u16, passes_left: u32, origin: Origin) -> u32 {
        let Some(p) = &self.pipeline else { return passes_left };
        let Some(found) = p.state.replication.sessions.get(&session) else {
            self.dropped(port, None, self.cx.packet_bytes, DropReason::NoReplicas);
            return passes_left;
        };
        let copies = p.state.replication.session_copies(found);
        let truncate = (found.truncate_bytes > 0).then_some(u64::from(found.truncate_bytes));
        let priority = found.class_of_service.unwrap_or_else(|| self.priority());
        let share = passes_left / (copies as u32 + 1);
        for index in 0..copies {
            let replica = self.pipeline.as_ref().and_then(|p| {
                let session = p.state.replication.sessions.get(&session)?;
                p.state.replication.session_copy(session, index)
            });
            if let Some(replica) = replica {
                self.copy(replica, priority, truncate, port, share, origin);
            }
        }
        passes_left - share * copies as u32
    }

    /// Clones the packet as it arrived: it is parsed again, then the field list is kept.
    fn clone_from_ingress(
        &mut self,
        session: u32,
        field_list: Option<u8>,
        port: u16,
        passes_left: u32,
    ) -> u32 {
        let Some(p) = &self.pipeline else { return passes_left };
        let preserved = p.machine.preserved(field_list);
        let priority = p.machine.get(Field::Priority);
        let original = self.carry();
        let (requests, cursor) = (std::mem::take(&mut self.cx.requests), self.cx.cursor);
        // That it is parsed a second time is how the switch works, not what happens to the packet.
        let trace = self.cx.trace.take();
        self.parse(&Arriving {
            parent: 0,
            frame: Frame::default(),
            ingress_port: port,
            instance_type: instance_type::INGRESS_CLONE,
            preserved: Vec::new(),
            passes_left,
        });
        self.cx.trace = trace;
        if let Some(machine) = self.machine() {
            machine.set(Field::Priority, priority);
            machine.restore(&preserved);
        }
        let left = self.copies(session, port, passes_left, Origin::CloneIngress);
        if let Some(machine) = self.machine() {
            machine.load(&original);
        }
        self.cx.requests = requests;
        self.cx.cursor = cursor;
        self.discard(original);
        left
    }

    /// Clones the packet as it leaves: headers as they are now, metadata fresh but for the field list.
    fn clone_from_egress(
        &mut self,
        session: u32,
        field_list: Option<u8>,
        port: u16,
        passes_left: u32,
    ) -> u32 {
        let Some(machine) = self.machine() else { return passes_left };
        let preserved = machine.preserved(field_list);
        let kept = [Field::IngressPort, Field::Priority, Field::IngressGlobalTimestamp]
            .map(|field| (field, machine.get(field)));
        let original = self.carry();
        let Some(machine) = self.machine() else { return passes_left };
        machine.clear_metadata();
        for (field, value) in kept {
            machine.set(field, value);
        }
        machine.set(Field::InstanceType, instance_type::EGRESS_CLONE);
        machine.restore(&preserved);
        let left = self.copies(session, port, passes_left, Origin::CloneEgress);
        if let Some(machine) = self.machine() {
            machine.load(&original);
        }
        self.discard(original);
        left
    }

    /// The next packet of a port that egress lets go.
    pub(super) fn transmit_packet(&mut self, port: u16) -> Option<Frame> {
        loop {
            let departure = self.tm.dequeue(self.cx.now, port)?;
            let sent = self.egress(port, departure);
            // Recirculated packets go to the back of the queues before the next one leaves.
            while let Some(arriving) = self.arriving.pop_front() {
                self.ingress(arriving);
            }
            if let Some((id, frame)) = sent {
                self.counters.transmitted += 1;
                self.cx.packet_id = id;
                self.cx.note(|| Step::Sent { port, bytes: frame.len() });
                return Some(frame);
            }
        }
    }

    /// Egress, checksum computation and deparser, and what follows from them.
    fn egress(&mut self, port: u16, departure: Departure<QueuedPacket>) -> Option<(u64, Frame)> {
        let id = departure.packet.id;
        self.cx.packet_id = id;
        let (depth_packets, waited) =
            (departure.enqueue_depth_packets, self.cx.now.saturating_sub(departure.enqueued));
        self.cx.note(|| Step::Egress { port, depth_packets, waited_ps: waited.0 });
        let ecn_mark = departure.ecn_mark;
        let (ingress_port, bytes) = (departure.packet.ingress_port, departure.packet.frame.len());
        let Some(mut passes_left) = departure.packet.passes_left.checked_sub(1) else {
            self.dropped(ingress_port, Some(port), bytes, DropReason::PassLimit);
            return None;
        };
        let mut truncate = departure.packet.truncate;
        self.begin_egress(port, departure);
        if !self.block(BlockId::Egress) {
            self.dropped(ingress_port, Some(port), bytes, DropReason::JumpLimit);
            return None;
        }
        truncate = self.cx.requests.truncate.or(truncate);
        if let Some((session, field_list)) = self.cx.requests.clone {
            passes_left = self.clone_from_egress(session, field_list, ingress_port, passes_left);
        }
        if self.machine()?.get(Field::EgressSpec) == u64::from(self.config.drop_port) {
            self.dropped(ingress_port, Some(port), bytes, DropReason::Egress);
            return None;
        }
        self.block(BlockId::ComputeChecksum);
        self.cx.out.clear();
        self.block(BlockId::Deparser);
        let mut frame = self.cx.deparsed(truncate);
        if let Some(field_list) = self.cx.requests.recirculate {
            let preserved = self.machine()?.preserved(field_list);
            self.counters.recirculated += 1;
            let instance_type = instance_type::RECIRCULATED;
            let parent = id;
            self.arriving.push_back(Arriving {
                parent,
                frame,
                ingress_port,
                instance_type,
                preserved,
                passes_left,
            });
            return None;
        }
        if ecn_mark {
            ecn::mark(&mut frame.head);
        }
        Some((id, frame))
    }

    fn begin_egress(&mut self, port: u16, departure: Departure<QueuedPacket>) {
        let Some(p) = &mut self.pipeline else { return };
        let cx = &mut self.cx;
        let packet = departure.packet;
        let machine = &mut p.machine;
        machine.load(&packet.carried);
        cx.packet = packet.frame;
        cx.cursor = packet.cursor;
        cx.packet_bytes = cx.packet.len();
        if let Some(bytes) = packet.truncate {
            cx.packet_bytes = cx.packet_bytes.min(bytes);
        }
        cx.jumps_left = self.config.limits.jumps_per_pass;
        cx.requests.clear();
        let unit = self.config.timestamp_unit;
        let (now, enqueued) = (unit.count(cx.now), unit.count(departure.enqueued));
        machine.set(Field::EgressPort, u64::from(port));
        // Another value than the drop port's, as in the reference switch.
        machine.set(Field::EgressSpec, u64::from(self.config.drop_port) + 1);
        machine.set(Field::PacketLength, cx.packet_bytes);
        machine.set(Field::EnqTimestamp, enqueued);
        machine.set(Field::EnqQdepth, departure.enqueue_depth_packets);
        machine.set(Field::DeqTimedelta, now.saturating_sub(enqueued));
        machine.set(Field::DeqQdepth, departure.depth_packets);
        machine.set(Field::Qid, u64::from(departure.priority));
        machine.set(Field::EgressGlobalTimestamp, now);
        self.discard(packet.carried);
    }
}
