//! Checks across the files. Each problem has the position of the wrong value.

use std::collections::{BTreeMap, BTreeSet};

use model::topology::NodeKind;
use model::{Rate, Time};

use super::config::{Config, CongestionControl};
use super::flows::FlowRow;
use super::topology::TopologyFile;
use crate::paths::Paths;
use crate::problem::Problem;
use crate::settings::SwitchSettings;

/// A file: its path for messages, and its text.
#[derive(Clone, Copy)]
pub(super) struct Text<'f> {
    pub(super) name: &'f str,
    pub(super) text: &'f str,
}

impl Text<'_> {
    fn problem(&self, offset: usize, message: String) -> Problem {
        Problem::at(self.name, self.text, offset, message)
    }

    fn line(&self, offset: usize) -> usize {
        Problem::at(self.name, self.text, offset, "").line
    }
}

/// The contents of all files.
pub(super) struct Read<'f> {
    pub(super) config_text: Text<'f>,
    pub(super) config: &'f Config,
    pub(super) topology_text: Text<'f>,
    pub(super) topology: &'f TopologyFile,
    /// Whether every row of the topology is valid; otherwise existing paths may appear to be missing.
    pub(super) is_whole: bool,
    pub(super) flows_text: Text<'f>,
    pub(super) rows: &'f [FlowRow],
}

impl Read<'_> {
    /// All problems that the files have with each other.
    pub(super) fn check(&self, switch: &SwitchSettings) -> Vec<Problem> {
        let mut problems = Vec::new();
        self.check_marking(&mut problems);
        self.check_hosts(&mut problems);
        self.check_min_rate(&mut problems);
        self.check_link_down(&mut problems);
        self.check_buffer(switch, &mut problems);
        if self.is_whole {
            self.check_paths(&mut problems);
        }
        self.check_starts(&mut problems);
        problems
    }

    fn at(&self, key: &str, message: String) -> Problem {
        self.config_text.problem(self.config.place(key), message)
    }

    /// Kmin is not above Kmax, and every rate of a link at a switch has all three parameters.
    fn check_marking(&self, problems: &mut Vec<Problem>) {
        let config = self.config;
        for (rate, (kmin, offset)) in &config.kmin {
            if let Some((kmax, _)) = config.kmax.get(rate).filter(|(kmax, _)| kmax < kmin) {
                let message = format!(
                    "Kmin of the link rate {rate}, {} kB, is above its Kmax, {} kB",
                    kmin / 1000,
                    kmax / 1000
                );
                problems.push(self.config_text.problem(*offset, message));
            }
        }
        if !config.enable_qcn {
            return;
        }
        let topology = &self.topology.topology;
        let mut first: BTreeMap<Rate, usize> = BTreeMap::new();
        for (link, offset) in topology.links.iter().zip(&self.topology.rate_offsets) {
            if !(topology.is_host(&link.a.switch) && topology.is_host(&link.b.switch)) {
                first.entry(link.rate).or_insert(*offset);
            }
        }
        for (rate, offset) in first {
            let maps = [
                ("KMIN_MAP", config.kmin.contains_key(&rate.0)),
                ("KMAX_MAP", config.kmax.contains_key(&rate.0)),
                ("PMAX_MAP", config.pmax_ppm.contains_key(&rate.0)),
            ];
            for (key, _) in maps.iter().filter(|(_, listed)| !listed) {
                let link = format!("{}:{}", self.topology_text.name, self.topology_text.line(offset));
                if config.places.contains_key(*key) {
                    let message = format!("`{key}` does not list {}, the rate of the link in {link}", rate.0);
                    problems.push(self.at(key, message));
                } else {
                    let message = format!(
                        "the marking of links of this rate is undefined: `{key}` is missing in {} (or `ENABLE_QCN 0`)",
                        self.config_text.name
                    );
                    problems.push(self.topology_text.problem(offset, message));
                }
            }
        }
    }

    fn check_hosts(&self, problems: &mut Vec<Problem>) {
        for (key, nodes) in [("AGENT_NODE", &self.config.agents), ("NO_CC_NODE", &self.config.without_cc)] {
            for (id, offset) in nodes {
                if !self.topology.topology.is_host(&id.to_string()) {
                    let message = format!("`{key}` lists {id}, which is not a host");
                    problems.push(self.config_text.problem(*offset, message));
                }
            }
        }
    }

    /// The lowest rate of a flow cannot be above the rate of its NIC.
    fn check_min_rate(&self, problems: &mut Vec<Problem>) {
        if self.config.control == CongestionControl::None {
            return;
        }
        let topology = &self.topology.topology;
        let of_hosts = topology
            .links
            .iter()
            .filter(|link| topology.is_host(&link.a.switch) || topology.is_host(&link.b.switch));
        let slowest = of_hosts.map(|link| link.rate).min();
        if let Some(slowest) = slowest.filter(|slowest| self.config.min_rate > *slowest) {
            let message = format!(
                "`MIN_RATE` is {} bit/s, more than the {} bit/s of the slowest host's link",
                self.config.min_rate.0, slowest.0
            );
            problems.push(self.at("MIN_RATE", message));
        }
    }

    /// The simulators support one link between two nodes.
    fn check_link_down(&self, problems: &mut Vec<Problem>) {
        let Some(down) = self.config.link_down else { return };
        if self.is_whole && self.topology.link_between(down.a, down.b).is_none() {
            let message = format!("`LINK_DOWN`: no link joins node {} and node {}", down.a, down.b);
            problems.push(self.at("LINK_DOWN", message));
        }
        if down.at >= self.config.stop {
            let message = format!(
                "`LINK_DOWN` counts from 2 s, so that the link would fail at {}, after `SIMULATOR_STOP_TIME`, {}",
                down.at, self.config.stop
            );
            problems.push(self.at("LINK_DOWN", message));
        }
    }

    /// Headroom and reservations leave a shared buffer.
    fn check_buffer(&self, switch: &SwitchSettings, problems: &mut Vec<Problem>) {
        if !switch.sets_headroom_aside {
            return;
        }
        let topology = &self.topology.topology;
        let aside = |name: &str| -> u64 {
            let at = |link: &&model::topology::Link| link.a.switch == name || link.b.switch == name;
            let links = topology.links.iter().filter(at);
            links.map(|link| switch.headroom_of(link.rate, link.delay) + switch.reserved_bytes).sum()
        };
        let switches = topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
        let most = switches.map(|node| (aside(&node.name), &node.name)).max();
        if let Some((bytes, name)) = most.filter(|(bytes, _)| *bytes >= switch.memory_bytes) {
            let message = format!(
                "`BUFFER_SIZE` is {} bytes, and the headroom and reservations of switch {name} alone take {bytes}",
                switch.memory_bytes
            );
            problems.push(self.at("BUFFER_SIZE", message));
        }
    }

    fn check_paths(&self, problems: &mut Vec<Problem>) {
        let mut paths = Paths::new(&self.topology.topology);
        let mut seen = BTreeSet::new();
        for row in self.rows.iter().filter(|row| seen.insert((row.src, row.dst))) {
            if paths.links(&row.src.to_string(), &row.dst.to_string()).is_none() {
                let message = format!("no path leads from host {} to host {}", row.src, row.dst);
                problems.push(self.flows_text.problem(row.dst_offset, message));
            }
        }
    }

    /// At least one flow starts before the end.
    fn check_starts(&self, problems: &mut Vec<Problem>) {
        let first = self.rows.iter().min_by_key(|row| row.start);
        if let Some(row) = first.filter(|row| row.start >= self.config.stop) {
            let message = format!(
                "the first flow starts at {}, and `SIMULATOR_STOP_TIME` is {}",
                row.start, self.config.stop
            );
            problems.push(self.flows_text.problem(row.start_offset, message));
        }
    }
}

