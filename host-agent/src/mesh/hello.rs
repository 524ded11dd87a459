//! The format in which agents exchange queue pairs: 64 bytes of UDP payload to the port of probes, all numbers in network
//! byte order. An agent that knows only probes ignores it.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `HRQP` |
//! | 4 | version, 1 |
//! | 5 | 1: offer, 2: answer |
//! | 6 | transport, 1: UD, 2: RC |
//! | 7 | RC: number of the path, below 64 |
//! | 8..16 | session of the prober: random, drawn at every start |
//! | 16..24 | number of the offer in the session |
//! | 24..40 | GID of the sender: an IPv6 address, or a mapped IPv4 address |
//! | 40..44 | number of the sender's queue pair, 24 bits |
//! | 44..48 | RC: first packet sequence number of the sender, 24 bits |
//! | 48..52 | UD: key of the sender's queue pair, 31 bits |
//! | 52..56 | number of 20 bits from which the flow labels of the paths follow ([`path_label`]) |
//! | 56 | RC: code of the MTU of the sender's port, 1 to 5 |
//!
//! All other bytes are 0. An answer repeats transport, path, session, number and flow label of its offer and is as long.
//! Keys of memory are not exchanged: the writes of RC probes have no bytes and need none.

use std::net::{IpAddr, Ipv6Addr};

use super::packet::{Bytes, PROBE_BYTES};

/// Paths of a peer, which the byte for their number limits.
pub const MAX_PATHS: usize = 64;

const MAGIC: &[u8; 4] = b"HRQP";
const VERSION: u8 = 1;
const OFFER: u8 = 1;
const ANSWER: u8 = 2;
/// Labels of paths are below 2^14, because only so many bits of them reach the UDP source port unchanged.
const LABELS: u32 = (1 << 14) - 1;
/// Distance of the labels of two paths: it has no common divisor with their number, so that the labels of all paths differ.
const LABEL_STEP: u32 = 4099;

/// How probes travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Transport {
    /// UDP packets of the kernel.
    Udp,
    /// Datagrams between queue pairs.
    Ud,
    /// Writes of no bytes on a connection between queue pairs.
    Rc,
}

impl Transport {
    /// Returns its name in configurations and metrics.
    pub fn name(self) -> &'static str {
        match self {
            Transport::Udp => "udp",
            Transport::Ud => "ud",
            Transport::Rc => "rc",
        }
    }
}

/// A queue pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// Address of the host, which is the GID of its port.
    pub address: IpAddr,
    /// Number of the queue pair, from 2 to 2^24 - 2.
    pub queue_pair: u32,
    /// RC: first packet sequence number that it sends, below 2^24. UD: 0.
    pub psn: u32,
    /// UD: key that datagrams to it need, below 2^31. RC: 0.
    pub q_key: u32,
    /// RC: code of the MTU, 1 for 256 bytes to 5 for 4096 bytes. UD: 0.
    pub mtu: u8,
}

/// An offer of a prober's queue pair, or the answer with that of its peer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hello {
    /// Whether it is an answer.
    pub is_answer: bool,
    /// UD or RC.
    pub transport: Transport,
    /// RC: number of the path, below [`MAX_PATHS`]. UD: 0.
    pub path: u8,
    /// Session of the prober.
    pub session: u64,
    /// Number of the offer.
    pub number: u64,
    /// The number from which the flow labels of the paths follow ([`path_label`]): from 1, 20 bits.
    pub flow_label: u32,
    /// The queue pair of the sender.
    pub endpoint: Endpoint,
}

impl Hello {
    /// Returns the answer to this offer with a queue pair.
    pub fn answer(&self, endpoint: Endpoint) -> Hello {
        Hello { is_answer: true, endpoint, ..*self }
    }

