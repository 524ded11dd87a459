//! Receives sFlow version 5, IPFIX and NetFlow version 9: datagrams become [`FlowSample`]s. Pure: datagrams and times are
//! arguments.
//!
//! Datagrams are not authenticated. Only those of known switches are read, so that a sender cannot make the collector keep
//! anything for addresses that it makes up; everything that is kept for a switch has a limit, and what is beyond the limits
//! is counted and reported ([`Collector::news`]).

mod cursor;
mod flow_export;
mod flow_record;
mod ipfix;
mod netflow9;
mod packet;
mod sequence;
mod sflow;

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::IpAddr;

use model::topology::NodeKind;
use model::{FlowKey, Topology};

use crate::flow_sample::FlowSample;
use crate::reading::Reading;

pub use packet::udp_datagram;

/// The maximum number of samples that are kept, of all switches: about 100 bytes each.
pub const MAX_SAMPLES: usize = 200_000;
/// The maximum number of unknown agents whose addresses are reported.
const MAX_UNKNOWN: usize = 32;
/// The maximum number of names of interfaces of an exporter; the largest chassis have some hundred ports.
const MAX_PORT_NAMES: usize = 4_096;
/// The maximum number of sources of samples of a switch whose sequence numbers are followed: sub-agents, or interfaces.
const MAX_SOURCES: usize = 8_192;
/// How far behind the last sequence number that of a reordered datagram may be; one that is further behind is a restart.
const MAX_REORDERED: u32 = 64;

/// A datagram whose header cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the datagram is none of sFlow version 5, IPFIX and NetFlow version 9, or it is cut")]
struct Malformed;

/// A sample with the interfaces by their numbers.
#[derive(Clone, Debug, PartialEq, Eq)]
struct RawSample {
    flow: FlowKey,
    dscp: Option<u8>,
    input: Option<u32>,
    output: Option<u32>,
    /// What it stands for on the wire.
    bytes: u64,
    packets: u64,
    sampling_rate: u32,
    /// Time between the last packet that it stands for and the moment at which it was sent.
    age_ns: u64,
    duration_ns: u64,
}

/// A sample that is kept: its switch, its time, and what it says.
#[derive(Clone, Debug)]
struct Kept {
    switch: usize,
    time_ns: u64,
    raw: RawSample,
}

/// What an exporter has sent.
#[derive(Clone, Debug, Default)]
struct Exporter {
    /// What it announced by IPFIX and NetFlow.
    flows: flow_export::Exporter,
    /// Interfaces by their numbers, as the exporter names them.
    names: BTreeMap<u32, String>,
    /// The last sequence number of each sub-agent, and of each of its sources.
    sequences: BTreeMap<(u32, Option<(u32, u32)>), u32>,
    /// The last count of dropped samples of each source.
    drops: BTreeMap<(u32, (u32, u32)), u32>,
    problems: BTreeMap<ExportProblem, Tally>,
}

/// A count of problems of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Tally {
    count: u64,
    /// The count that was reported last; 0 if none was.
    reported: u64,
}

impl Tally {
    /// Returns the count if it is to be reported: when the first problem appears, and again at ten times the number.
    fn news(&mut self) -> Option<u64> {
        let is_new = self.count > 0 && (self.reported == 0 || self.count >= self.reported * REPORT_FACTOR);
        is_new.then(|| {
            self.reported = self.count;
            self.count
        })
    }
}

/// A problem with the datagrams of a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum ExportProblem {
    Malformed,
    LostDatagrams,
    LostSamples,
    LostRecords,
    DroppedByAgent,
    WithoutTemplate,
    OverLimit,
    UnknownInterface,
}

impl ExportProblem {
    /// Its name for programs.
    fn name(self) -> &'static str {
        match self {
            ExportProblem::Malformed => "malformed",
            ExportProblem::LostDatagrams => "lost_datagrams",
            ExportProblem::LostSamples => "lost_samples",
            ExportProblem::LostRecords => "lost_records",
            ExportProblem::DroppedByAgent => "dropped_by_agent",
            ExportProblem::WithoutTemplate => "without_template",
            ExportProblem::OverLimit => "over_limit",
            ExportProblem::UnknownInterface => "unknown_interface",
        }
    }

    fn describe(self, count: u64) -> String {
        match self {
            ExportProblem::Malformed => {
                format!("{count} malformed datagrams; what precedes the damage is used")
            }
            ExportProblem::LostDatagrams => {
                format!("{count} datagrams of sFlow or NetFlow were lost in transit")
            }
            ExportProblem::LostSamples => {
                format!("{count} flow samples were lost; shares are those of the rest")
            }
            ExportProblem::LostRecords => {
                format!("{count} records of IPFIX or NetFlow were lost; shares are those of the rest")
            }
            ExportProblem::DroppedByAgent => {
                format!(
                    "the sFlow agent dropped {count} samples itself: it samples more packets than it can send; sample fewer of them"
                )
            }
            ExportProblem::WithoutTemplate => {
                format!("data sets of IPFIX or NetFlow without a template are left out: {count}")
            }
            ExportProblem::OverLimit => format!(
                "{count} templates, domains, samplers, sources or interface names are beyond the limits and are left out"
            ),
            ExportProblem::UnknownInterface => format!(
                "{count} samples are of interfaces whose names the exporter has not announced (port_name of sFlow, \
                 interfaceName of IPFIX and NetFlow); the port by which they left is unknown"
            ),
        }
    }
}

