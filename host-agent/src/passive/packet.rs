//! What a captured frame says about a flow: data that needs an acknowledgement, or an acknowledgement.
//!
//! RoCEv2 (InfiniBand annex A17) and TCP (RFC 9293), over IPv4 and IPv6, with or without a VLAN tag. Everything else,
//! fragments included, is none of the two.

use std::net::IpAddr;

use model::FlowKey;
use model::flow::{PROTO_TCP, PROTO_UDP};
use model::wire::bth::{self, BTH_BYTES, Bth};
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::ipv4::IPV4_BYTES;
use model::wire::ipv6::IPV6_BYTES;
use model::wire::udp::UDP_BYTES;
use model::wire::vlan::VLAN_BYTES;
use model::wire::{
    Aeth, ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_VLAN, Ethernet, Ipv4, Ipv6, ROCE_V2_PORT, Udp, Vlan,
};

/// VLAN tags that are skipped: a customer's and a provider's.
pub(super) const MAX_TAGS: usize = 2;
/// Bits of the fragment field that say that a packet is a fragment: more fragments, and the offset.
const FRAGMENT: u16 = 0x3fff;
/// Least bytes of a TCP header.
const TCP_BYTES: usize = 20;
/// The last of the opcodes of SEND and WRITE, which begin at 0: a WRITE of one packet with immediate data (table 38).
const RC_WRITE_ONLY_IMMEDIATE: u8 = 0x0b;
/// The last or only packet of a SEND that invalidates a key of the receiver.
const RC_SEND_LAST_INVALIDATE: u8 = 0x16;
const RC_SEND_ONLY_INVALIDATE: u8 = 0x17;
/// EtherType of a provider's VLAN tag (IEEE 802.1ad).
pub(super) const ETHERTYPE_PROVIDER_VLAN: u16 = 0x88a8;
/// TCP flags.
const RST: u8 = 4;
const ACK: u8 = 16;

/// A packet of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// Its 5-tuple.
    pub flow: FlowKey,
    /// Its code point.
    pub dscp: u8,
    /// What it is.
    pub content: Content,
}

/// The content of a packet of interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Content {
    /// Data of a reliable RoCEv2 connection: SEND or WRITE.
    RoceData {
        /// Queue pair of the receiver.
        queue_pair: u32,
        /// Packet sequence number.
        psn: u32,
    },
    /// A RoCEv2 acknowledgement.
    RoceAcknowledgement {
        /// Queue pair of the data's sender.
        queue_pair: u32,
        /// The packet sequence number before which all data has arrived.
        upto: u32,
        /// Whether it reports a loss, or a receiver that was not ready.
        is_negative: bool,
    },
    /// A TCP segment.
    Tcp {
        /// Sequence number.
        sequence: u32,
        /// Bytes of data. SYN and FIN also take a number, but a connection without data is not measured.
        length: u32,
        /// The number up to which the opposite direction is acknowledged.
        acknowledgement: Option<u32>,
        /// Whether the connection ends with it at once.
        is_reset: bool,
    },
}

/// Reads a frame from its Ethernet header on, of which only the first `bytes` may have been captured: headers are
/// enough. `extra_ports` are UDP ports that carry RoCEv2 besides 4791.
pub fn read(bytes: &[u8], extra_ports: &[u16]) -> Option<Seen> {
    let ethernet = Ethernet::from_bytes(bytes)?;
    let mut ethertype = ethernet.ethertype;
    let mut at = ETHERNET_BYTES;
    for _ in 0..MAX_TAGS {
        if ethertype != ETHERTYPE_VLAN && ethertype != ETHERTYPE_PROVIDER_VLAN {
            break;
        }
        ethertype = Vlan::from_bytes(bytes.get(at..)?)?.ethertype;
        at += VLAN_BYTES;
    }
    let packet = bytes.get(at..)?;
    let ip = match ethertype {
        ETHERTYPE_IPV4 => read_v4(packet)?,
        ETHERTYPE_IPV6 => read_v6(packet)?,
        _ => return None,
    };
    match ip.proto {
        PROTO_UDP => read_roce(&ip, packet, extra_ports),
        PROTO_TCP => read_tcp(&ip, packet),
        _ => None,
    }
}

/// The fields of an IP header that matter here.
struct Ip {
    src: IpAddr,
    dst: IpAddr,
    dscp: u8,
    proto: u8,
    /// Where its payload begins, and how long it is.
    at: usize,
    payload_bytes: usize,
}

fn read_v4(packet: &[u8]) -> Option<Ip> {
    // Options are rare and not read; the layout reader rejects them.
    let header = Ipv4::from_bytes(packet).ok()?;
    if header.fragment & FRAGMENT != 0 {
        return None;
    }
    Some(Ip {
        src: header.src.into(),
        dst: header.dst.into(),
        dscp: header.dscp,
        proto: header.proto,
        at: IPV4_BYTES,
        payload_bytes: usize::from(header.total_len).checked_sub(IPV4_BYTES)?,
    })
}

fn read_v6(packet: &[u8]) -> Option<Ip> {
    let header = Ipv6::from_bytes(packet)?;
    Some(Ip {
        src: header.src.into(),
        dst: header.dst.into(),
        dscp: header.dscp,
        proto: header.next_header,
        at: IPV6_BYTES,
        payload_bytes: usize::from(header.payload_len),
    })
}

