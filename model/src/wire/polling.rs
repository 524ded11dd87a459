//! The polling packet: an agent sends it with the victim's 5-tuple, and switches forward it along the victim's path and
//! along pauses.
//!
//! | bits | field |
//! |---|---|
//! | 4 | version, 1 |
//! | 2 | reserved, 0 |
//! | 2 | flag: what to trace ([`Follow`]) |
//! | 8 | hop limit, decremented by every switch |
//! | 8 | priority class of the victim's data |
//! | 8 | IP protocol of the victim |
//! | 32 | event id |
//! | 128 | source address (IPv4 as `::ffff:a.b.c.d`) |
//! | 128 | destination address |
//! | 16 | source port |
//! | 16 | destination port |
//!
//! 44 bytes after an Ethernet header of EtherType [`super::ETHERTYPE_POLLING`].

use crate::flow::FlowKey;

/// Bytes of the polling header, Ethernet not included.
pub const POLLING_BYTES: usize = 44;
/// The version that this build reads and writes.
pub const POLLING_VERSION: u8 = 1;

/// What a switch traces (Hawkeye, section 2.2; values as in the paper).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// Nothing is left to trace.
    Nothing = 0,
    /// The victim's path.
    VictimPath = 1,
    /// Only the ports whose pauses reach the port that the packet came from.
    Pauses = 2,
    /// Both.
    Both = 3,
}

impl Follow {
    /// Converts the two flag bits.
    pub fn from_bits(bits: u8) -> Follow {
        match bits & 3 {
            0 => Follow::Nothing,
            1 => Follow::VictimPath,
            2 => Follow::Pauses,
            _ => Follow::Both,
        }
    }
}

/// A polling packet's content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Polling {
    /// What to trace.
    pub follow: Follow,
    /// Number of switches that it may still cross.
    pub hop_limit: u8,
    /// Priority class of the victim's data.
    pub priority: u8,
    /// The event it belongs to.
    pub event: u32,
    /// The victim.
    pub flow: FlowKey,
}

impl Polling {
    /// Returns the header's bytes.
    pub fn to_bytes(&self) -> [u8; POLLING_BYTES] {
        let (src, dst) = self.flow.address_bits();
        let mut bytes = [0; POLLING_BYTES];
        bytes[0] = POLLING_VERSION << 4 | self.follow as u8;
        bytes[1] = self.hop_limit;
        bytes[2] = self.priority;
        bytes[3] = self.flow.proto;
        bytes[4..8].copy_from_slice(&self.event.to_be_bytes());
        bytes[8..24].copy_from_slice(&src.to_be_bytes());
        bytes[24..40].copy_from_slice(&dst.to_be_bytes());
        bytes[40..42].copy_from_slice(&self.flow.sport.to_be_bytes());
        bytes[42..44].copy_from_slice(&self.flow.dport.to_be_bytes());
        bytes
    }

    /// Reads a header; `None` if it is too short or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Polling> {
        let bytes: &[u8; POLLING_BYTES] = bytes.get(..POLLING_BYTES)?.try_into().ok()?;
        if bytes[0] >> 4 != POLLING_VERSION {
            return None;
        }
        let u16_at = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let u128_at = |at: usize| bytes[at..at + 16].iter().fold(0u128, |n, b| n << 8 | u128::from(*b));
        Some(Polling {
            follow: Follow::from_bits(bytes[0]),
            hop_limit: bytes[1],
            priority: bytes[2],
            event: u32::from_be_bytes([bytes[4], bytes[5], bytes[6], bytes[7]]),
            flow: FlowKey::from_bits(u128_at(8), u128_at(24), u16_at(40), u16_at(42), bytes[3]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes in prop::collection::vec(any::<u8>(), POLLING_BYTES)) {
            let mut bytes = bytes;
            bytes[0] = 0x10 | bytes[0] & 3;
            let polling = Polling::from_bytes(&bytes).unwrap();
            prop_assert_eq!(polling.to_bytes().to_vec(), bytes);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = Polling::from_bytes(&bytes);
        }
    }
}
