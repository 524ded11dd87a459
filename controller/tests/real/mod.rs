//! Switches that run the compiled program, connected by links without delay.
#![allow(dead_code, reason = "each test file uses its part")]

use std::collections::BTreeMap;
use std::sync::Arc;

use harrier_controller::layout::{
    Digest, DigestInfo, PipelineInfo, PollReport, RegisterInfo, RegisterRows, TelemetryLayout,
};
use harrier_controller::plan::{MatchValue, PlanSettings, RegisterWrite, SwitchPlan, plan};
use harrier_controller::program;
use model::wire::ethernet::Ethernet;
use model::wire::ipv4::Ipv4;
use model::wire::pfc::Pfc;
use model::wire::polling::Polling;
use model::wire::udp::Udp;
use model::wire::{ETHERTYPE_IPV4, ETHERTYPE_POLLING, Frame, bth};
use model::{FlowKey, PortRef, Rate, Time, Topology};
use p4_lang::ir::{Bits, Program};
use p4_switch::control::{ActionCall, FieldMatch, Replica, TableEntry};
use p4_switch::tm::TmConfig;
use p4_switch::{Event, Switch, SwitchConfig};

/// Compiles the program with these definitions; panics with the diagnostics.
pub(crate) fn compile(defines: &[(&str, u32)]) -> Arc<Program> {
    let mut loader = p4_lang::source::MemoryLoader::new();
    for (path, text) in program::with_defines(defines) {
        loader = loader.with(path, text);
    }
    let compilation = p4_lang::compile(program::MAIN, &loader, &p4_lang::Options::default());
    assert!(compilation.diagnostics.is_empty(), "{}", compilation.report(false));
    Arc::new(compilation.program.expect("no diagnostics, so there is a program"))
}

/// Registers and digests of a program.
pub(crate) fn pipeline(program: &Program) -> PipelineInfo {
    PipelineInfo {
        registers: program
            .registers
            .iter()
            .map(|r| RegisterInfo {
                name: r.preamble.name.clone(),
                width: r.components.iter().map(|(_, kind)| kind.width()).sum(),
                size: r.size,
                annotations: r.preamble.annotations.clone(),
            })
            .collect(),
        digests: program
            .digests
            .iter()
            .map(|d| DigestInfo {
                name: d.preamble.name.clone(),
                fields: d.fields.iter().map(|(name, kind)| (name.clone(), kind.width())).collect(),
            })
            .collect(),
    }
}

/// A switch and its digests.
pub(crate) struct RealSwitch {
    pub(crate) switch: Switch,
    pub(crate) layout: Arc<TelemetryLayout>,
    /// Digests since the last read: name and fields.
    pub(crate) digests: Vec<(String, Vec<Vec<u8>>)>,
}

impl RealSwitch {
    /// Creates a switch with `ports` ports of 100 Gb/s and ample memory.
    pub(crate) fn new(program: &Arc<Program>, ports: u16) -> RealSwitch {
        let layout = TelemetryLayout::new(&pipeline(program)).unwrap_or_else(|e| panic!("{e}"));
        let tm = TmConfig::lossy((1..=ports).map(|p| (p, Rate::from_gbps(100))), 1 << 30);
        let mut switch = Switch::new(SwitchConfig::new(tm));
        switch.load(program.clone()).unwrap_or_else(|e| panic!("{e:?}"));
        RealSwitch { switch, layout: Arc::new(layout), digests: Vec::new() }
    }

    /// Writes a plan into the switch.
    pub(crate) fn program(&mut self, plan: &SwitchPlan) {
        let program = self.switch.program().cloned().expect("loaded");
        let mut control = self.switch.control();
        for entry in &plan.entries {
            let table = program
                .tables
                .iter()
                .find(|t| t.preamble.name.rsplit('.').next() == Some(entry.table))
                .unwrap_or_else(|| panic!("no table {}", entry.table));
            let matches = table
                .keys
                .iter()
                .map(|key| {
                    let width = key.expr.ty.width();
                    let (_, value) = entry.key.iter().find(|(name, _)| *name == key.name).expect("key");
                    match value {
                        MatchValue::Exact(v) => FieldMatch::Exact(Bits::from_be_bytes(width, v)),
                        MatchValue::Lpm { value, prefix_length } => FieldMatch::Lpm {
                            value: Bits::from_be_bytes(width, value),
                            prefix_bits: *prefix_length,
                        },
                    }
                })
                .collect();
            let action = table
                .actions
                .iter()
                .map(|a| a.action)
                .find(|a| program.actions[a.index()].preamble.name.rsplit('.').next() == Some(entry.action))
                .unwrap_or_else(|| panic!("no action {}", entry.action));
            let args = program.actions[action.index()]
                .params
                .iter()
                .map(|param| {
                    let (_, value) = entry.params.iter().find(|(n, _)| *n == param.name).expect("param");
                    Bits::from_be_bytes(param.kind.width(), value)
                })
                .collect();
            let entry = TableEntry::new(matches, 0, ActionCall { action, args });
            control.table_insert(table.preamble.name.as_str(), entry).unwrap();
        }
        let members: Vec<Vec<FieldMatch>> = plan
            .value_sets
            .iter()
            .map(|m| vec![FieldMatch::Exact(Bits::from_be_bytes(16, &m.value))])
            .collect();
        control.value_set_write("roce_ports", &members).unwrap();
        for group in &plan.groups {
            let replicas: Vec<Replica> =
                group.ports.iter().map(|port| Replica { egress_port: *port, instance: 0 }).collect();
            control.multicast_insert(group.id, replicas).unwrap();
        }
        self.write(&plan.registers);
    }

