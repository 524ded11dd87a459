//! The flow of a packet, from the beginning of its headers.

use std::net::IpAddr;

use model::FlowKey;
use model::flow::{PROTO_TCP, PROTO_UDP};

use super::cursor::Cursor;

const ETHERTYPE_IPV4: u16 = 0x0800;
const ETHERTYPE_IPV6: u16 = 0x86dd;
/// Customer and service tags (IEEE 802.1Q).
const ETHERTYPES_VLAN: [u16; 2] = [0x8100, 0x88a8];
/// The maximum number of VLAN tags of a frame that are skipped.
const MAX_TAGS: usize = 4;
/// Extension headers of IPv6 that have their length in units of eight bytes (RFC 8200): hop-by-hop, routing, destination.
const EXTENSIONS: [u8; 3] = [0, 43, 60];
/// The maximum number of extension headers that are skipped.
const MAX_EXTENSIONS: usize = 8;

/// What the headers of a packet say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Headers {
    pub(super) flow: FlowKey,
    pub(super) dscp: u8,
}

/// The flow of an Ethernet frame; `None` of a frame without an IP packet.
pub(super) fn of_ethernet(frame: &[u8]) -> Option<Headers> {
    ethernet(frame).map(|packet| packet.headers())
}

/// The source address and the payload of a frame with a UDP datagram; `None` of other frames, and of all fragments of an IP
/// packet but the first.
pub fn udp_datagram(frame: &[u8]) -> Option<(IpAddr, &[u8])> {
    let Packet { src, proto, transport, .. } = ethernet(frame)?;
    let mut rest = transport.filter(|_| proto == PROTO_UDP)?;
    rest.take(4)?;
    let length = usize::from(rest.u16()?).checked_sub(8)?;
    rest.take(2)?;
    // Short frames are padded.
    rest.take(length.min(rest.len())).map(|payload| (src, payload))
}

/// An IP packet.
struct Packet<'b> {
    src: IpAddr,
    dst: IpAddr,
    proto: u8,
    dscp: u8,
    /// From the transport header on; absent if the packet has none or is cut before it.
    transport: Option<Cursor<'b>>,
}

impl Packet<'_> {
    /// The ports are 0 if the header is cut before them or the protocol has none.
    fn headers(&self) -> Headers {
        let Packet { src, dst, proto, dscp, transport } = *self;
        let ports = transport
            .filter(|_| matches!(proto, PROTO_TCP | PROTO_UDP))
            .and_then(|mut header| Some((header.u16()?, header.u16()?)));
        let (sport, dport) = ports.unwrap_or((0, 0));
        Headers { flow: FlowKey { src, dst, sport, dport, proto }, dscp }
    }
}

fn ethernet(frame: &[u8]) -> Option<Packet<'_>> {
    let mut frame = Cursor::new(frame);
    frame.take(12)?;
    let mut ethertype = frame.u16()?;
    for _ in 0..MAX_TAGS {
        if !ETHERTYPES_VLAN.contains(&ethertype) {
            break;
        }
        frame.u16()?;
        ethertype = frame.u16()?;
    }
    match ethertype {
        ETHERTYPE_IPV4 => ipv4(frame),
        ETHERTYPE_IPV6 => ipv6(frame),
        _ => None,
    }
}

/// The flow of an IPv4 packet.
pub(super) fn of_ipv4(packet: &[u8]) -> Option<Headers> {
    ipv4(Cursor::new(packet)).map(|packet| packet.headers())
}

/// The flow of an IPv6 packet.
pub(super) fn of_ipv6(packet: &[u8]) -> Option<Headers> {
    ipv6(Cursor::new(packet)).map(|packet| packet.headers())
}

