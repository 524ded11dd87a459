//! Cost of registers: a packet of 64 bytes through a program with twenty register operations.
//!
//! `cargo bench -p p4-switch --bench registers`. The `packet` bench measures parsing, match kinds and the router.
#![allow(missing_docs, reason = "criterion's macros generate undocumented items")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;

use common::{Builder, apply, binary, number, switch};
use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use model::Time;
use model::wire::Frame;
use p4_lang::ir::*;
use p4_switch::{Event, Switch};

/// Receives one packet and transmits one.
fn pass(switch: &mut Switch, events: &mut Vec<Event>, frame: &Frame) {
    switch.receive(Time::ZERO, 3, frame.clone());
    assert!(black_box(switch.transmit(Time::ZERO, 0)).is_some(), "the packet leaves");
    switch.drain_events(events);
    events.clear();
}

/// Executes as many register reads and writes as a telemetry program.
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
    let (frame, mut events) = (Frame::new(&[0; 64], 0), Vec::new());
    let mut group = c.benchmark_group("registers");
    group.throughput(Throughput::Elements(1));
    group.bench_function("20 operations", |b| b.iter(|| pass(&mut switch, &mut events, &frame)));
    group.finish();
}

criterion_group!(benches, registers);
criterion_main!(benches);
