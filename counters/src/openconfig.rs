//! OpenConfig: the leaves that a device streams, and the reading that they contain.
//!
//! Paths are those of openconfig-interfaces, -if-ethernet, -qos, -lldp and -system (github.com/openconfig/public). These models have
//! no pauses by priority and no watchdog: both come from openconfig-qos-ext, an augmentation of SONiC's management framework
//! (`pfc-priorities`, `pfc-queue`), which some devices have. The pause frames of -if-ethernet are those of IEEE 802.3 without a
//! priority, and are not used. Values are leaves, or subtrees in JSON.

use std::collections::BTreeMap;

use model::Rate;
use serde_json::Value;

use crate::problem::Problem;
use crate::reading::{LocalNeighbour, PRIORITIES, PortReading, Reading, Source, WatchdogState};
use crate::sonic::compare_names;

/// The paths of what is counted, to be sampled. A device need not have all of them.
pub const COUNTER_PATHS: [&str; 4] = [
    "interfaces/interface[name=*]/state/counters",
    "qos/interfaces/interface[interface-id=*]/output/queues/queue[name=*]/state",
    "qos/interfaces/interface[interface-id=*]/pfc/pfc-priorities/pfc-priority[dot1p=*]/state",
    "qos/interfaces/interface[interface-id=*]/pfc/pfc-queue/pfc-queue[queue=*]/statistics",
];
/// The paths of what changes seldom, to be sent on change. A device need not have all of them.
pub const STATE_PATHS: [&str; 4] = [
    "interfaces/interface[name=*]/state/oper-status",
    "interfaces/interface[name=*]/ethernet/state/port-speed",
    "lldp/interfaces/interface[name=*]/neighbors/neighbor[id=*]/state",
    "system/state/hostname",
];

/// The maximum number of leaves of a device: 512 ports with 8 queues and 8 priorities have about 100,000.
const MAX_LEAVES: usize = 500_000;
/// The maximum depth of a subtree in JSON.
const MAX_DEPTH: usize = 32;
/// Names of keys of lists, in the order in which they are looked for.
const KEYS: [&str; 6] = ["interface-id", "dot1p", "id", "name", "index", "queue"];

/// A part of a path: a name without its module, and the value of its key; of several keys, that of the first name.
pub type Part = (String, Option<String>);

/// The leaves that a device has sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leaves(BTreeMap<Vec<Part>, String>);

impl Leaves {
    /// Takes a value: a leaf as text, or a subtree in JSON.
    ///
    /// # Errors
    /// There are more leaves than the limit; what was taken before stays.
    pub fn set(&mut self, path: Vec<Part>, value: &Value) -> Result<(), Problem> {
        let depth = path.len();
        self.add(path, value, depth + MAX_DEPTH)
    }

    fn add(&mut self, mut path: Vec<Part>, value: &Value, deepest: usize) -> Result<(), Problem> {
        if path.len() > deepest {
            return Ok(());
        }
        match value {
            Value::Object(fields) => {
                for (name, value) in fields {
                    let name = name.rsplit_once(':').map_or(name.as_str(), |(_, name)| name);
                    path.push((name.to_string(), None));
                    self.add(path.clone(), value, deepest)?;
                    path.pop();
                }
                Ok(())
            }
            // The items of a list of containers have keys; the items of a list of leaves are not read.
            Value::Array(items) => {
                for item in items {
                    let key = KEYS.into_iter().find_map(|key| text(field(item, key)?));
                    if let (Some(key), Some(last)) = (key, path.last_mut()) {
                        last.1 = Some(key);
                        self.add(path.clone(), item, deepest)?;
                    }
                }
                Ok(())
            }
            leaf => {
                let Some(leaf) = text(leaf) else { return Ok(()) };
                if self.0.len() >= MAX_LEAVES && !self.0.contains_key(&path) {
                    return Err(Problem::new(format!("more than {MAX_LEAVES} leaves; the rest is left out")));
                }
                self.0.insert(path, leaf);
                Ok(())
            }
        }
    }

    /// Removes the leaves at and below a path.
    pub fn delete(&mut self, path: &[Part]) {
        self.0.retain(|known, _| !known.starts_with(path));
    }

