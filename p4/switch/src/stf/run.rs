//! Executes the commands on a switch.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::Program;

use super::parse::{Call, Command, CounterIndex, Line};
use super::{Failure, Observed, Report, Settings, entries};
use crate::config::SwitchConfig;
use crate::control::{CloneSession, CounterValue, EntryKey, MeterConfig, Replica, TableEntry};
use crate::error::ControlError;
use crate::event::Event;
use crate::switch::Switch;
use crate::tm::TmConfig;

/// Packet memory: more than any test fills.
const MEMORY_BYTES: u64 = 1 << 30;

/// An `expect`.
struct Expected {
    line: u32,
    data: Option<String>,
}

/// A test in progress.
pub(super) struct Runner {
    program: Arc<Program>,
    switch: Switch,
    now: Time,
    nodes: Vec<Vec<Replica>>,
    /// Entries that `add` gave an identifier: table and key.
    entries: BTreeMap<String, (String, EntryKey)>,
    expected: BTreeMap<u16, Vec<Expected>>,
    sent: BTreeMap<u16, Vec<Vec<u8>>>,
    /// Ports that the test names.
    named: BTreeSet<u16>,
    /// Packets that the last `packet` made leave.
    last_sent: usize,
    report: Report,
    /// Everything that left, and everything that happened.
    in_order: Vec<(u16, Vec<u8>)>,
    events: Vec<Event>,
}

impl Runner {
    pub(super) fn new(program: &Arc<Program>, settings: &Settings) -> Result<Runner, Vec<Failure>> {
        // The drop port is no port; 511 of nine bits.
        let ports = (0..=510).map(|port| (port, Rate::from_gbps(100)));
        let config = SwitchConfig::new(TmConfig::lossy(ports, MEMORY_BYTES));
        let mut switch =
            Switch::new(SwitchConfig { engine: settings.engine, trace: settings.trace, ..config });
        let failure = |message: String| vec![Failure { line: 0, message }];
        switch.load(Arc::clone(program)).map_err(|e| failure(e.to_string()))?;
        Ok(Runner {
            program: Arc::clone(program),
            switch,
            now: Time::ZERO,
            nodes: Vec::new(),
            entries: BTreeMap::new(),
            expected: BTreeMap::new(),
            sent: BTreeMap::new(),
            named: BTreeSet::new(),
            last_sent: 0,
            report: Report::default(),
            in_order: Vec::new(),
            events: Vec::new(),
        })
    }

    pub(super) fn run(mut self, lines: &[Line]) -> (Observed, Result<Report, Vec<Failure>>) {
        let mut failures = Vec::new();
        for line in lines {
            if let Err(message) = self.command(line.number, &line.command) {
                failures.push(Failure { line: line.number, message });
            }
        }
        failures.extend(self.compare());
        let observed = Observed { switch: Some(self.switch), sent: self.in_order, events: self.events };
        (observed, if failures.is_empty() { Ok(self.report) } else { Err(failures) })
    }

    fn command(&mut self, line: u32, command: &Command) -> Result<(), String> {
        match command {
            Command::Add { table, priority, matches, call, id } => {
                let program = Arc::clone(&self.program);
                let table = entries::table(&program, table)?;
                let key = entries::key(table, *priority, matches)?;
                let call = entries::action(&program, table, call)?;
                if let Some(id) = id {
                    self.entries.insert(id.clone(), (table.preamble.name.clone(), key.clone()));
                }
                let entry = TableEntry::new(key.matches, key.priority, call);
                self.switch.control().table_insert(&table.preamble.name, entry).map_err(text)
            }
            Command::SetDefault { table, call } => self.set_default(table, call),
            Command::RemoveAll => {
                let program = Arc::clone(&self.program);
                let open = program.tables.iter().filter(|t| !t.const_entries);
                open.into_iter()
                    .try_for_each(|t| self.switch.control().table_clear(&t.preamble.name).map_err(text))
            }
            Command::Remove { table, priority, matches } => {
                let program = Arc::clone(&self.program);
                let table = entries::table(&program, table)?;
                let key = entries::key(table, *priority, matches)?;
                self.switch.control().table_delete(&table.preamble.name, &key).map_err(text)
            }
            Command::Packet { port, data } => {
                self.packet(*port, data);
                Ok(())
            }
            Command::Expect { port, data } => {
                self.named.insert(*port);
                self.expected.entry(*port).or_default().push(Expected { line, data: data.clone() });
                Ok(())
            }
            Command::NoPacket if self.last_sent > 0 => {
                Err(format!("{} packets have left since the last `packet`", self.last_sent))
            }
            Command::NoPacket | Command::Wait => Ok(()),
            other => self.state_command(other),
        }
    }

