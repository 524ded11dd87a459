//! Small hand-written networks and snapshots.
//!
//! The line network is the poster's, with names: `h1` and `h2` behind `sw1`; `sw2` between; `h4` behind `sw3`;
//! `h3` and the bursting `a1`..`a4` behind `sw4`. Victim `f1` is h2 -> h4, spreader `f2` is h1 -> h3.
#![allow(dead_code, reason = "each test file uses its part")]

pub(crate) mod stories;

use harrier_analyzer::{Settings, diagnose};
use model::diagnosis::{Evidence, Record};
use model::snapshot::{SNAPSHOT_FORMAT, Source};
use model::telemetry::{EpochInfo, FlowRecord, MeterRecord, PauseInterval, PortRecord};
use model::topology::{Link, Node, NodeKind};
use model::{
    Anomaly, Cause, Diagnosis, FlowKey, PortRef, Rate, Snapshot, SwitchTelemetry, Time, Topology, Trigger,
    TriggerReason,
};

pub(crate) const EPOCH_NS: u64 = 1 << 20;
/// The epoch in which all events happen; the ring also holds the one before it.
pub(crate) const EPOCH: u64 = 10;
/// Its start.
pub(crate) const T0: u64 = EPOCH * EPOCH_NS;
pub(crate) const US: u64 = 1_000;
pub(crate) const PACKET_BYTES: u64 = 1_348;

pub(crate) fn port(text: &str) -> PortRef {
    text.parse().unwrap()
}

/// A topology from `name address` hosts and `a:1 b:2 gbps` links; every other node is a switch.
pub(crate) fn network(hosts: &[(&str, &str)], links: &[(&str, &str, u64)]) -> Topology {
    let mut nodes: Vec<Node> = hosts
        .iter()
        .map(|(name, address)| Node {
            name: (*name).into(),
            kind: NodeKind::Host,
            addresses: vec![address.parse().unwrap()],
        })
        .collect();
    let links: Vec<Link> = links
        .iter()
        .map(|(a, b, gbps)| Link {
            a: port(a),
            b: port(b),
            rate: Rate::from_gbps(*gbps),
            delay: Time::from_us(1),
        })
        .collect();
    for end in links.iter().flat_map(|l| [&l.a, &l.b]) {
        if !nodes.iter().any(|n| n.name == end.switch) {
            nodes.push(Node { name: end.switch.clone(), kind: NodeKind::Switch, addresses: vec![] });
        }
    }
    Topology { nodes, links }
}

pub(crate) fn line_network() -> Topology {
    network(
        &[
            ("h1", "10.0.0.1"),
            ("h2", "10.0.0.2"),
            ("h3", "10.0.0.3"),
            ("h4", "10.0.0.4"),
            ("a1", "10.0.1.1"),
            ("a2", "10.0.1.2"),
            ("a3", "10.0.1.3"),
            ("a4", "10.0.1.4"),
        ],
        &[
            ("sw1:1", "sw2:1", 100),
            ("h1:1", "sw1:2", 50),
            ("h2:1", "sw1:3", 50),
            ("sw2:2", "sw3:1", 100),
            ("sw2:3", "sw4:1", 100),
            ("h3:1", "sw4:2", 100),
            ("h4:1", "sw3:2", 50),
            ("a1:1", "sw4:3", 100),
            ("a2:1", "sw4:4", 100),
            ("a3:1", "sw4:5", 100),
            ("a4:1", "sw4:6", 100),
        ],
    )
}

/// A flow between two hosts of a topology.
/// Sets the rate of the links of a host, in Gb/s.
pub(crate) fn set_host_rate(topology: &mut Topology, host: &str, gbps: u64) {
    let of_host = |link: &&mut Link| [&link.a, &link.b].iter().any(|end| end.switch == host);
    topology.links.iter_mut().filter(of_host).for_each(|link| link.rate = Rate::from_gbps(gbps));
}

pub(crate) fn flow(topology: &Topology, from: &str, to: &str) -> FlowKey {
    let address = |host: &str| topology.node(host).unwrap().addresses[0];
    FlowKey::udp(address(from), 10_000, address(to), 4_791)
}

