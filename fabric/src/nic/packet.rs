//! The packets that a NIC sends, and how it parses those that it receives.
//!
//! Data packets are RDMA WRITEs, SENDs and READ responses over RoCEv2. The wire size of a packet is its payload plus a
//! configured number of header bytes (58 for RoCEv2 over IPv4: Ethernet 14, IPv4 20, UDP 8, BTH 12, invariant CRC 4),
//! so that the sizes of other simulators can be reproduced. Header bytes beyond those written here are counted as
//! payload.

use std::net::IpAddr;

use model::FlowKey;
use model::wire::bth::{self, Bth, PSN_MASK};
use model::wire::ethernet::{ETHERNET_BYTES, ETHERNET_MIN_FRAME_BYTES, Ethernet};
use model::wire::ipv4::{ECN_CAPABLE, ECN_CONGESTED, ECN_NOT_CAPABLE, IPV4_BYTES, Ipv4};
use model::wire::ipv6::{IPV6_BYTES, Ipv6};
use model::wire::udp::{UDP_BYTES, Udp};
use model::wire::{Aeth, Cnp, ETHERTYPE_IPV4, ETHERTYPE_IPV6, Frame, Pfc, aeth};
use smallvec::SmallVec;

use scenario::nic::Operation;

/// Partition key of the default partition.
const DEFAULT_PARTITION: u16 = 0xffff;

/// MAC address of the NIC or switch port with this number: locally administered.
pub fn mac(number: u32) -> [u8; 6] {
    let [a, b, c, d] = number.to_be_bytes();
    [0x02, 0x48, a, b, c, d]
}

/// The differentiated services code point of a priority: its class selector (RFC 2474).
pub fn dscp(priority: u8) -> u8 {
    (priority & 7) << 3
}

/// Bytes of the RDMA extended transport header: address, key, length.
const RETH_BYTES: usize = 16;

/// The opcodes of a message's only, first, last and middle packet.
fn opcodes(operation: Operation) -> [u8; 4] {
    match operation {
        Operation::Write => {
            [bth::RC_WRITE_ONLY, bth::RC_WRITE_FIRST, bth::RC_WRITE_LAST, bth::RC_WRITE_MIDDLE]
        }
        Operation::Send => [bth::RC_SEND_ONLY, bth::RC_SEND_FIRST, bth::RC_SEND_LAST, bth::RC_SEND_MIDDLE],
        Operation::Read => [
            bth::RC_READ_RESPONSE_ONLY,
            bth::RC_READ_RESPONSE_FIRST,
            bth::RC_READ_RESPONSE_LAST,
            bth::RC_READ_RESPONSE_MIDDLE,
        ],
    }
}

/// Prepared headers of one direction of one connection.
#[derive(Clone, Debug)]
pub struct Template {
    bytes: SmallVec<[u8; 96]>,
    flow: FlowKey,
    dscp: u8,
    queue_pair: u32,
    header_bytes: u32,
}

/// What follows the UDP header.
enum Content<'a> {
    Data { bth: Bth },
    Other { bytes: &'a [u8] },
}

impl Template {
    /// Headers from `flow.src` to `flow.dst` towards `queue_pair`.
    pub fn new(
        flow: FlowKey,
        priority: u8,
        source_mac: [u8; 6],
        target_mac: [u8; 6],
        queue_pair: u32,
        header_bytes: u32,
    ) -> Template {
        let ethertype = if flow.src.is_ipv4() { ETHERTYPE_IPV4 } else { ETHERTYPE_IPV6 };
        let ethernet = Ethernet { dst: target_mac, src: source_mac, ethertype };
        Template {
            bytes: SmallVec::from_slice(&ethernet.to_bytes()),
            flow,
            dscp: dscp(priority),
            queue_pair,
            header_bytes,
        }
    }

    /// A frame with `content` after the UDP header, and `tail` more bytes whose values are not stored.
    fn frame(&self, ecn: u8, content: Content<'_>, tail: u32) -> Frame {
        let content_bytes = match &content {
            Content::Data { .. } => bth::BTH_BYTES,
            Content::Other { bytes } => bytes.len(),
        };
        let udp_len = (UDP_BYTES + content_bytes) as u32 + tail;
        let mut head = self.bytes.clone();
        match (self.flow.src, self.flow.dst) {
            (IpAddr::V4(src), IpAddr::V4(dst)) => head.extend_from_slice(
                &Ipv4 {
                    dscp: self.dscp,
                    ecn,
                    total_len: (IPV4_BYTES as u32 + udp_len) as u16,
                    id: 0,
                    fragment: 0x4000,
                    ttl: 64,
                    proto: self.flow.proto,
                    src,
                    dst,
                }
                .to_bytes(),
            ),
            (src, dst) => head.extend_from_slice(
                &Ipv6 {
                    dscp: self.dscp,
                    ecn,
                    flow_label: 0,
                    payload_len: udp_len as u16,
                    next_header: self.flow.proto,
                    hop_limit: 64,
                    src: v6(src),
                    dst: v6(dst),
                }
                .to_bytes(),
            ),
        }
        let udp = Udp { sport: self.flow.sport, dport: self.flow.dport, len: udp_len as u16, checksum: 0 };
        head.extend_from_slice(&udp.to_bytes());
        match content {
            Content::Data { bth } => head.extend_from_slice(&bth.to_bytes()),
            Content::Other { bytes } => head.extend_from_slice(bytes),
        }
        let written = head.len() as u32 + tail;
        Frame { head, tail: tail + ETHERNET_MIN_FRAME_BYTES.saturating_sub(written) }
    }

