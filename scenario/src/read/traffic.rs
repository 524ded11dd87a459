//! `[[flow]]` and `[[workload]]`: the traffic of a scenario.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use controller::plan::PlanSettings;
use model::collective::Collective;
use model::{FlowKey, Time, Topology};

use super::check::{Cuts, check_start};
use super::devices::read_messages;
use super::table::{Placed, Reader, Section};
use super::units::{A_SIZE_ABOVE_ZERO, A_TIME, parse_bytes, parse_time};
use crate::ecmp::Tracer;
use crate::nic::Messages;
use crate::paths::Paths;
use crate::workload::{
    Arrivals, Message, SizeTable, WorkloadError, capacity, collective, incast, poisson, storage_reads, table,
};
use crate::{FlowSpec, JobSpec, Scenario};

/// Most source ports that are tried to route a flow through given switches.
const MAX_TRIES: u32 = 20_000;

/// Most flows of a scenario.
const MAX_FLOWS: usize = crate::workload::MAX_MESSAGES;

/// Reads all traffic.
pub(super) fn read_traffic(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    scenario: &Scenario,
    plan: &PlanSettings,
) -> (Vec<FlowSpec>, Vec<JobSpec>) {
    let topology = &scenario.topology;
    let mut traffic = Traffic {
        topology,
        stop: scenario.stop,
        cuts: Cuts::new(scenario),
        flows: Vec::new(),
        jobs: Vec::new(),
        labels: BTreeSet::new(),
        ports: BTreeMap::new(),
        paths: Paths::new(topology),
        tracer: Tracer::new(topology, plan),
        linked: topology
            .links
            .iter()
            .flat_map(|link| [link.a.switch.as_str(), link.b.switch.as_str()])
            .filter(|name| topology.is_host(name))
            .collect(),
    };
    for section in root.sections(reader, "flow") {
        traffic.read_flow(reader, section);
    }
    for (index, section) in root.sections(reader, "workload").into_iter().enumerate() {
        traffic.read_workload(reader, section, index);
    }
    (traffic.flows, traffic.jobs)
}

struct Traffic<'t> {
    topology: &'t Topology,
    stop: Time,
    cuts: Cuts<'t>,
    flows: Vec<FlowSpec>,
    jobs: Vec<JobSpec>,
    labels: BTreeSet<String>,
    /// The next source port of a pair of hosts.
    ports: BTreeMap<(String, String), u16>,
    paths: Paths<'t>,
    tracer: Tracer<'t>,
    /// Hosts that have a link.
    linked: BTreeSet<&'t str>,
}

/// A `[[flow]]` section: `count` flows for each pair of hosts, each repeated `repeat` times.
struct FlowEntry {
    span: Range<usize>,
    label: Option<String>,
    from: Vec<String>,
    to: Vec<String>,
    bytes: u64,
    /// Largest relative deviation of the size, 0 to 1.
    size_spread: f64,
    start: Time,
    repeat: u32,
    /// Time between repetitions.
    every: Time,
    count: u32,
    /// Switches that the path must contain.
    through: Vec<String>,
    common: Common,
    messages: Messages,
}

/// The settings that all flows of a `[[flow]]` or `[[workload]]` share.
struct Common {
    priority: u8,
    dport: u16,
    sport: Option<u16>,
    start_jitter: Time,
}

