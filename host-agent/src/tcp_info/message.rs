//! The messages of `sock_diag(7)` for TCP sockets (`linux/inet_diag.h`), and `TCP_INFO` in them (`linux/tcp.h`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use model::FlowKey;
use model::flow::PROTO_TCP;

use super::retransmissions::TcpSent;
use super::sockets::TcpReading;
use crate::netlink::{attributes, u32, u64};

/// Type of request and replies (`SOCK_DIAG_BY_FAMILY`).
pub const BY_FAMILY: u16 = 20;
/// `AF_INET` and `AF_INET6`. IPv4 connections of dual-stack sockets are in the second dump.
pub const FAMILIES: [u8; 2] = [AF_INET, AF_INET6];

const AF_INET: u8 = 2;
const AF_INET6: u8 = 10;
/// Bit of the state ESTABLISHED.
const ESTABLISHED: u32 = 1 << 1;
/// Attributes of a reply; attribute `n` is requested by bit `n - 1`.
const INFO: u16 = 2;
const TOS: u16 = 5;
const TRAFFIC_CLASS: u16 = 6;
const WANTED: u8 = 1 << (INFO - 1) | 1 << (TOS - 1) | 1 << (TRAFFIC_CLASS - 1);
/// Length of `inet_diag_sockid`.
const ID_BYTES: usize = 48;
/// Length of `inet_diag_msg`, which precedes the attributes.
const MESSAGE_BYTES: usize = 4 + ID_BYTES + 20;

/// Returns the content of the request for all established TCP sockets of an address family.
pub fn request(family: u8) -> Vec<u8> {
    let mut bytes = vec![family, PROTO_TCP, WANTED, 0];
    bytes.extend(ESTABLISHED.to_ne_bytes());
    bytes.extend([0; ID_BYTES]);
    bytes
}

/// Reads the content of a reply. `None` if it is malformed, or the socket has no round trip yet.
pub fn reply(bytes: &[u8]) -> Option<TcpReading> {
    let id = bytes.get(4..4 + ID_BYTES)?;
    let port = |at: usize| u16::from_be_bytes([id[at], id[at + 1]]);
    let family = bytes[0];
    let flow = FlowKey {
        src: address(family, &id[4..20])?,
        dst: address(family, &id[20..36])?,
        sport: port(0),
        dport: port(2),
        proto: PROTO_TCP,
    };
    let mut dscp = 0;
    let mut info = None;
    for (kind, value) in attributes(bytes.get(MESSAGE_BYTES..)?) {
        match (kind, value) {
            (INFO, value) => info = Some(value),
            // Both are those of the socket; the one of its family is set.
            (TOS | TRAFFIC_CLASS, [tos, ..]) if dscp == 0 => dscp = tos >> 2,
            _ => {}
        }
    }
    let info = info?;
    let number = |at: usize| u32(info.get(at..at + 4)?);
    let ns = |us: u32| u64::from(us) * 1_000;
    Some(TcpReading {
        flow,
        cookie: u64(&id[40..48])?,
        dscp,
        unacked_segments: number(24)?,
        rtt_ns: number(68).filter(|us| *us > 0).map(ns)?,
        bytes_acked: u64(info.get(120..128)?)?,
        min_rtt_ns: number(148).filter(|us| *us != u32::MAX && *us > 0).map(ns),
        sent: sent(info),
    })
}

/// What the socket has sent; the last fields are those of Linux 4.19.
fn sent(info: &[u8]) -> Option<TcpSent> {
    let number = |at: usize| u32(info.get(at..at + 4)?);
    let long = |at: usize| u64(info.get(at..at + 8)?);
    Some(TcpSent {
        bytes: long(200)?,
        retransmitted_bytes: long(208)?,
        segments: number(156)?,
        retransmitted_segments: number(100)?,
    })
}

/// Reads an address; an IPv4 address that is mapped into IPv6 is that of IPv4.
fn address(family: u8, bytes: &[u8]) -> Option<IpAddr> {
    match family {
        AF_INET => Some(IpAddr::V4(Ipv4Addr::from(<[u8; 4]>::try_from(bytes.get(..4)?).ok()?))),
        AF_INET6 => Some(IpAddr::V6(Ipv6Addr::from(<[u8; 16]>::try_from(bytes).ok()?)).to_canonical()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::netlink::attribute;
    use proptest::prelude::*;

    fn diagnosed(info: &[u8]) -> Vec<u8> {
        let mut bytes = vec![AF_INET6, 1, 0, 0];
        bytes.extend(40_000u16.to_be_bytes());
        bytes.extend(80u16.to_be_bytes());
        bytes.extend("::ffff:10.0.0.1".parse::<Ipv6Addr>().unwrap().octets());
        bytes.extend("::ffff:10.0.0.2".parse::<Ipv6Addr>().unwrap().octets());
        bytes.extend([0; 4]);
        bytes.extend(99u64.to_ne_bytes());
        bytes.extend([0; 20]);
        bytes.extend(attribute(TOS, &[0x68]));
        bytes.extend(attribute(INFO, info));
        bytes
    }

    fn info() -> Vec<u8> {
        let mut info = vec![0; 232];
        info[24..28].copy_from_slice(&3u32.to_ne_bytes());
        info[68..72].copy_from_slice(&42u32.to_ne_bytes());
        info[120..128].copy_from_slice(&7_000u64.to_ne_bytes());
        info[148..152].copy_from_slice(&u32::MAX.to_ne_bytes());
        info[100..104].copy_from_slice(&2u32.to_ne_bytes());
        info[156..160].copy_from_slice(&9u32.to_ne_bytes());
        info[200..208].copy_from_slice(&9_000u64.to_ne_bytes());
        info[208..216].copy_from_slice(&2_000u64.to_ne_bytes());
        info
    }

    #[test]
    fn a_dual_stack_socket_has_addresses_of_ipv4() {
        let expected = TcpReading {
            flow: "10.0.0.1:40000>10.0.0.2:80/tcp".parse().unwrap(),
            cookie: 99,
            dscp: 26,
            unacked_segments: 3,
            rtt_ns: 42_000,
            min_rtt_ns: None,
            bytes_acked: 7_000,
            sent: Some(TcpSent {
                bytes: 9_000,
                retransmitted_bytes: 2_000,
                segments: 9,
                retransmitted_segments: 2,
            }),
        };
        assert_eq!(reply(&diagnosed(&info())), Some(expected));
    }

    #[test]
    fn the_short_information_of_old_kernels_has_no_minimum_and_nothing_sent() {
        let found = reply(&diagnosed(&info()[..136])).expect("a reading");
        assert_eq!((found.rtt_ns, found.min_rtt_ns, found.sent), (42_000, None, None));
        assert_eq!(reply(&diagnosed(&info()[..104])), None, "no acknowledged bytes");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            reply(&bytes);
        }
    }
}