    /// Returns the packet.
    pub fn to_bytes(&self) -> Bytes {
        let Endpoint { address, queue_pair, psn, q_key, mtu } = self.endpoint;
        let mut bytes = [0; PROBE_BYTES];
        bytes[..4].copy_from_slice(MAGIC);
        let kind = if self.is_answer { ANSWER } else { OFFER };
        let transport = if self.transport == Transport::Ud { 1 } else { 2 };
        bytes[4..8].copy_from_slice(&[VERSION, kind, transport, self.path]);
        bytes[8..16].copy_from_slice(&self.session.to_be_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_be_bytes());
        let gid = match address {
            IpAddr::V4(address) => address.to_ipv6_mapped(),
            IpAddr::V6(address) => address,
        };
        bytes[24..40].copy_from_slice(&gid.octets());
        let numbers = [queue_pair, psn, q_key, self.flow_label];
        for (space, number) in bytes[40..56].chunks_exact_mut(4).zip(numbers) {
            space.copy_from_slice(&number.to_be_bytes());
        }
        bytes[56] = mtu;
        bytes
    }

    /// Returns whether a packet is meant to be one of this format, of any version.
    pub fn is_meant(bytes: &[u8]) -> bool {
        bytes.starts_with(MAGIC)
    }

    /// Reads a packet; `None` if it is another one, or if a value is not possible.
    pub fn read(bytes: &[u8]) -> Option<Hello> {
        let bytes: &Bytes = bytes.try_into().ok()?;
        let [VERSION, kind, transport, path] = bytes[4..8] else { return None };
        let transport = match transport {
            1 => Transport::Ud,
            2 => Transport::Rc,
            _ => return None,
        };
        let is_known = bytes.starts_with(MAGIC) && matches!(kind, OFFER | ANSWER);
        let long = |at: usize| Some(u64::from_be_bytes(bytes[at..at + 8].try_into().ok()?));
        let short = |at: usize| Some(u32::from_be_bytes(bytes[at..at + 4].try_into().ok()?));
        let gid: [u8; 16] = bytes[24..40].try_into().ok()?;
        let endpoint = Endpoint {
            address: IpAddr::from(Ipv6Addr::from(gid)).to_canonical(),
            queue_pair: short(40)?,
            psn: short(44)?,
            q_key: short(48)?,
            mtu: bytes[56],
        };
        let hello = Hello {
            is_answer: kind == ANSWER,
            transport,
            path,
            session: long(8)?,
            number: long(16)?,
            flow_label: short(52)?,
            endpoint,
        };
        (is_known && bytes[57..].iter().all(|byte| *byte == 0) && hello.is_possible()).then_some(hello)
    }

    /// Whether all values are within their limits, and those of the other transport are 0.
    fn is_possible(&self) -> bool {
        let Endpoint { address, queue_pair, psn, q_key, mtu } = self.endpoint;
        let of_transport = match self.transport {
            Transport::Ud => psn == 0 && mtu == 0 && self.path == 0 && q_key < 1 << 31,
            _ => psn < 1 << 24 && (1..=5).contains(&mtu) && usize::from(self.path) < MAX_PATHS && q_key == 0,
        };
        // 0 and 1 are for management, and the highest number is that of multicasts.
        let is_queue_pair = (2..(1 << 24) - 1).contains(&queue_pair);
        let is_label = (1..1 << 20).contains(&self.flow_label);
        of_transport && is_queue_pair && is_label && !address.is_unspecified() && !address.is_multicast()
    }
}

/// Returns the number for [`path_label`] that follows from a random one.
pub fn first_label(random: u64) -> u32 {
    1 + (random % u64::from(LABELS)) as u32
}

