//! One pass of a packet through ingress, and one through egress.
//!
//! What happens at the end of each follows the order of the reference switch: clone, then (ingress) digest,
//! resubmit, multicast, drop, unicast, or (egress) drop, recirculate, send.

use model::wire::Frame;

use super::packet::{Arriving, QueuedPacket, instance_type};
use super::{Pipeline, Switch, ecn};
use crate::control::Replica;
use crate::engine::code::{Op, Pc};
use crate::engine::layout::Slot;
use crate::engine::run::{Outcome, run};
use crate::event::{DropReason, Event};
use crate::limbs;
use crate::tm::Departure;

/// Storage of departed packets that is kept for the next ones.
const POOL: usize = 4_096;

/// Sets a field of the standard metadata, where the program declares it.
fn set(frame: &mut [u64], slot: Option<Slot>, value: u64) {
    if let Some(slot) = slot {
        frame[slot.at as usize] = value & limbs::low_mask(slot.width());
    }
}

/// Sets limbs that were kept from an earlier pass.
fn restore(frame: &mut [u64], preserved: &[(u32, u64)]) {
    for (at, value) in preserved {
        frame[*at as usize] = *value;
    }
}

impl Pipeline {
    fn set(&mut self, slot: Option<Slot>, value: u64) {
        set(&mut self.frame, slot, value);
    }

    fn get(&self, slot: Option<Slot>) -> u64 {
        slot.map_or(0, |slot| self.frame[slot.at as usize])
    }

    /// Whether a block does nothing.
    fn is_empty(&self, entry: Pc) -> bool {
        matches!(self.code.ops.get(entry as usize), Some(Op::End))
    }

    fn clear_locals(&mut self) {
        let (carried, scalars) = (self.code.carried as usize, self.code.scalars as usize);
        self.frame[carried..scalars].fill(0);
    }

    /// Values to keep, by the number of their field list.
    fn preserved(&self, field_list: Option<u8>) -> Vec<(u32, u64)> {
        let Some(number) = field_list else { return Vec::new() };
        let list = self.code.field_lists.iter().find(|(n, _)| *n == number);
        let slots = list.map_or(&[][..], |(_, slots)| slots);
        slots
            .iter()
            .flat_map(|slot| slot.at..slot.at + slot.cells())
            .map(|at| (at, self.frame[at as usize]))
            .collect()
    }
}

impl Switch {
    /// Storage for a packet's headers and metadata, filled from the frame.
    fn carry(&mut self) -> Vec<u64> {
        let mut carried = self.pool.pop().unwrap_or_default();
        carried.clear();
        if let Some(p) = &self.pipeline {
            carried.extend_from_slice(&p.frame[..p.code.carried as usize]);
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
            carried: self.carry(),
            frame,
            cursor: self.cx.cursor,
            truncate,
            ingress_port,
            passes_left,
        }
    }

    /// Resets frame and context, sets the metadata of an arriving packet and runs the parser.
    fn parse(&mut self, arriving: &Arriving) {
        let Some(p) = &mut self.pipeline else { return };
        let cx = &mut self.cx;
        cx.cursor = 0;
        cx.packet_bytes = cx.packet.len();
        cx.jumps_left = self.config.limits.jumps_per_pass;
        cx.requests.clear();
        p.frame[..p.code.scalars as usize].fill(0);
        let (bytes, now) = (cx.packet_bytes, self.config.timestamp_unit.count(cx.now));
        let (frame, standard) = (&mut p.frame, &p.code.standard);
        set(frame, standard.ingress_port, u64::from(arriving.ingress_port));
        set(frame, standard.packet_length, bytes);
        set(frame, standard.instance_type, arriving.instance_type);
        set(frame, standard.ingress_global_timestamp, now);
        restore(frame, &arriving.preserved);
        let entry = p.code.entries.parser;
        let error = match run(&p.code, entry, &mut p.frame, cx, &mut p.state) {
            Outcome::Done => 0,
            Outcome::Rejected(error) => error,
            Outcome::TooLong => p.code.errors.parser_timeout,
        };
        p.set(standard.parser_error, error);
    }