    /// Data packet `number` with `payload` bytes; `ends` says whether it is the first and whether it is the last of its
    /// message. With `ack_request`, the receiver acknowledges it at once.
    pub fn data(
        &self,
        operation: Operation,
        number: u64,
        ends: (bool, bool),
        payload: u32,
        ack_request: bool,
    ) -> Frame {
        let [only, first, last, middle] = opcodes(operation);
        let opcode = match ends {
            (true, true) => only,
            (true, false) => first,
            (false, true) => last,
            (false, false) => middle,
        };
        // The requester of a READ counts its responses; nothing acknowledges them.
        let ack_request = ack_request && operation != Operation::Read;
        let bth = Bth { ack_request, ..self.bth(opcode, number) };
        let ip_bytes = if self.flow.src.is_ipv4() { IPV4_BYTES } else { IPV6_BYTES };
        let written = (ETHERNET_BYTES + ip_bytes + UDP_BYTES + bth::BTH_BYTES) as u32;
        let tail = (payload + self.header_bytes).saturating_sub(written);
        self.frame(ECN_CAPABLE, Content::Data { bth }, tail)
    }

    /// A READ request for `bytes` bytes from packet `number` on.
    pub fn read_request(&self, number: u64, bytes: u64) -> Frame {
        let mut content = [0; bth::BTH_BYTES + RETH_BYTES];
        content[..bth::BTH_BYTES].copy_from_slice(&self.bth(bth::RC_READ_REQUEST, number).to_bytes());
        let length = u32::try_from(bytes).unwrap_or(u32::MAX);
        content[bth::BTH_BYTES + 12..].copy_from_slice(&length.to_be_bytes());
        self.frame(ECN_CAPABLE, Content::Other { bytes: &content }, 0)
    }

    fn bth(&self, opcode: u8, number: u64) -> Bth {
        Bth {
            opcode,
            migrated: true,
            partition: DEFAULT_PARTITION,
            queue_pair: self.queue_pair,
            psn: (number & u64::from(PSN_MASK)) as u32,
            ..Bth::default()
        }
    }

    fn ack_frame(&self, psn: u64, syndrome: u8, congested: bool, messages: u64) -> Frame {
        let bth = Bth { becn: congested, ..self.bth(bth::RC_ACKNOWLEDGE, psn) };
        let mut bytes = [0; bth::BTH_BYTES + aeth::AETH_BYTES];
        bytes[..bth::BTH_BYTES].copy_from_slice(&bth.to_bytes());
        let msn = (messages & u64::from(PSN_MASK)) as u32;
        bytes[bth::BTH_BYTES..].copy_from_slice(&Aeth { syndrome, msn }.to_bytes());
        self.frame(ECN_NOT_CAPABLE, Content::Other { bytes: &bytes }, 0)
    }

    /// An ACK of all packets below `upto`. `congested` echoes a congestion mark in the BECN bit, for NICs that do not
    /// send CNPs.
    pub fn ack(&self, upto: u64, congested: bool) -> Frame {
        self.ack_frame(upto.wrapping_sub(1), aeth::ACKNOWLEDGE, congested, 0)
    }

    /// A NAK: packet `missing` was expected and another one arrived. With selective repeat, `arrived` takes the place
    /// of the message sequence number ([`super::selective`]).
    pub fn nak(&self, missing: u64, arrived: Option<u64>, congested: bool) -> Frame {
        self.ack_frame(missing, aeth::NAK_SEQUENCE, congested, arrived.unwrap_or(0))
    }

    /// A congestion notification packet.
    pub fn cnp(&self) -> Frame {
        let cnp = Cnp { queue_pair: self.queue_pair, partition: DEFAULT_PARTITION };
        self.frame(ECN_NOT_CAPABLE, Content::Other { bytes: &cnp.to_bytes() }, 0)
    }
}

fn v6(address: IpAddr) -> std::net::Ipv6Addr {
    match address {
        IpAddr::V4(v4) => v4.to_ipv6_mapped(),
        IpAddr::V6(v6) => v6,
    }
}

