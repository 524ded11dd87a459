//! A switch for runs of which only the traffic counts: it forwards, queues, marks, pauses and drops like a switch that
//! executes the telemetry program, and records nothing.
//!
//! Its traffic manager is that of [`p4_switch::Switch`]. Its forwarding decision is computed from the same plan
//! ([`crate::forwarding`]). It does not forward polling packets. The test `both_switches_carry_the_same_traffic` compares
//! the two.

use controller::plan::SwitchPlan;
use model::Time;
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::{ETHERTYPE_IPV4, Frame, Pfc};
use p4_switch::tm::{Arrival, AuditError, PortConfig, TmEvent, TrafficManager};
use p4_switch::{DropReason, Event, SwitchConfig};

use crate::forwarding::{Forwarding, IpPacket};
use crate::switch::FabricSwitch;

/// Congestion Experienced (RFC 3168).
const CONGESTION_EXPERIENCED: u8 = 3;

/// A switch without a program and without telemetry.
#[derive(Debug)]
pub struct TrafficSwitch {
    address: [u8; 6],
    now: Time,
    tm: TrafficManager<Frame>,
    forwarding: Option<Forwarding>,
    events: Vec<Event>,
    /// Buffer for the events of the traffic manager, kept to avoid allocation.
    scratch: Vec<TmEvent>,
}

impl TrafficSwitch {
    /// Creates a switch that drops all packets until it has routes.
    pub fn new(mut config: SwitchConfig) -> TrafficSwitch {
        if config.tm.ports.iter().all(|port| port.number != config.cpu_port) {
            // As in `p4_switch::Switch`: a configuration of pools counts this port.
            let rate = model::Rate::from_gbps(10);
            config.tm.ports.push(PortConfig::lossy(config.cpu_port, rate));
        }
        TrafficSwitch {
            address: config.address,
            now: Time::ZERO,
            tm: TrafficManager::new(config.tm),
            forwarding: None,
            events: Vec::new(),
            scratch: Vec::new(),
        }
    }

    /// Programs the switch with a plan.
    pub fn install(&mut self, plan: &SwitchPlan) {
        self.forwarding = Some(Forwarding::new(plan));
    }

    /// Replaces the routes by those of a plan.
    pub fn reinstall_routes(&mut self, plan: &SwitchPlan) {
        if let Some(forwarding) = &mut self.forwarding {
            forwarding.set_routes(plan);
        }
    }

    /// Forwards a frame, or reports why it ends here.
    fn forward(&mut self, ingress_port: u16, mut frame: Frame) {
        let bytes = frame.len();
        let Some(forwarding) = &mut self.forwarding else {
            return self.dropped(ingress_port, bytes, DropReason::NoProgram);
        };
        let routed = IpPacket::read(&frame.head).filter(|packet| packet.ttl > 1);
        let routed = routed.map(|packet| (packet, forwarding.port(&packet))).filter(|(_, port)| *port != 0);
        let Some((packet, egress_port)) = routed else {
            return self.dropped(ingress_port, bytes, DropReason::Ingress);
        };
        let priority = forwarding.priority(&packet);
        decrement_ttl(&mut frame.head);
        let arrival = Arrival {
            ingress_port,
            egress_port,
            priority,
            bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            ecn_capable: packet.is_ecn_capable,
        };
        if let Err((reason, _)) = self.tm.enqueue(self.now, arrival, frame) {
            let (egress, class) = (Some(egress_port), Some(priority));
            self.lost(ingress_port, egress, class, bytes, DropReason::Queue(reason), false);
        }
    }

    fn dropped(&mut self, ingress_port: u16, bytes: u64, reason: DropReason) {
        self.lost(ingress_port, None, None, bytes, reason, false);
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
        let at = self.now;
        self.events.push(Event::Dropped { at, ingress_port, egress_port, priority, bytes, reason, stored });
    }

    /// Passes on the events of the traffic manager: drops after all others, as [`p4_switch::Switch`] does.
    fn settle(&mut self) {
        if !self.tm.has_events() {
            return;
        }
        let at = self.now;
        let mut events = std::mem::take(&mut self.scratch);
        self.tm.drain_events(&mut events);
        for event in &events {
            self.events.push(match *event {
                TmEvent::Ready { port } => Event::PortReady(port),
                TmEvent::PauseSent { port, priority, quanta, refresh } => {
                    Event::PauseSent { at, port, priority, quanta, refresh }
                }
                TmEvent::PauseReceived { port, priority, quanta } => {
                    Event::PauseReceived { at, port, priority, quanta }
                }
                TmEvent::PauseExpired { port, priority } => Event::PauseExpired { at, port, priority },
                TmEvent::WatchdogFired { port, priority, action } => {
                    Event::WatchdogFired { at, port, priority, action }
                }
                TmEvent::WatchdogRestored { port, priority } => {
                    Event::WatchdogRestored { at, port, priority }
                }
                TmEvent::Dropped { .. } => continue,
            });
        }
        for event in events.drain(..) {
            self.report_drop(event);
        }
        self.scratch = events;
    }

