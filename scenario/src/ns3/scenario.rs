//! Builds a scenario from the three files.

use std::collections::{BTreeMap, BTreeSet};

use model::topology::Link;
use model::{Rate, Time, Topology};
use p4_switch::tm::{Ecn, PauseEnd, Threshold};

use super::config::{Config, CongestionControl};
use super::dialect::share;
use super::flows::FlowRow;
use super::topology::TopologyFile;
use crate::nic::{ControlConfig, Cut, DcqcnConfig, DctcpConfig, Messages, TimelyConfig};
use crate::paths::Paths;
use crate::{
    AgentSettings, Failure, FlowSpec, Headroom, HostSettings, Notification, Routing, Scenario, SwitchSettings,
};

/// Priority of ACKs with `ACK_HIGH_PRIO`.
const HIGH_PRIORITY: u8 = 7;

/// The scenario of consistent files; inconsistencies are reported by [`super::checks`].
pub(super) fn assemble(
    name: &str,
    config: &Config,
    file: TopologyFile,
    rows: Vec<FlowRow>,
    switch: SwitchSettings,
) -> Scenario {
    let routing = Routing { failures: failures(config, &file), ..Routing::default() };
    let host = host_settings(config, &file.topology);
    let quiet = HostSettings { dcqcn: None, instead_of_dcqcn: None, ..host.clone() };
    let hosts = config.without_cc.keys().map(|id| (id.to_string(), quiet.clone())).collect();
    let mut flows: Vec<FlowSpec> = rows.into_iter().map(flow).collect();
    if config.has_window && !config.global_window {
        own_windows(config, &file.topology, &mut flows);
    }
    let agents: BTreeSet<String> = config.agents.keys().map(u32::to_string).collect();
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
        tenants: Vec::new(),
        host_jobs: Vec::new(),
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

/// Buffers and marking of every switch.
pub(super) fn switch_settings(config: &Config, topology: &Topology) -> SwitchSettings {
    let common = SwitchSettings {
        lossless: 0xff,
        reserved_bytes: 4 * 1024,
        xon_offset_bytes: 3 * 1024,
        headroom: Headroom::LinkCapacities(3),
        ecn: marking(config),
        ..SwitchSettings::default()
    };
    let simulator = config.simulator();
    if let Some(threshold) = simulator.fixed_threshold() {
        // It limits the ingress queues only.
        return SwitchSettings { memory_bytes: 1 << 40, threshold, ..common };
    }
    let is_host = |node: &str| topology.is_host(node);
    let host_link = topology.links.iter().find(|link| is_host(&link.a.switch) || is_host(&link.b.switch));
    let host_rate = host_link.map_or(Rate(u64::MAX), |link| link.rate);
    let rates: BTreeSet<Rate> = topology.links.iter().map(|link| link.rate).collect();
    SwitchSettings {
        memory_bytes: u64::from(config.buffer_size) * simulator.buffer_unit_bytes(),
        threshold: Threshold::Dynamic { alpha_exponent: -3 },
        thresholds: rates.into_iter().map(|rate| (rate, share(rate, host_rate))).collect(),
        sets_headroom_aside: true,
        ..common
    }
}

/// Marking by link rate, of every rate that has all parameters.
fn marking(config: &Config) -> Vec<(Rate, Ecn)> {
    if !config.enable_qcn {
        return Vec::new();
    }
    let of = |(rate, (kmin_bytes, _)): (&u64, &(u64, usize))| {
        let (kmax_bytes, pmax_ppm) = (config.kmax.get(rate)?.0, config.pmax_ppm.get(rate)?.0);
        Some((Rate(*rate), Ecn { kmin_bytes: *kmin_bytes, kmax_bytes, pmax_ppm }))
    };
    config.kmin.iter().filter_map(of).collect()
}

/// The failing link.
fn failures(config: &Config, file: &TopologyFile) -> Vec<Failure> {
    let failing = config.link_down.and_then(|down| Some((down, file.link_between(down.a, down.b)?)));
    let failure =
        failing.map(|(down, link)| Failure { link, down: down.at, up: Time::MAX, reconverge: Time::ZERO });
    failure.into_iter().collect()
}

/// Gives every flow the window of its pair of hosts.
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
        header_bytes: config.simulator().header_bytes(config.control),
        window_bytes: config.has_window.then(|| largest_product(topology, config.payload_bytes)),
        variable_window: config.variable_window,
        dcqcn: (config.control == CongestionControl::Dcqcn).then_some(dcqcn),
        instead_of_dcqcn: instead_of_dcqcn(config),
        notification: Notification::Acknowledgements,
        ack_every: config.ack_interval.div_ceil(u64::from(config.payload_bytes)).max(1),
        ack_priority: config.ack_high_priority.then_some(HIGH_PRIORITY),
        cnp_priority: HIGH_PRIORITY,
        nak_interval: Time::from_us(500),
        retransmit_timeout: None,
        nak_chunk_bytes: config.chunk_bytes,
        is_paced: config.rate_bound,
        ..HostSettings::default()
    }
}

fn instead_of_dcqcn(config: &Config) -> Option<ControlConfig> {
    match config.control {
        CongestionControl::None | CongestionControl::Dcqcn => None,
        CongestionControl::Timely => Some(ControlConfig::Timely(TimelyConfig {
            additive_increase: config.rate_ai,
            hyper_increase: config.rate_hai,
            min_rate: config.min_rate,
            ..TimelyConfig::default()
        })),
        CongestionControl::Dctcp => Some(ControlConfig::Dctcp(DctcpConfig {
            gain: config.gain,
            additive_increase: config.dctcp_rate_ai,
            min_rate: config.min_rate,
        })),
    }
}

/// The largest bandwidth-delay product over all pairs of hosts, see [`product`].
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

/// The round trip of a path times the rate of its slowest link, in whole nanoseconds and bytes.
fn product(links: &[&Link], payload_bytes: u32) -> u64 {
    let slowest = links.iter().map(|link| link.rate.0).min().unwrap_or(0);
    (u128::from(round_trip_ns(links, payload_bytes)) * u128::from(slowest) / 8_000_000_000) as u64
}

/// A round trip as the simulators count it: twice the propagation plus the serialisation of one payload at every hop,
/// each in whole nanoseconds.
pub fn round_trip_ns(links: &[&Link], payload_bytes: u32) -> u64 {
    let hop =
        |link: &&Link| 2 * link.delay.as_ns() + link.rate.serialisation(u64::from(payload_bytes)).as_ns();
    links.iter().map(hop).sum()
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
