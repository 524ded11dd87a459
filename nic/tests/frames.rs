//! Frames of an endpoint read back, and their invariant CRC is that of the standard.

use std::net::IpAddr;

use harrier_nic::frame::{Data, Headers, Kind, NotRoce, from_simulation, read};
use model::FlowKey;
use model::wire::Frame;
use proptest::prelude::*;
use scenario::nic::Operation;

fn headers(src: &str, dst: &str) -> Headers {
    let address = |text: &str| text.parse::<IpAddr>().expect("an address");
    Headers {
        flow: FlowKey { src: address(src), dst: address(dst), sport: 49_152, dport: 4791, proto: 17 },
        source_mac: [2, 0, 0, 0, 0, 1],
        target_mac: [2, 0, 0, 0, 0, 2],
        priority: 3,
        queue_pair: 0x1234,
    }
}

fn bytes(frame: &Frame) -> Vec<u8> {
    let mut bytes = frame.head.to_vec();
    bytes.resize(frame.len() as usize, 0);
    bytes
}

/// A SEND of eight bytes as scapy 2.6 (`contrib/roce.py`) writes it, whose invariant CRC is tested with captures of
/// hardware.
#[test]
fn the_invariant_crc_is_that_of_another_implementation() {
    let v4 = "02000000000202000000000108004562003400004000401126550a0000010a000002c00012b7002000000440ffff00001234800000\
              070000000000000000aae305d9";
    let v6 = "02000000000202000000000186dd6620000000201140fd000000000000000000000000000001fd000000000000000000000000000002\
              c00012b7002000000440ffff00001234800000070000000000000000d66bfb62";
    for (hex, headers) in [(v4, headers("10.0.0.1", "10.0.0.2")), (v6, headers("fd00::1", "fd00::2"))] {
        let data = Data {
            operation: Operation::Send,
            psn: 7,
            ends: (true, true),
            ack_request: true,
            payload_bytes: 8,
            message_bytes: 8,
        };
        let written: String = bytes(&headers.data(&data)).iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(written, hex);
    }
}

proptest! {
    #[test]
    fn data_packets_read_back(
        psn in 0..1u32 << 24, first: bool, last: bool, ack_request: bool, payload_bytes in 0..4096u32, v6: bool,
        write: bool,
    ) {
        let headers = if v6 { headers("fd00::1", "fd00::2") } else { headers("10.0.0.1", "10.0.0.2") };
        let operation = if write { Operation::Write } else { Operation::Send };
        let data = Data { operation, psn, ends: (first, last), ack_request, payload_bytes, message_bytes: 9000 };
        let mut frame = bytes(&headers.data(&data));
        let packet = read(&frame).expect("the packet is whole");
        prop_assert_eq!(packet.kind, Kind::Data { ends: (first, last), ack_request, payload_bytes });
        prop_assert_eq!((packet.psn, packet.queue_pair, packet.priority), (psn, 0x1234, 3));
        prop_assert_eq!(packet.flow, headers.flow);
        // What a router changes does not invalidate the CRC; anything else does.
        let ip = 14;
        if v6 { frame[ip + 7] -= 1; frame[ip + 1] |= 0x30 } else {
            frame[ip + 1] |= 3;
            frame[ip + 8] -= 1;
            let ip_bytes = &mut frame[ip..ip + 20];
            ip_bytes[10..12].fill(0);
            let sum: u32 = ip_bytes.chunks(2).map(|w| u32::from(u16::from_be_bytes([w[0], w[1]]))).sum();
            let folded = (sum & 0xffff) + (sum >> 16);
            let checksum = !(((folded & 0xffff) + (folded >> 16)) as u16);
            ip_bytes[10..12].copy_from_slice(&checksum.to_be_bytes());
        }
        prop_assert!(read(&frame).expect("the packet is whole").congested);
        let at = frame.len() - 5;
        frame[at.max(50)] ^= 1;
        prop_assert_eq!(read(&frame).err(), Some(NotRoce::Damaged));
    }

    #[test]
    fn no_bytes_cause_a_panic(frame: Vec<u8>, cut in 0..200usize) {
        let _ = read(&frame);
        let whole = bytes(&headers("10.0.0.1", "10.0.0.2").cnp());
        let _ = read(whole.get(..cut).unwrap_or(&whole));
    }
}

#[test]
fn control_packets_read_back() {
    let headers = headers("10.0.0.1", "10.0.0.2");
    for (frame, kind) in
        [(headers.ack(7, 1), Kind::Ack), (headers.nak(7, 1), Kind::Nak), (headers.cnp(), Kind::Cnp)]
    {
        assert!(frame.len() >= 60);
        assert_eq!(read(&bytes(&frame)).expect("the packet is whole").kind, kind);
    }
}

#[test]
fn frames_of_the_simulated_nic_are_completed() {
    use fabric::nic::packet::Template;
    for (src, dst, header_bytes) in [("10.0.0.1", "10.0.0.2", 58), ("fd00::1", "fd00::2", 78)] {
        let headers = headers(src, dst);
        let Headers { flow, source_mac, target_mac, priority, queue_pair } = headers;
        let template = Template::new(flow, priority, source_mac, target_mac, queue_pair, header_bytes);
        let check = |simulated: &Frame, kind: Kind| {
            let packet = read(&bytes(&from_simulation(simulated))).expect("the packet is whole");
            assert_eq!((packet.kind, packet.flow, packet.queue_pair), (kind, flow, queue_pair));
        };
        check(
            &template.data(Operation::Send, 7, (false, true), 1000, true),
            Kind::Data { ends: (false, true), ack_request: true, payload_bytes: 1000 },
        );
        check(&template.ack(7, false), Kind::Ack);
        check(&template.nak(7, None, false), Kind::Nak);
        check(&template.cnp(), Kind::Cnp);
    }
    let pfc = model::wire::Pfc::single(3, 7).to_frame([2; 6]);
    assert_eq!(from_simulation(&pfc), pfc);
}