/// A builder for one flow record.
#[derive(Clone)]
pub(crate) struct At {
    record: FlowRecord,
    switch: String,
}

/// `packets` of `flow` from `ingress` to `egress` (`switch:port`) over `seen` microseconds of the epoch.
pub(crate) fn at(flow: FlowKey, ingress: u16, egress: &str, packets: u64, seen: (u64, u64)) -> At {
    let egress = port(egress);
    At {
        switch: egress.switch,
        record: FlowRecord {
            flow,
            epoch: EPOCH,
            ingress_port: Some(ingress),
            egress_port: egress.port,
            priority: Some(3),
            packets,
            bytes: Some(packets * PACKET_BYTES),
            queued_packets: Some(0),
            depth_sum: 0,
            paused_packets: 0,
            psn_first: 0,
            psn_last: packets as u32,
            seen_ns: Some((T0 + seen.0 * US, T0 + seen.1 * US)),
            queued_ns: None,
            evicted: false,
        },
    }
}

impl At {
    /// `packets` of them had `depth` packets ahead of them on average, over `when` microseconds of the epoch.
    pub(crate) fn queued(mut self, packets: u64, depth: u64, when: (u64, u64)) -> At {
        self.record.queued_packets = Some(packets);
        self.record.depth_sum = packets * depth;
        self.record.queued_ns = Some((T0 + when.0 * US, T0 + when.1 * US));
        self
    }

    /// Their first and last sequence number.
    pub(crate) fn numbered(mut self, (first, last): (u32, u32)) -> At {
        (self.record.psn_first, self.record.psn_last) = (first, last);
        self
    }

    pub(crate) fn paused(mut self, packets: u64) -> At {
        self.record.paused_packets = packets;
        self
    }

    pub(crate) fn class(mut self, priority: u8) -> At {
        self.record.priority = Some(priority);
        self
    }

    /// The same, one epoch earlier.
    pub(crate) fn epoch_before(mut self) -> At {
        let back = |t: &mut Option<(u64, u64)>| {
            *t = t.map(|(a, b)| (a - EPOCH_NS, b - EPOCH_NS));
        };
        self.record.epoch -= 1;
        back(&mut self.record.seen_ns);
        back(&mut self.record.queued_ns);
        self
    }
}

/// A builder for a snapshot and its topology.
#[derive(Clone)]
pub(crate) struct Story {
    pub(crate) topology: Topology,
    pub(crate) snapshot: Snapshot,
}

impl Story {
    pub(crate) fn new(topology: Topology) -> Story {
        let snapshot = Snapshot {
            format: SNAPSHOT_FORMAT,
            event: 7,
            source: Source::Harrier,
            victim: None,
            trigger: None,
            epoch_ns: EPOCH_NS,
            switches: vec![],
            missing: vec![],
            polls: 4,
            configuration: vec![],
            losses: vec![],
            events: vec![],
            jobs: vec![],
        };
        Story { topology, snapshot }
    }

    /// The agent of `flow`'s source measured a slow round trip at `us` microseconds of the epoch.
    pub(crate) fn triggered(mut self, flow: FlowKey, us: u64, base_us: u64, rtt_us: u64) -> Story {
        let host = self.topology.host_of(flow.src).unwrap().name.clone();
        self.snapshot.victim = Some(flow);
        self.snapshot.trigger = Some(Trigger {
            host,
            flow,
            time_ns: T0 + us * US,
            reason: TriggerReason::SlowRtt,
            base_rtt_ns: base_us * US,
            expected_ns: None,
            follows: None,
            rtt_ns: rtt_us * US,
        });
        self
    }

    pub(crate) fn missing(mut self, text: &str) -> Story {
        self.snapshot.missing.push(model::MissingData::Other(text.to_string()));
        self
    }