    /// The reading in the leaves. `switch` is its name, if the caller knows it; else it is the hostname of the device.
    pub fn reading(&self, switch: Option<&str>, time_ns: u64) -> (Reading, Vec<Problem>) {
        let mut problems = Vec::new();
        let mut ports: BTreeMap<String, PortReading> = BTreeMap::new();
        let mut neighbours: BTreeMap<(String, String), LocalNeighbour> = BTreeMap::new();
        let mut hostname = None;
        let (mut has_pauses, mut has_watchdog) = (false, false);
        for (path, value) in &self.0 {
            let names: Vec<&str> = path.iter().map(|(name, _)| name.as_str()).collect();
            let key = |at: usize| path.get(at).and_then(|(_, key)| key.clone());
            match names.as_slice() {
                ["system", "state", "hostname"] => hostname = Some(value.clone()),
                ["interfaces", "interface", rest @ ..] => {
                    if let Some(name) = key(1) {
                        interface(ports.entry(name).or_default(), rest, value);
                    }
                }
                ["qos", "interfaces", "interface", "output", "queues", "queue", "state", leaf] => {
                    if let (Some(name), Some(queue)) = (key(2), key(5).as_deref().and_then(queue_number)) {
                        queue_leaf(ports.entry(name).or_default(), queue, leaf, value);
                    }
                }
                [
                    "qos",
                    "interfaces",
                    "interface",
                    "pfc",
                    "pfc-priorities",
                    "pfc-priority",
                    "state",
                    rest @ ..,
                ] => {
                    if let (Some(name), Some(priority)) = (key(2), key(5).as_deref().and_then(queue_number)) {
                        has_pauses |= pause_leaf(ports.entry(name).or_default(), priority, rest, value);
                    }
                }
                ["qos", "interfaces", "interface", "pfc", "pfc-queue", "pfc-queue", "statistics", leaf] => {
                    if let (Some(name), Some(queue)) = (key(2), key(5).as_deref().and_then(queue_number)) {
                        has_watchdog |= watchdog_leaf(ports.entry(name).or_default(), queue, leaf, value);
                    }
                }
                ["lldp", "interfaces", "interface", "neighbors", "neighbor", "state", leaf] => {
                    if let (Some(port), Some(id)) = (key(2), key(4)) {
                        let neighbour = neighbours.entry((port.clone(), id)).or_default();
                        neighbour.port = port;
                        neighbour_leaf(neighbour, leaf, value);
                    }
                }
                _ => {}
            }
        }
        if !has_pauses {
            problems.push(Problem::new(
                "the device has no pauses by priority (pfc-priorities of openconfig-qos-ext), so that verdicts rest on drops and queues",
            ));
        }
        let switch = switch.map(str::to_owned).or(hostname).unwrap_or_else(|| {
            problems.push(Problem::new("the device has no /system/state/hostname; it is called `switch`"));
            "switch".to_string()
        });
        // Interfaces without counters are virtual ones.
        ports.retain(|_, port| {
            *port != PortReading { up: port.up, speed: port.speed, ..PortReading::default() }
        });
        number(&mut ports);
        let known =
            |neighbour: &LocalNeighbour| !neighbour.system.is_empty() && ports.contains_key(&neighbour.port);
        let neighbours = neighbours.into_values().filter(known).collect();
        let reading = Reading {
            switch,
            time_ns,
            time_is_assumed: false,
            source: Source::Gnmi,
            lacks_watchdog: !has_watchdog,
            polled: Default::default(),
            ports,
            neighbours,
            addresses: Vec::new(),
        };
        (reading.with_plain_names(), problems)
    }
}

/// The field of an object, with or without the prefix of a module; of an item of a list also in its state.
fn field<'v>(item: &'v Value, name: &str) -> Option<&'v Value> {
    let own = |object: &'v Value| {
        let fields = object.as_object()?.iter();
        let is_named = |known: &str| known.rsplit_once(':').map_or(known, |(_, known)| known) == name;
        fields.into_iter().find(|(known, _)| is_named(known)).map(|(_, value)| value)
    };
    own(item)
}

/// A leaf as text: 64-bit numbers are strings in JSON_IETF (RFC 7951).
fn text(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(bool) => Some(bool.to_string()),
        _ => None,
    }
}

fn interface(port: &mut PortReading, rest: &[&str], value: &str) {
    let count = || value.parse::<u64>().ok();
    match rest {
        ["state", "counters", "in-octets"] => port.rx_bytes = count(),
        ["state", "counters", "out-octets"] => port.tx_bytes = count(),
        ["state", "counters", "in-discards"] => port.rx_drops = count(),
        ["state", "counters", "out-discards"] => port.tx_drops = count(),
        ["state", "counters", "in-errors"] => port.rx_errors = count(),
        ["state", "oper-status"] => port.up = Some(value.eq_ignore_ascii_case("up")),
        ["ethernet", "state", "port-speed"] => port.speed = speed(value),
        _ => {}
    }
}

