//! Reads configurations of NVIDIA Cumulus Linux: NVUE's YAML or JSON, and files with `nv set` commands.
//!
//! Source: Cumulus Linux 5 user guide, "Quality of Service" and "RDMA over Converged Ethernet - RoCE": profiles named
//! `default-global` apply to all ports without a profile of their own, and `nv set qos roce` sets the values of
//! [`roce`].

mod commands;
mod rates;
mod remark;
mod roce;
mod tree;
mod yaml;

use std::collections::{BTreeMap, BTreeSet};

use tree::Node;

use super::policies::undefined;
use super::qos::{Amount, Fec, PfcMode, Qos, Queue, Trust, Unit};
use super::{Device, DevicePort, MAX_PORTS, Placed, PortChannel, Ports, Remark, System, names};
use crate::finding::Severity;
use crate::json::Problem;
use crate::source::{Span, position};

/// The profile of ports without a profile of their own.
const DEFAULT: &str = "default-global";
/// The traffic pools of NVUE.
const POOLS: [&str; 5] = ["default-lossless", "default-lossy", "mc-lossy", "roce-lossless", "roce-lossy"];
/// The smallest share of a pool for lossless traffic that is not reported, percent: a fifth of what `qos roce` sets.
const SMALL_PERCENT: u32 = 10;

/// Reads the text into one tree: the settings, and the problems of the text.
fn tree(text: &str) -> (Node, Vec<Problem>, Option<Problem>) {
    let mut problems = Vec::new();
    let is_commands = text.lines().any(|line| line.trim_start().starts_with("nv set "));
    if is_commands {
        let root = commands::read(text, &mut problems);
        return (root, problems, None);
    }
    let (root, broken) = yaml::read(text, &mut problems);
    let settings = match root.get("set") {
        Some(set) => set.clone(),
        None => root,
    };
    (settings, problems, broken)
}

/// Why a text is not judged: its YAML is broken.
pub(super) fn refusal(text: &str) -> Option<String> {
    let (_, _, broken) = tree(text);
    broken.map(|problem| {
        format!("{}: the text is not YAML: {}", position(text, problem.span.start), problem.message)
    })
}

/// Reads a configuration.
pub(super) fn read(text: &str) -> Device {
    let (root, problems, broken) = tree(text);
    let mut device = Device::new(System::Nvue);
    for problem in problems.iter().chain(&broken) {
        let code = if problem.message.ends_with("is repeated") { "SRC003" } else { "SRC001" };
        device.remark(Remark::new(code, problem.span, "", problem.message.clone()));
    }
    if let Some(name) = root.value(&["system", "hostname"]) {
        device.hostname = name.key.clone();
    }
    let empty = Node::default();
    let qos = root.get("qos").unwrap_or(&empty);
    let mut reader = Reader { device, profiles: Profiles::default(), cables: BTreeMap::new() };
    reader.profiles(qos);
    reader.pools(qos);
    let ports = reader.ports(&root, qos);
    Device { ports, ..reader.device }
}

/// The QoS profiles of each kind by name.
#[derive(Default)]
struct Profiles {
    pfc: BTreeMap<String, Qos>,
    mapping: BTreeMap<String, Qos>,
    queue_mapping: BTreeMap<String, Qos>,
    congestion: BTreeMap<String, Qos>,
    scheduler: BTreeMap<String, Qos>,
    shaper: BTreeMap<String, Qos>,
    remark: BTreeMap<String, Qos>,
    link_pause: BTreeMap<String, Qos>,
}

impl Profiles {
    fn of_kind(&self, kind: &str) -> &BTreeMap<String, Qos> {
        match kind {
            "pfc" => &self.pfc,
            "mapping" => &self.mapping,
            "egress-queue-mapping" => &self.queue_mapping,
            "congestion-control" => &self.congestion,
            "egress-scheduler" => &self.scheduler,
            "egress-shaper" => &self.shaper,
            "remark" => &self.remark,
            _ => &self.link_pause,
        }
    }
}

/// Kinds of profiles that a port may name.
const KINDS: [&str; 8] = [
    "pfc",
    "mapping",
    "egress-queue-mapping",
    "congestion-control",
    "egress-scheduler",
    "egress-shaper",
    "remark",
    "link-pause",
];

/// Profiles that the system defines.
fn is_built_in(name: &str) -> bool {
    name == DEFAULT || name.starts_with("lossy-multi-tc") || name.starts_with("roce")
}

