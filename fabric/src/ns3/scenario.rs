//! The three files together make a scenario.

use std::collections::{BTreeMap, BTreeSet};

use model::topology::Link;
use model::{Rate, Time, Topology};
use p4_switch::tm::{Ecn, PauseEnd, Threshold};

use super::config::Config;
use super::flows::FlowRow;
use super::topology::TopologyFile;
use crate::nic::dcqcn::{Cut, DcqcnConfig};
use crate::nic::message::Messages;
use crate::paths::Paths;
use crate::problem::Problem;
use crate::scenario::{
    AgentSettings, Failure, FlowSpec, Headroom, HostSettings, Notification, Routing, Scenario, SwitchSettings,
};

/// Header bytes of a data packet: Ethernet 14, IPv4 20, UDP 8, sequence and priority 6, timestamp 8.
const HEADER_BYTES: u32 = 56;
/// Priority of acknowledgements that have one of their own.
const HIGH_PRIORITY: u8 = 7;

pub(super) fn assemble(
    name: &str,
    text: &str,
    config: &Config,
    file: TopologyFile,
    rows: Vec<FlowRow>,
    problems: &mut Vec<Problem>,
) -> Scenario {
    let ecn = ecn(name, text, config, &file.topology, problems);
    check_nodes(name, text, config, &file.topology, problems);
    let routing =
        Routing { failures: failures(name, text, config, &file.topology, problems), ..Routing::default() };
    let switch = SwitchSettings { ecn, ..switch_settings(config, &file.topology) };
    let host = host_settings(config, &file.topology);
    let quiet = HostSettings { dcqcn: None, ..host.clone() };
    let hosts = config.without_cc.iter().map(|id| (id.to_string(), quiet.clone())).collect();
    let mut flows: Vec<FlowSpec> = rows.into_iter().map(flow).collect();
    if config.has_window && !config.global_window {
        own_windows(config, &file.topology, &mut flows);
    }
    check_reachable(name, text, &file.topology, &flows, problems);
    let agents: BTreeSet<String> = config.agents.iter().map(u32::to_string).collect();
    Scenario {
        name: "ns3".to_string(),
        title: format!("{} flows on {} nodes, read from {name}", flows.len(), file.topology.nodes.len()),
        description: "Files of the HPCC family of ns-3 simulators.".to_string(),
        loss_ppt: losses(config, &file.error_rates),
        topology: file.topology,
        stop: config.stop,
        grain: Time::from_ns(1),
        pause_end: PauseEnd::ResumeOnly,
        switch,
        switches: BTreeMap::new(),
        places: BTreeMap::new(),
        routing,
        host,
        hosts,
        flows,
        jobs: Vec::new(),
        faults: Vec::new(),
        agents: AgentSettings { hosts: (!agents.is_empty()).then_some(agents), ..AgentSettings::default() },
        expect: None,
        source: None,
    }
}

fn flow(row: FlowRow) -> FlowSpec {
    FlowSpec {
        label: format!("{}->{}", row.src, row.dst),
        src: row.src.to_string(),
        dst: row.dst.to_string(),
        sport: row.sport,
        dport: row.dport,
        priority: row.priority,
        bytes: row.bytes,
        start: row.start,
        start_jitter: Time::ZERO,
        messages: Messages::default(),
        after: Vec::new(),
    }
}

