//! Processes the events of switches: ports that may send, pauses, drops, watchdog actions, and messages to the
//! controller.

use model::traffic::LosslessDrops;
use model::{LossReason, PortRef, Time};
use p4_switch::tm::WatchdogAction;
use p4_switch::{DropReason, Event as SwitchEvent};
use scenario::topology::CPU_PORT;

use crate::drop_reason::{drop_reason_name, queue_drop_name};
use crate::event::ScheduledEvent;
use crate::fabric::{Fabric, NodeIndex};
use crate::losses::loss_reason;
use crate::record::{PauseRecord, SwitchNotice, WatchdogRecord};
use crate::switch::FabricSwitch;

impl<S: FabricSwitch> Fabric<S> {
    /// Processes a switch's events, lets its ready ports send and schedules its next wake-up.
    pub(super) fn settle_switch(&mut self, index: u32) {
        let mut events = std::mem::take(&mut self.scratch);
        loop {
            self.switches[index as usize].switch.drain_events(&mut events);
            if events.is_empty() {
                break;
            }
            // A port that sends may make another one ready, hence the loop.
            for event in events.drain(..) {
                self.switch_event(index, event);
            }
        }
        self.scratch = events;
        let node = &mut self.switches[index as usize];
        if let Some(at) = node.switch.next_wake() {
            let at = at.max(self.now);
            if node.wake_at.is_none_or(|scheduled| at < scheduled) {
                node.wake_at = Some(at);
                self.queue.push(at, ScheduledEvent::SwitchWake { switch: index });
            }
        }
    }

    fn switch_event(&mut self, index: u32, event: SwitchEvent) {
        match event {
            SwitchEvent::PortReady(port) => {
                let out = self.switches[index as usize].out.get(usize::from(port)).copied().flatten();
                if let Some(link) = out {
                    self.kick(link);
                }
            }
            SwitchEvent::PauseReceived { port, priority, quanta, .. } => {
                self.record_pause(NodeIndex::Switch(index), port, priority, quanta > 0);
            }
            SwitchEvent::PauseExpired { port, priority, .. } => {
                self.record_pause(NodeIndex::Switch(index), port, priority, false);
            }
            SwitchEvent::PauseSent { port, quanta, refresh, .. } => {
                self.pause_sent(index, port, quanta, refresh);
            }
            SwitchEvent::Dropped { .. } => self.packet_dropped(index, &event),
            SwitchEvent::LosslessDrop { .. } => self.lossless_packet_dropped(index, event),
            SwitchEvent::WatchdogFired { at, port, priority, action } => {
                self.record_watchdog(index, at, port, priority, Some(action));
            }
            SwitchEvent::WatchdogRestored { at, port, priority } => {
                self.record_watchdog(index, at, port, priority, None);
            }
            other => self.notices.push(SwitchNotice { at: self.now, switch: index, event: other }),
        }
    }

    fn pause_sent(&mut self, index: u32, port: u16, quanta: u16, refresh: bool) {
        if let Some(log) = self.log.as_mut().filter(|_| quanta > 0 && !refresh) {
            log.pause_sent(self.now, index, port);
        }
        let counter =
            if quanta > 0 { &mut self.counters.pauses_sent } else { &mut self.counters.resumes_sent };
        *counter += 1;
    }

    fn packet_dropped(&mut self, index: u32, event: &SwitchEvent) {
        let SwitchEvent::Dropped { bytes, reason, ingress_port, egress_port, priority, stored, .. } = *event
        else {
            return;
        };
        // The program consumes PFC frames and polling packets: such an end is not a loss. It drops other packets at
        // ingress only if it cannot route them. A controller's own packets are polls and announcements, and over
        // P4Runtime they may end while another packet arrives.
        if matches!(reason, DropReason::Ingress | DropReason::Egress) {
            if let Some(log) = &mut self.log {
                log.dropped(index);
            }
            let is_traffic = reason == DropReason::Ingress && ingress_port != CPU_PORT;
            match self.arriving.filter(|_| is_traffic) {
                Some(unroutable) => {
                    self.unroutable_packet_dropped(index, ingress_port, bytes, unroutable);
                }
                None => self.counters.ended_by_program += 1,
            }
            return;
        }
        match (&mut self.log, egress_port) {
            (Some(log), Some(egress_port)) if stored => {
                log.dropped_from_queue(self.now, index, (ingress_port, egress_port), bytes);
            }
            (Some(log), _) => log.dropped(index),
            (None, _) => {}
        }
        self.counters.dropped_packets += 1;
        self.counters.dropped_bytes += bytes;
        *self.counters.drops.entry(drop_reason_name(reason).to_string()).or_default() += 1;
        if let (DropReason::Queue(reason), Some(egress_port), Some(priority)) =
            (reason, egress_port, priority)
        {
            let switch = self.switches[index as usize].name.as_str();
            let ports = (Some(ingress_port), Some(egress_port));
            self.losses.count(self.now, switch, ports, Some(priority), loss_reason(reason));
        }
    }

    /// The program dropped the packet that has just arrived: it has no route, or its time to live expired. The
    /// program's counter `drops` has the same two reasons, without ports.
    fn unroutable_packet_dropped(&mut self, index: u32, ingress_port: u16, bytes: u64, reason: LossReason) {
        let name = if reason == LossReason::Ttl { "Ttl" } else { "NoRoute" };
        self.counters.dropped_packets += 1;
        self.counters.dropped_bytes += bytes;
        *self.counters.drops.entry(name.to_string()).or_default() += 1;
        let switch = self.switches[index as usize].name.as_str();
        self.losses.count(self.now, switch, (Some(ingress_port), None), None, reason);
    }

    fn lossless_packet_dropped(&mut self, index: u32, event: SwitchEvent) {
        let SwitchEvent::LosslessDrop { at, ingress_port, egress_port, priority, reason, profile, .. } =
            event
        else {
            return;
        };
        self.counters.lossless_drops += 1;
        let switch = &self.switches[index as usize].name;
        let loss = self
            .lossless_drops
            .entry((index, ingress_port, priority, egress_port, reason))
            .or_insert_with(|| LosslessDrops {
                ingress: PortRef::new(switch.clone(), ingress_port),
                egress: PortRef::new(switch.clone(), egress_port),
                priority,
                reason: queue_drop_name(reason).to_string(),
                profile,
                packets: 0,
                first_ns: at.as_ns(),
                last_ns: at.as_ns(),
            });
        loss.last_ns = at.as_ns();
        loss.packets += 1;
    }

    fn record_watchdog(
        &mut self,
        switch: u32,
        at: Time,
        port: u16,
        priority: u8,
        action: Option<WatchdogAction>,
    ) {
        let port = PortRef::new(self.switches[switch as usize].name.clone(), port);
        self.watchdogs.push(WatchdogRecord { at, port, priority, action: action.map(Into::into) });
    }

    pub(super) fn record_pause(&mut self, node: NodeIndex, port: u16, priority: u8, on: bool) {
        let name = match node {
            NodeIndex::Switch(index) => &self.switches[index as usize].name,
            NodeIndex::Host(index) => &self.hosts[index as usize].name,
        };
        self.pauses.push(PauseRecord { at: self.now, port: PortRef::new(name.clone(), port), priority, on });
    }
}