    fn set_default(&mut self, table: &str, call: &Call) -> Result<(), String> {
        let program = Arc::clone(&self.program);
        let table = entries::table(&program, table)?;
        let call = entries::action(&program, table, call)?;
        self.switch.control().set_default_action(&table.preamble.name, Some(&call)).map_err(text)
    }

    fn packet(&mut self, port: u16, data: &[u8]) {
        self.named.insert(port);
        self.report.packets += 1;
        self.now += Time::from_us(1);
        self.last_sent = 0;
        self.switch.receive(self.now, port, Frame::new(data, 0));
        // Sending may recirculate and so make further ports ready.
        loop {
            let events = self.switch.take_events();
            if events.is_empty() {
                return;
            }
            for event in events {
                self.events.push(event.clone());
                self.event(event);
            }
        }
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::PortReady(port) => {
                while let Some(frame) = self.switch.transmit(self.now, port) {
                    self.leaves(port, &frame);
                }
            }
            Event::PacketIn { frame, .. } => self.leaves(self.switch.config().cpu_port, &frame),
            Event::Log { text, .. } => self.report.output.push(text),
            Event::AssertFailed { text, .. } => self.report.output.push(format!("assertion failed: {text}")),
            _ => {}
        }
    }

    fn leaves(&mut self, port: u16, frame: &Frame) {
        let mut bytes = frame.head.to_vec();
        bytes.resize(frame.len() as usize, 0);
        self.last_sent += 1;
        self.in_order.push((port, bytes.clone()));
        self.sent.entry(port).or_default().push(bytes);
    }

    fn state_command(&mut self, command: &Command) -> Result<(), String> {
        match command {
            Command::MirroringAdd { session, port } => {
                let replicas = vec![Replica { egress_port: *port, instance: 0 }];
                self.session(*session, CloneSession { replicas, ..CloneSession::default() })
            }
            Command::MirroringAddGroup { session, group } => self
                .session(*session, CloneSession { multicast_group: Some(*group), ..CloneSession::default() }),
            Command::MirroringDelete { session } => {
                self.switch.control().clone_session_delete(*session).map_err(text)
            }
            Command::MirroringGet { session } => {
                let control = self.switch.control();
                let mut sessions = control.clone_sessions().map_err(text)?;
                let found = sessions.find(|(id, _)| id == session).map(|(_, s)| s.clone());
                drop(sessions);
                self.report.output.push(format!("clone session {session}: {found:?}"));
                Ok(())
            }
            Command::GroupCreate { group } => {
                self.switch.control().multicast_insert(*group, Vec::new()).map_err(text)
            }
            Command::NodeCreate { instance, ports } => {
                let replica = |port: &u16| Replica { egress_port: *port, instance: *instance };
                self.nodes.push(ports.iter().map(replica).collect());
                Ok(())
            }
            Command::NodeAssociate { group, node } => self.associate(*group, *node),
            other => self.array_command(other),
        }
    }

    fn session(&mut self, id: u32, session: CloneSession) -> Result<(), String> {
        let mut control = self.switch.control();
        match control.clone_session_insert(id, session.clone()) {
            Err(ControlError::AlreadyExists { .. }) => {
                control.clone_session_modify(id, session).map_err(text)
            }
            other => other.map_err(text),
        }
    }

    fn associate(&mut self, group: u32, node: usize) -> Result<(), String> {
        let node = self.nodes.get(node).ok_or_else(|| format!("there is no node {node}"))?;
        let mut control = self.switch.control();
        let members =
            control.multicast_groups().map_err(text)?.find(|(id, _)| *id == group).map(|(_, m)| m.to_vec());
        let mut members = members.ok_or_else(|| format!("there is no multicast group {group}"))?;
        members.extend(node);
        control.multicast_modify(group, members).map_err(text)
    }

    fn array_command(&mut self, command: &Command) -> Result<(), String> {
        let mut control = self.switch.control();
        let output = match command {
            Command::CheckCounter { name, index, check } => {
                let value = match index {
                    CounterIndex::Number(number) => control.counter_read(name, *number),
                    CounterIndex::Entry(id) => match self.entries.get(id) {
                        Some((table, key)) => control.direct_counter(table, Some(key)),
                        None => return Err(format!("no entry has been added as {id}")),
                    },
                };
                let value = value.map_err(text)?;
                let number = |bytes: bool| if bytes { value.bytes } else { value.packets };
                return match check {
                    Some(check) if !check.holds(number(check.bytes)) => {
                        let (number, operator) = (number(check.bytes), &check.operator);
                        Err(format!("{name}({index}) is {number}, not {operator} {}", check.number))
                    }
                    _ => Ok(()),
                };
            }
            Command::CounterRead { name, index } => {
                format!("{name}[{index}] = {:?}", control.counter_read(name, *index).map_err(text)?)
            }
            Command::CounterWrite { name, index, packets, bytes } => {
                let value = CounterValue { packets: *packets, bytes: *bytes };
                return control.counter_write(name, *index, value).map_err(text);
            }
            Command::RegisterRead { name, index } => {
                let values = control.register_read(name, *index).map_err(text)?;
                let shown: Vec<String> =
                    values.iter().map(|v| crate::table::entries::Hex(v).to_string()).collect();
                format!("{name}[{index}] = {}", shown.join(", "))
            }
            Command::RegisterWrite { name, index, value } => {
                let components = register_components(&control, name)?;
                let values = entries::register_value(&components, *value);
                return control.register_write(name, *index, &values).map_err(text);
            }
            Command::RegisterReset { name } => {
                let components = register_components(&control, name)?;
                return control.register_fill(name, &entries::register_value(&components, 0)).map_err(text);
            }
            Command::MeterGetRates { name, index } => {
                format!("{name}[{index}] = {:?}", control.meter_read(name, *index).map_err(text)?)
            }
            Command::MeterSetRates { name, index, rates } => {
                let config = meter_config(rates);
                let all = 0..control.meter_len(name).map_err(text)?;
                let range = index.map_or(all, |i| i..i + 1);
                return range
                    .into_iter()
                    .try_for_each(|i| control.meter_write(name, i, config).map_err(text));
            }
            _ => return Ok(()),
        };
        self.report.output.push(output);
        Ok(())
    }

    /// Compares what has left with what was expected.
    fn compare(&mut self) -> Vec<Failure> {
        let mut failures = Vec::new();
        let ports: BTreeSet<u16> = self.named.union(&self.sent.keys().copied().collect()).copied().collect();
        for port in ports {
            let sent = self.sent.get(&port).map_or(&[][..], Vec::as_slice);
            let expected = self.expected.get(&port).map_or(&[][..], Vec::as_slice);
            self.report.expected += expected.len();
            if expected.is_empty() && !self.named.contains(&port) {
                continue;
            }
            for (index, wanted) in expected.iter().enumerate() {
                let message = match (sent.get(index), &wanted.data) {
                    (None, _) => Some(format!("port {port}: expected packet {} did not leave", index + 1)),
                    (Some(packet), Some(data)) => {
                        difference(data, packet).map(|d| format!("port {port}: {d}"))
                    }
                    (Some(_), None) => None,
                };
                failures.extend(message.map(|message| Failure { line: wanted.line, message }));
            }
            for packet in sent.iter().skip(expected.len()) {
                let message = format!("port {port}: unexpected packet {}", hex(packet));
                failures.push(Failure { line: 0, message });
            }
        }
        failures
    }
}

