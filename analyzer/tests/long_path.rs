//! A pause that crosses 10^5 ports: no step of the analysis is recursive, and none takes quadratic time.

use harrier_analyzer::{Settings, diagnose};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::topology::{Link, Node, NodeKind};
use model::{Anomaly, FlowKey, PortRef, Rate, Snapshot, SwitchTelemetry, Time, Topology};

const PORTS: usize = 100_000;
const US: u64 = 1_000;

fn flow(n: u8) -> FlowKey {
    FlowKey::udp([10, 0, 0, n].into(), 10_000, [10, 0, 1, 1].into(), 4_791)
}

/// Returns a row of switches: port 1 of each leads to port 2 of the next. Three flows contend at port 1 of the last.
fn row() -> (Snapshot, Topology) {
    let name = |n: usize| format!("s{n}");
    let nodes = (0..PORTS)
        .map(|n| Node { name: name(n), kind: NodeKind::Switch, addresses: vec![] })
        .chain([Node { name: "h".into(), kind: NodeKind::Host, addresses: vec![[10, 0, 1, 1].into()] }])
        .collect();
    let link = |a: PortRef, b: PortRef| Link { a, b, rate: Rate::from_gbps(100), delay: Time::from_us(1) };
    let mut links: Vec<Link> =
        (1..PORTS).map(|n| link(PortRef::new(name(n - 1), 1), PortRef::new(name(n), 2))).collect();
    links.push(link(PortRef::new(name(PORTS - 1), 1), PortRef::new("h", 1)));
    let switch = |n: usize| {
        let last = n + 1 == PORTS;
        let record = |flow: FlowKey, ingress: u16, depth_sum: u64, packets: u64| FlowRecord {
            flow,
            epoch: 0,
            ingress_port: Some(ingress),
            egress_port: 1,
            priority: Some(3),
            packets,
            bytes: Some(packets * 1_000),
            queued_packets: Some(packets),
            depth_sum,
            paused_packets: if last { 0 } else { packets },
            psn_first: 0,
            psn_last: packets as u32,
            seen_ns: Some((100 * US, 300 * US)),
            queued_ns: Some((100 * US, 300 * US)),
            evicted: false,
        };
        let mut flows = vec![record(flow(1), 2, 400, 20)];
        if last {
            flows.extend((2..5).map(|n| record(flow(n), u16::from(n) + 1, 20_000, 200)));
        }
        SwitchTelemetry {
            switch: name(n),
            frozen_ns: 400 * US,
            clock_error_ns: None,
            polled_from: vec![],
            on_victim_path: true,
            back_port: None,
            epochs: vec![EpochInfo { id: 0, start_ns: 0, end_ns: 400 * US }],
            ports: vec![PortRecord {
                port: 1,
                epoch: 0,
                packets: Some(flows.iter().map(|f| f.packets).sum()),
                depth_sum: flows.iter().map(|f| f.depth_sum).sum(),
                paused_packets: flows.iter().map(|f| f.paused_packets).sum(),
            }],
            flows,
            meters: vec![MeterRecord {
                ingress_port: 2,
                egress_port: 1,
                epoch: 0,
                packets: Some(20),
                bytes: 20_000,
            }],
            pauses: if last {
                vec![]
            } else {
                vec![PauseInterval {
                    port: 1,
                    priority: 3,
                    start_ns: 150 * US,
                    end_ns: Some(290 * US),
                    frames: 1,
                }]
            },
            bytes: 0,
        }
    };
    let snapshot = Snapshot {
        format: SNAPSHOT_FORMAT,
        event: 1,
        source: Source::Harrier,
        victim: Some(flow(1)),
        trigger: None,
        epoch_ns: 1 << 20,
        switches: (0..PORTS).map(switch).collect(),
        missing: vec![],
        polls: 0,
        configuration: vec![],
        losses: vec![],
        events: vec![],
        jobs: vec![],
    };
    (snapshot, Topology { nodes, links })
}

#[test]
fn the_end_of_a_long_path_is_found() {
    let (snapshot, topology) = row();
    let verdicts = diagnose(&snapshot, &topology, &Settings::default());
    let [verdict] = verdicts.as_slice() else { panic!("{} verdicts", verdicts.len()) };
    assert_eq!(verdict.anomaly, Anomaly::PfcBackpressureFlowContention);
    assert_eq!(verdict.root_cause.port, Some(PortRef::new(format!("s{}", PORTS - 1), 1)));
    assert_eq!(verdict.pause_path.len(), PORTS);
}