/// A speed, `SPEED_100GB`, `openconfig-if-ethernet:SPEED_2500MB`.
fn speed(value: &str) -> Option<Rate> {
    let text = value.rsplit_once("SPEED_")?.1;
    let (digits, unit) = match text.strip_suffix("GB") {
        Some(digits) => (digits, 1_000_000_000),
        None => (text.strip_suffix("MB")?, 1_000_000),
    };
    digits.parse::<u64>().ok()?.checked_mul(unit).map(Rate)
}

/// The priority of a queue or of a pause: the last number of its name, as in `3`, `UC3`, `Ethernet0:3`.
fn queue_number(name: &str) -> Option<usize> {
    let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
    name[name.len() - digits..].parse().ok().filter(|number| *number < PRIORITIES)
}

fn queue_leaf(port: &mut PortReading, queue: usize, leaf: &str, value: &str) {
    let queue = &mut port.priorities[queue].queue;
    let count = value.parse::<u64>().ok();
    match leaf {
        "transmit-pkts" => queue.packets = count,
        "transmit-octets" => queue.bytes = count,
        "dropped-pkts" => queue.dropped_packets = count,
        "max-queue-len" => queue.watermark_bytes = count,
        _ => {}
    }
}

/// The statistics of the PFC watchdog of a queue (openconfig-qos-ext). Its state has no leaf: a storm that has not ended shows as
/// one that was detected and not restored.
fn watchdog_leaf(port: &mut PortReading, queue: usize, leaf: &str, value: &str) -> bool {
    let Ok(count) = value.parse::<u64>() else { return false };
    let watchdog = port.priorities[queue].watchdog.get_or_insert_default();
    match leaf {
        "storm-detected" => watchdog.detected = count,
        "storm-restored" => watchdog.restored = count,
        "tx-drop" => watchdog.tx_dropped_packets = Some(count),
        "rx-drop" => watchdog.rx_dropped_packets = Some(count),
        _ => {}
    }
    let is_stormed = watchdog.detected > watchdog.restored;
    watchdog.state = if is_stormed { WatchdogState::Stormed } else { WatchdogState::Operational };
    true
}

fn pause_leaf(port: &mut PortReading, priority: usize, rest: &[&str], value: &str) -> bool {
    let priority = &mut port.priorities[priority];
    match rest.last().copied() {
        Some("pause-frames-rx") => priority.pause_rx_frames = value.parse().ok(),
        Some("pause-frames-tx") => priority.pause_tx_frames = value.parse().ok(),
        Some("enable") => priority.pfc_enabled = value.parse().ok(),
        _ => return false,
    }
    true
}

fn neighbour_leaf(neighbour: &mut LocalNeighbour, leaf: &str, value: &str) {
    match leaf {
        "system-name" => neighbour.system = value.to_string(),
        "port-id" => neighbour.remote_port = Some(value.to_string()),
        "port-description" => neighbour.remote_description = Some(value.to_string()),
        _ => {}
    }
}

