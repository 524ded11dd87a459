//! The description of a small pipeline, and fake switches that consist of registers only.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::sync::Arc;

use harrier_controller::collect::{CollectSettings, Collector, Command, Input, PollRetry, RequestId};
use harrier_controller::layout::{
    DigestInfo, PipelineInfo, RegisterInfo, RegisterRows, TelemetryLayout, Word,
};
use model::topology::{Link, Node, NodeKind};
use model::{FlowKey, Rate, Snapshot, Time, Topology, Trigger, TriggerReason};

pub(crate) const PORTS: u64 = 4;
pub(crate) const EPOCHS: u64 = 4;
pub(crate) const FLOW_SLOTS: u64 = 8;
pub(crate) const PAUSE_LOG: u64 = 2;
pub(crate) const EPOCH_NS: u64 = 1 << 20;

pub(crate) const FLOW_ID: &str = "epoch:32,generation:16,ingress_port:9,egress_port:9,priority:3,source:128,destination:128,source_port:16,destination_port:16,protocol:8";
pub(crate) const FLOW_COUNT: &str = "packets:32,bytes:48,queued_packets:32,depth_sum:48,paused_packets:32";
pub(crate) const FLOW_MARK: &str =
    "psn_first:24,psn_last:24,seen_first_ns:48,seen_last_ns:48,queued_first_ns:48,queued_last_ns:48";
pub(crate) const PORT_SLOT: &str = "epoch:32,generation:16,packets:32,depth_sum:48,paused_packets:32";
pub(crate) const METER: &str = "epoch:32,generation:16,packets:32,bytes:48";

fn register(name: &str, fields: &str, size: u64) -> RegisterInfo {
    let width = fields.split(',').map(|f| f.split(':').nth(1).unwrap().parse::<u32>().unwrap()).sum();
    let annotations = if name.ends_with("_bank1") { vec![] } else { vec![format!("@fields(\"{fields}\")")] };
    let name = if name.contains("slots") || name.contains("flow") {
        format!("ingress.x.{name}")
    } else {
        name.into()
    };
    RegisterInfo { name, width, size, annotations }
}

/// Description of a pipeline with small tables.
pub(crate) fn pipeline() -> PipelineInfo {
    let mut registers = vec![
        register("freeze_state", "generation:16,event:32,frozen_ns:48,evictions:32", 1),
        register("released", "generation:16", 1),
        register("collected", "generation:16", 2),
        register("port_config", "host_facing:1,quantum:39", PORTS),
        register("ecmp_seed", "seed:32", 1),
        register(
            "pause_status",
            "paused:1,start_ns:48,until_ns:48,frames:32,ended_ns:48,intervals:32",
            PORTS * 8,
        ),
        register("pause_counts", "intervals:32", PORTS),
        RegisterInfo {
            annotations: vec![
                "@fields(\"packets:32,first_ns:48,last_ns:48\")".into(),
                "@reasons(\"other,no_route\")".into(),
            ],
            ..register("losses", "packets:32,first_ns:48,last_ns:48", PORTS * 2)
        },
    ];
    for bank in 0..2 {
        registers.extend([
            register(
                &format!("pause_log_bank{bank}"),
                "start_ns:48,lasted_ns:40,frames:5,priority:3,number:16",
                PORTS * PAUSE_LOG,
            ),
            register(&format!("flow_ids_bank{bank}"), FLOW_ID, EPOCHS * FLOW_SLOTS),
            register(&format!("flow_counts_bank{bank}"), FLOW_COUNT, EPOCHS * FLOW_SLOTS),
            register(&format!("flow_marks_bank{bank}"), FLOW_MARK, EPOCHS * FLOW_SLOTS),
            register(&format!("port_slots_bank{bank}"), PORT_SLOT, EPOCHS * PORTS),
            register(&format!("meter_bank{bank}"), METER, EPOCHS * PORTS * PORTS),
        ]);
    }
    let digest = |name: &str, fields: &[(&str, u32)]| DigestInfo {
        name: name.into(),
        fields: fields.iter().map(|(n, w)| (n.to_string(), *w)).collect(),
    };
    PipelineInfo {
        registers,
        digests: vec![
            digest(
                "poll_report_t",
                &[
                    ("event", 32),
                    ("source", 128),
                    ("destination", 128),
                    ("source_port", 16),
                    ("destination_port", 16),
                    ("protocol", 8),
                    ("follow", 8),
                    ("followed", 8),
                    ("priority", 8),
                    ("ingress_port", 16),
                    ("victim_port", 16),
                    ("time_ns", 48),
                    ("epoch", 28),
                    ("frozen_now", 8),
                    ("frozen_generation", 16),
                    ("frozen_event", 32),
                    ("frozen_ns", 48),
                    ("evictions", 32),
                ],
            ),
            digest(
                "flow_eviction_t",
                &[
                    ("flow_ids", 365),
                    ("flow_counts", 192),
                    ("flow_marks", 240),
                    ("sequence", 32),
                    ("time_ns", 48),
                ],
            ),
        ],
    }
}