impl Traffic<'_> {
    /// Whether a host can send and receive; reports why not.
    fn check(&self, reader: &mut Reader<'_>, name: &Placed<String>) -> bool {
        if self.linked.contains(name.value.as_str()) {
            return true;
        }
        let what = if self.topology.is_host(&name.value) { "has no link" } else { "is not a host" };
        reader.problem(&name.span, format!("`{}` {what}", name.value));
        false
    }

    fn hosts(
        &self,
        reader: &mut Reader<'_>,
        section: &mut Section<'_>,
        key: &'static str,
    ) -> Option<Vec<String>> {
        let Some(texts) = section.texts_or_text(reader, key) else {
            section.missing(reader, key);
            return None;
        };
        if texts.is_empty() {
            reader.problem(&section.place(key), format!("`{key}` names no host"));
        }
        let mut hosts = Vec::new();
        for text in &texts {
            for name in reader.names(text) {
                if self.check(reader, &name) {
                    hosts.push(name.value);
                }
            }
        }
        (!hosts.is_empty()).then_some(hosts)
    }

    fn read_flow(&mut self, reader: &mut Reader<'_>, section: Section<'_>) {
        let Some(entry) = self.flow_entry(reader, section) else { return };
        let pairs = pairs(&entry.from, &entry.to);
        let wanted = pairs.len().saturating_mul(entry.count as usize).saturating_mul(entry.repeat as usize);
        if !self.have_room(reader, &entry.span, wanted) {
            return;
        }
        let many = pairs.len() * entry.count as usize > 1;
        let base = entry.label.clone().unwrap_or_else(|| format!("{}->{}", entry.from[0], entry.to[0]));
        let mut number = 0;
        for (src, dst) in pairs {
            if !self.is_possible(reader, &entry.span, (&src, &dst), entry.start) {
                continue;
            }
            for _ in 0..entry.count {
                number += 1;
                let label = if many { format!("{base}-{number}") } else { base.clone() };
                self.add_flow(reader, &entry, (&src, &dst), &label);
            }
        }
    }

    /// Reads a `[[flow]]` section; `None` without hosts or a size, which is reported.
    fn flow_entry(&mut self, reader: &mut Reader<'_>, mut section: Section<'_>) -> Option<FlowEntry> {
        let span = section.span.clone();
        let label = section.text(reader, "label").map(|text| text.value);
        let from = self.hosts(reader, &mut section, "from");
        let to = self.hosts(reader, &mut section, "to");
        let bytes =
            section.quantity(reader, "size", A_SIZE_ABOVE_ZERO, |w| parse_bytes(w).filter(|n| *n > 0));
        if bytes.is_none() {
            section.missing(reader, "size");
        }
        let size_spread = section.fraction(reader, "size_spread").unwrap_or(0.0);
        let start = section.quantity(reader, "start", A_TIME, parse_time).unwrap_or(Time::ZERO);
        check_start(reader, &section, start, self.stop);
        let repeat = section.integer::<u32>(reader, "repeat", 1..=100_000).unwrap_or(1);
        let every = section.quantity(reader, "every", A_TIME, parse_time);
        if repeat > 1 && every.is_none() {
            section.missing(reader, "every");
        }
        let every = every.unwrap_or(Time::ZERO);
        let count = section.integer::<u32>(reader, "count", 1..=100_000).unwrap_or(1);
        let through = self.through(reader, &mut section);
        let common = read_common(reader, &mut section);
        let messages = read_messages(reader, &mut section);
        section.finish(reader);
        let (from, to, bytes) = (from?, to?, bytes?);
        Some(FlowEntry {
            span,
            label,
            from,
            to,
            bytes,
            size_spread,
            start,
            repeat,
            every,
            count,
            through,
            common,
            messages,
        })
    }

    /// Adds one flow of an entry, with its repetitions, between two hosts.
    fn add_flow(&mut self, reader: &mut Reader<'_>, entry: &FlowEntry, hosts: (&str, &str), label: &str) {
        let bytes = reader.draws.about(&format!("size {label}"), entry.bytes, entry.size_spread);
        let sport = self.source_port(reader, &entry.span, &entry.common, hosts, label, &entry.through);
        let Some(sport) = sport else { return };
        for turn in 0..u64::from(entry.repeat) {
            let label = if entry.repeat > 1 { format!("{label}@{}", turn + 1) } else { label.to_string() };
            let later = entry.every.0.saturating_mul(turn);
            let flow = FlowSpec {
                label,
                src: hosts.0.to_string(),
                dst: hosts.1.to_string(),
                sport,
                dport: entry.common.dport,
                priority: entry.common.priority,
                bytes,
                start: Time(entry.start.0.saturating_add(later)),
                start_jitter: entry.common.start_jitter,
                after: Vec::new(),
                messages: entry.messages,
            };
            self.add(reader, &entry.span, flow);
        }
    }

    /// The switches that the path of a flow must contain.
    fn through(&self, reader: &mut Reader<'_>, section: &mut Section<'_>) -> Vec<String> {
        let mut switches = Vec::new();
        for text in section.texts_or_text(reader, "through").unwrap_or_default() {
            for name in reader.names(&text) {
                if self.topology.node(&name.value).is_none() || self.topology.is_host(&name.value) {
                    reader.problem(&name.span, format!("`{}` is not a switch", name.value));
                } else {
                    switches.push(name.value);
                }
            }
        }
        switches
    }

    /// Whether traffic that starts at `start` can arrive; reports why not.
    fn is_possible(
        &mut self,
        reader: &mut Reader<'_>,
        span: &Range<usize>,
        (src, dst): (&str, &str),
        start: Time,
    ) -> bool {
        if src == dst {
            reader.problem(span, format!("host `{src}` cannot send to itself"));
        } else if self.paths.links(src, dst).is_none() {
            reader.problem(span, format!("no path leads from host `{src}` to host `{dst}`"));
        } else if let Some(since) = self.cuts.apart(src, dst, start) {
            let message = format!(
                "no path leads from host `{src}` to host `{dst}`: permanent link failures have cut it since {since}"
            );
            reader.problem(span, message);
        } else {
            return true;
        }
        false
    }

    /// The source port of a flow: the given one, the next one of the pair, or one with which it passes through given
    /// switches.
    fn source_port(
        &mut self,
        reader: &mut Reader<'_>,
        span: &Range<usize>,
        common: &Common,
        (src, dst): (&str, &str),
        label: &str,
        through: &[String],
    ) -> Option<u16> {
        if through.is_empty() {
            return Some(common.sport.unwrap_or_else(|| self.next_port(src, dst)));
        }
        let address = |name: &str| self.topology.node(name)?.addresses.first().copied();
        let (from, to) = (address(src)?, address(dst)?);
        let mut random = reader.draws.random(&format!("path {label}"));
        for _ in 0..MAX_TRIES {
            let sport = 49_152 + random.below(16_384) as u16;
            let path = self.tracer.path(&FlowKey::udp(from, sport, to, common.dport));
            if through.iter().all(|switch| path.iter().any(|port| port.switch == *switch)) {
                return Some(sport);
            }
        }
        let wanted = through.join("` and `");
        reader
            .problem(span, format!("no source port leads a flow from `{src}` to `{dst}` through `{wanted}`"));
        None
    }

    fn next_port(&mut self, src: &str, dst: &str) -> u16 {
        let next = self.ports.entry((src.to_string(), dst.to_string())).or_insert(10_000);
        let sport = *next;
        *next = next.checked_add(1).unwrap_or(10_000);
        sport
    }

    /// Whether `wanted` more flows are possible; reports why not.
    fn have_room(&self, reader: &mut Reader<'_>, span: &Range<usize>, wanted: usize) -> bool {
        let has_room = wanted <= MAX_FLOWS.saturating_sub(self.flows.len());
        if !has_room {
            let message = format!(
                "{wanted} flows here, after {} before: a scenario has at most {MAX_FLOWS}",
                self.flows.len()
            );
            reader.problem(span, message);
        }
        has_room
    }

    fn add(&mut self, reader: &mut Reader<'_>, span: &Range<usize>, flow: FlowSpec) {
        if !self.labels.insert(flow.label.clone()) {
            reader.problem(span, format!("two flows have the label `{}`", flow.label));
        }
        self.flows.push(flow);
    }

    fn read_workload(&mut self, reader: &mut Reader<'_>, mut section: Section<'_>, index: usize) {
        let span = section.span.clone();
        let kind = section.text(reader, "kind");
        if kind.is_none() {
            section.missing(reader, "kind");
        }
        let label = section.text(reader, "label").map(|text| text.value);
        let hosts = match section.has("hosts") {
            true => self.hosts(reader, &mut section, "hosts").unwrap_or_default(),
            false => {
                let nodes = self.topology.nodes.iter().map(|node| node.name.clone());
                nodes.filter(|name| self.linked.contains(name.as_str())).collect()
            }
        };
        let label = label.unwrap_or_else(|| format!("workload{}", index + 1));
        let seed = reader.draws.random(&format!("workload {label}")).next();
        let is_job = kind.as_ref().is_some_and(|kind| operation(&kind.value).is_some());
        let messages = kind.and_then(|kind| self.messages(reader, &mut section, &kind, &hosts, seed));
        let common = read_common(reader, &mut section);
        section.finish(reader);
        match messages {
            None => {}
            Some(Err(error)) => reader.problem(&span, format!("workload `{label}`: {error}")),
            Some(Ok(messages)) if !self.have_room(reader, &span, messages.len()) => {}
            Some(Ok(messages)) => {
                let first = self.flows.len();
                self.add_messages(reader, &span, &label, &hosts, &common, messages);
                if is_job {
                    self.jobs.push(JobSpec { name: label, flows: first..self.flows.len() });
                }
            }
        }
    }

    fn messages(
        &self,
        reader: &mut Reader<'_>,
        section: &mut Section<'_>,
        kind: &Placed<String>,
        hosts: &[String],
        seed: u64,
    ) -> Option<Result<Vec<Message>, WorkloadError>> {
        let n = hosts.len();
        let start = section.quantity(reader, "start", A_TIME, parse_time).unwrap_or(Time::ZERO);
        check_start(reader, section, start, self.stop);
        match kind.value.as_str() {
            "poisson" => {
                let (arrivals, sizes, scale) = self.read_arrivals(reader, section, hosts, start)?;
                Some(poisson(n, arrivals, sizes, scale, seed))
            }
            "storage-reads" => {
                let clients = section.integer::<u32>(reader, "clients", 1..=65_535).unwrap_or(1);
                let (arrivals, sizes, scale) = self.read_arrivals(reader, section, hosts, start)?;
                Some(storage_reads(n, clients as usize, arrivals, sizes, scale, seed))
            }
            "incast" => {
                let bytes = read_size(reader, section)?;
                let rounds = section.integer::<u32>(reader, "rounds", 1..=100_000).unwrap_or(1);
                let every = section.quantity(reader, "every", A_TIME, parse_time).unwrap_or(Time::ZERO);
                Some(incast(n, bytes, start, rounds, every))
            }
            kind if operation(kind).is_some() => {
                Some(collective(operation(kind)?, n, read_size(reader, section)?, start))
            }
            _ => {
                let kinds = "\"poisson\", \"storage-reads\", \"incast\", \"all-reduce-ring\", \
                             \"all-reduce-halving-doubling\" or \"all-to-all\"";
                reader.problem(&kind.span, format!("`kind` must be {kinds}"));
                None
            }
        }
    }

    fn read_arrivals(
        &self,
        reader: &mut Reader<'_>,
        section: &mut Section<'_>,
        hosts: &[String],
        start: Time,
    ) -> Option<(Arrivals, &'static SizeTable, f64)> {
        let load = section.positive(reader, "load");
        // 1 is the highest rate that the hosts can send; more would only fill the queues of the senders.
        if load.is_some_and(|load| load > 1.0) {
            reader.problem(&section.place("load"), "`load` must be a number above 0, up to 1 (100 %)");
        }
        let scale = section.positive(reader, "size_scale").unwrap_or(1.0);
        let duration =
            section.quantity(reader, "duration", A_TIME, |w| parse_time(w).filter(|t| *t > Time::ZERO));
        let sizes = section.text(reader, "sizes");
        for (key, missing) in
            [("load", load.is_none()), ("duration", duration.is_none()), ("sizes", sizes.is_none())]
        {
            if missing {
                section.missing(reader, key);
            }
        }
        let sizes = sizes?;
        let Some(table) = table(&sizes.value) else {
            let known: Vec<String> =
                crate::workload::TABLES.iter().map(|table| format!("\"{}\"", table.name)).collect();
            reader.problem(&sizes.span, format!("`sizes` must be one of {}", known.join(", ")));
            return None;
        };
        let bits = capacity(self.topology, hosts) as f64 * load?;
        let arrivals = Arrivals { bytes_per_second: bits / 8.0, start, duration: duration? };
        Some((arrivals, table, scale))
    }

    fn add_messages(
        &mut self,
        reader: &mut Reader<'_>,
        span: &Range<usize>,
        label: &str,
        hosts: &[String],
        common: &Common,
        messages: Vec<Message>,
    ) {
        let first = self.flows.len();
        let mut unreachable = BTreeSet::new();
        for (number, message) in messages.into_iter().enumerate() {
            let (src, dst) = (&hosts[message.src], &hosts[message.dst]);
            let earliest = if message.after.is_empty() { message.start } else { Time::ZERO };
            let is_apart = self.cuts.apart(src, dst, earliest).is_some();
            if src == dst || is_apart || self.paths.links(src, dst).is_none() {
                // Reported once for a pair of hosts.
                if unreachable.insert((message.src, message.dst)) {
                    self.is_possible(reader, span, (src, dst), earliest);
                }
                continue;
            }
            let sport = common.sport.unwrap_or_else(|| self.next_port(src, dst));
            let flow = FlowSpec {
                label: format!("{label}-{}", number + 1),
                src: src.clone(),
                dst: dst.clone(),
                sport,
                dport: common.dport,
                priority: common.priority,
                bytes: message.bytes,
                start: message.start,
                start_jitter: if message.after.is_empty() { common.start_jitter } else { Time::ZERO },
                after: message.after.into_iter().map(|before| first + before).collect(),
                messages: Messages::default(),
            };
            self.add(reader, span, flow);
        }
    }
}