/// The memory of every switch.
fn switch_settings(config: &Config, topology: &Topology) -> SwitchSettings {
    let common = SwitchSettings {
        lossless: 0xff,
        reserved_bytes: 4 * 1024,
        xon_offset_bytes: 3 * 1024,
        headroom: Headroom::LinkCapacities(3),
        ..SwitchSettings::default()
    };
    if config.is_poster() {
        // The fork bounds the ingress queues and nothing else.
        return SwitchSettings { memory_bytes: 1 << 40, threshold: Threshold::Static(16 * 1024), ..common };
    }
    let is_host = |node: &str| topology.is_host(node);
    let host_link = topology.links.iter().find(|link| is_host(&link.a.switch) || is_host(&link.b.switch));
    let host_rate = host_link.map_or(u64::MAX, |link| link.rate.0);
    let rates: BTreeSet<Rate> = topology.links.iter().map(|link| link.rate).collect();
    let threshold = |rate: Rate| {
        let (mut exponent, mut left) = (-3, rate.0);
        while left > host_rate && exponent < 0 {
            (exponent, left) = (exponent + 1, left / 2);
        }
        (rate, Threshold::Dynamic { alpha_exponent: exponent })
    };
    SwitchSettings {
        memory_bytes: config.buffer_mib.saturating_mul(1 << 20),
        threshold: Threshold::Dynamic { alpha_exponent: -3 },
        thresholds: rates.into_iter().map(threshold).collect(),
        sets_headroom_aside: true,
        ..common
    }
}

/// The failing link. The simulators know one link between two nodes, the last of the file.
fn failures(
    name: &str,
    text: &str,
    config: &Config,
    topology: &Topology,
    problems: &mut Vec<Problem>,
) -> Vec<Failure> {
    let Some(down) = config.link_down else {
        return Vec::new();
    };
    let (a, b) = (down.a.to_string(), down.b.to_string());
    let joins = |link: &Link| {
        let ends = (&link.a.switch, &link.b.switch);
        ends == (&a, &b) || ends == (&b, &a)
    };
    match topology.links.iter().rposition(joins) {
        Some(link) => vec![Failure { link, down: down.at, up: Time::MAX, reconverge: Time::ZERO }],
        None => {
            let message = format!("`LINK_DOWN`: no link joins node {a} and node {b}");
            problems.push(Problem::at(name, text, down.offset, message));
            Vec::new()
        }
    }
}

/// Every flow has the window of its own pair of hosts.
fn own_windows(config: &Config, topology: &Topology, flows: &mut [FlowSpec]) {
    let mut paths = Paths::new(topology);
    for flow in flows {
        let links = paths.links(&flow.src, &flow.dst);
        flow.messages.window_bytes = links.map(|links| product(&links, config.payload_bytes));
    }
}

fn host_settings(config: &Config, topology: &Topology) -> HostSettings {
    let dcqcn = DcqcnConfig {
        alpha_interval: config.alpha_interval,
        decrease_interval: config.decrease_interval,
        increase_timer: config.rp_timer,
        byte_counter: 0,
        fast_recovery_times: config.fast_recovery_times,
        gain: config.gain,
        additive_increase: config.rate_ai,
        hyper_increase: config.rate_hai,
        min_rate: config.min_rate,
        clamp_target: config.clamp_target,
        cut: Cut::Polled,
    };
    HostSettings {
        payload_bytes: config.payload_bytes,
        header_bytes: HEADER_BYTES,
        window_bytes: config.has_window.then(|| largest_product(topology, config.payload_bytes)),
        variable_window: config.variable_window,
        dcqcn: (config.cc_mode == 1).then_some(dcqcn),
        notification: Notification::Acknowledgements,
        ack_every: config.ack_interval.div_ceil(u64::from(config.payload_bytes)).max(1),
        ack_priority: config.ack_high_priority.then_some(HIGH_PRIORITY),
        cnp_priority: HIGH_PRIORITY,
        refuse_interval: Time::from_us(500),
        retransmit_timeout: None,
        refuse_chunk_bytes: config.chunk_bytes,
        is_paced: config.rate_bound,
        ..HostSettings::default()
    }
}

