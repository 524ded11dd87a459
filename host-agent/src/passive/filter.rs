//! Selects the frames that [`read`](super::read) may recognise before they are copied to the process, as a program of the
//! classic BPF (`Documentation/networking/filter.rst`).
//!
//! A filter passes every frame that the reader recognises, and few others: fragments, options and opcodes are left to the
//! reader. The kernel has moved the outermost VLAN tag out of most frames; the program skips up to two tags.

use model::flow::{PROTO_TCP, PROTO_UDP};
use model::wire::ethernet::ETHERNET_BYTES;
use model::wire::ipv4::IPV4_BYTES;
use model::wire::ipv6::IPV6_BYTES;
use model::wire::vlan::VLAN_BYTES;
use model::wire::{ETHERTYPE_IPV4, ETHERTYPE_IPV6, ETHERTYPE_VLAN, ROCE_V2_PORT};

use super::packet::{ETHERTYPE_PROVIDER_VLAN, MAX_TAGS};

/// `BPF_LDX | BPF_W | BPF_IMM`: X is the operand.
const SET_INDEX: u16 = 0x01;
/// `BPF_LD | BPF_H | BPF_IND`: A is the half word at X plus the operand. A frame that ends before is not selected.
const LOAD_HALF: u16 = 0x48;
/// `BPF_LD | BPF_B | BPF_IND`: A is the byte at X plus the operand.
const LOAD_BYTE: u16 = 0x50;
/// `BPF_JMP | BPF_JEQ | BPF_K`: whether A is the operand.
const EQUALS: u16 = 0x15;
/// `BPF_RET | BPF_K`: the filter ends; so many bytes of the frame are received.
const RETURN: u16 = 0x06;
/// Where the EtherType is.
const ETHERTYPE_AT: u32 = ETHERNET_BYTES as u32 - 2;
/// Where the protocol is in IPv4 and IPv6.
const PROTOCOL_V4_AT: u32 = 9;
const NEXT_HEADER_V6_AT: u32 = 6;
/// Where the destination port is in UDP.
const PORT_AT: u32 = 2;
/// UDP ports besides 4791 that a filter has room for: a comparison skips at most 255 instructions.
const MAX_PORTS: usize = 64;

/// One instruction of a filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Step {
    /// Operation.
    pub code: u16,
    /// Instructions to skip if a comparison is true.
    pub jump_true: u8,
    /// Instructions to skip if it is false.
    pub jump_false: u8,
    /// Operand.
    pub operand: u32,
}

fn step(code: u16, operand: u32) -> Step {
    Step { code, jump_true: 0, jump_false: 0, operand }
}

/// Skips instructions unless A is the operand.
fn unless(operand: u32, skipped: usize) -> Step {
    Step { code: EQUALS, jump_true: 0, jump_false: skipped as u8, operand }
}

/// Returns the filter for RoCEv2 at port 4791 and `extra_ports`, and for TCP if `tcp` is set. Of a selected frame
/// `snap_bytes` are received. With more than 64 ports besides 4791 all UDP is selected.
pub fn filter(extra_ports: &[u16], tcp: bool, snap_bytes: u32) -> Vec<Step> {
    let mut steps = vec![step(SET_INDEX, 0)];
    for tags in 1..=MAX_TAGS {
        // X is where the tags end so far: a tag pushes the EtherType back.
        steps.push(step(LOAD_HALF, ETHERTYPE_AT));
        steps.push(Step { code: EQUALS, jump_true: 1, jump_false: 0, operand: ETHERTYPE_VLAN.into() });
        steps.push(unless(ETHERTYPE_PROVIDER_VLAN.into(), 1));
        steps.push(step(SET_INDEX, (tags * VLAN_BYTES) as u32));
    }
    steps.push(step(LOAD_HALF, ETHERTYPE_AT));
    let ipv4 = transport(PROTOCOL_V4_AT, IPV4_BYTES as u32, (extra_ports, tcp, snap_bytes));
    let ipv6 = transport(NEXT_HEADER_V6_AT, IPV6_BYTES as u32, (extra_ports, tcp, snap_bytes));
    steps.push(unless(ETHERTYPE_IPV4.into(), ipv4.len()));
    steps.extend(ipv4);
    steps.push(unless(ETHERTYPE_IPV6.into(), ipv6.len()));
    steps.extend(ipv6);
    steps.push(step(RETURN, 0));
    steps
}

