//! RoCEv2 frames: built with invariant CRC and padding, and read back.
//!
//! | bytes | content |
//! |---|---|
//! | 14 | Ethernet |
//! | 20 or 40 | IPv4 or IPv6; the priority in the upper three bits of the DSCP |
//! | 8 | UDP to port 4791 |
//! | 12 | BTH |
//! | 16 | RETH, in the first packet of a WRITE |
//! | 4 | AETH, in acknowledgements |
//! | n | payload, padded to four bytes |
//! | 4 | invariant CRC |
//!
//! Source: InfiniBand Architecture Specification, volume 1, chapter 9, and annexes A16 and A17 (RoCE, RoCEv2).

use std::net::{IpAddr, Ipv6Addr};

use fabric::nic::packet::dscp;
use model::FlowKey;
use model::wire::bth::{self, BTH_BYTES, Bth};
use model::wire::ethernet::{ETHERNET_BYTES, ETHERNET_MIN_FRAME_BYTES, Ethernet};
use model::wire::ipv4::{ECN_CAPABLE, ECN_CONGESTED, ECN_NOT_CAPABLE, IPV4_BYTES, Ipv4};
use model::wire::ipv6::{IPV6_BYTES, Ipv6};
use model::wire::udp::{UDP_BYTES, Udp};
use model::wire::{Aeth, Cnp, ETHERTYPE_IPV4, ETHERTYPE_IPV6, Frame, ROCE_V2_PORT, aeth};
use scenario::nic::Operation;

/// Bytes of the invariant CRC.
pub const ICRC_BYTES: usize = 4;
/// Bytes of the RDMA extended transport header.
pub const RETH_BYTES: usize = 16;
/// The default partition key.
pub const DEFAULT_PARTITION: u16 = 0xffff;
/// Protocol number of UDP.
const UDP: u8 = 17;
/// Don't fragment.
const DONT_FRAGMENT: u16 = 0x4000;
const HOP_LIMIT: u8 = 64;

/// The headers that all packets of one direction of a flow share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Headers {
    /// Addresses and ports, from the sender of the packets to their receiver.
    pub flow: FlowKey,
    /// MAC address of the sender.
    pub source_mac: [u8; 6],
    /// MAC address of the receiver, or of the next hop.
    pub target_mac: [u8; 6],
    /// The priority.
    pub priority: u8,
    /// The queue pair of the flow.
    pub queue_pair: u32,
}

/// A data packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Data {
    /// WRITE or SEND.
    pub operation: Operation,
    /// Packet sequence number.
    pub psn: u32,
    /// Whether it is the first, and whether it is the last of its message.
    pub ends: (bool, bool),
    /// Whether it requests an ACK.
    pub ack_request: bool,
    /// Payload bytes, which are zero.
    pub payload_bytes: u32,
    /// Bytes of the whole message, for the RETH.
    pub message_bytes: u64,
}

impl Headers {
    /// Returns a data packet.
    pub fn data(&self, data: &Data) -> Frame {
        let opcode = opcode(data.operation, data.ends);
        let pad = (4 - data.payload_bytes % 4) % 4;
        let bth = Bth { ack_request: data.ack_request, pad: pad as u8, ..self.bth(opcode, data.psn) };
        let mut content = bth.to_bytes().to_vec();
        if has_reth(opcode) {
            // Virtual address and remote key are zero: there is no memory to write to.
            content.resize(BTH_BYTES + 12, 0);
            let length = u32::try_from(data.message_bytes).unwrap_or(u32::MAX);
            content.extend_from_slice(&length.to_be_bytes());
        }
        content.resize(content.len() + (data.payload_bytes + pad) as usize, 0);
        self.frame(ECN_CAPABLE, &content)
    }

    /// Returns an ACK of all packets up to and including `psn`. `messages` is the number of messages received.
    pub fn ack(&self, psn: u32, messages: u32) -> Frame {
        self.acknowledgement(psn, Aeth { syndrome: aeth::ACKNOWLEDGE, msn: messages })
    }

    /// Returns a NAK of the missing packet `psn`.
    pub fn nak(&self, psn: u32, messages: u32) -> Frame {
        self.acknowledgement(psn, Aeth { syndrome: aeth::NAK_SEQUENCE, msn: messages })
    }

    fn acknowledgement(&self, psn: u32, aeth: Aeth) -> Frame {
        let mut content = self.bth(bth::RC_ACKNOWLEDGE, psn).to_bytes().to_vec();
        content.extend_from_slice(&aeth.to_bytes());
        self.frame(ECN_NOT_CAPABLE, &content)
    }

