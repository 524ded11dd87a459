//! The UDP header (RFC 768).

/// Bytes of the header.
pub const UDP_BYTES: usize = 8;

/// Ports, length, checksum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Udp {
    /// Source port. RoCEv2 senders choose it per connection, so that ECMP spreads connections.
    pub sport: u16,
    /// Destination port.
    pub dport: u16,
    /// Bytes of header and content.
    pub len: u16,
    /// Checksum; 0 means none, which RoCEv2 over IPv4 uses (InfiniBand annex A17).
    pub checksum: u16,
}

impl Udp {
    /// Returns the header's bytes.
    pub fn to_bytes(&self) -> [u8; UDP_BYTES] {
        let mut bytes = [0; UDP_BYTES];
        for (field, value) in bytes.chunks_mut(2).zip([self.sport, self.dport, self.len, self.checksum]) {
            field.copy_from_slice(&value.to_be_bytes());
        }
        bytes
    }

    /// Reads a header; `None` if it is too short.
    pub fn from_bytes(bytes: &[u8]) -> Option<Udp> {
        let [s0, s1, d0, d1, l0, l1, c0, c1] = *bytes.first_chunk::<UDP_BYTES>()?;
        Some(Udp {
            sport: u16::from_be_bytes([s0, s1]),
            dport: u16::from_be_bytes([d0, d1]),
            len: u16::from_be_bytes([l0, l1]),
            checksum: u16::from_be_bytes([c0, c1]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: [u8; UDP_BYTES]) {
            prop_assert_eq!(Udp::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            prop_assert_eq!(Udp::from_bytes(&bytes).is_some(), bytes.len() >= UDP_BYTES);
        }
    }
}