    /// Reports a packet that the watchdog flushed, and a loss in a lossless group.
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
            let (at, profile) = (self.now, self.tm.profile_name(profile).to_string());
            let lost =
                Event::LosslessDrop { at, ingress_port, egress_port, priority, bytes, reason, profile };
            self.events.push(lost);
        }
    }

    /// The source address of a port's PFC frames.
    fn port_address(&self, port: u16) -> [u8; 6] {
        let mut address = self.address;
        let [high, low] = port.to_be_bytes();
        address[4] ^= high;
        address[5] ^= low;
        address
    }
}

impl FabricSwitch for TrafficSwitch {
    fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        self.now = self.now.max(now);
        match Pfc::from_bytes(&frame.head) {
            Some(pfc) => {
                self.tm.receive_pfc(self.now, port, &pfc);
                self.dropped(port, frame.len(), DropReason::Ingress);
            }
            None => self.forward(port, frame),
        }
        self.settle();
    }

    fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        self.now = self.now.max(now);
        if let Some(pfc) = self.tm.take_pfc(self.now, port) {
            self.settle();
            return Some(pfc.to_frame(self.port_address(port)));
        }
        let departure = self.tm.dequeue(self.now, port);
        self.settle();
        let departure = departure?;
        let mut frame = departure.packet;
        if departure.ecn_mark {
            mark(&mut frame.head);
        }
        Some(frame)
    }

    fn next_wake(&self) -> Option<Time> {
        self.tm.next_wake()
    }

    fn wake(&mut self, now: Time) {
        self.now = self.now.max(now);
        self.tm.wake(self.now);
        self.settle();
    }

    fn drain_events(&mut self, into: &mut Vec<Event>) {
        into.append(&mut self.events);
    }

    fn audit(&self) -> Result<(), AuditError> {
        self.tm.audit()
    }
}

/// Decrements the time to live or the hop limit of an IP packet.
fn decrement_ttl(head: &mut [u8]) {
    if is_ipv4(head) {
        change_ipv4(head, 8, |byte| byte.saturating_sub(1));
    } else if let Some(hop_limit) = head.get_mut(ETHERNET_BYTES + 7) {
        *hop_limit = hop_limit.saturating_sub(1);
    }
}

/// Marks a packet of an ECN-capable transport.
fn mark(head: &mut [u8]) {
    if is_ipv4(head) {
        change_ipv4(head, 1, |byte| byte | CONGESTION_EXPERIENCED);
    } else if let Some(class) = head.get_mut(ETHERNET_BYTES + 1) {
        *class |= CONGESTION_EXPERIENCED << 4;
    }
}

fn is_ipv4(head: &[u8]) -> bool {
    head.get(12..14) == Some(&ETHERTYPE_IPV4.to_be_bytes()[..])
}

/// Changes a byte of an IPv4 header and updates the checksum (RFC 1624, equation 3).
fn change_ipv4(head: &mut [u8], at: usize, change: impl FnOnce(u8) -> u8) {
    let Some(header) = head.get_mut(ETHERNET_BYTES..).and_then(|ip| ip.first_chunk_mut::<20>()) else {
        return;
    };
    let word_at = at & !1;
    let word = |header: &[u8; 20], at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let before = word(header, word_at);
    header[at] = change(header[at]);
    let mut sum = u32::from(!word(header, 10)) + u32::from(!before) + u32::from(word(header, word_at));
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    header[10..12].copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use model::wire::ipv4::Ipv4;

    use super::*;

    #[test]
    fn the_checksum_follows_changes_of_the_header() {
        let header = |ecn, ttl| Ipv4 {
            dscp: 24,
            ecn,
            total_len: 1342,
            id: 0,
            fragment: 0x4000,
            ttl,
            proto: 17,
            src: [11, 0, 2, 1].into(),
            dst: [11, 0, 4, 1].into(),
        };
        let frame = |ecn, ttl| {
            let mut bytes = vec![0; 12];
            bytes.extend(ETHERTYPE_IPV4.to_be_bytes());
            bytes.extend(header(ecn, ttl).to_bytes());
            bytes
        };
        let mut changed = frame(2, 64);
        decrement_ttl(&mut changed);
        assert_eq!(changed, frame(2, 63));
        mark(&mut changed);
        assert_eq!(changed, frame(3, 63));
    }
}