    /// Returns a congestion notification packet.
    pub fn cnp(&self) -> Frame {
        let cnp = Cnp { queue_pair: self.queue_pair, partition: DEFAULT_PARTITION };
        self.frame(ECN_NOT_CAPABLE, &cnp.to_bytes())
    }

    fn bth(&self, opcode: u8, psn: u32) -> Bth {
        let queue_pair = self.queue_pair;
        Bth { opcode, migrated: true, partition: DEFAULT_PARTITION, queue_pair, psn, ..Bth::default() }
    }

    /// Returns a frame whose UDP payload is `content`, which begins with a BTH, and its invariant CRC.
    fn frame(&self, ecn: u8, content: &[u8]) -> Frame {
        let udp_len = (UDP_BYTES + content.len() + ICRC_BYTES) as u16;
        let mut bytes = Vec::with_capacity(ETHERNET_BYTES + IPV6_BYTES + usize::from(udp_len));
        let ethertype = if self.flow.src.is_ipv4() { ETHERTYPE_IPV4 } else { ETHERTYPE_IPV6 };
        let ethernet = Ethernet { dst: self.target_mac, src: self.source_mac, ethertype };
        bytes.extend_from_slice(&ethernet.to_bytes());
        match (self.flow.src, self.flow.dst) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => bytes.extend_from_slice(
                &Ipv4 {
                    dscp: dscp(self.priority),
                    ecn,
                    total_len: IPV4_BYTES as u16 + udp_len,
                    id: 0,
                    fragment: DONT_FRAGMENT,
                    ttl: HOP_LIMIT,
                    proto: UDP,
                    src,
                    dst,
                }
                .to_bytes(),
            ),
            (src, dst) => bytes.extend_from_slice(
                &Ipv6 {
                    dscp: dscp(self.priority),
                    ecn,
                    flow_label: 0,
                    payload_len: udp_len,
                    next_header: UDP,
                    hop_limit: HOP_LIMIT,
                    src: v6(src),
                    dst: v6(dst),
                }
                .to_bytes(),
            ),
        }
        let udp = Udp { sport: self.flow.sport, dport: self.flow.dport, len: udp_len, checksum: 0 };
        bytes.extend_from_slice(&udp.to_bytes());
        bytes.extend_from_slice(content);
        let crc = invariant_crc(&bytes[ETHERNET_BYTES..]);
        bytes.extend_from_slice(&crc.to_le_bytes());
        let tail = ETHERNET_MIN_FRAME_BYTES.saturating_sub(bytes.len() as u32);
        Frame::new(&bytes, tail)
    }
}

fn v6(address: IpAddr) -> Ipv6Addr {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    }
}

fn opcode(operation: Operation, ends: (bool, bool)) -> u8 {
    let [only, first, last, middle] = match operation {
        Operation::Send => [bth::RC_SEND_ONLY, bth::RC_SEND_FIRST, bth::RC_SEND_LAST, bth::RC_SEND_MIDDLE],
        // READs are not supported; requests for them are refused.
        Operation::Write | Operation::Read => {
            [bth::RC_WRITE_ONLY, bth::RC_WRITE_FIRST, bth::RC_WRITE_LAST, bth::RC_WRITE_MIDDLE]
        }
    };
    match ends {
        (true, true) => only,
        (true, false) => first,
        (false, true) => last,
        (false, false) => middle,
    }
}

fn has_reth(opcode: u8) -> bool {
    matches!(opcode, bth::RC_WRITE_ONLY | bth::RC_WRITE_FIRST)
}