/// How often something was wrong with what was received, for programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleProblem {
    /// The switch; absent if the problem is about no known switch.
    pub switch: Option<String>,
    /// What was wrong: `malformed`, `lost_datagrams`, `lost_samples`, `lost_records`, `dropped_by_agent`, `without_template`,
    /// `over_limit`, `unknown_interface` of a switch; `displaced` (samples that made room for newer ones), `foreign` (datagrams
    /// that are none of sFlow version 5, IPFIX and NetFlow version 9) and `unknown_exporter` (datagrams of other addresses) of none.
    pub problem: &'static str,
    /// Since the start.
    pub count: u64,
}

/// The switches by their addresses: those of the topology and of the configurations that readings have, then `given` ones,
/// which win. An address that several switches have (a gateway) stands for none.
pub fn agents<'r>(
    topology: &Topology,
    readings: impl IntoIterator<Item = &'r Reading>,
    given: &[(IpAddr, String)],
) -> BTreeMap<IpAddr, String> {
    let planned = topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
    let planned = planned.flat_map(|node| node.addresses.iter().map(|address| (*address, &node.name)));
    let configured = readings
        .into_iter()
        .flat_map(|reading| reading.addresses.iter().map(|address| (*address, &reading.switch)));
    let mut found: BTreeMap<IpAddr, BTreeSet<&String>> = BTreeMap::new();
    for (address, switch) in planned.chain(configured) {
        found.entry(address.to_canonical()).or_default().insert(switch);
    }
    let single = found.into_iter().filter(|(_, switches)| switches.len() == 1);
    let single = single.filter_map(|(address, switches)| Some((address, switches.first()?.to_string())));
    single.chain(given.iter().map(|(address, switch)| (address.to_canonical(), switch.clone()))).collect()
}

/// Reports that count again what was reported before: at ten times the number.
const REPORT_FACTOR: u64 = 10;

/// Collects the samples that switches export.
#[derive(Clone, Debug, Default)]
pub struct Collector {
    /// The switches by the addresses of their agents.
    switches: BTreeMap<IpAddr, String>,
    /// Names of switches; samples refer to them by number.
    names: Vec<String>,
    exporters: BTreeMap<IpAddr, Exporter>,
    kept: VecDeque<Kept>,
    unknown: BTreeSet<IpAddr>,
    unknown_reported: usize,
    /// Datagrams of exporters that are no known switch.
    of_unknown: u64,
    /// Samples that had to make room for newer ones.
    displaced: Tally,
    /// Datagrams that are none of sFlow version 5, IPFIX and NetFlow version 9.
    foreign: Tally,
    taken: u64,
}

impl Collector {
    /// Sets the switches whose datagrams are read, by the addresses of their agents and exporters. What was kept for other
    /// addresses is forgotten.
    pub fn set_switches(&mut self, switches: BTreeMap<IpAddr, String>) {
        if self.switches == switches {
            return;
        }
        self.exporters.retain(|address, _| switches.contains_key(address));
        self.unknown.retain(|address| !switches.contains_key(address));
        self.unknown_reported = self.unknown_reported.min(self.unknown.len());
        self.switches = switches;
    }

    /// The number of samples that were taken so far.
    pub fn taken(&self) -> u64 {
        self.taken
    }

    /// Takes a datagram that arrived from `source` at `time_ns`, in nanoseconds since 1970. The switch is that of the
    /// agent's address in the datagram (sFlow), else that of the source.
    pub fn take(&mut self, source: IpAddr, datagram: &[u8], time_ns: u64) {
        let source = source.to_canonical();
        if sflow::is_sflow(datagram) {
            match sflow::parse(datagram) {
                Ok(read) => self.take_sflow(source, read, time_ns),
                Err(Malformed) => self.count(source, ExportProblem::Malformed, 1),
            }
        } else if flow_export::Protocol::of(datagram).is_some() {
            self.take_flows(source, datagram, time_ns);
        } else {
            self.foreign.count += 1;
        }
    }

