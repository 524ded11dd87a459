//! The IPv4 header without options (RFC 791), with the DS and ECN fields of RFC 2474 and RFC 3168.

use std::net::Ipv4Addr;

/// Bytes of a header without options.
pub const IPV4_BYTES: usize = 20;
/// ECN field: the transport is not ECN-capable, code point Not-ECT.
pub const ECN_NOT_CAPABLE: u8 = 0;
/// ECN field: the transport is ECN-capable, code point ECT(0).
pub const ECN_CAPABLE: u8 = 2;
/// ECN field: congestion experienced, code point CE.
pub const ECN_CONGESTED: u8 = 3;

/// A header without options. The checksum is computed when it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Ipv4 {
    /// Differentiated services code point, 6 bits.
    pub dscp: u8,
    /// ECN field, 2 bits.
    pub ecn: u8,
    /// Bytes of header and content.
    pub total_len: u16,
    /// Identification.
    pub id: u16,
    /// Flags (3 bits) and fragment offset (13 bits).
    pub fragment: u16,
    /// Remaining hops.
    pub ttl: u8,
    /// Protocol of the content.
    pub proto: u8,
    /// Source.
    pub src: Ipv4Addr,
    /// Destination.
    pub dst: Ipv4Addr,
}

/// Why bytes are not an IPv4 header without options.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Ipv4Error {
    /// Fewer than 20 bytes.
    #[error("an IPv4 header has at least 20 bytes")]
    Short,
    /// Not version 4 without options.
    #[error("version and header length are not 4 and 5")]
    Version,
    /// The checksum is wrong.
    #[error("the header checksum is wrong")]
    Checksum,
}

impl Ipv4 {
    /// Returns the header's bytes.
    pub fn to_bytes(&self) -> [u8; IPV4_BYTES] {
        let mut bytes = [0; IPV4_BYTES];
        bytes[0] = 0x45;
        bytes[1] = self.dscp << 2 | self.ecn & 3;
        bytes[2..4].copy_from_slice(&self.total_len.to_be_bytes());
        bytes[4..6].copy_from_slice(&self.id.to_be_bytes());
        bytes[6..8].copy_from_slice(&self.fragment.to_be_bytes());
        bytes[8] = self.ttl;
        bytes[9] = self.proto;
        bytes[12..16].copy_from_slice(&self.src.octets());
        bytes[16..20].copy_from_slice(&self.dst.octets());
        let sum = checksum(&bytes);
        bytes[10..12].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    /// Reads a header.
    pub fn from_bytes(bytes: &[u8]) -> Result<Ipv4, Ipv4Error> {
        let bytes = bytes.first_chunk::<IPV4_BYTES>().ok_or(Ipv4Error::Short)?;
        if bytes[0] != 0x45 {
            return Err(Ipv4Error::Version);
        }
        if checksum(bytes) != 0 {
            return Err(Ipv4Error::Checksum);
        }
        let u16_at = |at: usize| u16::from_be_bytes([bytes[at], bytes[at + 1]]);
        let address = |at: usize| Ipv4Addr::new(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
        Ok(Ipv4 {
            dscp: bytes[1] >> 2,
            ecn: bytes[1] & 3,
            total_len: u16_at(2),
            id: u16_at(4),
            fragment: u16_at(6),
            ttl: bytes[8],
            proto: bytes[9],
            src: address(12),
            dst: address(16),
        })
    }
}

/// Returns the Internet checksum (RFC 1071); 0 over bytes that contain their own correct checksum.
pub fn checksum(bytes: &[u8]) -> u16 {
    let mut sum: u32 =
        bytes.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(*pair.get(1).unwrap_or(&0))).sum();
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    !(sum as u16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_example_of_rfc_1071_has_its_checksum() {
        assert_eq!(checksum(&[0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7]), !0xddf2);
    }

    proptest! {
        #[test]
        fn bytes_round_trip(bytes: [u8; IPV4_BYTES]) {
            let mut bytes = bytes;
            bytes[0] = 0x45;
            bytes[10..12].fill(0);
            let sum = checksum(&bytes);
            bytes[10..12].copy_from_slice(&sum.to_be_bytes());
            prop_assert_eq!(Ipv4::from_bytes(&bytes).unwrap().to_bytes(), bytes);
            bytes[8] ^= 1;
            prop_assert_eq!(Ipv4::from_bytes(&bytes), Err(Ipv4Error::Checksum));
        }

        #[test]
        fn no_bytes_make_the_reader_panic(bytes: Vec<u8>) {
            let _ = Ipv4::from_bytes(&bytes);
        }
    }
}