struct Reader {
    device: Device,
    profiles: Profiles,
    /// Cable lengths of PFC profiles, metres.
    cables: BTreeMap<String, Placed<u32>>,
}

impl Reader {
    fn number<T>(&mut self, node: &Node, what: &str, range: (T, T)) -> Option<Placed<T>>
    where
        T: std::str::FromStr + PartialOrd + std::fmt::Display,
    {
        let number = node.key.parse::<T>().ok().filter(|n| *n >= range.0 && *n <= range.1);
        if number.is_none() {
            let message = format!("{what} is `{}`; expected {} to {}", node.key, range.0, range.1);
            self.device.refused(node.span, &format!("/qos/{what}"), message);
        }
        number.map(|number| Placed::new(number, node.span))
    }

    /// The numbers of keys such as `3`, `0-3,5`.
    fn numbers(&mut self, node: &Node, what: &str, most: u8) -> Vec<u8> {
        names::numbers(&node.key, most).unwrap_or_else(|| {
            let message = format!("{what} is `{}`; expected 0 to {most}", node.key);
            self.device.refused(node.span, &format!("/qos/{what}"), message);
            Vec::new()
        })
    }

    fn profiles(&mut self, qos: &Node) {
        for profile in children(qos, "pfc") {
            let qos = self.pfc(profile);
            self.profiles.pfc.insert(profile.key.clone(), qos);
        }
        for profile in children(qos, "mapping") {
            let qos = self.mapping(profile);
            self.profiles.mapping.insert(profile.key.clone(), qos);
        }
        for profile in children(qos, "egress-queue-mapping") {
            let mut to = Qos::default();
            for from in children(profile, "switch-priority") {
                let Some(class) = from.value(&["traffic-class"]) else { continue };
                let Some(queue) = self.number(class, "traffic-class", (0u8, 7)) else { continue };
                for priority in self.numbers(from, "switch-priority", 7) {
                    to.queue_of_class.insert(priority, queue);
                }
            }
            self.profiles.queue_mapping.insert(profile.key.clone(), to);
        }
        for profile in children(qos, "congestion-control") {
            let mut to = Qos::default();
            for class in children(profile, "traffic-class") {
                let queue = self.marking(class);
                for number in self.numbers(class, "traffic-class", 7) {
                    to.queues.insert(number, queue);
                }
            }
            self.profiles.congestion.insert(profile.key.clone(), to);
        }
        for profile in children(qos, "egress-scheduler") {
            let qos = self.scheduler(profile);
            self.profiles.scheduler.insert(profile.key.clone(), qos);
        }
        for profile in children(qos, "egress-shaper") {
            let qos = self.shaper(profile);
            self.profiles.shaper.insert(profile.key.clone(), qos);
        }
        for profile in children(qos, "remark") {
            let qos = self.remark(profile);
            self.profiles.remark.insert(profile.key.clone(), qos);
        }
        for profile in children(qos, "link-pause") {
            let to = Qos {
                sends_link_pause: is_on(profile.value(&["tx"])),
                obeys_link_pause: is_on(profile.value(&["rx"])),
                ..Qos::default()
            };
            self.profiles.link_pause.insert(profile.key.clone(), to);
        }
    }

    fn pfc(&mut self, profile: &Node) -> Qos {
        let mut qos = Qos { pfc: Some(Placed::new(PfcMode::On, profile.span)), ..Qos::default() };
        for node in children(profile, "switch-priority") {
            for priority in self.numbers(node, "switch-priority", 7) {
                qos.lossless.insert(priority, Placed::new(priority, node.span));
            }
        }
        qos.sends_pfc = is_on(profile.value(&["tx"]));
        qos.receives_pfc = is_on(profile.value(&["rx"]));
        if let Some(length) = profile.value(&["cable-length"])
            && let Some(length) = self.number(length, "cable-length", (1u32, 100_000))
        {
            self.cables.insert(profile.key.clone(), length);
        }
        qos
    }

    fn mapping(&mut self, profile: &Node) -> Qos {
        let mut qos = Qos::default();
        if let Some(trust) = profile.value(&["trust"]) {
            let value = match trust.key.as_str() {
                "l3" => Some(Trust::Dscp),
                "l2" => Some(Trust::Cos),
                "both" => Some(Trust::Both),
                "port" => Some(Trust::Nothing),
                other => {
                    let message = format!("`trust` is `{other}`; expected l2, l3, both or port");
                    self.device.refused(trust.span, &format!("/qos/mapping/{}/trust", profile.key), message);
                    None
                }
            };
            qos.trust = value.map(|value| Placed::new(value, trust.span));
        }
        for (kind, most) in [("dscp", 63), ("pcp", 7)] {
            for from in children(profile, kind) {
                let Some(priority) = from.value(&["switch-priority"]) else { continue };
                let Some(class) = self.number(priority, "switch-priority", (0u8, 7)) else { continue };
                for number in self.numbers(from, kind, most) {
                    let map = if kind == "dscp" { &mut qos.class_of_dscp } else { &mut qos.class_of_cos };
                    map.insert(number, class);
                }
            }
        }
        qos
    }

