//! The forwarding decision of the telemetry program, from a switch's plan and without executing the program.
//!
//! It is `p4/hawkeye/classify.p4`, `routing.p4` and `priority.p4` for the frames that NICs send: untagged IPv4 and IPv6.
//! The test `both_switches_carry_the_same_traffic` compares both implementations packet by packet.

use std::collections::BTreeMap;

use controller::plan::{MatchValue, SwitchPlan, TableEntry};
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::ipv4::IPV4_BYTES;
use model::wire::ipv6::IPV6_BYTES;
use model::wire::{ETHERTYPE_IPV4, ETHERTYPE_IPV6};

/// Number of recent decisions that are kept, a power of two.
const RECENT: usize = 256;
const PROTOCOL_TCP: u8 = 6;
const PROTOCOL_UDP: u8 = 17;
/// An IPv4 address in an IPv6 address (RFC 4291, section 2.5.5.2), as the program writes it.
const MAPPED: u128 = 0xffff << 32;

/// A 5-tuple as the program hashes it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Tuple {
    source: u128,
    destination: u128,
    /// Source port, destination port and protocol.
    rest: u64,
}

/// An IP packet behind an untagged Ethernet header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IpPacket {
    is_ipv4: bool,
    tuple: Tuple,
    dscp: u8,
    /// Time to live or hop limit on arrival.
    pub(crate) ttl: u8,
    /// Whether the sender declared an ECN-capable transport (RFC 3168).
    pub(crate) is_ecn_capable: bool,
}

impl IpPacket {
    /// Reads the headers of a frame; `None` for frames that the program does not route.
    pub(crate) fn read(head: &[u8]) -> Option<IpPacket> {
        let ip = head.get(ETHERNET_BYTES..)?;
        match u16::from_be_bytes([*head.get(12)?, *head.get(13)?]) {
            ETHERTYPE_IPV4 => {
                let header: &[u8; IPV4_BYTES] = ip.first_chunk()?;
                if header[0] != 0x45 {
                    return None;
                }
                let address = |at: usize| {
                    MAPPED | u128::from(u32::from_be_bytes(chunk(header, at).unwrap_or_default()))
                };
                let protocol = header[9];
                let rest = ports(protocol, ip.get(IPV4_BYTES..)?)?;
                let tuple = Tuple { source: address(12), destination: address(16), rest };
                Some(IpPacket {
                    is_ipv4: true,
                    tuple,
                    dscp: header[1] >> 2,
                    ttl: header[8],
                    is_ecn_capable: header[1] & 3 != 0,
                })
            }
            ETHERTYPE_IPV6 => {
                let header: &[u8; IPV6_BYTES] = ip.first_chunk()?;
                let address = |at: usize| u128::from_be_bytes(chunk(header, at).unwrap_or_default());
                let protocol = header[6];
                let rest = ports(protocol, ip.get(IPV6_BYTES..)?)?;
                let tuple = Tuple { source: address(8), destination: address(24), rest };
                let class = header[0] << 4 | header[1] >> 4;
                Some(IpPacket {
                    is_ipv4: false,
                    tuple,
                    dscp: class >> 2,
                    ttl: header[7],
                    is_ecn_capable: class & 3 != 0,
                })
            }
            _ => None,
        }
    }
}

fn chunk<const N: usize>(bytes: &[u8], at: usize) -> Option<[u8; N]> {
    bytes.get(at..)?.first_chunk().copied()
}

/// The ports and the protocol of a packet, as one number.
fn ports(protocol: u8, transport: &[u8]) -> Option<u64> {
    let ports = match protocol {
        PROTOCOL_TCP | PROTOCOL_UDP => u32::from_be_bytes(chunk(transport, 0)?),
        _ => 0,
    };
    Some(u64::from(ports) << 8 | u64::from(protocol))
}

/// The action of a route.
#[derive(Clone, Copy, Debug)]
enum Hop {
    Port(u16),
    Group { id: u16, size: u16 },
}

/// Routes of one address family: the longest prefix that contains an address.
#[derive(Clone, Debug, Default)]
struct Routes {
    /// By prefix length, longest first, and prefix.
    prefixes: BTreeMap<(std::cmp::Reverse<u32>, u128), Hop>,
}

impl Routes {
    fn find(&self, address: u128, width: u32) -> Option<Hop> {
        let mut lengths: Vec<u32> = self.prefixes.keys().map(|(length, _)| length.0).collect();
        lengths.dedup();
        lengths.into_iter().find_map(|length| {
            let free = width.saturating_sub(length);
            let prefix = address.checked_shr(free).map_or(0, |bits| bits.checked_shl(free).unwrap_or(0));
            self.prefixes.get(&(std::cmp::Reverse(length), prefix)).copied()
        })
    }
}

/// The forwarding tables of one switch.
#[derive(Clone, Debug)]
pub(crate) struct Forwarding {
    priorities: [u8; 64],
    ecmp_seed: u32,
    ipv4: Routes,
    ipv6: Routes,
    /// By group and member.
    members: BTreeMap<(u16, u16), u16>,
    /// Decisions by a hash of the 5-tuple; a switch forwards the packets of a flow alike.
    recent: Vec<Option<(Tuple, u16)>>,
}