    pub(crate) fn write(&mut self, writes: &[RegisterWrite]) {
        let layout = self.layout.clone();
        let mut control = self.switch.control();
        for write in writes {
            let width = layout.register(&write.register).expect("known").word.width();
            let value = Bits::from_be_bytes(width, &write.value);
            control.register_write(write.register.as_str(), write.index, &[value]).unwrap();
        }
    }

    /// Reads whole registers, without elements that are zero.
    pub(crate) fn read(&mut self, registers: &[String]) -> Vec<RegisterRows> {
        let control = self.switch.control();
        registers
            .iter()
            .map(|name| {
                let array = control.register(name.as_str()).unwrap();
                let rows = array
                    .limbs()
                    .chunks(array.stride())
                    .enumerate()
                    .filter(|(_, limbs)| limbs.iter().any(|l| *l != 0))
                    .map(|(index, limbs)| {
                        (index as u64, limbs.iter().rev().flat_map(|l| l.to_be_bytes()).collect())
                    })
                    .collect();
                RegisterRows { register: name.clone(), rows }
            })
            .collect()
    }

    /// Releases the frozen bank, as read or as not read.
    pub(crate) fn unlock(&mut self, collected: bool) {
        let locks: Vec<String> = self.layout.lock_registers().iter().map(|s| s.to_string()).collect();
        let read = self.read(&locks);
        let lock = self.layout.read_lock(&read).unwrap();
        let mut writes = self.layout.unlock(lock.generation, collected);
        writes.retain(|_| lock.is_locked());
        self.write(&writes);
    }

    fn take_digests(&mut self) {
        let program = self.switch.program().cloned().expect("loaded");
        for event in self.switch.take_events() {
            if let Event::Digest { digest, values, .. } = event {
                let name = program.digests[digest.index()].preamble.name.clone();
                self.digests.push((name, values.iter().map(Bits::to_be_bytes).collect()));
            }
        }
    }

    /// Returns the decoded digests since the last call.
    pub(crate) fn notices(&mut self) -> Vec<Digest> {
        self.take_digests();
        let layout = self.layout.clone();
        self.digests.drain(..).map(|(name, fields)| layout.decode_digest(&name, &fields).unwrap()).collect()
    }

    /// Returns the digests since the last call, in order.
    pub(crate) fn raw_digests(&mut self) -> Vec<(String, Vec<Vec<u8>>)> {
        self.take_digests();
        std::mem::take(&mut self.digests)
    }
}

/// A network without delays; hosts keep the frames that they receive.
pub(crate) struct Net {
    pub(crate) topology: Arc<Topology>,
    pub(crate) switches: BTreeMap<String, RealSwitch>,
    pub(crate) inboxes: BTreeMap<String, Vec<Frame>>,
    pub(crate) now: Time,
}

impl Net {
    pub(crate) fn new(program: &Arc<Program>, topology: Topology, settings: &PlanSettings) -> Net {
        let topology = Arc::new(topology);
        let names: Vec<String> =
            topology.nodes.iter().map(|n| n.name.clone()).filter(|n| !topology.is_host(n)).collect();
        let mut switches = BTreeMap::new();
        for name in names {
            let ports = topology.ports_of(&name).last().map_or(1, |(port, _)| *port);
            switches.insert(name, RealSwitch::new(program, ports));
        }
        let layout = switches.values().next().expect("a switch").layout.clone();
        for (name, plan) in plan(&topology, settings, &layout).unwrap() {
            switches.get_mut(&name).expect("planned").program(&plan);
        }
        Net { topology, switches, inboxes: BTreeMap::new(), now: Time::ZERO }
    }