    fn marking(&mut self, class: &Node) -> Queue {
        let mut bytes = |name: &str| {
            let node = class.value(&[name])?;
            let count = self.number(node, name, (0u64, u64::from(u32::MAX)))?;
            Some(Placed::new(Amount { count: count.value, unit: Unit::Bytes }, count.span))
        };
        let (min, max) = (bytes("min-threshold"), bytes("max-threshold"));
        let percent = class.value(&["probability"]);
        let percent = percent.and_then(|node| self.number(node, "probability", (0u8, 100)));
        let marks = is_on(class.value(&["ecn"]));
        let drops = is_on(class.value(&["red"]));
        Queue { marks, drops, min, max, percent, ..Queue::default() }
    }

    /// Memory of the traffic pools.
    fn pools(&mut self, qos: &Node) {
        let mut sum = 0u32;
        let mut last = None;
        for pool in children(qos, "traffic-pool") {
            self.pool_name(pool);
            let Some(percent) = pool.value(&["memory-percent"]) else { continue };
            let Some(percent) = self.number(percent, "memory-percent", (0u32, 100)) else { continue };
            sum += percent.value;
            last = Some(percent.span);
            if percent.value == 0 && pool.key.contains("lossless") {
                let message = format!("the traffic pool {} has 0 % of the memory", pool.key);
                let pointer = format!("/qos/traffic-pool/{}", pool.key);
                self.device.remark(Remark::new("BUF003", percent.span, pointer, message));
            } else if percent.value < SMALL_PERCENT && pool.key.contains("lossless") {
                let message = format!(
                    "the traffic pool {} has {} % of the memory; `qos roce` uses 50 %",
                    pool.key, percent.value
                );
                let pointer = format!("/qos/traffic-pool/{}", pool.key);
                let remark = Remark::new("BUF003", percent.span, pointer, message);
                self.device.remark(Remark { severity: Some(Severity::Warning), ..remark });
            }
        }
        if let Some(span) = last.filter(|_| sum > 100) {
            let message = format!("the traffic pools have {sum} % of the memory together");
            self.device.remark(Remark::new("BUF006", span, "/qos/traffic-pool", message));
        }
    }

    /// Reports a pool with a name that NVUE does not have: it refuses the configuration.
    fn pool_name(&mut self, pool: &Node) {
        let name = &pool.key;
        if ["lossless", "lossy"].iter().any(|kind| name.ends_with(kind)) {
            return;
        }
        let message = format!("`{name}` is no traffic pool; expected one such as {}", POOLS.join(", "));
        let mut commands = Vec::new();
        if let Some(right) = crate::schema::nearest_name(name, POOLS.into_iter()) {
            commands.push(format!("nv unset qos traffic-pool {name}"));
            for field in &pool.children {
                let value =
                    |value: &Node| format!("nv set qos traffic-pool {right} {} {}", field.key, value.key);
                commands.extend(field.children.iter().map(value));
            }
            commands.push("nv config apply".to_string());
        }
        self.device.remark(Remark::new("SRC006", pool.span, "/qos/traffic-pool", message).repair(commands));
    }

    fn ports(&mut self, root: &Node, qos: &Node) -> Vec<DevicePort> {
        let base = self.base(qos);
        let mut ports = Ports::default();
        for node in children(root, "interface") {
            for name in names::ports(&node.key) {
                if !is_physical(&name, node) {
                    continue;
                }
                let Some(port) = ports.port(&name, node.span) else {
                    let message = format!("more than {MAX_PORTS} ports; the rest is not checked");
                    self.device.remark(Remark::new("SRC001", node.span, "", message));
                    return ports.into_vec();
                };
                let mut port = port.clone();
                self.link(node, &mut port);
                let before = std::mem::take(&mut port.qos);
                port.qos = self.port_qos(node, &mut port).over(&before);
                self.lists_of_port(root, node, &mut port.qos);
                if let Some(known) = ports.port(&name, node.span) {
                    *known = port;
                }
            }
        }
        let mut ports = ports.into_vec();
        bonds(root, &mut ports);
        for port in &mut ports {
            port.qos = std::mem::take(&mut port.qos).over(&base);
            let length = self.cables.get(DEFAULT).copied();
            port.cable_m = port.cable_m.or(length).or_else(|| roce::cable_m(qos));
        }
        self.pool_of_pfc(qos, &ports);
        self.pool_priorities(qos, &ports);
        ports
    }

