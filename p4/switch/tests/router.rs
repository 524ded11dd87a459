//! A small router, end to end.

use crate::common::{bytes, drain, router, switch};
use model::Time;
use model::wire::Frame;
use p4_lang::ir::Bits;
use p4_switch::control::{ActionCall, FieldMatch, TableEntry};
use p4_switch::{DropReason, Event, Switch};

fn packet(dst: [u8; 4], ttl: u8) -> Frame {
    let mut head = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    head.extend([0x45, 0, 0, 50, 0, 1, 0, 0, ttl, 17, 0, 0, 10, 0, 0, 1]);
    head.extend(dst);
    let checksum = checksum(&head[14..34]);
    head[24..26].copy_from_slice(&checksum.to_be_bytes());
    head.extend([0xaa; 10]);
    Frame::new(&head, 20)
}

fn checksum(header: &[u8]) -> u16 {
    let sum: u32 = header.chunks(2).map(|pair| u32::from(pair[0]) << 8 | u32::from(pair[1])).sum();
    !((sum & 0xffff) + (sum >> 16)) as u16
}

fn route(switch: &mut Switch, prefix: [u8; 4], bits: u32, port: u16) {
    let mut control = switch.control();
    let action = control.action("forward").expect("the program declares the action");
    let call = ActionCall {
        action,
        args: vec![Bits::new(48, 0x0600_0000_0000 + u128::from(port)), Bits::new(9, u128::from(port))],
    };
    let value = Bits::from_be_bytes(32, &prefix);
    let entry = TableEntry::new(vec![FieldMatch::Lpm { value, prefix_bits: bits }], 0, call);
    control.table_insert("routes", entry).unwrap_or_else(|e| panic!("{e}"));
}

#[test]
fn routes_by_the_longest_prefix_and_updates_the_checksum() {
    let mut switch = switch(&router(1024));
    route(&mut switch, [10, 0, 0, 0], 8, 1);
    route(&mut switch, [10, 1, 0, 0], 16, 2);
    switch.receive(Time::ZERO, 3, packet([10, 1, 2, 3], 64));
    switch.receive(Time::ZERO, 3, packet([10, 2, 2, 3], 64));
    assert!(switch.take_events().contains(&Event::PortReady(2)));
    let sent = drain(&mut switch, 2);
    assert_eq!(sent.len(), 1);
    let before = bytes(&packet([10, 1, 2, 3], 64));
    assert_eq!(sent[0].len(), before.len());
    assert_eq!(sent[0][..6], [6, 0, 0, 0, 0, 2]);
    assert_eq!(sent[0][6..12], before[..6]);
    assert_eq!(sent[0][22], 63);
    assert_eq!(checksum(&sent[0][14..34]), 0);
    assert_eq!(sent[0][34..], before[34..]);
    assert_eq!(drain(&mut switch, 1).len(), 1);
}

#[test]
fn drops_packets_without_route_or_with_expired_ttl() {
    let mut switch = switch(&router(1024));
    route(&mut switch, [10, 0, 0, 0], 8, 1);
    switch.receive(Time::ZERO, 3, packet([11, 0, 0, 1], 64));
    switch.receive(Time::ZERO, 3, packet([10, 0, 0, 1], 1));
    let is_drop =
        |e: &Event| matches!(e, Event::Dropped { reason: DropReason::Ingress, ingress_port: 3, .. });
    assert_eq!(switch.take_events().iter().filter(|e| is_drop(e)).count(), 2);
    assert_eq!(switch.counters().dropped_ingress, 2);
    assert!(drain(&mut switch, 1).is_empty());
}
