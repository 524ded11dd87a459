//! The Ethernet II header (IEEE 802.3, clause 3).

/// Bytes of the header.
pub const ETHERNET_BYTES: usize = 14;
/// Bytes of the smallest frame, frame check sequence not included.
pub const ETHERNET_MIN_FRAME_BYTES: u32 = 60;

/// Destination, source and EtherType.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ethernet {
    /// Destination address.
    pub dst: [u8; 6],
    /// Source address.
    pub src: [u8; 6],
    /// EtherType of the payload.
    pub ethertype: u16,
}

impl Ethernet {
    /// Returns the header's bytes.
    pub fn to_bytes(&self) -> [u8; ETHERNET_BYTES] {
        let mut bytes = [0; ETHERNET_BYTES];
        bytes[..6].copy_from_slice(&self.dst);
        bytes[6..12].copy_from_slice(&self.src);
        bytes[12..].copy_from_slice(&self.ethertype.to_be_bytes());
        bytes
    }

    /// Reads a header; `None` if it is too short.
    pub fn from_bytes(bytes: &[u8]) -> Option<Ethernet> {
        let bytes: &[u8; ETHERNET_BYTES] = bytes.get(..ETHERNET_BYTES)?.try_into().ok()?;
        let [d0, d1, d2, d3, d4, d5, s0, s1, s2, s3, s4, s5, t0, t1] = *bytes;
        Some(Ethernet {
            dst: [d0, d1, d2, d3, d4, d5],
            src: [s0, s1, s2, s3, s4, s5],
            ethertype: u16::from_be_bytes([t0, t1]),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: [u8; ETHERNET_BYTES]) {
            prop_assert_eq!(Ethernet::from_bytes(&bytes).unwrap().to_bytes(), bytes);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            prop_assert_eq!(Ethernet::from_bytes(&bytes).is_some(), bytes.len() >= ETHERNET_BYTES);
        }
    }
}
