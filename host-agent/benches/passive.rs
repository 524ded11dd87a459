//! Cost of the passive measurement, and of judging what it measures: packets a second on one core, without the kernel's part.
//!
//! `cargo bench -p harrier-host-agent` prints packets a second. An agent is to cost less than 2 % of a core at 50,000
//! packets a second, so at most 400 ns a packet with the kernel's part.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use harrier_host_agent::passive::{Limits, Passive, read};
use harrier_host_agent::{Measured, Settings, Watch};
use model::FlowKey;
use model::wire::bth::{self, Bth};
use model::wire::{Aeth, ETHERTYPE_IPV4, Ethernet, Ipv4, ROCE_V2_PORT, Udp};

/// Connections of the host.
const CONNECTIONS: u16 = 256;
/// Packets of each connection that are outstanding.
const WINDOW: u32 = 32;

fn frame(flow: &FlowKey, opcode: u8, queue_pair: u32, psn: u32) -> Vec<u8> {
    let (std::net::IpAddr::V4(src), std::net::IpAddr::V4(dst)) = (flow.src, flow.dst) else {
        panic!("an IPv4 flow");
    };
    let ip =
        Ipv4 { dscp: 24, ecn: 2, total_len: 1084, id: 0, fragment: 0x4000, ttl: 64, proto: 17, src, dst };
    let udp = Udp { sport: flow.sport, dport: flow.dport, len: 1064, checksum: 0 };
    let mut bytes = Ethernet { dst: [2; 6], src: [4; 6], ethertype: ETHERTYPE_IPV4 }.to_bytes().to_vec();
    bytes.extend(ip.to_bytes());
    bytes.extend(udp.to_bytes());
    bytes.extend(Bth { opcode, queue_pair, psn, ..Bth::default() }.to_bytes());
    bytes.extend(Aeth { syndrome: 0x1f, msn: 0 }.to_bytes());
    bytes.resize(1098, 0);
    bytes
}

/// Data of all connections in turn, each acknowledged a window later.
fn traffic() -> Vec<Vec<u8>> {
    let mut frames = Vec::new();
    for psn in 0..2 * WINDOW {
        for number in 0..CONNECTIONS {
            let (host, peer) = ([10, 0, 0, 1], [10, 0, 1, number as u8]);
            let flow = FlowKey::udp(host.into(), 10_000 + number, peer.into(), ROCE_V2_PORT);
            let back = FlowKey { src: flow.dst, dst: flow.src, ..flow };
            let queue_pair = 100 + u32::from(number);
            frames.push(frame(&flow, bth::RC_WRITE_MIDDLE, queue_pair, psn));
            if let Some(acknowledged) = psn.checked_sub(WINDOW) {
                frames.push(frame(&back, bth::RC_ACKNOWLEDGE, queue_pair, acknowledged));
            }
        }
    }
    frames
}

/// Measures and judges frames that are a microsecond apart.
fn judge(frames: &[Vec<u8>], settings: Settings) -> u64 {
    let mut passive = Passive::new([[10, 0, 0, 1].into()], Limits::default());
    let mut watch = Watch::new("h1", 1, 0, 1, settings).expect("valid settings");
    for (time_ns, bytes) in (0..).step_by(1000).zip(frames) {
        for measurement in read(bytes, &[]).map(|packet| passive.seen(time_ns, &packet)).unwrap_or_default() {
            black_box(watch.handle(&Measured { time_ns, measurement }));
        }
    }
    watch.stats().0.polls
}

fn passive(criterion: &mut Criterion) {
    let frames = traffic();
    let mut group = criterion.benchmark_group("passive");
    group.throughput(Throughput::Elements(frames.len() as u64));
    group.bench_function("RoCEv2", |bencher| {
        bencher.iter(|| {
            let mut passive = Passive::new([[10, 0, 0, 1].into()], Limits::default());
            for (now_ns, bytes) in (0..).step_by(1000).zip(&frames) {
                if let Some(packet) = read(bytes, &[]) {
                    black_box(passive.seen(now_ns, &packet));
                }
            }
            passive.stats()
        });
    });
    // As the agent does it: every round trip is judged. In this traffic they double, so that all flows are slow unless the limit
    // is higher.
    let usual = Settings { min_excess_ns: 1_000_000_000, ..Settings::default() };
    for (name, settings) in
        [("RoCEv2, judged", usual), ("RoCEv2, judged, all flows slow", Settings::default())]
    {
        group.bench_function(name, |bencher| bencher.iter(|| judge(&frames, settings.clone())));
    }
    group.finish();
}

criterion_group!(benches, passive);
criterion_main!(benches);
