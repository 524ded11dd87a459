//! The IPv6 header (RFC 8200, section 3), with the DS and ECN fields of its traffic class.

use std::net::Ipv6Addr;

/// Bytes of the fixed header.
pub const IPV6_BYTES: usize = 40;

/// The fixed header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv6 {
    /// Differentiated services code point, 6 bits.
    pub dscp: u8,
    /// ECN field, 2 bits.
    pub ecn: u8,
    /// Flow label, 20 bits.
    pub flow_label: u32,
    /// Length of the payload in bytes.
    pub payload_len: u16,
    /// Protocol of the payload.
    pub next_header: u8,
    /// Remaining hops.
    pub hop_limit: u8,
    /// Source.
    pub src: Ipv6Addr,
    /// Destination.
    pub dst: Ipv6Addr,
}

impl Ipv6 {
    /// Returns the header's bytes; excess bits of the short fields are cut off.
    pub fn to_bytes(&self) -> [u8; IPV6_BYTES] {
        let class = u32::from(self.dscp & 0x3f) << 2 | u32::from(self.ecn & 3);
        let first = 6 << 28 | class << 20 | self.flow_label & 0xf_ffff;
        let mut bytes = [0; IPV6_BYTES];
        bytes[..4].copy_from_slice(&first.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.payload_len.to_be_bytes());
        bytes[6] = self.next_header;
        bytes[7] = self.hop_limit;
        bytes[8..24].copy_from_slice(&self.src.octets());
        bytes[24..40].copy_from_slice(&self.dst.octets());
        bytes
    }

    /// Reads a header; `None` if it is too short or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Ipv6> {
        let bytes = bytes.first_chunk::<IPV6_BYTES>()?;
        let first = u32::from_be_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
        if first >> 28 != 6 {
            return None;
        }
        let address = |at: usize| Ipv6Addr::from(std::array::from_fn::<u8, 16, _>(|n| bytes[at + n]));
        Some(Ipv6 {
            dscp: (first >> 22 & 0x3f) as u8,
            ecn: (first >> 20 & 3) as u8,
            flow_label: first & 0xf_ffff,
            payload_len: u16::from_be_bytes([bytes[4], bytes[5]]),
            next_header: bytes[6],
            hop_limit: bytes[7],
            src: address(8),
            dst: address(24),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn bytes_round_trip(bytes in prop::collection::vec(any::<u8>(), IPV6_BYTES)) {
            let mut bytes = bytes;
            bytes[0] = 0x60 | bytes[0] & 0xf;
            prop_assert_eq!(Ipv6::from_bytes(&bytes).unwrap().to_bytes().to_vec(), bytes);
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = Ipv6::from_bytes(&bytes);
        }
    }
}