/// A parsed frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Received {
    /// Pause or resume.
    Pfc(Pfc),
    /// Data for a queue pair.
    Data {
        /// The queue pair.
        queue_pair: u32,
        /// Low bits of the packet's number.
        psn: u32,
        /// Whether it carries a congestion mark.
        congested: bool,
        /// Whether the sender requests an ACK.
        ack_request: bool,
    },
    /// An ACK: all packets up to and including `psn` have arrived.
    Ack {
        /// The sender's queue pair.
        queue_pair: u32,
        /// Low bits of the last packet.
        psn: u32,
        /// Whether it echoes a congestion mark.
        congested: bool,
    },
    /// A NAK: `psn` is missing.
    Nak {
        /// The sender's queue pair.
        queue_pair: u32,
        /// Low bits of the missing packet.
        psn: u32,
        /// Low bits of the packet that arrived instead, for selective repeat.
        arrived: u32,
        /// Whether it echoes a congestion mark.
        congested: bool,
    },
    /// An RDMA READ request.
    ReadRequest {
        /// The responder's queue pair.
        queue_pair: u32,
        /// Low bits of the first requested packet.
        psn: u32,
    },
    /// A congestion notification packet.
    Cnp {
        /// The sender's queue pair.
        queue_pair: u32,
    },
    /// A frame that NICs do not process.
    Other,
}

/// Parses a frame.
pub fn read(frame: &Frame) -> Received {
    if let Some(pfc) = Pfc::from_bytes(&frame.head) {
        return Received::Pfc(pfc);
    }
    read_roce(&frame.head).unwrap_or(Received::Other)
}

fn read_roce(head: &[u8]) -> Option<Received> {
    let ethernet = Ethernet::from_bytes(head)?;
    let (ecn, transport) = match ethernet.ethertype {
        ETHERTYPE_IPV4 => (head.get(ETHERNET_BYTES + 1)? & 3, ETHERNET_BYTES + IPV4_BYTES + UDP_BYTES),
        ETHERTYPE_IPV6 => (head.get(ETHERNET_BYTES + 1)? >> 4 & 3, ETHERNET_BYTES + IPV6_BYTES + UDP_BYTES),
        _ => return None,
    };
    let bth = Bth::from_bytes(head.get(transport..)?)?;
    let (queue_pair, psn) = (bth.queue_pair, bth.psn);
    Some(match bth.opcode {
        bth::CNP => Received::Cnp { queue_pair },
        bth::RC_ACKNOWLEDGE => {
            let aeth = Aeth::from_bytes(head.get(transport + bth::BTH_BYTES..)?)?;
            let congested = bth.becn;
            match aeth.is_nak() {
                true => Received::Nak { queue_pair, psn, arrived: aeth.msn, congested },
                false => Received::Ack { queue_pair, psn, congested },
            }
        }
        bth::RC_READ_REQUEST => Received::ReadRequest { queue_pair, psn },
        opcode if is_data(opcode) => {
            let congested = ecn == ECN_CONGESTED;
            Received::Data { queue_pair, psn, congested, ack_request: bth.ack_request }
        }
        _ => Received::Other,
    })
}

fn is_data(opcode: u8) -> bool {
    [Operation::Write, Operation::Send, Operation::Read].iter().any(|op| opcodes(*op).contains(&opcode))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn template(flow: &str, header_bytes: u32) -> Template {
        Template::new(flow.parse().unwrap(), 3, mac(1), mac(2), 7, header_bytes)
    }

    #[test]
    fn the_wire_size_is_payload_plus_headers() {
        let template = template("11.0.2.1:10000>11.0.4.1:100/udp", 56);
        let frame = template.data(Operation::Write, 5, (false, false), 1300, false);
        assert_eq!((frame.len(), frame.head.len()), (1356, 54));
        let ip = Ipv4::from_bytes(&frame.head[14..]).unwrap();
        assert_eq!((ip.total_len, ip.dscp, ip.ecn), (1342, 24, ECN_CAPABLE));
        assert_eq!(
            read(&frame),
            Received::Data { queue_pair: 7, psn: 5, congested: false, ack_request: false }
        );
    }

    #[test]
    fn acks_are_padded_and_control_packets_parse_back() {
        let template = template("11.0.2.1:10000>11.0.4.1:100/udp", 58);
        let ack = template.ack(1, true);
        assert_eq!(ack.len(), 60);
        assert_eq!(read(&ack), Received::Ack { queue_pair: 7, psn: 0, congested: true });
        let nak = template.nak(0x100_0001, Some(0x100_0005), false);
        assert_eq!(read(&nak), Received::Nak { queue_pair: 7, psn: 1, arrived: 5, congested: false });
        assert_eq!(read(&template.read_request(9, 4096)), Received::ReadRequest { queue_pair: 7, psn: 9 });
        assert_eq!(read(&template.cnp()), Received::Cnp { queue_pair: 7 });
    }

    #[test]
    fn ipv6_packets_parse_back() {
        let template = template("[fd00::1]:10000>[fd00::2]:4791/udp", 78);
        let frame = template.data(Operation::Send, 0, (true, true), 100, true);
        assert_eq!(frame.len(), 178);
        assert_eq!(
            read(&frame),
            Received::Data { queue_pair: 7, psn: 0, congested: false, ack_request: true }
        );
    }
}