/// Checks across the lines of the settings.
pub(super) fn check_settings(file: Text<'_>, config: &Config) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (key, named) in [("TOPOLOGY_FILE", &config.topology_file), ("FLOW_FILE", &config.flow_file)] {
        if named.is_none() && !config.places.contains_key(key) {
            problems.push(file.problem(0, format!("`{key}` is missing")));
        }
    }
    let outputs = &config.outputs;
    if outputs.queues_to < outputs.queues_from {
        let key = ["QLEN_MON_END", "QLEN_MON_START"].into_iter().find(|key| config.places.contains_key(*key));
        let message = format!(
            "queues would be sampled from {} (`QLEN_MON_START`) to {} (`QLEN_MON_END`), which is earlier",
            shown(outputs.queues_from),
            shown(outputs.queues_to)
        );
        problems.push(file.problem(config.place(key.unwrap_or("")), message));
    }
    let mut users: BTreeMap<&str, &str> = BTreeMap::new();
    for (key, named) in [
        ("TOPOLOGY_FILE", &config.topology_file),
        ("FLOW_FILE", &config.flow_file),
        ("TRACE_FILE", &config.trace_file),
        ("FCT_OUTPUT_FILE", &outputs.completions),
        ("PFC_OUTPUT_FILE", &outputs.pauses),
        ("QLEN_MON_FILE", &outputs.queues),
        ("TRACE_OUTPUT_FILE", &outputs.trace),
    ] {
        let Some(named) = named else { continue };
        match users.get(named.as_str()) {
            Some(first) => {
                let message = format!("`{key}` names `{named}`, which is the file of `{first}`");
                problems.push(file.problem(config.place(key), message));
            }
            None => {
                users.insert(named, key);
            }
        }
    }
    problems
}

fn shown(time: Time) -> String {
    format!("{} ns", time.as_ns())
}