fn text(error: ControlError) -> String {
    error.to_string()
}

fn register_components(
    control: &crate::control::ControlPlane<'_>,
    name: &str,
) -> Result<Vec<(String, p4_lang::ir::ScalarKind)>, String> {
    let array = control.register(name).map_err(text)?;
    Ok(array.components().iter().map(|c| (c.name.clone(), c.kind)).collect())
}

/// Rates a microsecond to rates a second.
fn meter_config(rates: &[(f64, u64)]) -> Option<MeterConfig> {
    let per_second = |rate: f64| (rate * 1e6).round() as u64;
    match rates {
        [(committed, committed_burst), (peak, peak_burst)] => Some(MeterConfig {
            committed_rate: per_second(*committed),
            committed_burst: *committed_burst,
            peak_rate: per_second(*peak),
            peak_burst: *peak_burst,
        }),
        _ => None,
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// How a packet differs from what was expected.
fn difference(expected: &str, packet: &[u8]) -> Option<String> {
    let found = hex(packet);
    let (wanted, exact) = match expected.strip_suffix('$') {
        Some(wanted) => (wanted, true),
        None => (expected, false),
    };
    let same = found.len() >= wanted.len()
        && (!exact || found.len() == wanted.len())
        && wanted.chars().zip(found.chars()).all(|(w, f)| w == '*' || w == f);
    (!same).then(|| format!("expected {expected}\n  found {found}"))
}
