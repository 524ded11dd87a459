//! Invariant: a freeze neither loses counts nor mixes generations. For every epoch in the ring, flow and port, the rows
//! read, the rows exported and the rows in the switch add up to the packets forwarded. A snapshot holds exactly the
//! packets forwarded before its freeze, or lists the missing data.
//!
//! The switch runs the real program, compiled with so few flow slots that flows often evict each other, and with epochs
//! so short that the ring wraps often. proptest prints the seed of a failure (`cc ...` line) and keeps it in a file
//! next to this one.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::real::{RealSwitch, compile, data, poll, roce};
use harrier_controller::collect::{CollectSettings, Collector, Command, Input, RequestId};
use harrier_controller::layout::{BankContent, Digest, RegisterRows, Rows, TelemetryLayout};
use harrier_controller::plan::{PlanSettings, plan};
use model::telemetry::{FlowRecord, MeterRecord, PortRecord};
use model::topology::{Link, Node, NodeKind};
use model::wire::pfc::Pfc;
use model::wire::polling::{Follow, Polling};
use model::wire::{Frame, bth};
use model::{FlowKey, MissingData, Rate, Snapshot, Time, Topology};
use p4_lang::ir::Program;
use proptest::prelude::*;

const EPOCH_SHIFT: u32 = 16;
const RING: u64 = 4;
const PORTS: u16 = 4;

fn program() -> Arc<Program> {
    static PROGRAM: OnceLock<Arc<Program>> = OnceLock::new();
    let defines = [("EPOCH_SHIFT", EPOCH_SHIFT), ("FLOW_SLOT_BITS", 2), ("PORT_BITS", 2)];
    PROGRAM.get_or_init(|| compile(&defines)).clone()
}

/// One switch with a host at each port.
fn topology() -> Topology {
    let mut nodes = vec![Node { name: "s1".into(), kind: NodeKind::Switch, addresses: vec![] }];
    let mut links = Vec::new();
    for n in 1..=PORTS {
        let addresses = vec![[10, 0, 0, n as u8].into()];
        nodes.push(Node { name: format!("h{n}"), kind: NodeKind::Host, addresses });
        links.push(Link {
            a: format!("s1:{n}").parse().unwrap(),
            b: format!("h{n}:1").parse().unwrap(),
            rate: Rate::from_gbps(100),
            delay: Time::from_us(1),
        });
    }
    Topology { nodes, links }
}

fn flow(from: u16, to: u16, n: u16) -> FlowKey {
    FlowKey::udp([10, 0, 0, from as u8].into(), 1_000 + n, [10, 0, 0, to as u8].into(), 4791)
}

/// An input of the switch or of the collector.
#[derive(Clone, Debug)]
enum Step {
    Data {
        from: u16,
        to: u16,
        n: u16,
        payload: u32,
    },
    Acknowledge {
        from: u16,
        to: u16,
    },
    Transmit {
        port: u16,
        count: u8,
    },
    Pause {
        port: u16,
        quanta: u16,
    },
    Poll {
        from: u16,
        to: u16,
    },
    /// Completes a pending request of the collector, or lets it fail.
    Answer {
        succeeds: bool,
    },
    Wait {
        ns: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    let port = || 1..=PORTS;
    prop_oneof![
        12 => (port(), port(), 0u16..3, 0u32..1_500)
            .prop_map(|(from, to, n, payload)| Step::Data { from, to, n, payload }),
        1 => (port(), port()).prop_map(|(from, to)| Step::Acknowledge { from, to }),
        3 => (port(), 1u8..6).prop_map(|(port, count)| Step::Transmit { port, count }),
        1 => (port(), prop_oneof![Just(0u16), 1u16..20_000]).prop_map(|(port, quanta)| Step::Pause { port, quanta }),
        1 => (port(), port()).prop_map(|(from, to)| Step::Poll { from, to }),
        2 => prop::bool::weighted(0.8).prop_map(|succeeds| Step::Answer { succeeds }),
        4 => prop_oneof![0u64..1_500, 5_000u64..100_000].prop_map(|ns| Step::Wait { ns }),
    ]
}

/// Key of a count.
type Key = (u64, FlowKey, u16, u16);

/// Expected counts, computed from the frames.
#[derive(Clone, Debug, Default, PartialEq)]
struct Truth {
    flows: BTreeMap<Key, FlowRecord>,
    ports: BTreeMap<(u64, u16), PortRecord>,
    meters: BTreeMap<(u64, u16, u16), MeterRecord>,
}

impl Truth {
    fn add(&mut self, record: &FlowRecord) {
        let ingress_port = record.ingress_port.unwrap();
        let key = (record.epoch, record.flow, ingress_port, record.egress_port);
        match self.flows.get_mut(&key) {
            None => {
                self.flows.insert(key, FlowRecord { evicted: false, ..record.clone() });
            }
            Some(sum) => {
                let (old, new) = (sum.seen_ns.unwrap(), record.seen_ns.unwrap());
                if new.0 < old.0 {
                    sum.psn_first = record.psn_first;
                }
                if new.1 >= old.1 {
                    sum.psn_last = record.psn_last;
                }
                sum.seen_ns = Some((old.0.min(new.0), old.1.max(new.1)));
                sum.queued_ns = match (sum.queued_ns, record.queued_ns) {
                    (Some(a), Some(b)) => Some((a.0.min(b.0), a.1.max(b.1))),
                    (a, b) => a.or(b),
                };
                sum.packets += record.packets;
                sum.bytes = Some(sum.bytes.unwrap() + record.bytes.unwrap());
                sum.queued_packets = Some(sum.queued_packets.unwrap() + record.queued_packets.unwrap());
                sum.depth_sum += record.depth_sum;
                sum.paused_packets += record.paused_packets;
            }
        }
    }