fn ipv4(mut packet: Cursor<'_>) -> Option<Packet<'_>> {
    let first = packet.u8()?;
    let options = usize::from(first & 0x0f).checked_mul(4)?.checked_sub(20)?;
    if first >> 4 != 4 {
        return None;
    }
    let dscp = packet.u8()? >> 2;
    packet.take(4)?;
    let fragment_offset = packet.u16()? & 0x1fff;
    packet.take(1)?;
    let proto = packet.u8()?;
    packet.take(2)?;
    let (src, dst) = (packet.ipv4()?, packet.ipv4()?);
    // Later fragments have no transport header.
    let has_transport = fragment_offset == 0 && packet.take(options).is_some();
    Some(Packet { src, dst, proto, dscp, transport: has_transport.then_some(packet) })
}

fn ipv6(mut packet: Cursor<'_>) -> Option<Packet<'_>> {
    let word = packet.u32()?;
    if word >> 28 != 6 {
        return None;
    }
    let dscp = (word >> 22 & 0x3f) as u8;
    packet.take(2)?;
    let mut proto = packet.u8()?;
    packet.take(1)?;
    let (src, dst) = (packet.ipv6()?, packet.ipv6()?);
    let mut rest = Some(packet);
    for _ in 0..MAX_EXTENSIONS {
        if !EXTENSIONS.contains(&proto) {
            break;
        }
        rest = rest.and_then(|mut header| {
            proto = header.u8()?;
            let more = usize::from(header.u8()?) * 8 + 6;
            header.take(more)?;
            Some(header)
        });
        if rest.is_none() {
            break;
        }
    }
    Some(Packet { src, dst, proto, dscp, transport: rest })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ETHERNET: &str = "0202020202020303030303 03";
    const IPV4: &str = "45 68 0030 0000 0000 40 11 0000 0a000001 0a000301";
    const IPV6: &str =
        "66 800000 0010 11 40 fd000000000000000000000000000001 fd000000000000000000000000000002";
    const UDP: &str = "2710 12b7 001c 0000";

    fn bytes(parts: &[&str]) -> Vec<u8> {
        let digits: String = parts.concat().split_whitespace().collect();
        let byte = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal");
        (0..digits.len()).step_by(2).map(byte).collect()
    }

    fn check(parts: &[&str], expected: Option<(&str, u8)>) {
        let found = of_ethernet(&bytes(parts));
        let expected = expected.map(|(flow, dscp)| Headers { flow: flow.parse().expect("a flow"), dscp });
        assert_eq!(found, expected, "{parts:?}");
    }

    #[test]
    fn the_flow_is_in_the_headers_of_a_frame() {
        let flow = Some(("10.0.0.1:10000>10.0.3.1:4791/udp", 26));
        check(&[ETHERNET, "0800", IPV4, UDP], flow);
        check(&[ETHERNET, "8100 0064 0800", IPV4, UDP], flow);
        check(&[ETHERNET, "88a8 0064 8100 0003 0800", IPV4, UDP], flow);
        let options = "46 68 0034 0000 0000 40 11 0000 0a000001 0a000301 01010100";
        check(&[ETHERNET, "0800", options, UDP], flow);
        let v6 = Some(("[fd00::1]:10000>[fd00::2]:4791/udp", 26));
        check(&[ETHERNET, "86dd", IPV6, UDP], v6);
        let extended = "66 800000 0018 00 40 fd000000000000000000000000000001 fd000000000000000000000000000002 11 00 000000000000";
        check(&[ETHERNET, "86dd", extended, UDP], v6);
    }

    #[test]
    fn ports_that_a_packet_lacks_are_zero() {
        let later = "45 68 0030 0000 00b9 40 11 0000 0a000001 0a000301";
        check(&[ETHERNET, "0800", later, UDP], Some(("10.0.0.1:0>10.0.3.1:0/udp", 26)));
        check(&[ETHERNET, "0800", IPV4, "2710"], Some(("10.0.0.1:0>10.0.3.1:0/udp", 26)));
        let icmp = "45 00 0030 0000 0000 40 01 0000 0a000001 0a000301";
        check(&[ETHERNET, "0800", icmp, UDP], Some(("10.0.0.1:0>10.0.3.1:0/1", 0)));
    }

    #[test]
    fn a_udp_datagram_has_a_source_and_a_payload() {
        let udp = "2710 18c7 000b 0000 010203 0000";
        let frame = bytes(&[ETHERNET, "0800", IPV4, udp]);
        let found = udp_datagram(&frame);
        assert_eq!(found, Some(("10.0.0.1".parse().expect("an address"), &[1, 2, 3][..])));
        assert_eq!(udp_datagram(&bytes(&[ETHERNET, "0800", IPV4, "2710 18c7 0007 0000"])), None);
        assert_eq!(udp_datagram(&bytes(&[ETHERNET, "0800", IPV4, "2710"])), None);
    }

    #[test]
    fn other_frames_have_no_flow() {
        check(&[ETHERNET, "8808 0101 0008"], None);
        check(&[ETHERNET, "0800", "41"], None);
        check(&[ETHERNET, "0800", "44 68 0030 0000 0000 40 11 0000 0a000001 0a000301"], None);
        check(&[ETHERNET], None);
        check(&[], None);
    }
}