pub(crate) fn layout() -> Arc<TelemetryLayout> {
    Arc::new(TelemetryLayout::new(&pipeline()).unwrap())
}

/// An element with these fields set.
pub(crate) fn word(fields: &str, values: &[(&str, u128)]) -> Vec<u8> {
    let info = register("r", fields, 1);
    let word = Word::parse("r", info.width, &info.annotations).unwrap();
    let mut bytes = vec![0; word.bytes()];
    for (name, value) in values {
        word.field(name).unwrap().set(&mut bytes, *value);
    }
    bytes
}

/// h1 - s1 - s2 - h2, and s3 connected to s1.
///
/// Ports: s1: 1 h1, 2 s2, 3 s3; s2: 1 s1, 2 h2; s3: 1 s1, 2 h3.
pub(crate) fn topology() -> Arc<Topology> {
    let node = |name: &str, kind, last| Node {
        name: name.into(),
        kind,
        addresses: if kind == NodeKind::Host { vec![[10, 0, 0, last].into()] } else { vec![] },
    };
    let link = |a: &str, b: &str| Link {
        a: a.parse().unwrap(),
        b: b.parse().unwrap(),
        rate: Rate::from_gbps(100),
        delay: Time::from_us(1),
    };
    Arc::new(Topology {
        nodes: vec![
            node("h1", NodeKind::Host, 1),
            node("h2", NodeKind::Host, 2),
            node("h3", NodeKind::Host, 3),
            node("s1", NodeKind::Switch, 0),
            node("s2", NodeKind::Switch, 0),
            node("s3", NodeKind::Switch, 0),
        ],
        links: vec![
            link("h1:1", "s1:1"),
            link("s1:2", "s2:1"),
            link("s1:3", "s3:1"),
            link("s2:2", "h2:1"),
            link("s3:2", "h3:1"),
        ],
    })
}

/// The victim h1 > h2.
pub(crate) fn victim() -> FlowKey {
    FlowKey::udp([10, 0, 0, 1].into(), 1_000, [10, 0, 0, 2].into(), 4791)
}

/// Trigger of the agent at h1.
pub(crate) fn trigger() -> Trigger {
    Trigger {
        host: "h1".into(),
        flow: victim(),
        time_ns: 9_000_000,
        reason: TriggerReason::SlowRtt,
        base_rtt_ns: 9_000,
        expected_ns: None,
        follows: None,
        rtt_ns: 17_000,
    }
}

/// Another flow.
pub(crate) fn flow(n: u16) -> FlowKey {
    FlowKey::udp([10, 0, 0, 3].into(), n, [10, 0, 0, 2].into(), 4791)
}

/// A switch as the controller sees it: registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct FakeSwitch {
    pub(crate) registers: BTreeMap<String, BTreeMap<u64, Vec<u8>>>,
    pub(crate) evictions: u32,
}

impl FakeSwitch {
    pub(crate) fn set(&mut self, register: &str, index: u64, value: Vec<u8>) {
        self.registers.entry(register.into()).or_default().insert(index, value);
    }

    fn number(&self, register: &str, index: u64) -> u16 {
        let value = self.registers.get(register).and_then(|r| r.get(&index));
        value.map_or(0, |v| u16::from_be_bytes([v[0], v[1]]))
    }

    pub(crate) fn generation(&self) -> u16 {
        self.number("freeze_state", 0)
    }

    pub(crate) fn is_locked(&self) -> bool {
        self.generation() != self.number("released", 0)
    }

    pub(crate) fn collected(&self, bank: u64) -> u16 {
        self.number("collected", bank)
    }