    /// The settings of ports that name no profile.
    fn base(&mut self, qos: &Node) -> Qos {
        let mut base = Qos::default();
        for kind in KINDS {
            if let Some(profile) = self.profiles.of_kind(kind).get(DEFAULT) {
                base = base.over(profile);
            }
        }
        let watchdog = qos.get("pfc-watchdog").cloned().unwrap_or_default();
        let polling = watchdog.value(&["polling-interval"]).cloned();
        let polling = polling.and_then(|node| self.number(&node, "polling-interval", (100u32, 5_000)));
        let count = watchdog.value(&["robustness"]).cloned();
        let count = count.and_then(|node| self.number(&node, "robustness", (1u32, 1_000)));
        base.polling_ms = polling;
        // The watchdog mitigates a storm after this number of polls.
        base.detection_ms = polling
            .zip(count)
            .map(|(polling, count)| Placed::new(polling.value.saturating_mul(count.value), count.span));
        match roce::settings(qos, &mut self.device) {
            Some(roce) => base.over(&roce),
            None => base,
        }
    }

    fn link(&mut self, node: &Node, port: &mut DevicePort) {
        let link = node.get("link").cloned().unwrap_or_default();
        let pointer = format!("/interface/{}/link", port.name);
        if let Some(mtu) = link.value(&["mtu"]) {
            match mtu.key.parse::<u32>().ok().filter(|n| (552..=9_216).contains(n)) {
                Some(bytes) => port.mtu_bytes = Some(Placed::new(bytes, mtu.span)),
                None => {
                    let message = format!("`mtu` is `{}`; expected 552 to 9216", mtu.key);
                    self.device.refused(mtu.span, &format!("{pointer}/mtu"), message);
                }
            }
        }
        if let Some(speed) = link.value(&["speed"]).filter(|speed| speed.key != "auto") {
            // NVUE has no speed without a unit.
            let has_unit = speed.key.ends_with(|last: char| last.is_ascii_alphabetic());
            match names::speed_mbps(&speed.key).filter(|_| has_unit) {
                Some(mbps) => port.speed_mbps = Some(Placed::new(mbps, speed.span)),
                None => {
                    let message = format!("`speed` is `{}`; expected a speed such as 100G", speed.key);
                    self.device.refused(speed.span, &format!("{pointer}/speed"), message);
                }
            }
        }
        port.autoneg = is_on(link.value(&["auto-negotiate"])).or(port.autoneg);
        if let Some(fec) = link.value(&["fec"]) {
            let value = match fec.key.as_str() {
                "rs" => Some(Fec::Rs),
                "baser" => Some(Fec::Fc),
                "off" => Some(Fec::None),
                _ => None,
            };
            port.fec = value.map(|value| Placed::new(value, fec.span)).or(port.fec);
        }
        if let Some(state) = link.value(&["state"]) {
            port.is_up = Some(Placed::new(state.key == "up", state.span));
        }
        let description = node.value(&["description"]).or_else(|| link.value(&["description"]));
        if let Some(description) = description {
            port.neighbour = names::neighbour(&description.key);
        }
    }

    /// The settings of a port's own profiles.
    fn port_qos(&mut self, node: &Node, port: &mut DevicePort) -> Qos {
        let mut qos = Qos::default();
        let Some(settings) = node.get("qos") else { return qos };
        for kind in KINDS {
            let Some(profile) = settings.value(&[kind, "profile"]) else { continue };
            if kind == "pfc" {
                port.cable_m = self.cables.get(&profile.key).copied();
            }
            match self.profiles.of_kind(kind).get(&profile.key) {
                Some(known) => qos = qos.over(known),
                None if is_built_in(&profile.key) => {}
                None => {
                    let pointer = format!("/interface/{}/qos/{kind}", port.name);
                    undefined(
                        &mut self.device,
                        profile.span,
                        &pointer,
                        &format!("{kind} profile"),
                        &profile.key,
                    );
                }
            }
        }
        if let Some(watchdog) = settings.get("pfc-watchdog") {
            let state = is_on(watchdog.value(&["state"]));
            qos.watchdog = Some(state.unwrap_or(Placed::new(true, watchdog.span)));
        }
        qos
    }

