//! The format of probes: 64 bytes of UDP payload, all numbers in network byte order.
//!
//! | bytes | what |
//! |---|---|
//! | 0..4 | `HRPB` |
//! | 4 | version, 1 |
//! | 5 | 1: request, 2: reply |
//! | 6 | over UD: the number of the path, which the reply has, too; over UDP 0 |
//! | 8..16 | session: random, drawn at every start of the prober |
//! | 16..24 | sequence number |
//! | 24..32 | of a reply: when the request arrived, in ns since 1970 |
//! | 32..40 | of a reply: when it was sent, in ns since 1970 |
//!
//! All other bytes are 0. A reply is as long as its request.

/// Length of requests and replies.
pub const PROBE_BYTES: usize = 64;

const MAGIC: &[u8; 4] = b"HRPB";
const VERSION: u8 = 1;
const REQUEST: u8 = 1;
const REPLY: u8 = 2;

/// A probe on the wire.
pub type Bytes = [u8; PROBE_BYTES];

/// Where the number of a path is.
const PATH_AT: usize = 6;

/// Returns the packet with the number of its path, which over UDP the ports show.
pub fn with_path(mut bytes: Bytes, path: u8) -> Bytes {
    bytes[PATH_AT] = path;
    bytes
}

/// Returns the number of the path of a packet; 0 if it is too short.
pub fn path(bytes: &[u8]) -> u8 {
    bytes.get(PATH_AT).copied().unwrap_or(0)
}

/// The numbers that a reply repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    /// Random, drawn at every start of the prober: a host that does not see the request cannot guess it.
    pub session: u64,
    /// Number of the probe in the session.
    pub sequence: u64,
}

/// A reply.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reply {
    /// What it replies to.
    pub request: Request,
    /// The responder's clock when the request arrived, in ns since 1970.
    pub received_ns: u64,
    /// The responder's clock when it sent the reply, in ns since 1970.
    pub sent_ns: u64,
}

impl Request {
    /// Returns the packet.
    pub fn to_bytes(&self) -> Bytes {
        encode(REQUEST, self, 0, 0)
    }

    /// Reads a packet; `None` if it is no request.
    pub fn read(bytes: &[u8]) -> Option<Request> {
        decode(REQUEST, bytes).map(|reply| reply.request)
    }
}

impl Reply {
    /// Returns the packet.
    pub fn to_bytes(&self) -> Bytes {
        encode(REPLY, &self.request, self.received_ns, self.sent_ns)
    }

    /// Reads a packet; `None` if it is no reply.
    pub fn read(bytes: &[u8]) -> Option<Reply> {
        decode(REPLY, bytes)
    }
}

fn encode(kind: u8, request: &Request, received_ns: u64, sent_ns: u64) -> Bytes {
    let mut bytes = [0; PROBE_BYTES];
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4..6].copy_from_slice(&[VERSION, kind]);
    let numbers = [request.session, request.sequence, received_ns, sent_ns];
    for (space, number) in bytes[8..40].chunks_exact_mut(8).zip(numbers) {
        space.copy_from_slice(&number.to_be_bytes());
    }
    bytes
}

fn decode(kind: u8, bytes: &[u8]) -> Option<Reply> {
    let bytes: &Bytes = bytes.try_into().ok()?;
    if !bytes.starts_with(MAGIC) || bytes[4..6] != [VERSION, kind] {
        return None;
    }
    let number = |at: usize| Some(u64::from_be_bytes(bytes[at..at + 8].try_into().ok()?));
    let request = Request { session: number(8)?, sequence: number(16)? };
    Some(Reply { request, received_ns: number(24)?, sent_ns: number(32)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn packets_are_read_as_written(session: u64, sequence: u64, received_ns: u64, sent_ns: u64) {
            let request = Request { session, sequence };
            let reply = Reply { request, received_ns, sent_ns };
            prop_assert_eq!(Request::read(&request.to_bytes()), Some(request));
            prop_assert_eq!(Reply::read(&reply.to_bytes()), Some(reply));
            prop_assert_eq!(Request::read(&with_path(request.to_bytes(), 3)), Some(request));
            prop_assert_eq!(path(&with_path(reply.to_bytes(), 3)), 3);
            prop_assert_eq!(Request::read(&reply.to_bytes()), None);
            prop_assert_eq!(Reply::read(&request.to_bytes()), None);
        }

        #[test]
        fn any_bytes_are_read(bytes in prop::collection::vec(any::<u8>(), 0..100)) {
            prop_assert!(Request::read(&bytes).is_none() || bytes.len() == PROBE_BYTES);
        }
    }

    #[test]
    fn other_lengths_and_versions_are_no_requests() {
        let bytes = Request { session: 1, sequence: 2 }.to_bytes();
        assert_eq!(Request::read(&bytes[..63]), None);
        let mut other = bytes;
        other[4] = 2;
        assert_eq!(Request::read(&other), None);
    }
}