    pub(crate) fn at(&mut self, name: &str) -> &mut RealSwitch {
        self.switches.get_mut(name).expect("a switch of the network")
    }

    /// Sends a frame from port `port` of `node`.
    pub(crate) fn send(&mut self, node: &str, port: u16, frame: Frame) {
        let peer = self.topology.peer(&PortRef::new(node, port)).expect("a link").clone();
        self.arrive(&peer, frame);
        self.settle();
    }

    fn arrive(&mut self, port: &PortRef, frame: Frame) {
        let now = self.now;
        match self.switches.get_mut(&port.switch) {
            Some(switch) => switch.switch.receive(now, port.port, frame),
            None => self.inboxes.entry(port.switch.clone()).or_default().push(frame),
        }
    }

    /// Forwards frames until none is left in a switch.
    pub(crate) fn settle(&mut self) {
        loop {
            let mut moving = Vec::new();
            let now = self.now;
            for (name, switch) in &mut self.switches {
                switch.switch.wake(now);
                for (port, peer) in self.topology.ports_of(name) {
                    while let Some(frame) = switch.switch.transmit(now, port) {
                        moving.push((peer.clone(), frame));
                    }
                }
            }
            if moving.is_empty() {
                return;
            }
            for (peer, frame) in moving {
                self.arrive(&peer, frame);
            }
        }
    }

    /// Sends `frame` from the source host of `flow`.
    pub(crate) fn host_sends(&mut self, flow: &FlowKey, frame: Frame) {
        let host = self.topology.host_of(flow.src).expect("a host").name.clone();
        self.send(&host, 1, frame);
    }

    /// Sends a pause (quanta above zero) or a resume of priority 3 from the neighbour at `port`.
    pub(crate) fn pause(&mut self, port: &str, quanta: u16) {
        let port: PortRef = port.parse().unwrap();
        self.arrive(&port, Pfc::single(3, quanta).to_frame([0; 6]));
        self.settle();
    }

    /// Returns the reports of polling packets since the last call: switch, report.
    pub(crate) fn reports(&mut self) -> Vec<(String, PollReport)> {
        let mut reports = Vec::new();
        for (name, switch) in &mut self.switches {
            for digest in switch.notices() {
                if let Digest::Poll(report) = digest {
                    reports.push((name.clone(), report));
                }
            }
        }
        reports
    }
}

/// A RoCEv2 data packet: DSCP 26, a write of `payload` zero bytes.
pub(crate) fn data(flow: &FlowKey, psn: u32, payload: u32) -> Frame {
    roce(flow, bth::RC_WRITE_MIDDLE, psn, payload)
}

/// A RoCEv2 packet of any operation.
pub(crate) fn roce(flow: &FlowKey, opcode: u8, psn: u32, payload: u32) -> Frame {
    let transport = bth::Bth { opcode, psn, ..bth::Bth::default() }.to_bytes();
    ip(flow, 26, &transport, payload)
}

/// A UDP datagram in IPv4: `head`, then `tail` zero bytes.
pub(crate) fn ip(flow: &FlowKey, dscp: u8, head: &[u8], tail: u32) -> Frame {
    let (std::net::IpAddr::V4(src), std::net::IpAddr::V4(dst)) = (flow.src, flow.dst) else {
        panic!("IPv4 only");
    };
    let udp_len = 8 + head.len() as u16 + tail as u16;
    let mut bytes = Vec::new();
    bytes.extend(Ethernet { dst: [2; 6], src: [4; 6], ethertype: ETHERTYPE_IPV4 }.to_bytes());
    let header = Ipv4 {
        dscp,
        ecn: 0,
        total_len: 20 + udp_len,
        id: 0,
        fragment: 0,
        ttl: 64,
        proto: flow.proto,
        src,
        dst,
    };
    bytes.extend(header.to_bytes());
    bytes.extend(Udp { sport: flow.sport, dport: flow.dport, len: udp_len, checksum: 0 }.to_bytes());
    bytes.extend(head);
    Frame::new(&bytes, tail)
}

/// A polling packet.
pub(crate) fn poll(polling: &Polling) -> Frame {
    let mut bytes = Vec::new();
    bytes.extend(Ethernet { dst: [2; 6], src: [4; 6], ethertype: ETHERTYPE_POLLING }.to_bytes());
    bytes.extend(polling.to_bytes());
    Frame::new(&bytes, 2)
}
