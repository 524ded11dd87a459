//! Output files in the formats of the ns-3 simulators, for scripts that read them.
//!
//! The formats are those of the public HPCC simulator (`simulation/scratch/third.cc`: `qp_finish`, `get_pfc`,
//! `monitor_buffer`). Numbers are decimal and times are whole nanoseconds unless a column says otherwise.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::net::IpAddr;

use model::{Time, Topology};
use p4_switch::Switch;
use p4_switch::tm::CLASSES;
use scenario::ns3::{Outputs, round_trip_ns};
use scenario::{Paths, Scenario};

use crate::fabric::Fabric;
use crate::record::{FlowRecord, PauseRecord};

/// Header bytes that the simulators count in the completion time of an unloaded network: Ethernet 14, IPv4 20, UDP 8,
/// sequence and priority 6, regardless of a packet's actual headers.
const COUNTED_HEADER_BYTES: u64 = 48;

/// `FCT_OUTPUT_FILE`: a line for every complete flow, in the order of completion:
/// `sip dip sport dport size start fct standalone_fct`, addresses as eight hexadecimal digits. The last is the completion
/// time without other traffic: the path's RTT and the serialisation of all packets on its slowest link.
pub fn completions(scenario: &Scenario, flows: &[FlowRecord]) -> String {
    let mut paths = Paths::new(&scenario.topology);
    let payload_bytes = u64::from(scenario.host.payload_bytes.max(1));
    let mut finished: Vec<(Time, usize)> = Vec::new();
    for (index, flow) in flows.iter().enumerate() {
        finished.extend(flow.finish.map(|finish| (finish, index)));
    }
    finished.sort_unstable();
    let mut text = String::new();
    for (finish, index) in finished {
        let (flow, spec) = (&flows[index], &scenario.flows[index]);
        let links = paths.links(&spec.src, &spec.dst).unwrap_or_default();
        let slowest = links.iter().map(|link| link.rate.0).min().unwrap_or(u64::MAX);
        let bytes = flow.bytes + flow.bytes.div_ceil(payload_bytes) * COUNTED_HEADER_BYTES;
        let serialised_ns = u128::from(bytes) * 8_000_000_000 / u128::from(slowest);
        let alone_ns = u128::from(round_trip_ns(&links, scenario.host.payload_bytes)) + serialised_ns;
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{:08x} {:08x} {} {} {} {} {} {alone_ns}",
            bits(flow.flow.src),
            bits(flow.flow.dst),
            flow.flow.sport,
            flow.flow.dport,
            flow.bytes,
            flow.start.as_ns(),
            finish.saturating_sub(flow.start).as_ns(),
        );
    }
    text
}

/// An IPv4 address as a number; these files have no others.
fn bits(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(address) => address.to_bits(),
        IpAddr::V6(_) => 0,
    }
}

/// `PFC_OUTPUT_FILE`: a line for every pause and resume when it takes effect at a port:
/// `time node node_type port type`, where type 1 of a node is a switch and 0 a host, and the last is 1 for a pause and 0 for a
/// resume.
pub fn pauses(topology: &Topology, pauses: &[PauseRecord]) -> String {
    let mut text = String::new();
    for pause in pauses {
        let is_switch = u8::from(!topology.is_host(&pause.port.switch));
        let (time, port) = (pause.at.as_ns(), &pause.port);
        let _ = writeln!(text, "{time} {} {is_switch} {} {}", port.switch, port.port, u8::from(pause.on));
    }
    text
}

/// Sampling interval of the queues.
const INTERVAL: Time = Time::from_ns(100);
/// Time between two blocks of the file.
const BLOCK_NS: u64 = 100_000_000;

/// `QLEN_MON_FILE`: a histogram of the queue length of each switch port. A block begins with `time: T`; a line of it is
/// `switch port n0 n1 n2 ...`, where n_i is the number of samples so far with a queue of i to i + 1 kilobytes (of 1000
/// bytes). A block is written whenever the time is a multiple of 100 ms, and one more after the last sample: the
/// simulator's files lack the samples after the last such multiple.
#[derive(Clone, Debug)]
pub struct QueueMonitor {
    next: Option<Time>,
    to: Time,
    looks: u64,
    /// Number of samples of each port with a queue, by kilobytes.
    ports: BTreeMap<(u32, u16), BTreeMap<u64, u64>>,
    text: String,
    last_block: Option<Time>,
    last_look: Time,
}

impl QueueMonitor {
    /// A monitor of all switches of the scenario, for the time in the settings.
    pub fn new(outputs: &Outputs, scenario: &Scenario) -> QueueMonitor {
        let mut ports = BTreeMap::new();
        for link in &scenario.topology.links {
            for end in [&link.a, &link.b] {
                if let Some(node) =
                    end.switch.parse().ok().filter(|_| !scenario.topology.is_host(&end.switch))
                {
                    ports.insert((node, end.port), BTreeMap::new());
                }
            }
        }
        QueueMonitor {
            next: (outputs.queues_from < scenario.stop).then_some(outputs.queues_from),
            to: outputs.queues_to.min(scenario.stop),
            looks: 0,
            ports,
            text: String::new(),
            last_block: None,
            last_look: outputs.queues_from,
        }
    }

    /// When the next sample is due; absent: never.
    pub fn next_time(&self) -> Option<Time> {
        self.next
    }

    /// Samples every switch port with a queue.
    pub fn look(&mut self, fabric: &Fabric<Switch>) {
        let Some(now) = self.next else { return };
        for (name, switch) in fabric.switches() {
            let tm = switch.traffic_manager();
            let Some(node) = name.parse::<u32>().ok().filter(|_| tm.memory().0 > 0) else { continue };
            for (&(_, port), counts) in self.ports.range_mut((node, 0)..=(node, u16::MAX)) {
                let classes = 0..CLASSES as u8;
                let bytes: u64 = classes.filter_map(|class| Some(tm.queue(port, class)?.bytes)).sum();
                if bytes >= 1_000 {
                    *counts.entry(bytes / 1_000).or_default() += 1;
                }
            }
        }
        self.pass(now);
    }

    /// Completes a sample.
    fn pass(&mut self, now: Time) {
        self.looks += 1;
        self.last_look = now;
        if now.as_ns().is_multiple_of(BLOCK_NS) {
            self.write_block(now);
        }
        self.next = (now < self.to).then(|| now + INTERVAL);
    }

    fn write_block(&mut self, now: Time) {
        let _ = writeln!(self.text, "time: {}", now.as_ns());
        for ((node, port), counts) in &self.ports {
            let _ = write!(self.text, "{node} {port}");
            let most = counts.last_key_value().map_or(0, |(kilobytes, _)| *kilobytes);
            let waiting: u64 = counts.values().sum();
            for kilobytes in 0..=most {
                let count = match kilobytes {
                    0 => self.looks - waiting,
                    _ => counts.get(&kilobytes).copied().unwrap_or(0),
                };
                let _ = write!(self.text, " {count}");
            }
            self.text.push('\n');
        }
        self.last_block = Some(now);
    }

    /// The whole file. The run ends when no event is left, so that all remaining samples are empty.
    pub fn finish(mut self) -> String {
        while let Some(now) = self.next {
            self.pass(now);
        }
        if self.looks > 0 && self.last_block != Some(self.last_look) {
            self.write_block(self.last_look);
        }
        self.text
    }
}
