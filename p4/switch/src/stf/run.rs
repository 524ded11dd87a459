//! Executes the commands of a test on a switch.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

use model::wire::Frame;
use model::{Rate, Time};
use p4_lang::ir::{Bits, DigestId, Program};

use super::parse::{Command, Line};
use super::setup::Setup;
use super::{Failure, Observed, Report, Settings, entries};
use crate::config::SwitchConfig;
use crate::event::Event;
use crate::switch::Switch;
use crate::tm::TmConfig;

/// Packet memory, larger than any test needs.
const MEMORY_BYTES: u64 = 1 << 30;

/// An expected packet.
struct Expected {
    line: u32,
    data: Option<String>,
}

/// The state of a test run.
pub(super) struct Runner {
    program: Arc<Program>,
    switch: Switch,
    now: Time,
    setup: Setup,
    /// Digests that no command has checked yet.
    digests: VecDeque<(DigestId, Vec<Bits>)>,
    expected: BTreeMap<u16, Vec<Expected>>,
    sent: BTreeMap<u16, Vec<Vec<u8>>>,
    /// Ports that the test names.
    named: BTreeSet<u16>,
    /// Number of packets that left since the last `packet` command.
    last_sent: usize,
    report: Report,
    /// All transmitted packets, and all events.
    in_order: Vec<(u16, Vec<u8>)>,
    events: Vec<Event>,
}

impl Runner {
    pub(super) fn new(program: &Arc<Program>, settings: &Settings) -> Result<Runner, Vec<Failure>> {
        // All ports except the drop port, which is 511.
        let ports = (0..=510).map(|port| (port, Rate::from_gbps(100)));
        let config = SwitchConfig::new(TmConfig::lossy(ports, MEMORY_BYTES));
        let mut switch =
            Switch::new(SwitchConfig { engine: settings.engine, trace: settings.trace, ..config });
        let failure = |message: String| vec![Failure { line: 0, message, is_outcome: false }];
        switch.load(Arc::clone(program)).map_err(|e| failure(e.to_string()))?;
        Ok(Runner {
            program: Arc::clone(program),
            switch,
            now: Time::ZERO,
            setup: Setup::new(program),
            digests: VecDeque::new(),
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
                let is_outcome = line.command.is_about_packets();
                failures.push(Failure { line: line.number, message, is_outcome });
            }
        }
        failures.extend(self.compare());
        self.report.output = self.setup.output;
        let observed = Observed { switch: Some(self.switch), sent: self.in_order, events: self.events };
        (observed, if failures.is_empty() { Ok(self.report) } else { Err(failures) })
    }

    fn command(&mut self, line: u32, command: &Command) -> Result<(), String> {
        match command {
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
                Err(format!("packets left since the last `packet` command: {}", self.last_sent))
            }
            Command::NoPacket => Ok(()),
            Command::Wait { us } => {
                self.now += Time::from_us(*us);
                self.switch.wake(self.now);
                self.settle();
                Ok(())
            }
            Command::ExpectDigest { name, values } => self.expect_digest(name, values),
            other => self.setup.command(&mut self.switch, other),
        }
    }

    /// Checks name and values of the oldest unchecked digest.
    fn expect_digest(&mut self, name: &str, values: &[String]) -> Result<(), String> {
        let (digest, found) = self.digests.pop_front().ok_or("no further digest was sent")?;
        let program = Arc::clone(&self.program);
        let source = program.digests.get(digest.index()).ok_or("the digest has an unknown type")?;
        if !source.preamble.name.ends_with(name) {
            return Err(format!("the digest has type {}", source.preamble.name));
        }
        let shown: Vec<String> = found.iter().map(crate::trace::shown).collect();
        let wanted = values
            .iter()
            .zip(&found)
            .map(|(text, bits)| entries::number(text, bits.width()))
            .collect::<Result<Vec<_>, _>>()?;
        if wanted != found { Err(format!("the digest has the values {}", shown.join(" "))) } else { Ok(()) }
    }

    fn packet(&mut self, port: u16, data: &[u8]) {
        self.named.insert(port);
        self.report.packets += 1;
        self.now += Time::from_us(1);
        self.last_sent = 0;
        self.switch.receive(self.now, port, Frame::new(data, 0));
        self.settle();
    }

    /// Transmits all packets that can leave, and collects the events.
    fn settle(&mut self) {
        // Transmission may recirculate packets and thereby make more ports ready.
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
            Event::Log { text, .. } => self.setup.output.push(text),
            Event::AssertFailed { text, .. } => self.setup.output.push(format!("assertion failed: {text}")),
            Event::Digest { digest, values, .. } => self.digests.push_back((digest, values)),
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

    /// Compares transmitted with expected packets.
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
                failures.extend(message.map(|message| Failure {
                    line: wanted.line,
                    message,
                    is_outcome: true,
                }));
            }
            for packet in sent.iter().skip(expected.len()) {
                let message = format!("port {port}: unexpected packet {}", hex(packet));
                failures.push(Failure { line: 0, message, is_outcome: true });
            }
        }
        failures
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Describes how a packet differs from the expectation.
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