    /// Freezes the switch if possible and returns the polling report.
    pub(crate) fn poll(&mut self, event: u32, now_ns: u64, report: Report) -> Vec<Vec<u8>> {
        let frozen_now = !self.is_locked();
        if frozen_now {
            let state = word(
                "generation:16,event:32,frozen_ns:48,evictions:32",
                &[
                    ("generation", u128::from(self.generation() + 1)),
                    ("event", u128::from(event)),
                    ("frozen_ns", u128::from(now_ns)),
                    ("evictions", u128::from(self.evictions)),
                ],
            );
            self.set("freeze_state", 0, state);
        }
        let state = &self.registers["freeze_state"][&0];
        let frozen_event = u32::from_be_bytes(state[2..6].try_into().unwrap());
        let frozen_ns = state[6..12].iter().fold(0u64, |n, b| n << 8 | u64::from(*b));
        let (src, dst) = victim().address_bits();
        vec![
            event.to_be_bytes().to_vec(),
            src.to_be_bytes().to_vec(),
            dst.to_be_bytes().to_vec(),
            victim().sport.to_be_bytes().to_vec(),
            victim().dport.to_be_bytes().to_vec(),
            vec![victim().proto],
            vec![report.followed],
            vec![report.followed],
            vec![3],
            report.ingress_port.to_be_bytes().to_vec(),
            report.victim_port.to_be_bytes().to_vec(),
            now_ns.to_be_bytes().to_vec(),
            (now_ns >> 20).to_be_bytes().to_vec(),
            vec![u8::from(frozen_now)],
            (self.generation() - 1).to_be_bytes().to_vec(),
            frozen_event.to_be_bytes().to_vec(),
            frozen_ns.to_be_bytes().to_vec(),
            self.evictions.to_be_bytes().to_vec(),
        ]
    }

    /// The three words of a flow slot.
    pub(crate) fn slot(
        flow: FlowKey,
        epoch: u64,
        generation: u16,
        packets: u64,
        seen_ns: u64,
    ) -> [Vec<u8>; 3] {
        let (src, dst) = flow.address_bits();
        let id = word(
            FLOW_ID,
            &[
                ("epoch", u128::from(epoch)),
                ("generation", u128::from(generation)),
                ("ingress_port", 1),
                ("egress_port", 2),
                ("priority", 3),
                ("source", src),
                ("destination", dst),
                ("source_port", u128::from(flow.sport)),
                ("destination_port", u128::from(flow.dport)),
                ("protocol", u128::from(flow.proto)),
            ],
        );
        let counts =
            word(FLOW_COUNT, &[("packets", u128::from(packets)), ("bytes", u128::from(packets) * 100)]);
        let seen = u128::from(seen_ns);
        let marks = word(
            FLOW_MARK,
            &[
                ("psn_first", seen),
                ("psn_last", seen + 1),
                ("seen_first_ns", seen),
                ("seen_last_ns", seen + 1),
            ],
        );
        [id, counts, marks]
    }

    pub(crate) fn set_flow(&mut self, index: u64, flow: FlowKey, epoch: u64, generation: u16, packets: u64) {
        let bank = generation & 1;
        let [id, counts, marks] = FakeSwitch::slot(flow, epoch, generation, packets, epoch * EPOCH_NS);
        self.set(&format!("ingress.x.flow_ids_bank{bank}"), index, id);
        self.set(&format!("ingress.x.flow_counts_bank{bank}"), index, counts);
        self.set(&format!("ingress.x.flow_marks_bank{bank}"), index, marks);
    }

    fn read(&self, registers: &[String]) -> Vec<RegisterRows> {
        registers
            .iter()
            .map(|name| RegisterRows {
                register: name.clone(),
                rows: self
                    .registers
                    .get(name)
                    .map_or(vec![], |rows| rows.iter().map(|(i, v)| (*i, v.clone())).collect()),
            })
            .collect()
    }
}

/// What a polling packet did at a switch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    pub(crate) followed: u8,
    pub(crate) ingress_port: u16,
    pub(crate) victim_port: u16,
}

/// How a switch responds to a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    Yes,
    Refuse,
    Silent,
}

/// A collector and its switches.
pub(crate) struct World {
    pub(crate) collector: Collector,
    pub(crate) switches: BTreeMap<String, FakeSwitch>,
    pub(crate) snapshots: Vec<Snapshot>,
    pub(crate) now_ns: u64,
    /// Requests in order: switch and kind.
    pub(crate) log: Vec<(String, String)>,
    /// Retried polling packets, in order.
    pub(crate) polled: Vec<(String, PollRetry)>,
    /// Switches that receive retries and whose reports arrive, with the victim's egress port.
    pub(crate) reachable: BTreeMap<String, u16>,
}

impl World {
    /// Connects s1, s2 and s3 at time zero.
    pub(crate) fn new(settings: CollectSettings) -> World {
        World::with(settings, &["s1", "s2", "s3"])
    }