/// The collective operation of this name.
fn operation(kind: &str) -> Option<Collective> {
    match kind {
        "all-reduce-ring" => Some(Collective::AllReduceRing),
        "all-reduce-halving-doubling" => Some(Collective::AllReduceHalvingDoubling),
        "all-to-all" => Some(Collective::AllToAll),
        _ => None,
    }
}

fn read_common(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Common {
    Common {
        start_jitter: section.quantity(reader, "jitter", A_TIME, parse_time).unwrap_or(Time::ZERO),
        priority: section.integer::<u8>(reader, "priority", 0..=7).unwrap_or(3),
        sport: section.integer::<u16>(reader, "sport", 1..=u16::MAX),
        dport: section.integer::<u16>(reader, "dport", 1..=u16::MAX).unwrap_or(model::wire::ROCE_V2_PORT),
    }
}

fn read_size(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<u64> {
    let bytes = section.quantity(reader, "size", A_SIZE_ABOVE_ZERO, |w| parse_bytes(w).filter(|n| *n > 0));
    if bytes.is_none() {
        section.missing(reader, "size");
    }
    bytes
}

/// Pairs of sender and receiver: pairwise for equal numbers, otherwise every sender with every receiver.
fn pairs(from: &[String], to: &[String]) -> Vec<(String, String)> {
    if from.len() == to.len() {
        return from.iter().cloned().zip(to.iter().cloned()).collect();
    }
    from.iter().flat_map(|src| to.iter().map(move |dst| (src.clone(), dst.clone()))).collect()
}
