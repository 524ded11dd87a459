//! A switch without a program: it forwards by destination address and has the traffic manager of the real one.
//! It is the baseline for measurements of the P4 switch, and the reference for tests that do not depend on the program
//! (queues, flow control, NICs).

use std::collections::BTreeMap;
use std::net::IpAddr;

use fabric::FabricSwitch;
use model::Time;
use model::wire::ipv4::{ECN_CONGESTED, Ipv4, checksum};
use model::wire::{Frame, Pfc};
use p4_switch::tm::{Arrival, AuditError, TmEvent, TrafficManager};
use p4_switch::{Event, SwitchConfig};
use scenario::Scenario;

pub(crate) struct PlainSwitch {
    tm: TrafficManager<Frame>,
    routes: BTreeMap<IpAddr, Vec<u16>>,
    events: Vec<TmEvent>,
    now: Time,
}

impl PlainSwitch {
    pub(crate) fn new(scenario: &Scenario, name: &str, config: SwitchConfig) -> PlainSwitch {
        let mut routes = BTreeMap::new();
        for host in scenario.topology.nodes.iter().filter(|node| scenario.topology.is_host(&node.name)) {
            if let Some(ports) = scenario.topology.next_hops(&host.name).get(name) {
                routes.extend(host.addresses.iter().map(|address| (*address, ports.clone())));
            }
        }
        PlainSwitch { tm: TrafficManager::new(config.tm), routes, events: Vec::new(), now: Time::ZERO }
    }

    pub(crate) fn tm(&self) -> &TrafficManager<Frame> {
        &self.tm
    }

    pub(crate) fn tm_mut(&mut self) -> &mut TrafficManager<Frame> {
        &mut self.tm
    }
}

impl FabricSwitch for PlainSwitch {
    fn receive(&mut self, now: Time, port: u16, frame: Frame) {
        self.now = now;
        if let Some(pfc) = Pfc::from_bytes(&frame.head) {
            self.tm.receive_pfc(now, port, &pfc);
            return;
        }
        let Ok(ip) = Ipv4::from_bytes(frame.head.get(14..).unwrap_or_default()) else {
            return;
        };
        let Some(ports) = self.routes.get(&IpAddr::V4(ip.dst)) else {
            return;
        };
        let spread = usize::from(frame.head[34]) * 256 + usize::from(frame.head[35]);
        let arrival = Arrival {
            ingress_port: port,
            egress_port: ports[spread % ports.len()],
            priority: ip.dscp >> 3,
            bytes: frame.len() as u32,
            ecn_capable: ip.ecn != 0,
        };
        let _ = self.tm.enqueue(now, arrival, frame);
    }

    fn transmit(&mut self, now: Time, port: u16) -> Option<Frame> {
        self.now = now;
        if let Some(pfc) = self.tm.take_pfc(now, port) {
            return Some(pfc.to_frame([2, 0, 0, 0, 0, 1]));
        }
        let departure = self.tm.dequeue(now, port)?;
        let mut frame = departure.packet;
        if departure.ecn_mark {
            frame.head[15] |= ECN_CONGESTED;
            frame.head[24..26].fill(0);
            let sum = checksum(&frame.head[14..34]);
            frame.head[24..26].copy_from_slice(&sum.to_be_bytes());
        }
        Some(frame)
    }

    fn next_wake(&self) -> Option<Time> {
        self.tm.next_wake()
    }

    fn wake(&mut self, now: Time) {
        self.now = now;
        self.tm.wake(now);
    }

    fn drain_events(&mut self, into: &mut Vec<Event>) {
        self.tm.drain_events(&mut self.events);
        let at = self.now;
        for event in self.events.drain(..) {
            let event = match event {
                TmEvent::Ready { port } => Event::PortReady(port),
                TmEvent::PauseSent { port, priority, quanta, refresh } => {
                    Event::PauseSent { at, port, priority, quanta, refresh }
                }
                TmEvent::PauseReceived { port, priority, quanta } => {
                    Event::PauseReceived { at, port, priority, quanta }
                }
                TmEvent::PauseExpired { port, priority } => Event::PauseExpired { at, port, priority },
                TmEvent::Dropped {
                    ingress_port,
                    egress_port,
                    bytes,
                    reason,
                    lossless,
                    profile,
                    priority,
                    stored,
                } => {
                    if lossless {
                        let profile = self.tm.profile_name(profile).to_string();
                        into.push(Event::LosslessDrop {
                            at,
                            ingress_port,
                            egress_port,
                            priority,
                            bytes,
                            reason,
                            profile,
                        });
                    }
                    Event::Dropped {
                        at,
                        ingress_port,
                        egress_port: Some(egress_port),
                        priority: Some(priority),
                        bytes: u64::from(bytes),
                        reason: p4_switch::DropReason::Queue(reason),
                        stored,
                    }
                }
                TmEvent::WatchdogFired { port, priority, action } => {
                    Event::WatchdogFired { at, port, priority, action }
                }
                TmEvent::WatchdogRestored { port, priority } => {
                    Event::WatchdogRestored { at, port, priority }
                }
            };
            into.push(event);
        }
    }

    fn audit(&self) -> Result<(), AuditError> {
        self.tm.audit()
    }
}