/// The part for one version of IP, which ends the filter.
fn transport(
    protocol_at: u32,
    ip_bytes: u32,
    (extra_ports, tcp, snap_bytes): (&[u16], bool, u32),
) -> Vec<Step> {
    let ip_at = ETHERNET_BYTES as u32;
    let select = step(RETURN, snap_bytes);
    let mut udp = vec![step(LOAD_HALF, ip_at + ip_bytes + PORT_AT)];
    if extra_ports.len() <= MAX_PORTS {
        for port in std::iter::once(&ROCE_V2_PORT).chain(extra_ports) {
            udp.extend([unless((*port).into(), 1), select]);
        }
    } else {
        udp.push(select);
    }
    let mut steps = vec![step(LOAD_BYTE, ip_at + protocol_at)];
    if tcp {
        steps.extend([unless(PROTO_TCP.into(), 1), select]);
    }
    steps.push(unless(PROTO_UDP.into(), udp.len()));
    steps.extend(udp);
    steps.push(step(RETURN, 0));
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passive::read;
    use proptest::collection::vec;
    use proptest::prelude::*;
    use proptest::sample::select;

    const SNAP_BYTES: u32 = 128;

    /// What the kernel does with a frame: the operations that filters use.
    fn run(steps: &[Step], frame: &[u8]) -> u32 {
        let (mut accumulator, mut index, mut at) = (0u32, 0u32, 0);
        loop {
            let Step { code, jump_true, jump_false, operand } = steps[at];
            let bytes = |count: usize| frame.get((index + operand) as usize..)?.get(..count);
            at += 1;
            match code {
                SET_INDEX => index = operand,
                LOAD_HALF => match bytes(2) {
                    Some(half) => accumulator = u32::from(half[0]) << 8 | u32::from(half[1]),
                    None => return 0,
                },
                LOAD_BYTE => match bytes(1) {
                    Some(byte) => accumulator = byte[0].into(),
                    None => return 0,
                },
                EQUALS => at += usize::from(if accumulator == operand { jump_true } else { jump_false }),
                RETURN => return operand,
                other => panic!("operation {other:#x}"),
            }
        }
    }

    /// A frame with these tags, of IPv4 or IPv6, with this protocol and destination port.
    fn frame(tags: &[u16], is_v6: bool, protocol: u8, port: u16, tail: &[u8]) -> Vec<u8> {
        let mut frame = vec![2; 12];
        for tag in tags {
            frame.extend(tag.to_be_bytes());
            frame.extend([0x60, 5]);
        }
        if is_v6 {
            frame.extend([0x86, 0xdd, 0x60, 0, 0, 0, 0, 64, protocol, 64]);
            frame.extend([1; 32]);
        } else {
            frame.extend([8, 0, 0x45, 0, 0, 84, 0, 0, 0x40, 0, 64, protocol, 0, 0]);
            frame.extend([1; 8]);
        }
        frame.extend([0x27, 0x10]);
        frame.extend(port.to_be_bytes());
        frame.extend([0, 64, 0, 0]);
        frame.extend(tail);
        frame
    }

    fn is_selected(steps: &[Step], frame: &[u8]) -> bool {
        match run(steps, frame) {
            0 => false,
            bytes => {
                assert_eq!(bytes, SNAP_BYTES);
                true
            }
        }
    }

    #[test]
    fn rocev2_is_selected_with_and_without_tags() {
        let steps = filter(&[], false, SNAP_BYTES);
        for is_v6 in [false, true] {
            for tags in [&[][..], &[0x8100], &[0x88a8, 0x8100]] {
                assert!(is_selected(&steps, &frame(tags, is_v6, PROTO_UDP, ROCE_V2_PORT, &[0; 60])));
                assert!(!is_selected(&steps, &frame(tags, is_v6, PROTO_UDP, 53, &[0; 60])));
                assert!(!is_selected(&steps, &frame(tags, is_v6, PROTO_TCP, ROCE_V2_PORT, &[0; 60])));
            }
        }
    }

    #[test]
    fn further_ports_and_tcp_are_selected_on_demand() {
        let steps = filter(&[5000, 5001], true, SNAP_BYTES);
        assert!(is_selected(&steps, &frame(&[], false, PROTO_UDP, 5001, &[0; 60])));
        assert!(is_selected(&steps, &frame(&[], false, PROTO_TCP, 80, &[0; 60])));
        assert!(!is_selected(&steps, &frame(&[], false, PROTO_UDP, 5002, &[0; 60])));
        let many: Vec<u16> = (6000..6100).collect();
        assert!(is_selected(&filter(&many, false, SNAP_BYTES), &frame(&[], true, PROTO_UDP, 6099, &[0; 60])));
    }

    proptest! {
        #[test]
        fn what_the_reader_recognises_is_selected(
            tags in vec(select(vec![0x8100, 0x88a8, 0x9100]), 0..4),
            is_v6: bool,
            protocol in select(vec![PROTO_UDP, PROTO_TCP, 1]),
            port in select(vec![ROCE_V2_PORT, 5000, 17]),
            tail in vec(any::<u8>(), 0..80),
            tcp: bool,
        ) {
            let frame = frame(&tags, is_v6, protocol, port, &tail);
            let seen = read(&frame, &[5000]).filter(|seen| tcp || seen.flow.proto != PROTO_TCP);
            prop_assert!(seen.is_none() || is_selected(&filter(&[5000], tcp, SNAP_BYTES), &frame));
        }

        #[test]
        fn headers_of_any_length_are_enough(tail in vec(any::<u8>(), 0..400)) {
            // The longest headers: two tags and IPv6.
            let frame = frame(&[0x88a8, 0x8100], true, PROTO_UDP, ROCE_V2_PORT, &tail);
            let snapped = &frame[..frame.len().min(SNAP_BYTES as usize)];
            prop_assert_eq!(read(snapped, &[]), read(&frame, &[]));
        }
    }
}
