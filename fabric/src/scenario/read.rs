//! Reads a scenario from TOML. The keys are documented in `fabric/scenarios/README.md`.

use std::collections::{BTreeMap, BTreeSet};
use std::net::{IpAddr, Ipv4Addr};

use model::topology::{Link, Node, NodeKind};
use model::{FlowKey, GroundTruth, PortRef, Rate, RootCause, Time, Topology};
use p4_switch::tm::{Ecn, PauseEnd, Threshold};
use toml::de::DeTable;

use super::table::{Placed, Reader, Section};
use super::{
    AgentSettings, Expectation, FaultKind, FaultSpec, FlowSpec, Headroom, HostSettings, Notification,
    Scenario, SwitchSettings, parse_bytes, parse_rate, parse_time,
};
use crate::nic::message::Messages;
use crate::paths::Paths;
use crate::problem::{Problem, Problems};

const A_TIME: &str = "a time, e.g. \"10us\"";
const A_RATE: &str = "a rate, e.g. \"100Gbps\"";
const A_SIZE: &str = "a size, e.g. \"2MB\" or \"64KiB\"";

/// Reads a scenario. `file` names the text in problems.
pub fn parse(file: &str, text: &str) -> Result<Scenario, Problems> {
    let (document, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { file, text, problems: Vec::new() };
    for error in errors {
        reader.problem(&error.span().unwrap_or(0..0), error.message());
    }
    let mut root = Section::new("", document.get_ref(), 0..0);
    let scenario = read_scenario(&mut reader, &mut root);
    root.finish(&mut reader);
    reader.problems.sort();
    reader.problems.dedup();
    Problems(reader.problems).or(scenario)
}

fn read_scenario(reader: &mut Reader<'_>, root: &mut Section<'_>) -> Scenario {
    let name = root.text(reader, "name");
    if name.is_none() {
        root.missing(reader, "name");
    }
    let title = root.text(reader, "title").map_or(String::new(), |text| text.value);
    let description = root.text(reader, "description").map_or(String::new(), |text| text.value);
    let stop = root.quantity(reader, "stop", "a time above zero, e.g. `6ms`", |text| {
        parse_time(text).filter(|stop| *stop > Time::ZERO)
    });
    if stop.is_none() {
        root.missing(reader, "stop");
    }
    let (topology, loss_ppt) = read_topology(reader, root);
    let (switch, pause_end) = read_switch(reader, root);
    let host = match root.section(reader, "host") {
        Some(section) => read_host(reader, section, HostSettings::default()),
        None => HostSettings::default(),
    };
    let hosts = read_hosts(reader, root, &host, &topology);
    let flows = read_flows(reader, root, &topology);
    let faults = read_faults(reader, root, &topology);
    let agents = read_agents(reader, root, &topology);
    let mut scenario = Scenario {
        name: name.map_or(String::new(), |text| text.value),
        title,
        description,
        topology,
        stop: stop.unwrap_or(Time::ZERO),
        grain: Time(1),
        pause_end,
        switch,
        host,
        hosts,
        loss_ppt,
        flows,
        faults,
        agents,
        expect: None,
    };
    scenario.expect = read_expectation(reader, root, &scenario);
    scenario
}

fn read_topology(reader: &mut Reader<'_>, root: &mut Section<'_>) -> (Topology, BTreeMap<usize, u64>) {
    let mut topology = Topology::default();
    let mut names: BTreeSet<String> = BTreeSet::new();
    if let Some(mut section) = root.section(reader, "topology") {
        for (key, kind) in [("switches", NodeKind::Switch), ("hosts", NodeKind::Host)] {
            for (index, name) in section.texts(reader, key).unwrap_or_default().into_iter().enumerate() {
                if !names.insert(name.value.clone()) {
                    reader.problem(&name.span, format!("two nodes are called `{}`", name.value));
                }
                let addresses = if kind == NodeKind::Host { vec![address(index)] } else { Vec::new() };
                topology.nodes.push(Node { name: name.value, kind, addresses });
            }
        }
        section.finish(reader);
    } else {
        root.missing(reader, "topology");
    }
    let mut loss_ppt = BTreeMap::new();
    let mut used: BTreeSet<PortRef> = BTreeSet::new();
    for mut section in root.sections(reader, "link") {
        let ends =
            (read_end(reader, &mut section, "a", &topology), read_end(reader, &mut section, "b", &topology));
        let rate = section.quantity(reader, "rate", A_RATE, |w| parse_rate(w).filter(|rate| rate.0 > 0));
        let delay = section.quantity(reader, "delay", A_TIME, parse_time).unwrap_or(Time::from_us(1));
        let loss = section.fraction(reader, "loss").unwrap_or(0.0);
        if rate.is_none() {
            section.missing(reader, "rate");
        }
        for end in [&ends.0, &ends.1].into_iter().flatten() {
            if !used.insert(end.clone()) {
                reader.problem(&section.span, format!("port `{end}` has another link"));
            }
            if topology.is_host(&end.switch) && end.port != 1 {
                reader.problem(&section.span, format!("`{end}`: a host has one port, 1"));
            }
        }
        if let ((Some(a), Some(b)), Some(rate)) = (ends, rate) {
            if loss > 0.0 {
                loss_ppt.insert(topology.links.len(), (loss * 1e12).round() as u64);
            }
            topology.links.push(Link { a, b, rate, delay });
        }
        section.finish(reader);
    }
    (topology, loss_ppt)
}

/// Host number `index` from 0 is `10.x.y.1` with x, y the bytes of its number from 1.
fn address(index: usize) -> IpAddr {
    let number = (index as u32).wrapping_add(1) & 0xffff;
    IpAddr::V4(Ipv4Addr::from(0x0a00_0001 | number << 8))
}

fn read_end(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    topology: &Topology,
) -> Option<PortRef> {
    let Some(text) = section.text(reader, key) else {
        section.missing(reader, key);
        return None;
    };
    read_port(reader, &text, topology)
}

fn read_port(reader: &mut Reader<'_>, text: &Placed<String>, topology: &Topology) -> Option<PortRef> {
    match text.value.parse::<PortRef>() {
        Err(error) => reader.problem(&text.span, error.to_string()),
        Ok(port) if topology.node(&port.switch).is_none() => {
            reader.problem(&text.span, format!("node `{}` does not exist", port.switch));
        }
        Ok(port) if !(1..crate::fabric::CPU_PORT).contains(&port.port) => {
            reader.problem(&text.span, format!("port {} is not between 1 and 509", port.port));
        }
        Ok(port) => return Some(port),
    }
    None
}

fn read_switch(reader: &mut Reader<'_>, root: &mut Section<'_>) -> (SwitchSettings, PauseEnd) {
    let mut settings = SwitchSettings::default();
    let mut pause_end = PauseEnd::Quanta;
    let Some(mut section) = root.section(reader, "switch") else {
        return (settings, pause_end);
    };
    let size = |section: &mut Section<'_>, reader: &mut Reader<'_>, key| {
        section.quantity(reader, key, A_SIZE, parse_bytes)
    };
    set(&mut settings.memory_bytes, size(&mut section, reader, "memory"));
    set(&mut settings.lossless, section.priorities(reader, "lossless"));
    set(&mut settings.reserved_bytes, size(&mut section, reader, "reserved"));
    let threshold = size(&mut section, reader, "threshold").map(Threshold::Static);
    let alpha = section.integer::<i8>(reader, "alpha_exponent", -16..=16);
    let alpha = alpha.map(|alpha_exponent| Threshold::Dynamic { alpha_exponent });
    if threshold.is_some() && alpha.is_some() {
        reader.problem(&section.span, "`threshold` and `alpha_exponent` exclude each other");
    }
    set(&mut settings.threshold, threshold.or(alpha));
    set(&mut settings.xon_offset_bytes, size(&mut section, reader, "xon_offset"));
    let headroom = size(&mut section, reader, "headroom").map(Headroom::Bytes);
    let links = section.integer::<u64>(reader, "headroom_links", 0..=1000).map(Headroom::LinkCapacities);
    if headroom.is_some() && links.is_some() {
        reader.problem(&section.span, "`headroom` and `headroom_links` exclude each other");
    }
    set(&mut settings.headroom, headroom.or(links));
    set(&mut settings.pause_quanta, section.integer::<u16>(reader, "pause_quanta", 1..=u16::MAX));
    if let Some(text) = section.text(reader, "pause_end") {
        match text.value.as_str() {
            "quanta" => pause_end = PauseEnd::Quanta,
            "resume" => pause_end = PauseEnd::ResumeOnly,
            _ => reader.problem(&text.span, "`pause_end` must be \"quanta\" or \"resume\""),
        }
    }
    if section.flag(reader, "mark_congestion") == Some(false) {
        settings.ecn.clear();
    }
    let marking: Vec<(Rate, Ecn)> =
        section.sections(reader, "ecn").into_iter().filter_map(|s| read_ecn(reader, s)).collect();
    if !marking.is_empty() {
        settings.ecn = marking;
    }
    section.finish(reader);
    (settings, pause_end)
}

fn read_ecn(reader: &mut Reader<'_>, mut section: Section<'_>) -> Option<(Rate, Ecn)> {
    let rate = section.quantity(reader, "rate", A_RATE, parse_rate);
    let kmin = section.quantity(reader, "kmin", A_SIZE, parse_bytes);
    let kmax = section.quantity(reader, "kmax", A_SIZE, parse_bytes);
    let pmax = section.fraction(reader, "pmax");
    for (key, missing) in [
        ("rate", rate.is_none()),
        ("kmin", kmin.is_none()),
        ("kmax", kmax.is_none()),
        ("pmax", pmax.is_none()),
    ] {
        if missing {
            section.missing(reader, key);
        }
    }
    let (rate, kmin_bytes, kmax_bytes, pmax) = (rate?, kmin?, kmax?, pmax?);
    if kmin_bytes > kmax_bytes {
        reader.problem(&section.span, "`kmin` is above `kmax`");
    }
    section.finish(reader);
    Some((rate, Ecn { kmin_bytes, kmax_bytes, pmax_ppm: (pmax * 1e6).round() as u32 }))
}

fn read_hosts(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    base: &HostSettings,
    topology: &Topology,
) -> BTreeMap<String, HostSettings> {
    let Some(section) = root.section(reader, "hosts") else {
        return BTreeMap::new();
    };
    let mut hosts = BTreeMap::new();
    for (name, section) in section.named_sections(reader) {
        check_host(reader, &name, topology);
        hosts.insert(name.value, read_host(reader, section, base.clone()));
    }
    hosts
}

fn read_host(reader: &mut Reader<'_>, mut section: Section<'_>, mut host: HostSettings) -> HostSettings {
    set(&mut host.payload_bytes, section.integer::<u32>(reader, "payload", 1..=9000));
    set(&mut host.header_bytes, section.integer::<u32>(reader, "headers", 0..=500));
    let window = section.quantity(reader, "window", "a size above zero or \"none\"", |w| match w {
        "none" => Some(None),
        size => parse_bytes(size).filter(|bytes| *bytes > 0).map(Some),
    });
    set(&mut host.window_bytes, window);
    set(&mut host.variable_window, section.flag(reader, "variable_window"));
    set(&mut host.ack_every, section.integer::<u64>(reader, "ack_every", 1..=1_000_000));
    if let Some(priority) = section.integer::<u8>(reader, "ack_priority", 0..=7) {
        host.ack_priority = Some(priority);
    }
    set(&mut host.cnp_priority, section.integer::<u8>(reader, "cnp_priority", 0..=7));
    let notification = section.quantity(reader, "cnp_interval", "a time or \"ack\"", |w| match w {
        "ack" => Some(Notification::Acknowledgements),
        time => parse_time(time).map(|interval| Notification::Packets { interval }),
    });
    set(&mut host.notification, notification);
    set(&mut host.refuse_interval, section.quantity(reader, "refuse_interval", A_TIME, parse_time));
    let timeout = section.quantity(reader, "retransmit_timeout", "a time or \"none\"", |w| match w {
        "none" => Some(None),
        time => parse_time(time).filter(|t| *t > Time::ZERO).map(Some),
    });
    set(&mut host.retransmit_timeout, timeout);
    if section.flag(reader, "congestion_control") == Some(false) {
        host.dcqcn = None;
    }
    if let Some(dcqcn) = section.section(reader, "dcqcn") {
        read_dcqcn(reader, dcqcn, &mut host);
    }
    section.finish(reader);
    host
}

fn read_dcqcn(reader: &mut Reader<'_>, mut section: Section<'_>, host: &mut HostSettings) {
    let mut dcqcn = host.dcqcn.unwrap_or_default();
    let above_zero = |w: &str| parse_time(w).filter(|t| *t > Time::ZERO);
    set(&mut dcqcn.alpha_interval, section.quantity(reader, "alpha_interval", A_TIME, above_zero));
    set(&mut dcqcn.decrease_interval, section.quantity(reader, "decrease_interval", A_TIME, above_zero));
    set(&mut dcqcn.increase_timer, section.quantity(reader, "increase_timer", A_TIME, above_zero));
    set(&mut dcqcn.byte_counter, section.quantity(reader, "byte_counter", A_SIZE, parse_bytes));
    set(&mut dcqcn.fast_recovery_times, section.integer::<u32>(reader, "fast_recovery_times", 0..=1000));
    set(&mut dcqcn.gain, section.fraction(reader, "gain"));
    set(&mut dcqcn.additive_increase, section.quantity(reader, "additive_increase", A_RATE, parse_rate));
    set(&mut dcqcn.hyper_increase, section.quantity(reader, "hyper_increase", A_RATE, parse_rate));
    set(&mut dcqcn.min_rate, section.quantity(reader, "min_rate", A_RATE, parse_rate));
    set(&mut dcqcn.clamp_target, section.flag(reader, "clamp_target"));
    section.finish(reader);
    host.dcqcn = Some(dcqcn);
}

fn check_host(reader: &mut Reader<'_>, name: &Placed<String>, topology: &Topology) -> bool {
    let linked = !topology.ports_of(&name.value).is_empty();
    if topology.is_host(&name.value) && linked {
        return true;
    }
    let what = if topology.is_host(&name.value) { "has no link" } else { "is not a host" };
    reader.problem(&name.span, format!("`{}` {what}", name.value));
    false
}

fn host_name(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    topology: &Topology,
) -> Option<String> {
    let Some(name) = section.text(reader, key) else {
        section.missing(reader, key);
        return None;
    };
    check_host(reader, &name, topology).then_some(name.value)
}

fn read_flows(reader: &mut Reader<'_>, root: &mut Section<'_>, topology: &Topology) -> Vec<FlowSpec> {
    let mut flows: Vec<FlowSpec> = Vec::new();
    let mut ports: BTreeMap<(String, String), u16> = BTreeMap::new();
    let mut paths = Paths::new(topology);
    for mut section in root.sections(reader, "flow") {
        let span = section.span.clone();
        let label = section.text(reader, "label");
        let src = host_name(reader, &mut section, "from", topology);
        let dst = host_name(reader, &mut section, "to", topology);
        let bytes = section.quantity(reader, "size", A_SIZE, |w| parse_bytes(w).filter(|n| *n > 0));
        if bytes.is_none() {
            section.missing(reader, "size");
        }
        let start = section.quantity(reader, "start", A_TIME, parse_time).unwrap_or(Time::ZERO);
        let start_jitter = section.quantity(reader, "jitter", A_TIME, parse_time).unwrap_or(Time::ZERO);
        let priority = section.integer::<u8>(reader, "priority", 0..=7).unwrap_or(3);
        let sport = section.integer::<u16>(reader, "sport", 1..=u16::MAX);
        let dport =
            section.integer::<u16>(reader, "dport", 1..=u16::MAX).unwrap_or(model::wire::ROCE_V2_PORT);
        section.finish(reader);
        let (Some(src), Some(dst), Some(bytes)) = (src, dst, bytes) else {
            continue;
        };
        if src == dst {
            reader.problem(&span, format!("host `{src}` cannot send to itself"));
            continue;
        }
        if paths.links(&src, &dst).is_none() {
            reader.problem(&span, format!("no path leads from host `{src}` to host `{dst}`"));
            continue;
        }
        let next = ports.entry((src.clone(), dst.clone())).or_insert(10_000);
        let sport = sport.unwrap_or(*next);
        *next = next.saturating_add(1);
        let label = label.map_or_else(|| format!("{src}->{dst}"), |text| text.value);
        if flows.iter().any(|flow| flow.label == label) {
            reader.problem(&span, format!("two flows are called `{label}`"));
        }
        let messages = Messages::default();
        flows.push(FlowSpec { label, src, dst, sport, dport, priority, bytes, start, start_jitter, messages });
    }
    flows
}

fn read_faults(reader: &mut Reader<'_>, root: &mut Section<'_>, topology: &Topology) -> Vec<FaultSpec> {
    let mut faults = Vec::new();
    for mut section in root.sections(reader, "fault") {
        let host = host_name(reader, &mut section, "host", topology);
        let start = section.quantity(reader, "start", A_TIME, parse_time).unwrap_or(Time::ZERO);
        let start_jitter = section.quantity(reader, "jitter", A_TIME, parse_time).unwrap_or(Time::ZERO);
        let duration = section.quantity(reader, "duration", A_TIME, parse_time);
        if duration.is_none() {
            section.missing(reader, "duration");
        }
        let kind = read_fault_kind(reader, &mut section);
        section.finish(reader);
        if let (Some(host), Some(duration), Some(kind)) = (host, duration, kind) {
            faults.push(FaultSpec { host, kind, start, start_jitter, duration });
        }
    }
    faults
}

fn read_fault_kind(reader: &mut Reader<'_>, section: &mut Section<'_>) -> Option<FaultKind> {
    let Some(kind) = section.text(reader, "kind") else {
        section.missing(reader, "kind");
        return None;
    };
    match kind.value.as_str() {
        "storm" => {
            let above_zero = |w: &str| parse_time(w).filter(|t| *t > Time::ZERO);
            Some(FaultKind::Storm {
                priority: section.integer::<u8>(reader, "priority", 0..=7).unwrap_or(3),
                quanta: section.integer::<u16>(reader, "quanta", 1..=u16::MAX).unwrap_or(u16::MAX),
                interval: section
                    .quantity(reader, "interval", A_TIME, above_zero)
                    .unwrap_or(Time::from_us(50)),
            })
        }
        "slow_receiver" => {
            let rate = section.quantity(reader, "rate", A_RATE, |w| parse_rate(w).filter(|r| r.0 > 0));
            if rate.is_none() {
                section.missing(reader, "rate");
            }
            let size = |section: &mut Section<'_>, reader: &mut Reader<'_>, key| {
                section.quantity(reader, key, A_SIZE, parse_bytes)
            };
            Some(FaultKind::SlowReceiver {
                rate: rate?,
                xoff_bytes: size(section, reader, "xoff").unwrap_or(64 << 10),
                xon_bytes: size(section, reader, "xon").unwrap_or(32 << 10),
            })
        }
        _ => {
            reader.problem(&kind.span, "`kind` must be \"storm\" or \"slow_receiver\"");
            None
        }
    }
}

fn read_agents(reader: &mut Reader<'_>, root: &mut Section<'_>, topology: &Topology) -> AgentSettings {
    let mut agents = AgentSettings::default();
    let Some(mut section) = root.section(reader, "agent") else {
        return agents;
    };
    if let Some(hosts) = section.texts(reader, "hosts") {
        let known = hosts.into_iter().filter(|host| check_host(reader, host, topology));
        agents.hosts = Some(known.map(|host| host.value).collect());
    }
    set(&mut agents.threshold_percent, section.integer::<u32>(reader, "threshold_percent", 101..=100_000));
    set(&mut agents.read_delay, section.quantity(reader, "read_delay", A_TIME, parse_time));
    set(&mut agents.read_time, section.quantity(reader, "read_time", A_TIME, parse_time));
    set(&mut agents.quiet, section.quantity(reader, "quiet", A_TIME, parse_time));
    section.finish(reader);
    agents
}

fn read_expectation(
    reader: &mut Reader<'_>,
    root: &mut Section<'_>,
    scenario: &Scenario,
) -> Option<Expectation> {
    let mut section = root.section(reader, "expect")?;
    let anomaly = named(reader, &mut section, "anomaly");
    let cause = named(reader, &mut section, "cause");
    let port = section.text(reader, "port").and_then(|text| read_port(reader, &text, &scenario.topology));
    let host = section.text(reader, "host");
    if let Some(host) = &host {
        check_host(reader, host, &scenario.topology);
    }
    let pause_path = section.texts(reader, "pause_path").unwrap_or_default();
    let pause_path =
        pause_path.iter().filter_map(|text| read_port(reader, text, &scenario.topology)).collect();
    let truth = GroundTruth {
        anomaly,
        cause,
        root_cause: RootCause {
            port,
            flows: labelled(reader, &mut section, "flows", scenario),
            host: host.map(|text| text.value),
            config: Vec::new(),
        },
        pause_path,
        pause_loop: Vec::new(),
        spreaders: labelled(reader, &mut section, "spreaders", scenario),
        victims: labelled(reader, &mut section, "victims", scenario),
    };
    let pauses = section.flag(reader, "pauses");
    section.finish(reader);
    Some(Expectation { truth, pauses })
}

/// A value of an enumeration by its serialised name.
fn named<T: serde::de::DeserializeOwned>(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
) -> Option<T> {
    let text = section.text(reader, key)?;
    match serde_json::from_value(serde_json::Value::String(text.value)) {
        Ok(value) => Some(value),
        Err(error) => {
            reader.problem(&text.span, format!("`{key}`: {error}"));
            None
        }
    }
}

fn labelled(
    reader: &mut Reader<'_>,
    section: &mut Section<'_>,
    key: &'static str,
    scenario: &Scenario,
) -> Vec<FlowKey> {
    let labels = section.texts(reader, key).unwrap_or_default();
    let mut flows = Vec::new();
    for label in labels {
        let flow = scenario.flows.iter().find(|flow| flow.label == label.value);
        match flow.and_then(|flow| scenario.key(flow)) {
            Some(key) => flows.push(key),
            None => reader.problem(&label.span, format!("no flow is called `{}`", label.value)),
        }
    }
    flows
}

fn set<T>(target: &mut T, value: Option<T>) {
    if let Some(value) = value {
        *target = value;
    }
}

/// Where the first problem is; for tests and messages.
impl Problems {
    /// The first problem.
    pub fn first(&self) -> Option<&Problem> {
        self.0.first()
    }
}
