//! Packets a second through a small router, and what its parts cost.
//!
//! `cargo bench -p p4-switch`. One packet is 64 bytes; receive and transmit are both counted. The router is compiled
//! from `tests/programs/router.p4`.
#![allow(missing_docs, reason = "criterion's macros generate undocumented items")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use common::{Builder, apply, binary, number, switch};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use model::Time;
use model::wire::Frame;
use p4_lang::ir::*;
use p4_lang::{MemoryLoader, Options, compile};
use p4_switch::control::{ActionCall, FieldMatch, TableEntry};
use p4_switch::{Event, Switch};

const ROUTES: u128 = 10_000;

fn router() -> Program {
    let loader = MemoryLoader::new().with("router.p4", include_str!("../tests/programs/router.p4"));
    compile("router.p4", &loader, &Options::default()).program.expect("the router compiles")
}

fn packet(dst: u32) -> Frame {
    let mut head = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 8, 0];
    let mut ip = vec![0x45, 0, 0, 50, 0, 1, 0, 0, 64, 17, 0, 0, 10, 0, 0, 1];
    ip.extend(dst.to_be_bytes());
    let sum = model::wire::ipv4::checksum(&ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    head.extend(ip);
    head.resize(64, 0);
    Frame::new(&head, 0)
}

fn forward(switch: &mut Switch, port: u128) -> ActionCall {
    let action = switch.control().action("forward").expect("the program has it");
    ActionCall { action, args: vec![Bits::new(48, 0x0600_0000_0000 + port), Bits::new(9, port)] }
}

/// One packet in, one out.
fn pass(switch: &mut Switch, events: &mut Vec<Event>, frame: &Frame, port: u16) {
    switch.receive(Time::ZERO, 3, frame.clone());
    assert!(black_box(switch.transmit(Time::ZERO, port)).is_some(), "the packet leaves");
    switch.drain_events(events);
    events.clear();
}

fn routed(routes: u128) -> Switch {
    let mut switch = switch(&router().into());
    let call = forward(&mut switch, 1);
    for route in 0..routes {
        let value = Bits::new(32, route << 12);
        let entry = TableEntry::new(
            vec![FieldMatch::Lpm { value, prefix_bits: 20 + (route % 4) as u32 }],
            0,
            call.clone(),
        );
        switch.control().table_insert("routes", entry).expect("a new route");
    }
    switch
}

fn l3(c: &mut Criterion) {
    let mut group = c.benchmark_group("l3");
    group.throughput(Throughput::Elements(1));
    for routes in [1, ROUTES] {
        let mut switch = routed(routes);
        let frames: Vec<Frame> = (0..256).map(|i| packet(((i * 37 % routes) << 12) as u32)).collect();
        let (mut turn, mut events) = (frames.iter().cycle(), Vec::new());
        group.bench_function(format!("{routes} routes"), |b| {
            b.iter(|| pass(&mut switch, &mut events, turn.next().expect("a cycle has no end"), 1));
        });
    }
    group.finish();
}

/// A router whose table is of another kind.
fn matched(kind: MatchKind, entries: u128) -> Switch {
    let mut program = router();
    for key in &mut program.tables[0].keys {
        key.match_kind = kind;
    }
    let mut switch = switch(&std::sync::Arc::new(program));
    let call = forward(&mut switch, 1);
    for i in 0..entries {
        let wanted = match kind {
            MatchKind::Ternary => {
                let mask = 0xffff_ff00 | (0x11 * (i % 16));
                FieldMatch::Ternary { value: Bits::new(32, i << 8), mask: Bits::new(32, mask) }
            }
            MatchKind::Range => {
                FieldMatch::Range { low: Bits::new(32, i << 8), high: Bits::new(32, i << 8 | 0xff) }
            }
            _ => FieldMatch::Exact(Bits::new(32, i << 8)),
        };
        let priority = if kind == MatchKind::Exact { 0 } else { 1 + i as i32 };
        switch
            .control()
            .table_insert("routes", TableEntry::new(vec![wanted], priority, call.clone()))
            .expect("new");
    }
    switch
}

fn match_kinds(c: &mut Criterion) {
    let mut group = c.benchmark_group("match");
    group.throughput(Throughput::Elements(1));
    for (kind, entries) in [
        (MatchKind::Exact, 1),
        (MatchKind::Exact, ROUTES),
        (MatchKind::Ternary, 1),
        (MatchKind::Ternary, 500),
        (MatchKind::Range, 1),
        (MatchKind::Range, 500),
    ] {
        let mut switch = matched(kind, entries);
        let frames: Vec<Frame> = (0..256).map(|i| packet(((i * 37 % entries) << 8) as u32)).collect();
        let (mut turn, mut events) = (frames.iter().cycle(), Vec::new());
        group.bench_function(format!("{entries} {kind:?}"), |b| {
            b.iter(|| pass(&mut switch, &mut events, turn.next().expect("a cycle has no end"), 1));
        });
    }
    group.finish();
}

/// Parser and deparser alone: everything goes to port 0.
fn parse(c: &mut Criterion) {
    let mut program = router();
    program.verify_checksum = Block::default();
    program.compute_checksum = Block::default();
    program.ingress = Block::default();
    let mut switch = switch(&std::sync::Arc::new(program));
    let (frame, mut events) = (packet(1), Vec::new());
    let mut group = c.benchmark_group("parse");
    group.throughput(Throughput::Elements(1));
    group.bench_function("ethernet and ipv4", |b| b.iter(|| pass(&mut switch, &mut events, &frame, 0)));
    group.finish();
}

/// As many register reads and writes as a telemetry program makes.
fn registers(c: &mut Criterion) {
    let mut b = Builder::new();
    let value = b.scalar("meta.value", 32);
    for i in 0..10 {
        b.program.registers.push(Register {
            preamble: common::preamble(&format!("r{i}")),
            components: vec![(String::new(), ScalarKind::Unsigned(32))],
            type_name: None,
            size: 4096,
        });
        let register = RegisterId(i);
        let index = number(32, u128::from(i) * 7);
        b.program.ingress.body.extend([
            Stmt::Extern(ExternCall::RegisterRead { register, targets: vec![value], index: index.clone() }),
            Stmt::Assign(value, binary(BinaryOp::Add, b.read(value), number(32, 1))),
            Stmt::Extern(ExternCall::RegisterWrite { register, index, values: vec![b.read(value)] }),
        ]);
    }
    let nothing = b.action("ingress.nothing", &[], |_, _| Vec::new());
    let table = b.table("ingress.t", &[(value, MatchKind::Exact)], &[nothing], 16);
    b.program.ingress.body.push(apply(table));
    let mut switch = switch(&b.finish());
    let (frame, mut events) = (packet(1), Vec::new());
    let mut group = c.benchmark_group("registers");
    group.throughput(Throughput::Elements(1));
    group.bench_function("20 operations", |b| b.iter(|| pass(&mut switch, &mut events, &frame, 0)));
    group.finish();
}

criterion_group!(benches, l3, match_kinds, parse, registers);
criterion_main!(benches);