    /// Reports PFC without a pool for lossless traffic: by default all memory belongs to the lossy pool.
    fn pool_of_pfc(&mut self, qos: &Node, ports: &[DevicePort]) {
        let has_pool = qos.get("roce").is_some()
            || qos.get("advance-buffer-config").is_some()
            || children(qos, "traffic-pool").any(|pool| pool.key.contains("lossless"));
        let port = ports.iter().find(|port| port.qos.has_pfc() && !port.qos.lossless.is_empty());
        if let (false, Some(port)) = (has_pool, port) {
            let span = port.qos.pfc.map_or(port.span, |pfc| pfc.span);
            let message =
                "PFC is configured, but no traffic pool for lossless traffic: by default the lossy pool has \
                           all memory"
                    .to_string();
            let commands = vec![
                "nv set qos traffic-pool default-lossless memory-percent 50".to_string(),
                "nv set qos traffic-pool default-lossy memory-percent 50".to_string(),
                "nv config apply".to_string(),
            ];
            self.device.remark(Remark::new("PFC002", span, "/qos/traffic-pool", message).repair(commands));
        }
    }
}

impl Reader {
    /// Reports a lossless switch priority that a pool for lossy traffic lists, or that the lossless pool leaves out.
    fn pool_priorities(&mut self, qos: &Node, ports: &[DevicePort]) {
        let lossless =
            ports.iter().filter(|port| port.qos.has_pfc()).flat_map(|port| port.qos.lossless.keys());
        let lossless: BTreeSet<u8> = lossless.copied().collect();
        for pool in children(qos, "traffic-pool") {
            let nodes: Vec<&Node> = children(pool, "switch-priority").collect();
            let listed: BTreeSet<u8> =
                nodes.iter().flat_map(|node| self.numbers(node, "switch-priority", 7)).collect();
            let (Some(first), name) = (nodes.first(), &pool.key) else { continue };
            let is_lossless = name.contains("lossless");
            let wrong = lossless.iter().find(|priority| listed.contains(priority) != is_lossless);
            let Some(priority) = wrong.filter(|_| is_lossless || name.contains("lossy")) else { continue };
            let message = match is_lossless {
                true => format!("lossless switch priority {priority} is not in the traffic pool {name}"),
                false => format!("lossless switch priority {priority} is in the traffic pool {name}"),
            };
            let pointer = format!("/qos/traffic-pool/{name}/switch-priority");
            self.device.remark(Remark::new("BUF051", first.span, pointer, message));
        }
    }
}

fn children<'n>(node: &'n Node, key: &str) -> impl Iterator<Item = &'n Node> + use<'n> {
    node.get(key).map(|node| node.children.as_slice()).unwrap_or_default().iter()
}

/// Sets the port channel of the members of bonds. A bond uses LACP unless its mode is static.
fn bonds(root: &Node, ports: &mut [DevicePort]) {
    for node in children(root, "interface") {
        let Some(bond) = node.get("bond") else { continue };
        let has_lacp = bond.value(&["mode"]).is_none_or(|mode| mode.key != "static");
        for member in children(bond, "member") {
            for name in names::ports(&member.key) {
                if let Some(port) = ports.iter_mut().find(|port| port.name == name) {
                    let channel = PortChannel { name: node.key.clone(), has_lacp };
                    port.port_channel = Some(Placed::new(channel, member.span));
                }
            }
        }
    }
}

/// Whether a name is that of a physical port: `swp1`, `swp1s0`, or the type `swp`.
fn is_physical(name: &str, node: &Node) -> bool {
    let rest = name.strip_prefix("swp").unwrap_or_default();
    let is_swp = rest.starts_with(|c: char| c.is_ascii_digit()) && !rest.contains('.');
    is_swp || node.value(&["type"]).is_some_and(|kind| kind.key == "swp") && !name.contains('.')
}

/// The state of a switch of NVUE: `enable`, `enabled`, `on` or `up`.
fn is_on(node: Option<&Node>) -> Option<Placed<bool>> {
    let node = node?;
    match node.key.as_str() {
        "enable" | "enabled" | "on" | "true" => Some(Placed::new(true, node.span)),
        "disable" | "disabled" | "off" | "false" => Some(Placed::new(false, node.span)),
        _ => None,
    }
}

/// The position of a setting.
fn placed<T>(value: T, span: Span) -> Option<Placed<T>> {
    Some(Placed::new(value, span))
}
