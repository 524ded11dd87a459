//! The 40 bytes in front of a received datagram.
//!
//! Of IPv6 they are its header. Of IPv4 the last 20 bytes are its header, and the first 20 bytes have no meaning
//! (InfiniBand Architecture Specification, annex A17: RoCEv2); they may look like IPv6, so the checksum decides, as in
//! rdma-core (`libibverbs/verbs.c`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Length of the header.
pub(crate) const GRH_BYTES: usize = 40;
/// Where the header of IPv4 starts.
const IPV4_AT: usize = 20;

/// Returns the source address; `None` if the bytes are no header of IPv4 or IPv6.
pub(crate) fn source(header: &[u8; GRH_BYTES]) -> Option<IpAddr> {
    let ipv4 = &header[IPV4_AT..];
    let is_ipv4 = ipv4[0] == 0x45;
    let is_ipv6 = header[0] >> 4 == 6;
    if is_ipv4 && (!is_ipv6 || has_valid_checksum(ipv4)) {
        let bytes: [u8; 4] = ipv4[12..16].try_into().ok()?;
        return Some(Ipv4Addr::from(bytes).into());
    }
    let bytes: [u8; 16] = header[8..24].try_into().ok()?;
    is_ipv6.then(|| IpAddr::from(Ipv6Addr::from(bytes)).to_canonical())
}

/// The checksum of RFC 791, section 3.1.
fn has_valid_checksum(header: &[u8]) -> bool {
    let sum: u32 = header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    folded & 0xffff == 0xffff
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ipv4(first_byte: u8) -> [u8; GRH_BYTES] {
        let mut header = [0; GRH_BYTES];
        header[0] = first_byte;
        header[20..]
            .copy_from_slice(&[0x45, 0, 0, 100, 0, 0, 0x40, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let sum: u32 =
            header[20..].chunks(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]]))).sum();
        let sum = !((sum & 0xffff) + (sum >> 16)) as u16;
        header[30..32].copy_from_slice(&sum.to_be_bytes());
        header
    }

    #[test]
    fn the_source_of_ipv4_is_in_the_second_half() {
        let expected = Some(IpAddr::from([10, 0, 0, 1]));
        assert_eq!(source(&ipv4(0)), expected);
        assert_eq!(source(&ipv4(0x60)), expected, "what looks like IPv6 in front of IPv4");
    }

    #[test]
    fn the_source_of_ipv6_is_in_the_first_half() {
        let mut header = [0; GRH_BYTES];
        header[0] = 0x60;
        let address: Ipv6Addr = "fd00::1".parse().unwrap();
        header[8..24].copy_from_slice(&address.octets());
        assert_eq!(source(&header), Some(address.into()));
        header[20] = 0x45;
        let other = source(&header).unwrap();
        assert!(other.is_ipv6(), "the checksum of IPv4 is wrong");
    }

    proptest! {
        #[test]
        fn any_bytes_are_read(bytes: [[u8; 20]; 2]) {
            let header: [u8; GRH_BYTES] = bytes.concat().try_into().unwrap();
            let found = source(&header);
            prop_assert!(found.is_none() || header[0] >> 4 == 6 || header[20] == 0x45);
        }
    }
}