    /// Runs a block; false when it took too long.
    fn block(&mut self, entry: impl Fn(&Pipeline) -> Pc) -> bool {
        let Some(p) = &mut self.pipeline else { return true };
        let entry = entry(p);
        if p.is_empty(entry) {
            return true;
        }
        p.clear_locals();
        run(&p.code, entry, &mut p.frame, &mut self.cx, &mut p.state) != Outcome::TooLong
    }

    /// Parser, checksum verification, ingress, and what follows from them.
    pub(super) fn ingress(&mut self, mut arriving: Arriving) {
        let (port, bytes) = (arriving.ingress_port, arriving.frame.len());
        if self.pipeline.is_none() {
            return self.dropped(port, None, bytes, DropReason::NoProgram);
        }
        let Some(passes_left) = arriving.passes_left.checked_sub(1) else {
            return self.dropped(port, None, bytes, DropReason::LoopLimit);
        };
        self.cx.packet = std::mem::take(&mut arriving.frame);
        self.parse(&arriving);
        let mut in_time = self.block(|p| p.code.entries.verify_checksum);
        if let (true, Some(p)) = (self.cx.requests.checksum_error, &mut self.pipeline) {
            p.set(p.code.standard.checksum_error, 1);
        }
        in_time &= self.block(|p| p.code.entries.ingress);
        if !in_time {
            return self.dropped(port, None, bytes, DropReason::LoopLimit);
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
        let standard = &p.code.standard;
        let (egress_spec, mcast_grp) = (p.get(standard.egress_spec) as u16, p.get(standard.mcast_grp) as u32);
        let (slot, drop_port) = (standard.instance_type, self.config.drop_port);
        let bytes = self.cx.packet_bytes;
        if let Some(field_list) = self.cx.requests.resubmit {
            let preserved = p.preserved(field_list);
            self.counters.resubmitted += 1;
            self.arriving.push_back(Arriving {
                frame: std::mem::take(&mut self.cx.packet),
                ingress_port: port,
                instance_type: instance_type::RESUBMITTED,
                preserved,
                passes_left,
            });
        } else if mcast_grp != 0 {
            p.set(slot, instance_type::REPLICATION);
            self.multicast(mcast_grp, port, passes_left);
        } else if egress_spec == drop_port {
            self.dropped(port, None, bytes, DropReason::Ingress);
        } else {
            p.set(slot, instance_type::NORMAL);
            let priority = self.priority();
            let frame = std::mem::take(&mut self.cx.packet);
            let packet = self.queued(frame, self.cx.requests.truncate, port, passes_left);
            self.enqueue(egress_spec, priority, packet);
        }
    }

    fn priority(&self) -> u8 {
        self.pipeline.as_ref().map_or(0, |p| p.get(p.code.standard.priority) as u8)
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
                self.copy(replica, priority, self.cx.requests.truncate, port, passes_left / replicas as u32);
            }
        }
    }

    /// Queues a copy of the packet in frame and context.
    fn copy(&mut self, to: Replica, priority: u8, truncate: Option<u64>, port: u16, passes_left: u32) {
        if let Some(p) = &mut self.pipeline {
            p.set(p.code.standard.egress_rid, u64::from(to.instance));
        }
        self.counters.copies += 1;
        let packet = self.queued(self.cx.packet.clone(), truncate, port, passes_left);
        self.enqueue(to.egress_port, priority, packet);
    }

    /// Makes the copies of a session from the packet in frame and context; returns the passes that are left for
    /// the original.
    fn copies(&mut self, session: u32, port: u16, passes_left: u32) -> u32 {
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
                self.copy(replica, priority, truncate, port, share);
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
        let preserved = p.preserved(field_list);
        let priority = p.get(p.code.standard.priority);
        let original = self.carry();
        let (requests, cursor) = (std::mem::take(&mut self.cx.requests), self.cx.cursor);
        self.parse(&Arriving {
            frame: Frame::default(),
            ingress_port: port,
            instance_type: instance_type::INGRESS_CLONE,
            preserved: Vec::new(),
            passes_left,
        });
        if let Some(p) = &mut self.pipeline {
            p.set(p.code.standard.priority, priority);
            restore(&mut p.frame, &preserved);
        }
        let left = self.copies(session, port, passes_left);
        if let Some(p) = &mut self.pipeline {
            p.frame[..original.len()].copy_from_slice(&original);
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
        let Some(p) = &mut self.pipeline else { return passes_left };
        let preserved = p.preserved(field_list);
        let standard = p.code.standard.clone();
        let kept = [standard.ingress_port, standard.priority, standard.ingress_global_timestamp]
            .map(|slot| (slot, p.get(slot)));
        let original = self.carry();
        let Some(p) = &mut self.pipeline else { return passes_left };
        let (metadata, carried) = (p.code.metadata_at as usize, p.code.carried as usize);
        p.frame[metadata..carried].fill(0);
        for (slot, value) in kept {
            p.set(slot, value);
        }
        p.set(standard.instance_type, instance_type::EGRESS_CLONE);
        restore(&mut p.frame, &preserved);
        let left = self.copies(session, port, passes_left);
        if let Some(p) = &mut self.pipeline {
            p.frame[..original.len()].copy_from_slice(&original);
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
            if let Some(frame) = sent {
                self.counters.transmitted += 1;
                return Some(frame);
            }
        }
    }

    /// Egress, checksum computation and deparser, and what follows from them.
    fn egress(&mut self, port: u16, departure: Departure<QueuedPacket>) -> Option<Frame> {
        let ecn_mark = departure.ecn_mark;
        let (ingress_port, bytes) = (departure.packet.ingress_port, departure.packet.frame.len());
        let Some(mut passes_left) = departure.packet.passes_left.checked_sub(1) else {
            self.dropped(ingress_port, Some(port), bytes, DropReason::LoopLimit);
            return None;
        };
        let mut truncate = departure.packet.truncate;
        self.begin_egress(port, departure);
        if !self.block(|p| p.code.entries.egress) {
            self.dropped(ingress_port, Some(port), bytes, DropReason::LoopLimit);
            return None;
        }
        truncate = self.cx.requests.truncate.or(truncate);
        if let Some((session, field_list)) = self.cx.requests.clone {
            passes_left = self.clone_from_egress(session, field_list, ingress_port, passes_left);
        }
        let p = self.pipeline.as_ref()?;
        if p.get(p.code.standard.egress_spec) == u64::from(self.config.drop_port) {
            self.dropped(ingress_port, Some(port), bytes, DropReason::Egress);
            return None;
        }
        self.block(|p| p.code.entries.compute_checksum);
        self.cx.out.clear();
        self.block(|p| p.code.entries.deparser);
        let mut frame = self.cx.deparsed(truncate);
        if let Some(field_list) = self.cx.requests.recirculate {
            let preserved = self.pipeline.as_ref()?.preserved(field_list);
            self.counters.recirculated += 1;
            let instance_type = instance_type::RECIRCULATED;
            self.arriving.push_back(Arriving { frame, ingress_port, instance_type, preserved, passes_left });
            return None;
        }
        if ecn_mark {
            ecn::mark(&mut frame.head);
        }
        Some(frame)
    }

    fn begin_egress(&mut self, port: u16, departure: Departure<QueuedPacket>) {
        let Some(p) = &mut self.pipeline else { return };
        let cx = &mut self.cx;
        let packet = departure.packet;
        let carried = packet.carried.len();
        p.frame[..carried].copy_from_slice(&packet.carried);
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
        let (frame, standard) = (&mut p.frame, &p.code.standard);
        set(frame, standard.egress_port, u64::from(port));
        // Another value than the drop port's, as in the reference switch.
        set(frame, standard.egress_spec, u64::from(self.config.drop_port) + 1);
        set(frame, standard.packet_length, cx.packet_bytes);
        set(frame, standard.enq_timestamp, enqueued);
        set(frame, standard.enq_qdepth, departure.enqueue_depth_packets);
        set(frame, standard.deq_timedelta, now.saturating_sub(enqueued));
        set(frame, standard.deq_qdepth, departure.depth_packets);
        set(frame, standard.qid, u64::from(departure.priority));
        set(frame, standard.egress_global_timestamp, now);
        self.discard(packet.carried);
    }
}