/// Numbers the ports from 1 in the natural order of their names.
fn number(ports: &mut BTreeMap<String, PortReading>) {
    let mut names: Vec<String> = ports.keys().cloned().collect();
    names.sort_by(|a, b| compare_names(a, b));
    for (name, number) in names.into_iter().zip(1..=u16::MAX) {
        if let Some(port) = ports.get_mut(&name) {
            port.number = Some(number);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A path, `interfaces/interface=Ethernet1/state`.
    fn path(text: &str) -> Vec<Part> {
        let part = |part: &str| match part.split_once('=') {
            Some((name, key)) => (name.to_string(), Some(key.to_string())),
            None => (part.to_string(), None),
        };
        text.split('/').map(part).collect()
    }

    fn check(leaves: &Leaves, problems: usize) -> Reading {
        let (reading, found) = leaves.reading(None, 7);
        assert_eq!(found.len(), problems, "{found:?}");
        assert_eq!(reading.ports.keys().collect::<Vec<_>>(), ["Ethernet10", "Ethernet2"]);
        assert_eq!(
            (reading.ports["Ethernet2"].number, reading.ports["Ethernet10"].number),
            (Some(1), Some(2))
        );
        reading
    }

    #[test]
    fn leaves_and_subtrees_are_the_same_reading() {
        let mut leaves = Leaves::default();
        let mut set = |text: &str, value: Value| leaves.set(path(text), &value).expect("few leaves");
        set("system/state/hostname", json!("leaf1"));
        for port in ["Ethernet2", "Ethernet10"] {
            set(&format!("interfaces/interface={port}/state/counters/out-octets"), json!("900"));
        }
        set("interfaces/interface=Ethernet2/state/oper-status", json!("UP"));
        set(
            "interfaces/interface=Ethernet2/ethernet/state/port-speed",
            json!("openconfig-if-ethernet:SPEED_100GB"),
        );
        set("interfaces/interface=Loopback0/state/oper-status", json!("UP"));
        set("qos/interfaces/interface=Ethernet2/output/queues/queue=UC3/state/max-queue-len", json!(4_096));
        set(
            "qos/interfaces/interface=Ethernet2/pfc/pfc-priorities/pfc-priority=3/state/statistics/pause-frames-rx",
            json!("7"),
        );
        let queue = "qos/interfaces/interface=Ethernet2/pfc/pfc-queue/pfc-queue=3/statistics";
        set(&format!("{queue}/storm-detected"), json!("2"));
        set(&format!("{queue}/storm-restored"), json!("1"));
        set(&format!("{queue}/tx-drop"), json!("40"));
        set("lldp/interfaces/interface=Ethernet2/neighbors/neighbor=1/state/system-name", json!("h1"));
        let found = check(&leaves, 0);
        let port = &found.ports["Ethernet2"];
        assert_eq!((port.tx_bytes, port.up, port.speed), (Some(900), Some(true), Some(Rate::from_gbps(100))));
        assert_eq!(port.priorities[3].pause_rx_frames, Some(7));
        assert_eq!(port.priorities[3].queue.watermark_bytes, Some(4_096));
        let watchdog = port.priorities[3].watchdog.expect("statistics of the watchdog");
        assert_eq!((watchdog.detected, watchdog.state), (2, WatchdogState::Stormed));
        assert_eq!((watchdog.tx_dropped_packets, watchdog.rx_dropped_packets), (Some(40), None));
        assert!(!found.lacks_watchdog);
        assert_eq!((found.switch.as_str(), found.neighbours[0].system.as_str()), ("leaf1", "h1"));
        let mut trees = Leaves::default();
        let counters = json!({"counters": {"out-octets": "900"}});
        trees.set(path("system"), &json!({"openconfig-system:state": {"hostname": "leaf1"}})).expect("few");
        trees
            .set(path("interfaces"), &json!({"openconfig-interfaces:interface": [
                {"name": "Ethernet2", "state": {"counters": {"out-octets": "900"}, "oper-status": "UP"},
                 "openconfig-if-ethernet:ethernet": {"state": {"port-speed": "openconfig-if-ethernet:SPEED_100GB"}}},
                {"name": "Ethernet10", "state": counters},
                {"name": "Loopback0", "state": {"oper-status": "UP"}}]}))
            .expect("few");
        trees
            .set(path("qos/interfaces"), &json!({"interface": [{"interface-id": "Ethernet2",
                "output": {"queues": {"queue": [{"name": "UC3", "state": {"max-queue-len": 4096}}]}},
                "pfc": {"pfc-queue": {"pfc-queue": [{"queue": 3, "statistics":
                    {"storm-detected": "2", "storm-restored": "1", "tx-drop": "40"}}]},
                    "pfc-priorities": {"pfc-priority": [{"dot1p": 3, "state": {"statistics": {"pause-frames-rx": "7"}}}]}}}]}))
            .expect("few");
        trees
            .set(
                path("lldp/interfaces/interface=Ethernet2"),
                &json!({"neighbors": {"neighbor": [
                {"id": "1", "state": {"system-name": "h1"}}]}}),
            )
            .expect("few");
        assert_eq!(check(&trees, 0), found);
        trees.delete(&path("qos/interfaces/interface=Ethernet2/pfc"));
        let without = check(&trees, 1);
        assert_eq!(without.ports["Ethernet2"].priorities[3].pause_rx_frames, None);
        assert!(without.lacks_watchdog);
    }

    #[test]
    fn a_deep_tree_ends() {
        let deep = (0..1_000).fold(json!(1), |inner, _| json!({ "a": inner }));
        let mut leaves = Leaves::default();
        assert_eq!(leaves.set(path("interfaces"), &deep), Ok(()));
        assert_eq!(leaves, Leaves::default());
    }
}