/// Returns the invariant CRC of a packet from its IP header on, without the CRC itself: a CRC-32 over eight bytes of
/// ones and the packet, in which fields that routers may change are ones (annex A17.3.3). It is sent with the low byte
/// first.
fn invariant_crc(packet: &[u8]) -> u32 {
    let mut masked = [0xff; 8 + IPV6_BYTES + UDP_BYTES + BTH_BYTES];
    let is_v4 = packet.first().is_some_and(|byte| byte >> 4 == 4);
    let ip_bytes = if is_v4 { IPV4_BYTES } else { IPV6_BYTES };
    let head_bytes = (ip_bytes + UDP_BYTES + BTH_BYTES).min(packet.len());
    let (head, rest) = packet.split_at(head_bytes);
    let copy = &mut masked[8..8 + head_bytes];
    copy.copy_from_slice(head);
    let mut mask = |from: usize, to: usize| {
        if let Some(field) = copy.get_mut(from..to) {
            field.fill(0xff);
        }
    };
    if is_v4 {
        // DSCP and ECN; TTL; header checksum.
        mask(1, 2);
        mask(8, 9);
        mask(10, 12);
    } else {
        // Flow label and the lower half of the traffic class; hop limit. The upper half follows.
        mask(1, 4);
        mask(7, 8);
    }
    // UDP checksum; FECN, BECN and the reserved bits of the BTH.
    mask(ip_bytes + 6, ip_bytes + 8);
    mask(ip_bytes + UDP_BYTES + 4, ip_bytes + UDP_BYTES + 5);
    if !is_v4 && let Some(first) = copy.first_mut() {
        *first |= 0x0f;
    }
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&masked[..8 + head_bytes]);
    hasher.update(rest);
    hasher.finalize()
}

/// What a packet is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Data of a flow.
    Data {
        /// Whether it is the first, and whether it is the last of its message.
        ends: (bool, bool),
        /// Whether it requests an ACK.
        ack_request: bool,
        /// Payload bytes.
        payload_bytes: u32,
    },
    /// An ACK up to and including its sequence number.
    Ack,
    /// A NAK: its sequence number is missing.
    Nak,
    /// A congestion notification packet.
    Cnp,
}

/// A packet that was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packet {
    /// Addresses and ports.
    pub flow: FlowKey,
    /// MAC address of its sender, or of the last hop.
    pub source_mac: [u8; 6],
    /// Its priority: the upper three bits of the DSCP.
    pub priority: u8,
    /// Whether it carries a congestion mark.
    pub congested: bool,
    /// The queue pair.
    pub queue_pair: u32,
    /// Packet sequence number.
    pub psn: u32,
    /// What it is.
    pub kind: Kind,
}

/// Why a frame is not a packet for an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotRoce {
    /// Not RoCEv2, or an operation that endpoints do not support.
    Other,
    /// RoCEv2, but shorter than its headers say, or with a wrong invariant CRC.
    Damaged,
}

/// Reads a frame.
///
/// # Errors
/// If it is not a RoCEv2 packet, is damaged, or has an operation that endpoints do not support.
pub fn read(frame: &[u8]) -> Result<Packet, NotRoce> {
    let ethernet = Ethernet::from_bytes(frame).ok_or(NotRoce::Other)?;
    let packet = &frame[ETHERNET_BYTES..];
    let (addresses, dscp, ecn, ip_bytes) = match ethernet.ethertype {
        ETHERTYPE_IPV4 => {
            let ip = Ipv4::from_bytes(packet).map_err(|_| NotRoce::Other)?;
            if ip.proto != UDP || ip.fragment & 0x3fff != 0 {
                return Err(NotRoce::Other);
            }
            ((IpAddr::V4(ip.src), IpAddr::V4(ip.dst)), ip.dscp, ip.ecn, IPV4_BYTES)
        }
        ETHERTYPE_IPV6 => {
            let ip = Ipv6::from_bytes(packet).ok_or(NotRoce::Other)?;
            if ip.next_header != UDP {
                return Err(NotRoce::Other);
            }
            ((IpAddr::V6(ip.src), IpAddr::V6(ip.dst)), ip.dscp, ip.ecn, IPV6_BYTES)
        }
        _ => return Err(NotRoce::Other),
    };
    let udp = packet.get(ip_bytes..).and_then(Udp::from_bytes).ok_or(NotRoce::Other)?;
    if udp.dport != ROCE_V2_PORT {
        return Err(NotRoce::Other);
    }
    let end = ip_bytes + usize::from(udp.len);
    let content_bytes =
        usize::from(udp.len).checked_sub(UDP_BYTES + BTH_BYTES + ICRC_BYTES).ok_or(NotRoce::Damaged)?;
    let packet = packet.get(..end).ok_or(NotRoce::Damaged)?;
    let (covered, crc) = packet.split_last_chunk::<ICRC_BYTES>().ok_or(NotRoce::Damaged)?;
    if invariant_crc(covered) != u32::from_le_bytes(*crc) {
        return Err(NotRoce::Damaged);
    }
    let transport = &covered[ip_bytes + UDP_BYTES..];
    let bth = Bth::from_bytes(transport).ok_or(NotRoce::Damaged)?;
    let kind = kind(&bth, &transport[BTH_BYTES..], content_bytes)?;
    let flow = FlowKey { src: addresses.0, dst: addresses.1, sport: udp.sport, dport: udp.dport, proto: UDP };
    Ok(Packet {
        flow,
        source_mac: ethernet.src,
        priority: dscp >> 3,
        congested: ecn == ECN_CONGESTED,
        queue_pair: bth.queue_pair,
        psn: bth.psn,
        kind,
    })
}