/// Returns the flow label of a path. Both hosts use it, so that replies take the same of the equal-cost paths each time. The
/// labels of UD and RC differ, and so do their flows.
pub fn path_label(transport: Transport, first: u32, path: u8) -> u32 {
    let offset = if transport == Transport::Rc { MAX_PATHS as u32 } else { 0 };
    1 + (first.saturating_sub(1) + (u32::from(path) + offset) * LABEL_STEP) % LABELS
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn hellos() -> impl Strategy<Value = Hello> {
        let numbers = (any::<bool>(), any::<u64>(), any::<u64>(), 1..1_u32 << 20);
        let endpoint = (any::<[u8; 4]>(), 2..(1_u32 << 24) - 1, 0..1_u32 << 24, 0..1_u32 << 31);
        (any::<bool>(), 0..64_u8, 1..6_u8, numbers, endpoint).prop_map(
            |(is_rc, path, mtu, numbers, endpoint)| {
                let (is_answer, session, number, flow_label) = numbers;
                let ([_, b, c, d], queue_pair, psn, q_key) = endpoint;
                let address = IpAddr::from([10, b, c, d]);
                let only = |is: bool, value: u32| if is { value } else { 0 };
                let endpoint = Endpoint {
                    address,
                    queue_pair,
                    psn: only(is_rc, psn),
                    q_key: only(!is_rc, q_key),
                    mtu: only(is_rc, mtu.into()) as u8,
                };
                let transport = if is_rc { Transport::Rc } else { Transport::Ud };
                let path = only(is_rc, path.into()) as u8;
                Hello { is_answer, transport, path, session, number, flow_label, endpoint }
            },
        )
    }

    proptest! {
        #[test]
        fn hellos_are_read_as_written(hello in hellos()) {
            prop_assert_eq!(Hello::read(&hello.to_bytes()), Some(hello));
        }

        #[test]
        fn what_is_read_after_a_changed_byte_is_possible(hello in hellos(), at in 0..64_usize, byte: u8) {
            let mut bytes = hello.to_bytes();
            bytes[at] = byte;
            // What is read is possible, and is written in the same way.
            if let Some(read) = Hello::read(&bytes) {
                prop_assert!(read.is_possible());
                prop_assert_eq!(read.to_bytes(), bytes);
            }
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert_eq!(Hello::read(&bytes), None);
        }

        #[test]
        fn labels_of_paths_differ(random: u64) {
            let first = first_label(random);
            let of = |transport| (0..64).map(move |path| path_label(transport, first, path));
            let mut labels: Vec<u32> = of(Transport::Ud).chain(of(Transport::Rc)).collect();
            prop_assert_eq!(labels[0], first);
            prop_assert!(labels.iter().all(|label| (1..1 << 14).contains(label)));
            labels.sort_unstable();
            labels.dedup();
            prop_assert_eq!(labels.len(), 128);
        }
    }

    #[test]
    fn impossible_values_are_refused() {
        let endpoint =
            Endpoint { address: IpAddr::from([10, 0, 0, 1]), queue_pair: 9, psn: 3, q_key: 0, mtu: 3 };
        let good = Hello {
            is_answer: false,
            transport: Transport::Rc,
            path: 2,
            session: 5,
            number: 6,
            flow_label: 7,
            endpoint,
        };
        let refused = |what: &str, change: fn(&mut Hello)| {
            let mut hello = good;
            change(&mut hello);
            assert_eq!(Hello::read(&hello.to_bytes()), None, "{what}");
        };
        assert_eq!(Hello::read(&good.to_bytes()), Some(good));
        refused("the queue pair of management", |hello| hello.endpoint.queue_pair = 1);
        refused("25 bits", |hello| hello.endpoint.queue_pair = 1 << 24);
        refused("a packet number of 25 bits", |hello| hello.endpoint.psn = 1 << 24);
        refused("a key of RC", |hello| hello.endpoint.q_key = 1);
        refused("no MTU", |hello| hello.endpoint.mtu = 0);
        refused("no label", |hello| hello.flow_label = 0);
        refused("too many paths", |hello| hello.path = 64);
        refused("a multicast", |hello| hello.endpoint.address = IpAddr::from([224, 0, 0, 1]));
        refused("a packet number of UD", |hello| hello.transport = Transport::Ud);
        let mut bytes = good.to_bytes();
        bytes[4] = 2;
        assert!(Hello::is_meant(&bytes) && Hello::read(&bytes).is_none(), "another version");
        // Agents that know only probes ignore it.
        assert_eq!(super::super::packet::Request::read(&good.to_bytes()), None);
    }
}