impl Forwarding {
    /// The tables of a plan.
    pub(crate) fn new(plan: &SwitchPlan) -> Forwarding {
        let mut priorities = [0; 64];
        for entry in plan.entries.iter().filter(|entry| entry.table == "dscp_priorities") {
            let (dscp, priority) = (exact(entry, "dscp"), param(entry, "priority"));
            if let Some(slot) = dscp.and_then(|dscp| priorities.get_mut(usize::from(dscp))) {
                *slot = priority as u8 & 7;
            }
        }
        let is_seed = |name: &str| name.rsplit('.').next() == Some("ecmp_seed");
        let seed = plan.registers.iter().find(|write| is_seed(&write.register));
        let mut made = Forwarding {
            priorities,
            ecmp_seed: seed.map_or(0, |write| number(&write.value) as u32),
            ipv4: Routes::default(),
            ipv6: Routes::default(),
            members: BTreeMap::new(),
            recent: Vec::new(),
        };
        made.set_routes(plan);
        made
    }

    /// Replaces the routes by those of a plan.
    pub(crate) fn set_routes(&mut self, plan: &SwitchPlan) {
        self.recent = vec![None; RECENT];
        self.members = plan
            .entries
            .iter()
            .filter(|entry| entry.table == "ecmp_members" && entry.action != "unroutable")
            .filter_map(|entry| {
                Some(((exact(entry, "group")?, exact(entry, "member")?), param(entry, "port")))
            })
            .collect();
        self.ipv4 = routes(plan, "ipv4_routes");
        self.ipv6 = routes(plan, "ipv6_routes");
    }

    /// The priority of a packet.
    pub(crate) fn priority(&self, packet: &IpPacket) -> u8 {
        self.priorities[usize::from(packet.dscp & 63)]
    }

    /// The egress port of a packet; 0 without a route.
    pub(crate) fn port(&mut self, packet: &IpPacket) -> u16 {
        let tuple = packet.tuple;
        let slot = slot(&tuple);
        if let Some((known, port)) = self.recent[slot]
            && known == tuple
        {
            return port;
        }
        let route = match packet.is_ipv4 {
            true => self.ipv4.find(tuple.destination & u128::from(u32::MAX), 32),
            false => self.ipv6.find(tuple.destination, 128),
        };
        let port = match route {
            Some(Hop::Port(port)) => port,
            Some(Hop::Group { id, size }) => {
                let member = self.member(&tuple, size);
                self.members.get(&(id, member)).copied().unwrap_or(0)
            }
            None => 0,
        };
        self.recent[slot] = Some((tuple, port));
        port
    }

    /// The member of a group of this size that a flow's hash selects (`routing.p4`).
    fn member(&self, tuple: &Tuple, size: u16) -> u16 {
        let mut mixed = (self.ecmp_seed ^ crc32(tuple)).wrapping_mul(0x9e37_79b1);
        mixed = (mixed ^ mixed >> 15).wrapping_mul(0x85eb_ca77);
        mixed = (mixed >> 16) * u32::from(size);
        (mixed >> 16) as u16
    }
}

fn routes(plan: &SwitchPlan, table: &str) -> Routes {
    let mut routes = Routes::default();
    for entry in plan.entries.iter().filter(|entry| entry.table == table) {
        let Some((_, MatchValue::Lpm { value, prefix_length })) = entry.key.first() else { continue };
        let hop = match entry.action {
            "set_group" => Hop::Group { id: param(entry, "group_id"), size: param(entry, "size") },
            "unroutable" => Hop::Port(0),
            _ => Hop::Port(param(entry, "port")),
        };
        routes.prefixes.insert((std::cmp::Reverse(*prefix_length), number(value)), hop);
    }
    routes
}

fn number(bytes: &[u8]) -> u128 {
    bytes.iter().fold(0, |value, byte| value << 8 | u128::from(*byte))
}

fn exact(entry: &TableEntry, name: &str) -> Option<u16> {
    let (_, value) = entry.key.iter().find(|(key, _)| *key == name)?;
    match value {
        MatchValue::Exact(value) => Some(number(value) as u16),
        MatchValue::Lpm { .. } => None,
    }
}

fn param(entry: &TableEntry, name: &str) -> u16 {
    entry.params.iter().find(|(param, _)| *param == name).map_or(0, |(_, value)| number(value) as u16)
}

/// The place of a flow among the recent decisions.
fn slot(tuple: &Tuple) -> usize {
    let folded = tuple.source ^ tuple.destination.rotate_left(37);
    let mixed = (folded as u64 ^ (folded >> 64) as u64 ^ tuple.rest).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (mixed >> (64 - RECENT.trailing_zeros())) as usize
}

/// The CRC-32 of Ethernet over source, destination, ports and protocol.
fn crc32(tuple: &Tuple) -> u32 {
    let rest = tuple.rest.to_be_bytes();
    let bytes = tuple.source.to_be_bytes().into_iter().chain(tuple.destination.to_be_bytes());
    let sum = bytes.chain(rest[3..].iter().copied()).fold(u32::MAX, |mut sum, byte| {
        sum ^= u32::from(byte);
        for _ in 0..8 {
            sum = sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
        }
        sum
    });
    !sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_prefix_decides() {
        let mut routes = Routes::default();
        let mut add = |prefix: u32, length: u32, port: u16| {
            routes.prefixes.insert((std::cmp::Reverse(length), u128::from(prefix)), Hop::Port(port));
        };
        add(0, 0, 1);
        add(0x0a00_0000, 8, 2);
        add(0x0a00_0001, 32, 3);
        let found = |address: u32| match routes.find(u128::from(address), 32) {
            Some(Hop::Port(port)) => port,
            _ => 0,
        };
        assert_eq!([0x0b00_0000, 0x0a00_0002, 0x0a00_0001].map(found), [1, 2, 3]);
        assert!(Routes::default().find(7, 128).is_none());
    }
}