    /// Adds a switch that reported, frozen at `us` microseconds of the epoch, without records yet.
    pub(crate) fn switch(mut self, name: &str, us: u64) -> Story {
        let epoch = |id: u64| EpochInfo { id, start_ns: id * EPOCH_NS, end_ns: (id + 1) * EPOCH_NS - 1 };
        self.snapshot.switches.push(SwitchTelemetry {
            switch: name.into(),
            frozen_ns: T0 + us * US,
            clock_error_ns: None,
            polled_from: vec![],
            on_victim_path: true,
            back_port: None,
            epochs: vec![epoch(EPOCH - 1), EpochInfo { end_ns: T0 + us * US, ..epoch(EPOCH) }],
            flows: vec![],
            ports: vec![],
            meters: vec![],
            pauses: vec![],
            bytes: 512,
        });
        self
    }

    fn telemetry(&mut self, switch: &str) -> &mut SwitchTelemetry {
        self.snapshot.switches.iter_mut().find(|s| s.switch == switch).expect("the switch was added")
    }

    /// Adds a flow's record; port slot and meter follow from it.
    pub(crate) fn saw(mut self, at: At) -> Story {
        let At { record, switch } = at;
        let telemetry = self.telemetry(&switch);
        let slot =
            telemetry.ports.iter_mut().find(|p| p.port == record.egress_port && p.epoch == record.epoch);
        match slot {
            Some(slot) => {
                slot.packets = slot.packets.map(|p| p + record.packets);
                slot.depth_sum += record.depth_sum;
                slot.paused_packets += record.paused_packets;
            }
            None => telemetry.ports.push(PortRecord {
                port: record.egress_port,
                epoch: record.epoch,
                packets: Some(record.packets),
                depth_sum: record.depth_sum,
                paused_packets: record.paused_packets,
            }),
        }
        let ingress = record.ingress_port.unwrap();
        let key = |m: &MeterRecord| (m.ingress_port, m.egress_port, m.epoch);
        let wanted = (ingress, record.egress_port, record.epoch);
        match telemetry.meters.iter_mut().find(|m| key(m) == wanted) {
            Some(meter) => {
                meter.bytes += record.packets * PACKET_BYTES;
                meter.packets = meter.packets.map(|p| p + record.packets);
            }
            None => telemetry.meters.push(MeterRecord {
                ingress_port: ingress,
                egress_port: record.egress_port,
                epoch: record.epoch,
                packets: Some(record.packets),
                bytes: record.packets * PACKET_BYTES,
            }),
        }
        telemetry.flows.push(record);
        self
    }

    /// `port` was paused over `when` microseconds of the epoch.
    pub(crate) fn paused(mut self, at: &str, when: (u64, u64)) -> Story {
        let at = port(at);
        self.telemetry(&at.switch).pauses.push(PauseInterval {
            port: at.port,
            priority: 3,
            start_ns: T0 + when.0 * US,
            end_ns: Some(T0 + when.1 * US),
            frames: 2,
        });
        self
    }

    /// `port` is paused from `us` microseconds of the epoch on.
    pub(crate) fn still_paused(mut self, at: &str, us: u64) -> Story {
        let at = port(at);
        self.telemetry(&at.switch).pauses.push(PauseInterval {
            port: at.port,
            priority: 3,
            start_ns: T0 + us * US,
            end_ns: None,
            frames: 9,
        });
        self
    }

    pub(crate) fn flow(&self, from: &str, to: &str) -> FlowKey {
        flow(&self.topology, from, to)
    }

    pub(crate) fn diagnose(&self) -> Vec<Diagnosis> {
        diagnose(&self.snapshot, &self.topology, &Settings::default())
    }
}

/// What a verdict must contain. Flows are written `from-to` by host.
pub(crate) struct Expect<'e> {
    pub(crate) anomaly: Anomaly,
    pub(crate) cause: Cause,
    pub(crate) root: Option<&'e str>,
    pub(crate) host: Option<&'e str>,
    pub(crate) culprits: &'e [&'e str],
    pub(crate) path: &'e [&'e str],
    pub(crate) pause_loop: &'e [&'e str],
    pub(crate) spreaders: &'e [&'e str],
    /// The product of the caveats, which the fitted confidence depends on.
    pub(crate) confidence: std::ops::RangeInclusive<f64>,
}