/// The largest bandwidth-delay product over all pairs of hosts: twice the propagation plus the serialisation of
/// one payload at every hop, times the slowest link's rate, in whole nanoseconds and bytes.
fn largest_product(topology: &Topology, payload_bytes: u32) -> u64 {
    let hosts: Vec<&str> = topology
        .nodes
        .iter()
        .filter(|node| topology.is_host(&node.name) && !topology.ports_of(&node.name).is_empty())
        .map(|node| node.name.as_str())
        .collect();
    let mut paths = Paths::new(topology);
    let mut largest = 0;
    for (dst, src) in hosts.iter().flat_map(|dst| hosts.iter().map(move |src| (dst, src))) {
        if src != dst
            && let Some(links) = paths.links(src, dst)
        {
            largest = product(&links, payload_bytes).max(largest);
        }
    }
    largest
}

fn product(links: &[&Link], payload_bytes: u32) -> u64 {
    let round: u64 = links
        .iter()
        .map(|link| 2 * link.delay.as_ns() + link.rate.serialisation(u64::from(payload_bytes)).as_ns())
        .sum();
    let slowest = links.iter().map(|link| link.rate.0).min().unwrap_or(0);
    (u128::from(round) * u128::from(slowest) / 8_000_000_000) as u64
}

/// Marking for every link rate at a switch; a rate without all three parameters is a problem.
fn ecn(
    name: &str,
    text: &str,
    config: &Config,
    topology: &Topology,
    problems: &mut Vec<Problem>,
) -> Vec<(Rate, Ecn)> {
    if !config.enable_qcn {
        return Vec::new();
    }
    let rates: BTreeSet<Rate> = topology.links.iter().map(|link| link.rate).collect();
    let mut marking = Vec::new();
    for rate in rates {
        let parameters = (config.kmin.get(&rate.0), config.kmax.get(&rate.0), config.pmax_ppm.get(&rate.0));
        let (Some(kmin), Some(kmax), Some(pmax)) = parameters else {
            let message =
                format!("`KMIN_MAP`, `KMAX_MAP` and `PMAX_MAP` must all list the link rate {}", rate.0);
            problems.push(Problem::at(name, text, text.len(), message));
            continue;
        };
        if kmin > kmax {
            let message = format!("Kmin {kmin} B is above Kmax {kmax} B for the link rate {}", rate.0);
            problems.push(Problem::at(name, text, text.len(), message));
            continue;
        }
        marking.push((rate, Ecn { kmin_bytes: *kmin, kmax_bytes: *kmax, pmax_ppm: *pmax }));
    }
    marking
}

fn check_nodes(name: &str, text: &str, config: &Config, topology: &Topology, problems: &mut Vec<Problem>) {
    for (key, nodes) in [("AGENT_NODE", &config.agents), ("NO_CC_NODE", &config.without_cc)] {
        for id in nodes.iter().filter(|id| !topology.is_host(&id.to_string())) {
            let offset = text.find(key).unwrap_or(text.len());
            problems.push(Problem::at(
                name,
                text,
                offset,
                format!("`{key}` lists {id}, which is not a host"),
            ));
        }
    }
}

fn check_reachable(
    name: &str,
    text: &str,
    topology: &Topology,
    flows: &[FlowSpec],
    problems: &mut Vec<Problem>,
) {
    let pairs: BTreeSet<(&str, &str)> =
        flows.iter().map(|flow| (flow.src.as_str(), flow.dst.as_str())).collect();
    let mut paths = Paths::new(topology);
    for (src, dst) in pairs.into_iter().filter(|(src, dst)| paths.links(src, dst).is_none()) {
        let message = format!("no path leads from host {src} to host {dst}");
        problems.push(Problem::at(name, text, text.find("FLOW_FILE").unwrap_or(text.len()), message));
    }
}

fn losses(config: &Config, error_rates: &[f64]) -> BTreeMap<usize, u64> {
    let own = |rate: f64| if rate > 0.0 { rate } else { config.error_rate };
    error_rates
        .iter()
        .enumerate()
        .map(|(index, rate)| (index, (own(*rate) * 1e12).round() as u64))
        .filter(|(_, ppt)| *ppt > 0)
        .collect()
}