    fn add_port(&mut self, record: &PortRecord) {
        let sum = self.ports.entry((record.epoch, record.port)).or_insert_with(|| PortRecord {
            packets: Some(0),
            depth_sum: 0,
            paused_packets: 0,
            ..record.clone()
        });
        sum.packets = Some(sum.packets.unwrap() + record.packets.unwrap());
        sum.depth_sum += record.depth_sum;
        sum.paused_packets += record.paused_packets;
    }

    fn add_meter(&mut self, record: &MeterRecord) {
        let key = (record.epoch, record.ingress_port, record.egress_port);
        let sum = self.meters.entry(key).or_insert_with(|| MeterRecord {
            packets: Some(0),
            bytes: 0,
            ..record.clone()
        });
        sum.packets = Some(sum.packets.unwrap() + record.packets.unwrap());
        sum.bytes += record.bytes;
    }

    fn add_bank(&mut self, bank: &BankContent) {
        bank.flows.iter().for_each(|row| self.add(&row.record));
        bank.ports.iter().for_each(|row| self.add_port(&row.record));
        bank.meters.iter().for_each(|row| self.add_meter(&row.record));
    }

    /// Returns the counts of the epochs in the ring at `now_ns`.
    fn in_ring(&self, now_ns: u64) -> Truth {
        let newest = now_ns >> EPOCH_SHIFT;
        let holds = |epoch: u64| epoch <= newest && epoch + RING > newest;
        let mut part = self.clone();
        part.flows.retain(|(epoch, ..), _| holds(*epoch));
        part.ports.retain(|(epoch, _), _| holds(*epoch));
        part.meters.retain(|(epoch, ..), _| holds(*epoch));
        part
    }
}

struct Test {
    switch: RealSwitch,
    collector: Collector,
    open: BTreeMap<RequestId, Command>,
    snapshots: Vec<Snapshot>,
    /// For each event, the packets forwarded before its freeze.
    frozen: BTreeMap<u32, (u64, Truth)>,
    last_freeze: Option<(u64, Truth)>,
    /// What had been forwarded before each freeze, by its time.
    freezes: BTreeMap<u64, Truth>,
    now_ns: u64,
    psn: u32,
    forwarded: Truth,
    /// Counts that have been read or exported.
    received: Truth,
    queued: BTreeMap<u16, u64>,
    paused_until_ns: BTreeMap<u16, u64>,
    next_event: u32,
}

impl Test {
    fn new() -> Test {
        let topology = Arc::new(topology());
        let mut switch = RealSwitch::new(&program(), PORTS);
        let plans = plan(&topology, &PlanSettings::default(), &switch.layout).unwrap();
        switch.program(&plans["s1"]);
        let settings = CollectSettings {
            quiet_ns: 2_000,
            read_timeout_ns: 1_000_000,
            event_timeout_ns: 10_000_000,
            retry_ns: 50_000,
            audit_ns: 1_000_000,
            idle_history: true,
            ..CollectSettings::default()
        };
        let mut collector = Collector::new(topology, settings);
        collector.add_switch("s1", switch.layout.clone());
        let mut test = Test {
            switch,
            collector,
            open: BTreeMap::new(),
            snapshots: Vec::new(),
            frozen: BTreeMap::new(),
            last_freeze: None,
            freezes: BTreeMap::new(),
            // Not in the first epoch, to which rows of zeros would belong.
            now_ns: 10 << EPOCH_SHIFT,
            psn: 0,
            forwarded: Truth::default(),
            received: Truth::default(),
            queued: BTreeMap::new(),
            paused_until_ns: BTreeMap::new(),
            next_event: 1,
        };
        let commands = test.collector.handle(test.now_ns, Input::Connected { switch: "s1".into() });
        test.take(commands);
        test.answer(true);
        test
    }

    fn now(&self) -> Time {
        Time::from_ns(self.now_ns)
    }