fn read_roce(ip: &Ip, packet: &[u8], extra_ports: &[u16]) -> Option<Seen> {
    let udp = Udp::from_bytes(packet.get(ip.at..)?)?;
    if udp.dport != ROCE_V2_PORT && !extra_ports.contains(&udp.dport) {
        return None;
    }
    let header = Bth::from_bytes(packet.get(ip.at + UDP_BYTES..)?)?;
    let content = match header.opcode {
        bth::RC_SEND_FIRST..=RC_WRITE_ONLY_IMMEDIATE | RC_SEND_LAST_INVALIDATE | RC_SEND_ONLY_INVALIDATE => {
            Content::RoceData { queue_pair: header.queue_pair, psn: header.psn }
        }
        bth::RC_ACKNOWLEDGE => {
            let extended = Aeth::from_bytes(packet.get(ip.at + UDP_BYTES + BTH_BYTES..)?)?;
            // The two upper bits of the syndrome: 0 positive, 1 receiver not ready, 3 negative (table 43).
            let is_negative = extended.syndrome >> 5 != 0;
            let upto = if is_negative { header.psn } else { header.psn.wrapping_add(1) };
            Content::RoceAcknowledgement {
                queue_pair: header.queue_pair,
                upto: upto & bth::PSN_MASK,
                is_negative,
            }
        }
        _ => return None,
    };
    let flow = FlowKey::udp(ip.src, udp.sport, ip.dst, udp.dport);
    Some(Seen { flow, dscp: ip.dscp, content })
}

fn read_tcp(ip: &Ip, packet: &[u8]) -> Option<Seen> {
    let header: &[u8; TCP_BYTES] = packet.get(ip.at..)?.first_chunk()?;
    let u16_at = |at: usize| u16::from_be_bytes([header[at], header[at + 1]]);
    let u32_at = |at: usize| u32::from_be_bytes([header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let header_bytes = usize::from(header[12] >> 4) * 4;
    let flags = header[13];
    let data_bytes = ip.payload_bytes.checked_sub(header_bytes.max(TCP_BYTES))?;
    let flow = FlowKey { src: ip.src, dst: ip.dst, sport: u16_at(0), dport: u16_at(2), proto: PROTO_TCP };
    let content = Content::Tcp {
        sequence: u32_at(4),
        length: data_bytes as u32,
        acknowledgement: (flags & ACK != 0).then(|| u32_at(8)),
        is_reset: flags & RST != 0,
    };
    Some(Seen { flow, dscp: ip.dscp, content })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn roce(opcode: u8, psn: u32, tail: &[u8]) -> Vec<u8> {
        let bth = Bth { opcode, queue_pair: 7, psn, ..Bth::default() }.to_bytes();
        let length = UDP_BYTES + BTH_BYTES + tail.len();
        let ip = Ipv4 {
            dscp: 24,
            ecn: 2,
            total_len: (IPV4_BYTES + length) as u16,
            id: 0,
            fragment: 0x4000,
            ttl: 64,
            proto: PROTO_UDP,
            src: [10, 0, 0, 1].into(),
            dst: [10, 0, 0, 2].into(),
        };
        let udp = Udp { sport: 10_000, dport: ROCE_V2_PORT, len: length as u16, checksum: 0 };
        let mut bytes = Ethernet { dst: [2; 6], src: [4; 6], ethertype: ETHERTYPE_IPV4 }.to_bytes().to_vec();
        bytes.extend(ip.to_bytes());
        bytes.extend(udp.to_bytes());
        bytes.extend(bth);
        bytes.extend(tail);
        bytes
    }

    #[test]
    fn rocev2_data_and_acknowledgements_are_recognised() {
        let data = read(&roce(bth::RC_SEND_MIDDLE, 9, &[0; 100]), &[]).unwrap();
        assert_eq!((data.flow.to_string().as_str(), data.dscp), ("10.0.0.1:10000>10.0.0.2:4791/udp", 24));
        assert_eq!(data.content, Content::RoceData { queue_pair: 7, psn: 9 });
        let ack = read(&roce(bth::RC_ACKNOWLEDGE, 0xff_ffff, &[0x1f, 0, 0, 0]), &[]).unwrap();
        let expected = Content::RoceAcknowledgement { queue_pair: 7, upto: 0, is_negative: false };
        assert_eq!(ack.content, expected);
        let nak = read(&roce(bth::RC_ACKNOWLEDGE, 5, &[0x60, 0, 0, 0]), &[]).unwrap();
        let expected = Content::RoceAcknowledgement { queue_pair: 7, upto: 5, is_negative: true };
        assert_eq!(nak.content, expected);
    }

    #[test]
    fn a_congestion_notification_is_neither() {
        assert_eq!(read(&roce(bth::CNP, 0, &[0; 16]), &[]), None);
        assert_eq!(read(&roce(bth::RC_READ_REQUEST, 0, &[0; 16]), &[]), None);
    }

    proptest! {
        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = read(&bytes, &[]);
        }

        #[test]
        fn no_headers_make_the_reader_panic(opcode: u8, psn: u32, tail: Vec<u8>, cut in 0..80usize) {
            let bytes = roce(opcode, psn, &tail);
            let _ = read(&bytes[..cut.min(bytes.len())], &[]);
        }
    }
}