    pub(crate) fn with(settings: CollectSettings, names: &[&str]) -> World {
        let mut collector = Collector::new(topology(), settings);
        let layout = layout();
        let mut switches = BTreeMap::new();
        for name in names {
            collector.add_switch(*name, layout.clone());
            switches.insert(name.to_string(), FakeSwitch::default());
        }
        let mut world = World {
            collector,
            switches,
            snapshots: vec![],
            now_ns: 0,
            log: vec![],
            polled: vec![],
            reachable: BTreeMap::new(),
        };
        for name in names {
            world.input(Input::Connected { switch: name.to_string() }, &mut |_, _| Answer::Yes);
        }
        world.log.clear();
        world
    }

    pub(crate) fn switch(&mut self, name: &str) -> &mut FakeSwitch {
        self.switches.get_mut(name).unwrap()
    }

    /// Delivers a polling packet to `switch` and its report to the controller.
    pub(crate) fn poll(
        &mut self,
        switch: &str,
        event: u32,
        report: Report,
        answer: &mut dyn FnMut(&str, &str) -> Answer,
    ) {
        let now_ns = self.now_ns;
        let fields = self.switch(switch).poll(event, now_ns, report);
        self.input(Input::Digest { switch: switch.into(), name: "poll_report_t".into(), fields }, answer);
    }

    /// Delivers the result of a pending read of `switch`'s bank 0.
    pub(crate) fn answer_read(&mut self, request: RequestId, switch: &str) {
        let registers = layout().bank_registers(0).into_iter().map(str::to_string).collect::<Vec<_>>();
        let rows = self.switches[switch].read(&registers);
        self.input(Input::ReadDone { request, rows }, &mut |_, _| Answer::Yes);
    }

    pub(crate) fn input(&mut self, input: Input, answer: &mut dyn FnMut(&str, &str) -> Answer) {
        let commands = self.collector.handle(self.now_ns, input);
        self.perform(commands, answer);
    }

    /// Advances the time to `until_ns` and wakes the collector when it is due.
    pub(crate) fn pass(&mut self, until_ns: u64, answer: &mut dyn FnMut(&str, &str) -> Answer) {
        while let Some(at) = self.collector.next_wake_ns().filter(|at| *at <= until_ns) {
            self.now_ns = self.now_ns.max(at);
            let commands = self.collector.wake(self.now_ns);
            let next = self.collector.next_wake_ns();
            assert!(!commands.is_empty() || next.is_none_or(|n| n > self.now_ns), "woken for nothing");
            self.perform(commands, answer);
        }
        self.now_ns = until_ns;
    }

    fn perform(&mut self, commands: Vec<Command>, answer: &mut dyn FnMut(&str, &str) -> Answer) {
        for command in commands {
            match command {
                Command::Emit(snapshot) => self.snapshots.push(*snapshot),
                Command::Read { switch, request, registers } => {
                    let what = if registers.len() > 3 { "read" } else { "audit" };
                    self.log.push((switch.clone(), what.into()));
                    let rows = self.switches[&switch].read(&registers);
                    self.answer(request, answer(&switch, what), Input::ReadDone { request, rows }, answer);
                }
                Command::Unlock { switch, request, writes } => {
                    let what = if writes.len() == 2 { "unlock collected" } else { "unlock" };
                    self.log.push((switch.clone(), what.into()));
                    let reply = answer(&switch, what);
                    if reply == Answer::Yes {
                        for write in writes {
                            self.switch(&switch).set(&write.register, write.index, write.value);
                        }
                    }
                    self.answer(request, reply, Input::UnlockDone { request }, answer);
                }
                Command::Poll { switch, request, packet } => {
                    self.log.push((switch.clone(), "poll".into()));
                    self.polled.push((switch.clone(), packet));
                    let reply = answer(&switch, "poll");
                    self.answer(request, reply, Input::Polled { request }, answer);
                    if reply == Answer::Yes
                        && let Some(victim_port) = self.reachable.get(&switch).copied()
                    {
                        let followed = packet.polling.follow as u8;
                        let report = Report { followed, ingress_port: packet.port, victim_port };
                        self.poll(&switch, packet.polling.event, report, answer);
                    }
                }
            }
        }
    }

    fn answer(
        &mut self,
        request: RequestId,
        reply: Answer,
        done: Input,
        answer: &mut dyn FnMut(&str, &str) -> Answer,
    ) {
        match reply {
            Answer::Yes => self.input(done, answer),
            Answer::Refuse => self.input(Input::Failed { request, reason: "refused".into() }, answer),
            Answer::Silent => {}
        }
    }
}

/// The missing data of a snapshot as a verdict states it.
pub(crate) fn texts(missing: &[model::MissingData]) -> Vec<String> {
    missing.iter().map(ToString::to_string).collect()
}