    fn receive(&mut self, port: u16, frame: Frame) {
        let now = self.now();
        self.switch.switch.receive(now, port, frame);
    }

    fn apply(&mut self, step: &Step) {
        match *step {
            Step::Data { from, to, n, payload } => self.data(from, to, n, payload),
            Step::Acknowledge { from, to } => {
                self.receive(from, roce(&flow(from, to, 0), bth::RC_ACKNOWLEDGE, 7, 4));
                *self.queued.entry(to).or_default() += 1;
            }
            Step::Transmit { port, count } => self.transmit(port, count),
            Step::Pause { port, quanta } => {
                self.receive(port, Pfc::single(3, quanta).to_frame([0; 6]));
                // 5.12 ns per quantum, rounded as in the program.
                let lasts_ns = (u64::from(quanta) * 335_544) >> 16;
                self.paused_until_ns.insert(port, self.now_ns + lasts_ns);
            }
            Step::Poll { from, to } => self.poll(from, to),
            Step::Answer { succeeds } => self.answer(succeeds),
            Step::Wait { ns } => {
                self.now_ns += ns;
                let now = self.now();
                self.switch.switch.wake(now);
                let commands = self.collector.wake(self.now_ns);
                self.take(commands);
            }
        }
        self.digests();
    }

    fn data(&mut self, from: u16, to: u16, n: u16, payload: u32) {
        let flow = flow(from, to, n);
        self.psn += 1;
        let frame = data(&flow, self.psn, payload);
        let bytes = frame.len();
        let depth = self.queued.get(&to).copied().unwrap_or(0);
        let paused = u64::from(self.paused_until_ns.get(&to).is_some_and(|until| self.now_ns < *until));
        self.receive(from, frame);
        *self.queued.entry(to).or_default() += 1;
        let epoch = self.now_ns >> EPOCH_SHIFT;
        self.forwarded.add(&FlowRecord {
            flow,
            epoch,
            ingress_port: Some(from),
            egress_port: to,
            priority: Some(3),
            packets: 1,
            bytes: Some(bytes),
            queued_packets: Some(u64::from(depth > 0)),
            depth_sum: depth,
            paused_packets: paused,
            psn_first: self.psn,
            psn_last: self.psn,
            seen_ns: Some((self.now_ns, self.now_ns)),
            queued_ns: (depth > 0).then_some((self.now_ns, self.now_ns)),
            evicted: false,
        });
        self.forwarded.add_port(&PortRecord {
            port: to,
            epoch,
            packets: Some(1),
            depth_sum: depth,
            paused_packets: paused,
        });
        self.forwarded.add_meter(&MeterRecord {
            ingress_port: from,
            egress_port: to,
            epoch,
            packets: Some(1),
            bytes,
        });
        // Time advances with every packet, so that first and last differ.
        self.now_ns += 1;
    }

    fn transmit(&mut self, port: u16, count: u8) {
        let now = self.now();
        for _ in 0..count {
            if self.switch.switch.transmit(now, port).is_some() {
                *self.queued.entry(port).or_default() -= 1;
            }
        }
    }

    fn poll(&mut self, from: u16, to: u16) {
        let event = self.next_event;
        self.next_event += 1;
        let flow = flow(from, to, 0);
        let polling = Polling { follow: Follow::Both, hop_limit: 4, priority: 3, event, flow };
        self.receive(from, poll(&polling));
        self.digests();
        self.now_ns += 1;
    }

    fn digests(&mut self) {
        for (name, fields) in self.switch.raw_digests() {
            match self.switch.layout.decode_digest(&name, &fields).unwrap() {
                Digest::Eviction(eviction) => self.received.add(&eviction.row.record),
                Digest::Poll(report) => {
                    if report.frozen_now {
                        self.last_freeze = Some((self.now_ns, self.forwarded.clone()));
                        self.freezes.insert(self.now_ns, self.forwarded.clone());
                    }
                    let freeze = self.last_freeze.clone().expect("a report follows a freeze");
                    assert_eq!(report.frozen_ns, freeze.0);
                    self.frozen.entry(report.event).or_insert(freeze);
                }
            }
            let digest = Input::Digest { switch: "s1".into(), name, fields };
            let commands = self.collector.handle(self.now_ns, digest);
            self.take(commands);
        }
    }

    fn take(&mut self, commands: Vec<Command>) {
        for command in commands {
            match command {
                Command::Read { request, .. }
                | Command::Unlock { request, .. }
                | Command::Poll { request, .. } => {
                    self.open.insert(request, command);
                }
                Command::Emit(snapshot) => self.snapshots.push(*snapshot),
            }
        }
    }

