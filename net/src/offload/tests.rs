//! Segments carry the payload in order, with valid checksums; no bytes cause a panic.

use proptest::prelude::*;

use super::*;

const ADDRESSES: [u8; 8] = [10, 0, 0, 1, 10, 0, 0, 2];

/// An Ethernet, IPv4 and TCP frame without checksums.
fn tcp_frame(payload: &[u8]) -> Vec<u8> {
    let mut frame = vec![2; 12];
    frame.extend([8, 0, 0x45, 0, 0, 0, 0x12, 0x34, 0x40, 0, 64, 6, 0, 0]);
    frame.extend(ADDRESSES);
    frame.extend([0x10, 0, 0x20, 0, 0xff, 0xff, 0xff, 0xf0, 0, 0, 0, 0]);
    frame.extend([0x50, FIN | PSH | CWR | 0x10, 1, 0, 0, 0, 0, 0]);
    frame.extend(payload);
    frame
}

fn header(flags: u8, gso_type: u8, gso_size: u16, start: u16, offset: u16) -> Offload {
    let mut bytes = [flags, gso_type, 0, 0, 0, 0, 0, 0, 0, 0];
    bytes[4..6].copy_from_slice(&gso_size.to_ne_bytes());
    bytes[6..8].copy_from_slice(&start.to_ne_bytes());
    bytes[8..10].copy_from_slice(&offset.to_ne_bytes());
    Offload::from_bytes(bytes)
}

/// Whether the TCP checksum of a frame is valid.
fn is_valid_tcp(frame: &[u8]) -> bool {
    let transport = &frame[34..];
    fold(sum(&ADDRESSES) + 6 + transport.len() as u64 + sum(transport)) == 0
}

proptest! {
    #[test]
    fn segments_carry_the_payload_in_order(payload in prop::collection::vec(any::<u8>(), 1..5000), size in 1u16..2000) {
        let mut frame = tcp_frame(&payload);
        let mut joined = Vec::new();
        let mut flags = Vec::new();
        header(1, GSO_TCPV4 | GSO_ECN, size, 34, 16)
            .complete(&mut frame, |segment| {
                assert!(is_valid_tcp(segment));
                assert_eq!(fold(sum(&segment[14..34])), 0, "checksum of the IP header");
                assert_eq!(usize::from(u16::from_be_bytes([segment[16], segment[17]])), segment.len() - 14);
                let sequence = u32::from_be_bytes([segment[38], segment[39], segment[40], segment[41]]);
                assert_eq!(sequence, 0xffff_fff0u32.wrapping_add(joined.len() as u32));
                assert!(segment.len() - 54 <= usize::from(size));
                joined.extend_from_slice(&segment[54..]);
                flags.push(segment[47]);
            })
            .unwrap();
        prop_assert_eq!(joined, payload);
        prop_assert_eq!(flags.iter().filter(|f| **f & CWR != 0).count(), 1);
        prop_assert!(flags[0] & CWR != 0 && flags.last().unwrap() & (FIN | PSH) == FIN | PSH);
        prop_assert_eq!(flags.iter().filter(|f| **f & (FIN | PSH) != 0).count(), 1);
    }

    #[test]
    fn a_partial_checksum_is_completed(payload in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut frame = tcp_frame(&payload);
        let pseudo = sum(&ADDRESSES) + 6 + (frame.len() - 34) as u64;
        put(&mut frame, 50, !fold(pseudo));
        let mut valid = Vec::new();
        header(1, 0, 0, 34, 16).complete(&mut frame, |bytes| valid.push(is_valid_tcp(bytes))).unwrap();
        prop_assert_eq!(valid, vec![true]);
    }

    #[test]
    fn no_bytes_cause_a_panic(bytes: [u8; HEADER_BYTES], mut frame: Vec<u8>, tcp: bool) {
        let mut frame = if tcp { let mut f = tcp_frame(&frame); f.extend(&frame); f } else { std::mem::take(&mut frame) };
        let _ = Offload::from_bytes(bytes).complete(&mut frame, |_| {});
        for gso_type in [GSO_TCPV4, GSO_TCPV6, GSO_UDP] {
            let _ = header(1, gso_type, 3, 0, 0).complete(&mut frame, |_| {});
        }
    }
}