    fn take_sflow(&mut self, source: IpAddr, read: sflow::Datagram, time_ns: u64) {
        // The datagrams of an agent that no switch has may come through one: only an agent without an address of its own is
        // known by the source.
        let has_address = |agent: &IpAddr| {
            self.switches.contains_key(agent) || !agent.is_unspecified() && !agent.is_loopback()
        };
        let agent = read.agent.filter(has_address).unwrap_or(source);
        let Some(switch) = self.switch(agent, read.agent) else { return };
        let exporter = self.exporters.entry(agent).or_default();
        if read.is_cut {
            exporter.count(ExportProblem::Malformed, 1);
        }
        let lost = exporter.gap((read.sub_agent, None), read.sequence);
        exporter.count(ExportProblem::LostDatagrams, lost);
        for (index, name) in read.names {
            exporter.name(index, name);
        }
        let mut found = Vec::new();
        for sample in read.samples {
            let lost = exporter.gap((read.sub_agent, Some(sample.source)), sample.sequence);
            exporter.count(ExportProblem::LostSamples, lost);
            exporter.dropped((read.sub_agent, sample.source), sample.drops);
            found.extend(sample.packet);
        }
        self.keep(switch, found, time_ns);
    }

    fn take_flows(&mut self, source: IpAddr, datagram: &[u8], time_ns: u64) {
        let Some(switch) = self.switch(source, None) else { return };
        let exporter = self.exporters.entry(source).or_default();
        let Ok(message) = exporter.flows.read(datagram) else {
            exporter.count(ExportProblem::Malformed, 1);
            return;
        };
        exporter.count(ExportProblem::Malformed, u64::from(message.is_cut));
        exporter.count(ExportProblem::LostRecords, message.lost.records);
        exporter.count(ExportProblem::LostDatagrams, message.lost.datagrams);
        exporter.count(ExportProblem::WithoutTemplate, message.without_template);
        exporter.count(ExportProblem::OverLimit, message.over_limit);
        self.keep(switch, message.flows, time_ns);
    }

    /// The number of the switch at an address. An unknown address is noted, as the agent states it.
    fn switch(&mut self, address: IpAddr, stated: Option<IpAddr>) -> Option<usize> {
        let Some(name) = self.switches.get(&address) else {
            self.of_unknown += 1;
            if self.unknown.len() < MAX_UNKNOWN {
                self.unknown.insert(stated.unwrap_or(address));
            }
            return None;
        };
        let known = self.names.iter().position(|known| known == name);
        Some(known.unwrap_or_else(|| {
            self.names.push(name.clone());
            self.names.len() - 1
        }))
    }

    fn count(&mut self, source: IpAddr, problem: ExportProblem, count: u64) {
        if self.switch(source, None).is_some() {
            self.exporters.entry(source).or_default().count(problem, count);
        }
    }

    fn keep(&mut self, switch: usize, samples: Vec<RawSample>, time_ns: u64) {
        for raw in samples {
            if self.kept.len() >= MAX_SAMPLES {
                self.kept.pop_front();
                self.displaced.count += 1;
            }
            self.taken += 1;
            let time_ns = time_ns.saturating_sub(raw.age_ns);
            self.kept.push_back(Kept { switch, time_ns, raw });
        }
    }

    /// Forgets the samples whose packets were all sent before this time.
    pub fn forget_before(&mut self, time_ns: u64) {
        self.kept.retain(|kept| kept.time_ns >= time_ns);
    }