    /// Completes the oldest open request, or lets it fail.
    fn answer(&mut self, succeeds: bool) {
        let Some((request, command)) = self.open.pop_first() else { return };
        let input = match command {
            _ if !succeeds => Input::Failed { request, reason: "refused".into() },
            Command::Read { registers, .. } => {
                let rows = self.switch.read(&registers);
                assert_two_steps_read_all(&self.switch.layout, &registers, &rows);
                Input::ReadDone { request, rows }
            }
            Command::Unlock { writes, .. } => {
                // Two writes: the controller has read the bank completely.
                if writes.len() == 2 {
                    let frozen = self.content().1;
                    self.received.add_bank(&frozen);
                }
                self.switch.write(&writes);
                Input::UnlockDone { request }
            }
            Command::Poll { packet, .. } => {
                let now = Time::from_ns(self.now_ns);
                self.switch.switch.packet_out(now, Frame::new(&packet.to_cpu_bytes(), 0));
                self.digests();
                Input::Polled { request }
            }
            Command::Emit(_) => return,
        };
        let commands = self.collector.handle(self.now_ns, input);
        self.take(commands);
    }

    /// Uncollected rows of the active and of the frozen bank.
    fn content(&mut self) -> (BankContent, BankContent) {
        let layout = self.switch.layout.clone();
        let mut names: Vec<String> = Vec::new();
        for bank in 0..2 {
            names.extend(layout.bank_registers(bank).iter().map(|name| name.to_string()));
        }
        names.sort();
        names.dedup();
        let rows = self.switch.read(&names);
        let generation = layout.read_lock(&rows).unwrap().generation;
        (
            layout.read_uncollected(&rows, generation).unwrap(),
            layout.read_uncollected(&rows, generation.wrapping_sub(1)).unwrap(),
        )
    }

    /// Read + exported + still in the switch = forwarded.
    fn check(&mut self) {
        let (active, other) = self.content();
        let mut known = self.received.clone();
        known.add_bank(&active);
        known.add_bank(&other);
        assert_eq!(known.in_ring(self.now_ns), self.forwarded.in_ring(self.now_ns));
    }

    /// Checks that snapshots hold the packets forwarded before their freeze, or list missing data.
    fn check_snapshots(&self) {
        for snapshot in &self.snapshots {
            let Some(telemetry) = snapshot.switch("s1") else {
                assert!(!snapshot.missing.is_empty());
                continue;
            };
            // A later freeze, for another event, includes the records of an earlier one.
            assert!(telemetry.frozen_ns >= self.frozen[&snapshot.event].0);
            let frozen_ns = &telemetry.frozen_ns;
            let forwarded = &self.freezes[frozen_ns];
            if snapshot
                .missing
                .iter()
                .any(|m| matches!(m, MissingData::CountsLost { .. } | MissingData::EvictionsLost { .. }))
            {
                continue;
            }
            let mut found = Truth::default();
            telemetry.flows.iter().for_each(|record| found.add(record));
            telemetry.ports.iter().for_each(|record| found.add_port(record));
            telemetry.meters.iter().for_each(|record| found.add_meter(record));
            // The ring keeps older epochs of ports that are still paused.
            assert_eq!(found.in_ring(*frozen_ns), forwarded.in_ring(*frozen_ns));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    #[test]
    fn a_freeze_neither_loses_counts_nor_mixes_generations(steps in prop::collection::vec(step(), 1..400)) {
        let mut test = Test::new();
        for (n, step) in steps.iter().enumerate() {
            test.apply(step);
            if n % 16 == 0 {
                test.check();
            }
        }
        test.check();
        // Complete the collection.
        for _ in 0..200 {
            test.answer(true);
            test.apply(&Step::Wait { ns: 100_000 });
        }
        test.check();
        test.check_snapshots();
        let (events, snapshots) = (test.next_event as usize - 1, test.snapshots.len());
        prop_assert_eq!(events, snapshots);
        let lock: Vec<String> = test.switch.layout.lock_registers().iter().map(|s| s.to_string()).collect();
        let lock = test.switch.read(&lock);
        prop_assert!(!test.switch.layout.read_lock(&lock).unwrap().is_locked());
    }
}

/// A read in two steps leaves out empty rows only. `read` has the rows of all registers that are not zero.
fn assert_two_steps_read_all(layout: &TelemetryLayout, registers: &[String], read: &[RegisterRows]) {
    let Some(first) = layout.first_step(registers) else { return };
    let of = |name: &str| read.iter().find(|part| part.register == name).unwrap();
    let first: Vec<RegisterRows> = first.iter().map(|name| of(name).clone()).collect();
    let second = layout.second_step(registers, &first);
    assert_eq!(first.len() + second.len(), registers.len());
    for (name, rows) in second {
        let Rows::Each(wanted) = rows else { continue };
        let left_out = of(name).rows.iter().find(|(index, _)| wanted.binary_search(index).is_err());
        assert_eq!(left_out, None, "{name}");
    }
}