fn kind(bth: &Bth, content: &[u8], content_bytes: usize) -> Result<Kind, NotRoce> {
    let ends = match bth.opcode {
        bth::CNP => return Ok(Kind::Cnp),
        bth::RC_ACKNOWLEDGE => {
            let aeth = Aeth::from_bytes(content).ok_or(NotRoce::Damaged)?;
            return Ok(if aeth.is_nak() { Kind::Nak } else { Kind::Ack });
        }
        bth::RC_SEND_ONLY | bth::RC_WRITE_ONLY => (true, true),
        bth::RC_SEND_FIRST | bth::RC_WRITE_FIRST => (true, false),
        bth::RC_SEND_LAST | bth::RC_WRITE_LAST => (false, true),
        bth::RC_SEND_MIDDLE | bth::RC_WRITE_MIDDLE => (false, false),
        _ => return Err(NotRoce::Other),
    };
    let extended = if has_reth(bth.opcode) { RETH_BYTES } else { 0 };
    let payload = content_bytes.checked_sub(extended + usize::from(bth.pad)).ok_or(NotRoce::Damaged)?;
    Ok(Kind::Data { ends, ack_request: bth.ack_request, payload_bytes: payload as u32 })
}

/// Returns a frame of the simulated NIC as it is on a wire: with all bytes and, if it is RoCEv2, its invariant CRC. The
/// simulation counts the CRC in the length of data packets and leaves it out of all others.
pub fn from_simulation(frame: &Frame) -> Frame {
    let mut bytes = frame.head.to_vec();
    let headers = Ethernet::from_bytes(&bytes).and_then(|ethernet| match ethernet.ethertype {
        ETHERTYPE_IPV4 => Some(ETHERNET_BYTES + IPV4_BYTES),
        ETHERTYPE_IPV6 => Some(ETHERNET_BYTES + IPV6_BYTES),
        _ => None,
    });
    let bth = headers.and_then(|at| Bth::from_bytes(bytes.get(at + UDP_BYTES..)?));
    let (Some(transport_at), Some(bth)) = (headers, bth) else { return frame.clone() };
    let is_data = kind(&bth, &[], usize::MAX).is_ok_and(|kind| matches!(kind, Kind::Data { .. }))
        || (bth::RC_READ_RESPONSE_FIRST..=bth::RC_READ_RESPONSE_ONLY).contains(&bth.opcode);
    if is_data {
        let covered = (frame.len() as usize).saturating_sub(ICRC_BYTES);
        bytes.resize(covered.max(bytes.len()), 0);
    } else if !lengthen(&mut bytes, transport_at) {
        return frame.clone();
    }
    let crc = invariant_crc(&bytes[ETHERNET_BYTES..]);
    bytes.extend_from_slice(&crc.to_le_bytes());
    let tail = ETHERNET_MIN_FRAME_BYTES.saturating_sub(bytes.len() as u32);
    Frame::new(&bytes, tail)
}

/// Adds the length of the CRC to the IP and UDP headers. False if these are not as a simulated NIC writes them.
fn lengthen(bytes: &mut [u8], transport_at: usize) -> bool {
    let ip = &bytes[ETHERNET_BYTES..];
    let longer = |length: u16| length.saturating_add(ICRC_BYTES as u16);
    if transport_at == ETHERNET_BYTES + IPV4_BYTES {
        let Ok(header) = Ipv4::from_bytes(ip) else { return false };
        let header = Ipv4 { total_len: longer(header.total_len), ..header };
        bytes[ETHERNET_BYTES..transport_at].copy_from_slice(&header.to_bytes());
    } else {
        let Some(header) = Ipv6::from_bytes(ip) else { return false };
        let header = Ipv6 { payload_len: longer(header.payload_len), ..header };
        bytes[ETHERNET_BYTES..transport_at].copy_from_slice(&header.to_bytes());
    }
    let Some(udp) = Udp::from_bytes(&bytes[transport_at..]) else { return false };
    let udp = Udp { len: longer(udp.len), ..udp };
    bytes[transport_at..transport_at + UDP_BYTES].copy_from_slice(&udp.to_bytes());
    true
}
