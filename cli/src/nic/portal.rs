//! A switch of the fabric that is only a passage: frames of the host go to the interface, and frames of the interface to
//! the host.

use std::collections::VecDeque;

use fabric::FabricSwitch;
use model::Time;
use model::wire::bth::BTH_BYTES;
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::ipv4::IPV4_BYTES;
use model::wire::ipv6::IPV6_BYTES;
use model::wire::udp::UDP_BYTES;
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
/// Position of the packet sequence number in the base transport header (InfiniBand Architecture Specification, 9.2).
const PSN_AT: usize = BTH_BYTES - 3;

/// A passage between the fabric and the interface.
#[derive(Debug, Default)]
pub(super) struct Portal {
    /// The port of the host, on the one switch that has it.
    port: Option<u16>,
    /// The packet sequence number on the wire of a connection's first packet, which is 0 in the simulation.
    first_psn: u32,
    to_host: VecDeque<Frame>,
    to_wire: Vec<Frame>,
    is_ready: bool,
}

impl Portal {
    /// Makes this the passage of the host at `port`. Connections start with `first_psn` on the wire; the lower 24 bits
    /// count.
    pub(super) fn attach(&mut self, port: u16, first_psn: u32) {
        self.port = Some(port);
        self.first_psn = first_psn;
    }

    /// Hands a frame from the interface to the host. Call [`fabric::Fabric::poll_switches`] afterwards.
    pub(super) fn push(&mut self, bytes: &[u8]) {
        if self.to_host.len() == MAX_FRAMES {
            return;
        }
        let (head, tail) = bytes.split_at(bytes.len().min(HEADER_BYTES));
        let mut frame = Frame::new(head, tail.len() as u32);
        add_to_psn(&mut frame.head, self.first_psn.wrapping_neg());
        self.to_host.push_back(frame);
        self.is_ready = true;
    }

    /// Takes the frames for the interface.
    pub(super) fn take(&mut self) -> Vec<Frame> {
        std::mem::take(&mut self.to_wire)
    }
}

impl FabricSwitch for Portal {
    fn receive(&mut self, _now: Time, port: u16, mut frame: Frame) {
        if self.port == Some(port) {
            add_to_psn(&mut frame.head, self.first_psn);
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
    let Some((ethertype, at)) = network_layer(bytes) else { return false };
    let udp = udp_at(bytes, ethertype, at).and_then(|at| Udp::from_bytes(bytes.get(at..)?));
    ethertype == ETHERTYPE_MAC_CONTROL || udp.is_some_and(|udp| roce_ports.contains(&udp.dport))
}

/// Adds to the packet sequence number of a frame of the simulated or another NIC: the last 24 bits of the base transport
/// header. Frames that are not RoCEv2 stay as they are.
fn add_to_psn(bytes: &mut [u8], number: u32) {
    let udp = network_layer(bytes).and_then(|(ethertype, at)| udp_at(bytes, ethertype, at));
    let psn = udp.and_then(|at| bytes.get_mut(at + UDP_BYTES + PSN_AT..at + UDP_BYTES + BTH_BYTES));
    if let Some([high, middle, low]) = psn {
        let sum = u32::from_be_bytes([0, *high, *middle, *low]).wrapping_add(number);
        [_, *high, *middle, *low] = sum.to_be_bytes();
    }
}

/// Returns the EtherType behind a VLAN tag, if there is one, and the position of what follows.
fn network_layer(bytes: &[u8]) -> Option<(u16, usize)> {
    let ethernet = Ethernet::from_bytes(bytes)?;
    if ethernet.ethertype != ETHERTYPE_VLAN {
        return Some((ethernet.ethertype, ETHERNET_BYTES));
    }
    let tag = bytes.get(ETHERNET_BYTES..).and_then(Vlan::from_bytes)?;
    Some((tag.ethertype, ETHERNET_BYTES + VLAN_BYTES))
}

/// Returns the position of the UDP header, if there is one; `at` is that of the IP header.
fn udp_at(bytes: &[u8], ethertype: u16, at: usize) -> Option<usize> {
    let (proto_at, ip_bytes) = match ethertype {
        ETHERTYPE_IPV4 => (9, IPV4_BYTES),
        ETHERTYPE_IPV6 => (6, IPV6_BYTES),
        _ => return None,
    };
    (bytes.get(at + proto_at) == Some(&model::flow::PROTO_UDP)).then_some(at + ip_bytes)
}

#[cfg(test)]
mod tests {
    use model::wire::bth::{self, Bth};

    use super::*;

    /// Returns a frame with this packet sequence number.
    fn frame(psn: u32) -> Vec<u8> {
        let bth = Bth { opcode: bth::RC_ACKNOWLEDGE, psn, ..Bth::default() };
        let mut bytes = vec![0; ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES];
        bytes[12..14].copy_from_slice(&ETHERTYPE_IPV4.to_be_bytes());
        bytes[ETHERNET_BYTES + 9] = model::flow::PROTO_UDP;
        bytes.extend(bth.to_bytes());
        bytes
    }

    #[test]
    fn sequence_numbers_are_shifted_on_the_wire_and_back() {
        for (psn, first, expected) in
            [(0, 5, 5), (7, 1 << 22, (1 << 22) + 7), ((1 << 24) - 1, 3 << 22, (3 << 22) - 1)]
        {
            let mut bytes = frame(psn);
            add_to_psn(&mut bytes, first);
            assert_eq!(bytes, frame(expected));
            add_to_psn(&mut bytes, first.wrapping_neg());
            assert_eq!(bytes, frame(psn));
        }
        let mut pause = vec![0; 60];
        pause[12..14].copy_from_slice(&ETHERTYPE_MAC_CONTROL.to_be_bytes());
        let before = pause.clone();
        add_to_psn(&mut pause, 9);
        assert_eq!(pause, before);
        add_to_psn(&mut [], 9);
    }
}
