//! A switch of the fabric that is only a passage: frames of the host go to the interface, and frames of the interface to
//! the host.

use std::collections::VecDeque;

use fabric::FabricSwitch;
use model::Time;
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::ipv4::IPV4_BYTES;
use model::wire::ipv6::IPV6_BYTES;
use model::wire::vlan::VLAN_BYTES;
use model::wire::{
    ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_MAC_CONTROL, ETHERTYPE_VLAN, Ethernet, Frame, Udp, Vlan,
};
use p4_switch::Event;
use p4_switch::tm::AuditError;

/// Frames that may be on their way to the host; further ones are dropped, as by a NIC without buffer.
const MAX_FRAMES: usize = 4096;
/// Bytes of a frame that are kept as they are: all headers. The payload is only counted.
const HEADER_BYTES: usize = 96;

/// A passage between the fabric and the interface.
#[derive(Debug, Default)]
pub(super) struct Portal {
    /// The port of the host, on the one switch that has it.
    port: Option<u16>,
    to_host: VecDeque<Frame>,
    to_wire: Vec<Frame>,
    is_ready: bool,
}

impl Portal {
    /// Makes this the passage of the host at `port`.
    pub(super) fn attach(&mut self, port: u16) {
        self.port = Some(port);
    }

    /// Hands a frame from the interface to the host. Call [`fabric::Fabric::poll_switches`] afterwards.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.to_host.len() == MAX_FRAMES {
            return;
        }
        let (head, tail) = bytes.split_at(bytes.len().min(HEADER_BYTES));
        self.to_host.push_back(Frame::new(head, tail.len() as u32));
        self.is_ready = true;
    }

    /// Takes the frames for the interface.
    pub(super) fn take(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.to_wire)
    }
}

impl FabricSwitch for Portal {
    fn receive(&mut self, _now: Time, port: u16, frame: Frame) {
        if self.port == Some(port) {
            // On a wire it has an invariant CRC.
            self.to_wire.push(::nic::frame::from_simulation(&frame));
        }
    }

    fn transmit(&mut self, _now: Time, port: u16) -> Option<Frame> {
        if self.port == Some(port) { self.to_host.pop_front() } else { None }
    }

    fn next_wake(&self) -> Option<Time> {
        None
    }

    fn wake(&mut self, _now: Time) {}

    fn drain_events(&mut self, into: &mut Vec<Event>) {
        if std::mem::take(&mut self.is_ready)
            && let Some(port) = self.port
        {
            into.push(Event::PortReady(port));
        }
    }

    fn audit(&self) -> Result<(), AuditError> {
        Ok(())
    }
}

/// Whether a frame is for the NIC: PFC, or UDP to one of the RoCEv2 ports. The kernel handles all others.
pub(super) fn is_for_nic(bytes: &[u8], roce_ports: &[u16]) -> bool {
    let Some(ethernet) = Ethernet::from_bytes(bytes) else { return false };
    let (mut ethertype, mut at) = (ethernet.ethertype, ETHERNET_BYTES);
    if ethertype == ETHERTYPE_VLAN {
        let Some(tag) = bytes.get(at..).and_then(Vlan::from_bytes) else { return false };
        (ethertype, at) = (tag.ethertype, at + VLAN_BYTES);
    }
    let (proto_at, ip_bytes) = match ethertype {
        ETHERTYPE_MAC_CONTROL => return true,
        ETHERTYPE_IPV4 => (9, IPV4_BYTES),
        ETHERTYPE_IPV6 => (6, IPV6_BYTES),
        _ => return false,
    };
    let is_udp = bytes.get(at + proto_at) == Some(&model::flow::PROTO_UDP);
    let udp = bytes.get(at + ip_bytes..).and_then(Udp::from_bytes);
    is_udp && udp.is_some_and(|udp| roce_ports.contains(&udp.dport))
}
