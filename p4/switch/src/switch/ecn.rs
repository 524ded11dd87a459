//! Explicit congestion notification in IPv4 and IPv6 headers (RFC 3168).

use model::wire::{ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_VLAN};

/// EtherType of a service provider's VLAN tag (IEEE 802.1ad).
const ETHERTYPE_SERVICE_VLAN: u16 = 0x88a8;
const CONGESTION_EXPERIENCED: u8 = 3;

/// Position of the ECN field: its byte, its shift in the byte, and the start of the header if it is IPv4.
struct EcnField {
    byte: usize,
    shift: u32,
    ipv4_at: Option<usize>,
}

fn find(bytes: &[u8]) -> Option<EcnField> {
    let mut at = 12;
    loop {
        let ether_type = u16::from_be_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]);
        at += 2;
        match ether_type {
            ETHERTYPE_VLAN | ETHERTYPE_SERVICE_VLAN => at += 2,
            ETHERTYPE_IPV4 => return Some(EcnField { byte: at + 1, shift: 0, ipv4_at: Some(at) }),
            ETHERTYPE_IPV6 => return Some(EcnField { byte: at + 1, shift: 4, ipv4_at: None }),
            _ => return None,
        }
    }
}

/// Whether a frame is marked instead of dropped on congestion, because its sender declared an ECN-capable transport.
/// A frame that an earlier switch marked is still ECN capable (RFC 3168, section 5).
pub(crate) fn is_capable(bytes: &[u8]) -> bool {
    let bits = find(bytes).and_then(|field| Some(bytes.get(field.byte)? >> field.shift & 3));
    matches!(bits, Some(1..=3))
}

/// Sets Congestion Experienced on an ECN-capable frame and updates the IPv4 header checksum (RFC 1624, equation 3).
pub(crate) fn mark(bytes: &mut [u8]) {
    if !is_capable(bytes) {
        return;
    }
    let Some(field) = find(bytes) else { return };
    let word_at = field.byte - 1;
    let word = |bytes: &[u8]| match bytes.get(word_at..word_at + 2) {
        Some(pair) => u16::from_be_bytes([pair[0], pair[1]]),
        None => 0,
    };
    let before = word(bytes);
    if let Some(byte) = bytes.get_mut(field.byte) {
        *byte |= CONGESTION_EXPERIENCED << field.shift;
    }
    let after = word(bytes);
    let Some(checksum) = field.ipv4_at.and_then(|at| bytes.get_mut(at + 10..at + 12)) else { return };
    let old = u16::from_be_bytes([checksum[0], checksum[1]]);
    let mut sum = u32::from(!old) + u32::from(!before) + u32::from(after);
    while sum > 0xffff {
        sum = (sum & 0xffff) + (sum >> 16);
    }
    checksum.copy_from_slice(&(!(sum as u16)).to_be_bytes());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::hash::csum16;

    fn ipv4(tos: u8, tags: usize) -> Vec<u8> {
        let mut bytes = vec![0u8; 12];
        for _ in 0..tags {
            bytes.extend([0x81, 0x00, 0, 7]);
        }
        bytes.extend([0x08, 0x00]);
        let at = bytes.len();
        bytes.extend([0x45, tos, 0, 20, 1, 2, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        let sum = csum16(&bytes[at..]) as u16;
        bytes[at + 10..at + 12].copy_from_slice(&sum.to_be_bytes());
        bytes
    }

    #[test]
    fn marks_capable_ipv4_and_updates_the_checksum() {
        for tags in 0..3 {
            for tos in [0x01, 0x02, 0xfe, 0x69] {
                let mut bytes = ipv4(tos, tags);
                mark(&mut bytes);
                let at = 14 + 4 * tags;
                assert_eq!(bytes[at + 1], tos | 3);
                assert_eq!(csum16(&bytes[at..]), 0);
            }
        }
    }

    #[test]
    fn does_not_change_frames_that_are_not_ecn_capable() {
        for tos in [0x00, 0x03] {
            let bytes = ipv4(tos, 0);
            let mut marked = bytes.clone();
            mark(&mut marked);
            assert_eq!(marked, bytes);
        }
        for length in 0..40 {
            let mut bytes = ipv4(2, 0);
            bytes.truncate(length);
            mark(&mut bytes);
        }
    }

    #[test]
    fn a_frame_that_was_marked_before_is_capable() {
        let capable = [0, 1, 2, 3].map(|ecn| is_capable(&ipv4(ecn, 1)));
        assert_eq!(capable, [false, true, true, true]);
        let mut marked = ipv4(3, 0);
        mark(&mut marked);
        assert_eq!(marked, ipv4(3, 0));
    }

    #[test]
    fn marks_capable_ipv6() {
        let mut bytes = vec![0u8; 54];
        bytes[12..16].copy_from_slice(&[0x86, 0xdd, 0x60, 0x2f]);
        mark(&mut bytes);
        assert_eq!(bytes[15], 0x3f);
    }
}