    /// The samples that are kept, with the names of ports. Readings know the aliases of ports, which some agents announce.
    pub fn samples<'r>(&mut self, readings: impl IntoIterator<Item = &'r Reading>) -> Vec<FlowSample> {
        let mut aliases: BTreeMap<(&str, &str), &str> = BTreeMap::new();
        for reading in readings {
            if !self.names.contains(&reading.switch) {
                continue;
            }
            for (name, port) in &reading.ports {
                aliases.insert((&reading.switch, name), name);
                aliases.extend(
                    port.alias.as_deref().map(|alias| ((reading.switch.as_str(), alias), name.as_str())),
                );
            }
        }
        let mut indexes: BTreeMap<(&str, u32), &str> = BTreeMap::new();
        for (address, exporter) in &self.exporters {
            let Some(switch) = self.switches.get(address) else { continue };
            for (index, name) in exporter.names.iter().chain(&exporter.flows.names) {
                let name = aliases.get(&(switch.as_str(), name.as_str())).copied().unwrap_or(name);
                indexes.insert((switch, *index), name);
            }
        }
        let mut unknown: BTreeMap<usize, u64> = BTreeMap::new();
        let mut samples = Vec::with_capacity(self.kept.len());
        for Kept { switch, time_ns, raw } in &self.kept {
            let Some(name) = self.names.get(*switch) else { continue };
            let port = |index: Option<u32>| {
                index.and_then(|index| indexes.get(&(name.as_str(), index))).map(|port| (*port).to_string())
            };
            let (ingress, egress) = (port(raw.input), port(raw.output));
            if raw.output.is_some() && egress.is_none() {
                *unknown.entry(*switch).or_default() += 1;
            }
            samples.push(FlowSample {
                switch: name.clone(),
                time_ns: *time_ns,
                duration_ns: raw.duration_ns,
                flow: raw.flow,
                ingress,
                egress,
                dscp: raw.dscp,
                bytes: raw.bytes,
                packets: raw.packets,
                sampling_rate: raw.sampling_rate,
            });
        }
        for (switch, count) in unknown {
            let of_switch = self.names.get(switch);
            let exporters = self.exporters.iter_mut();
            let own = exporters.filter(|(address, _)| self.switches.get(address) == of_switch);
            for (_, exporter) in own.take(1) {
                let known = exporter.problems.entry(ExportProblem::UnknownInterface).or_default();
                known.count = count.max(known.count);
            }
        }
        samples
    }

    /// The problems so far, those of no switch first.
    pub fn problems(&self) -> Vec<SampleProblem> {
        let of_none = [
            ("displaced", self.displaced.count),
            ("foreign", self.foreign.count),
            ("unknown_exporter", self.of_unknown),
        ];
        let of_none = of_none.map(|(problem, count)| SampleProblem { switch: None, problem, count });
        // A switch may export by several addresses.
        let mut by_switch: BTreeMap<(&str, &'static str), u64> = BTreeMap::new();
        for (address, exporter) in &self.exporters {
            let Some(switch) = self.switches.get(address) else { continue };
            for (problem, tally) in &exporter.problems {
                *by_switch.entry((switch, problem.name())).or_default() += tally.count;
            }
        }
        let of_switches = by_switch.into_iter().map(|((switch, problem), count)| SampleProblem {
            switch: Some(switch.to_string()),
            problem,
            count,
        });
        of_none.into_iter().chain(of_switches).collect()
    }

    /// What is new about the datagrams, for people: a problem is reported when it appears, and again when it has become ten
    /// times as frequent.
    pub fn news(&mut self) -> Vec<String> {
        let mut lines = Vec::new();
        if self.unknown.len() > self.unknown_reported {
            self.unknown_reported = self.unknown.len();
            let listed: Vec<String> = self.unknown.iter().map(ToString::to_string).collect();
            let more = if self.unknown.len() == MAX_UNKNOWN { " and perhaps more" } else { "" };
            lines.push(format!(
                "datagrams of unknown exporters are left out: {}{more}; name their switches with --exporter \
                 SWITCH=ADDRESS",
                listed.join(", ")
            ));
        }
        if let Some(count) = self.foreign.news() {
            lines.push(format!("{count} datagrams are none of sFlow version 5, IPFIX and NetFlow version 9"));
        }
        if let Some(count) = self.displaced.news() {
            lines.push(format!(
                "more than {MAX_SAMPLES} samples in the intervals that are judged: the {count} oldest are left out; sample fewer packets"
            ));
        }
        for (address, exporter) in &mut self.exporters {
            let Some(switch) = self.switches.get(address) else { continue };
            for (problem, tally) in &mut exporter.problems {
                lines.extend(tally.news().map(|count| format!("{switch}: {}", problem.describe(count))));
            }
        }
        lines
    }
}

impl Exporter {
    fn count(&mut self, problem: ExportProblem, count: u64) {
        if count > 0 {
            self.problems.entry(problem).or_default().count += count;
        }
    }

    fn name(&mut self, index: u32, name: String) {
        if self.names.len() < MAX_PORT_NAMES || self.names.contains_key(&index) {
            self.names.insert(index, name);
        } else {
            self.count(ExportProblem::OverLimit, 1);
        }
    }

    /// Returns how many numbers are missing before a sequence number. Half of the range or more means that the datagram was
    /// reordered, or is the first one after a restart.
    fn gap(&mut self, key: (u32, Option<(u32, u32)>), sequence: u32) -> u64 {
        if self.sequences.len() >= MAX_SOURCES && !self.sequences.contains_key(&key) {
            self.count(ExportProblem::OverLimit, 1);
            return 0;
        }
        let last = *self.sequences.entry(key).or_insert(sequence.wrapping_sub(1));
        if last.wrapping_sub(sequence) > MAX_REORDERED {
            self.sequences.insert(key, sequence);
        }
        let missing = sequence.wrapping_sub(last).wrapping_sub(1);
        if missing < 1 << 31 { u64::from(missing) } else { 0 }
    }

    fn dropped(&mut self, key: (u32, (u32, u32)), drops: u32) {
        if self.drops.len() >= MAX_SOURCES && !self.drops.contains_key(&key) {
            return;
        }
        let last = self.drops.insert(key, drops);
        let more = last.map_or(0, |last| drops.saturating_sub(last));
        self.count(ExportProblem::DroppedByAgent, u64::from(more));
    }
}