impl Default for Expect<'_> {
    fn default() -> Self {
        Expect {
            anomaly: Anomaly::HostOnly,
            cause: Cause::Undetermined,
            root: None,
            host: None,
            culprits: &[],
            path: &[],
            pause_loop: &[],
            spreaders: &[],
            confidence: 0.5..=1.0,
        }
    }
}

/// Flows as `from-to`, in a fixed order.
pub(crate) fn names(topology: &Topology, flows: &[FlowKey]) -> Vec<String> {
    let host = |a| topology.host_of(a).map_or_else(|| format!("{a}"), |n| n.name.clone());
    let mut names: Vec<String> = flows.iter().map(|f| format!("{}-{}", host(f.src), host(f.dst))).collect();
    names.sort();
    names
}

/// Checks that the story gives exactly these verdicts, in this order.
#[track_caller]
pub(crate) fn check(story: &Story, expected: &[Expect<'_>]) {
    check_without(&[], story, expected);
}

/// As [`check`], without some rules.
#[track_caller]
pub(crate) fn check_without(rules: &[&str], story: &Story, expected: &[Expect<'_>]) {
    let without = rules.iter().map(ToString::to_string).collect();
    let settings = Settings { without, ..Settings::default() };
    let found = harrier_analyzer::analyze(&story.snapshot, &story.topology, &settings);
    let summaries: Vec<&str> = found.iter().map(|a| a.diagnosis.summary.as_str()).collect();
    assert_eq!(found.len(), expected.len(), "{summaries:#?}");
    for (analysis, e) in found.iter().zip(expected) {
        let d = &analysis.diagnosis;
        let refs = |ports: &[PortRef]| ports.iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(d.anomaly, e.anomaly, "{summaries:#?}");
        assert_eq!(d.root_cause.port.as_ref().map(ToString::to_string).as_deref(), e.root, "{summaries:#?}");
        assert_eq!(names(&story.topology, &d.root_cause.flows), e.culprits, "{summaries:#?}");
        assert_eq!(d.cause, e.cause, "{summaries:#?}");
        assert_eq!(d.root_cause.host.as_deref(), e.host, "{summaries:#?}");
        assert_eq!(refs(&d.pause_path), e.path, "{summaries:#?}");
        assert_eq!(refs(&d.pause_loop), e.pause_loop, "{summaries:#?}");
        assert_eq!(names(&story.topology, &d.spreaders), e.spreaders, "{summaries:#?}");
        let caveats = analysis.features.caveats;
        assert!(e.confidence.contains(&caveats), "caveats {caveats} {summaries:#?}");
        assert!((0.02..=0.98).contains(&d.confidence), "confidence {} {summaries:#?}", d.confidence);
        assert!(d.victims.first() == d.victim.as_ref());
        assert!(!d.advice.is_empty(), "no advice: {summaries:#?}");
        let claims = d.evidence.iter().map(|evidence| &evidence.claim);
        for text in std::iter::once(&d.summary).chain(claims).chain(&d.missing).chain(&d.advice) {
            assert!(!text.split([' ', ',', ';', ')']).any(|word| word == "ns"), "nanoseconds: {text}");
        }
        for evidence in &d.evidence {
            assert!(!evidence.records.is_empty(), "a claim without records: {}", evidence.claim);
            check_paused_packets(evidence);
        }
    }
}

/// Checks that a claim about the paused packets of one flow counts the records that it cites, and no others.
#[track_caller]
fn check_paused_packets(evidence: &Evidence) {
    let claim = evidence.claim.as_str();
    let count = match claim.split_once(" spreads the congestion: ") {
        Some((subject, count)) if !subject.ends_with(" more flow") => count,
        None if claim.contains("enqueued while the port was paused") => claim,
        _ => return,
    };
    let cited = evidence.records.iter().map(|record| match record {
        Record::Flow(flow) => flow.paused_packets,
        _ => 0,
    });
    assert_eq!(count.split(' ').next(), Some(cited.sum::<u64>().to_string().as_str()), "{claim}");
}
