//! From a snapshot to its verdict: an event over 20 switches, and one over 10^5 ports and 10^6 edges.
//!
//! `cargo bench -p harrier-analyzer`

use std::hint::black_box;
use std::net::{IpAddr, Ipv4Addr};

use criterion::{Criterion, criterion_group, criterion_main};
use harrier_analyzer::{Settings, TopologyIndex, analyze, analyze_indexed};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::topology::{Link, Node, NodeKind};
use model::{FlowKey, PortRef, Rate, Snapshot, SwitchTelemetry, Time, Topology, Trigger, TriggerReason};

const US: u64 = 1_000;
const EPOCH: u64 = 9;
const T0: u64 = EPOCH << 20;

/// Layers of switches; out-port `p` of a switch leads to in-port `out + p` of the `p`th switch after its own place
/// in the next layer. All of them are paused, except in the last layer, where flows contend at every
/// `contended`th switch. Every in-port feeds `fan` out-ports.
fn layered(
    layers: usize,
    width: usize,
    out: u16,
    fan: u16,
    flows: usize,
    contended: usize,
) -> (Snapshot, Topology) {
    let switches = layers * width;
    let name = |i: usize| format!("s{i}");
    let mut nodes: Vec<Node> =
        (0..switches).map(|i| Node { name: name(i), kind: NodeKind::Switch, addresses: vec![] }).collect();
    let address = |n: usize| IpAddr::V4(Ipv4Addr::from(0x0a00_0000 + n as u32));
    nodes.push(Node { name: "h".into(), kind: NodeKind::Host, addresses: vec![address(0)] });
    let rate = Rate::from_gbps(100);
    let delay = Time::from_us(1);
    let mut links = vec![Link { a: PortRef::new("h", 1), b: PortRef::new("s0", 2 * out + 1), rate, delay }];
    let mut telemetry = Vec::new();
    let victim = FlowKey::udp(address(0), 1, address(1), 4_791);
    for i in 0..switches {
        let mut t = SwitchTelemetry {
            switch: name(i),
            frozen_ns: T0 + 1_000 * US,
            clock_error_ns: None,
            polled_from: vec![],
            on_victim_path: true,
            back_port: None,
            epochs: vec![EpochInfo { id: EPOCH, start_ns: T0, end_ns: T0 + 1_000 * US }],
            flows: vec![],
            ports: vec![],
            meters: vec![],
            pauses: vec![],
            bytes: 4_096,
        };
        for p in 1..=out {
            let layer = i / width;
            let next = (layer + 1) * width + (i % width + usize::from(p)) % width;
            let paused = layer + 1 < layers;
            let waiting = paused || (p == 1 && i % contended == 0);
            if paused {
                let b = PortRef::new(name(next), out + p);
                links.push(Link { a: PortRef::new(name(i), p), b, rate, delay });
                t.pauses.push(PauseInterval {
                    port: p,
                    priority: 3,
                    start_ns: T0 + (990 - i as u64 % 50) * US,
                    end_ns: None,
                    frames: 3,
                });
            }
            for f in 0..flows {
                let flow = match (f, p) {
                    (0, 1) => victim,
                    _ => FlowKey::udp(address(i * 97 + f * 7 + 2), p, address(1 + f), 4_791),
                };
                t.flows.push(FlowRecord {
                    flow,
                    epoch: EPOCH,
                    ingress_port: Some(out + 1 + (f as u16 % fan)),
                    egress_port: p,
                    priority: Some(3),
                    packets: 300,
                    bytes: Some(300_000),
                    queued_packets: Some(if waiting { 200 } else { 0 }),
                    depth_sum: if waiting { 8_000 } else { 0 },
                    paused_packets: if paused { 50 } else { 0 },
                    psn_first: 0,
                    psn_last: 300,
                    seen_ns: Some((T0 + 930 * US, T0 + 1_000 * US)),
                    queued_ns: waiting.then_some((T0 + 935 * US, T0 + 1_000 * US)),
                    evicted: false,
                });
            }
            t.ports.push(PortRecord {
                port: p,
                epoch: EPOCH,
                packets: Some(300 * flows as u64),
                depth_sum: if waiting { 8_000 * flows as u64 } else { 0 },
                paused_packets: if paused { 50 * flows as u64 } else { 0 },
            });
            for k in 0..fan {
                t.meters.push(MeterRecord {
                    ingress_port: out + p,
                    egress_port: 1 + (p + k) % out,
                    epoch: EPOCH,
                    packets: Some(300),
                    bytes: 300_000,
                });
            }
        }
        telemetry.push(t);
    }
    let snapshot = Snapshot {
        format: SNAPSHOT_FORMAT,
        event: 1,
        source: Source::Harrier,
        victim: Some(victim),
        trigger: Some(Trigger {
            host: "h".into(),
            flow: victim,
            time_ns: T0 + 1_000 * US,
            reason: TriggerReason::SlowRtt,
            base_rtt_ns: 9_000,
            expected_ns: None,
            follows: None,
            rtt_ns: 60_000,
        }),
        epoch_ns: 1 << 20,
        switches: telemetry,
        missing: vec![],
        polls: switches as u64,
        configuration: vec![],
        losses: vec![],
        events: vec![],
        jobs: vec![],
    };
    (snapshot, Topology { nodes, links })
}

fn verdict(c: &mut Criterion) {
    let settings = Settings::default();

    let (snapshot, topology) = layered(5, 4, 8, 6, 12, 4);
    assert!(!analyze(&snapshot, &topology, &settings).is_empty());
    let index = TopologyIndex::new(&topology);
    let mut small = c.benchmark_group("20 switches");
    small.bench_function("topology and verdict", |b| {
        b.iter(|| analyze(black_box(&snapshot), &topology, &settings));
    });
    small.bench_function("verdict", |b| {
        b.iter(|| analyze_indexed(black_box(&snapshot), &index, &settings));
    });
    small.finish();

    let (snapshot, topology) = layered(8, 200, 32, 22, 2, 10);
    let index = TopologyIndex::new(&topology);
    let unasked = Snapshot { victim: None, trigger: None, ..snapshot.clone() };
    let mut large = c.benchmark_group("102,400 ports, 10^6 edges");
    large.sample_size(10);
    large.bench_function("topology index", |b| b.iter(|| TopologyIndex::new(black_box(&topology))));
    large.bench_function("verdict for a victim", |b| {
        b.iter(|| analyze_indexed(black_box(&snapshot), &index, &settings));
    });
    large.bench_function("all incidents", |b| {
        b.iter(|| analyze_indexed(black_box(&unasked), &index, &settings));
    });
    large.finish();
}

#[allow(missing_docs, reason = "made by the macro")]
mod harness {
    use super::*;
    criterion_group!(benches, verdict);
}
criterion_main!(harness::benches);
