//! The compared values of one switch.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::rc::Rc;

use fnv::FnvHashMap;

use super::is_chip;
use crate::device::System;
use crate::resolved::{
    MacsecKeys, ResolvedPool, ResolvedPort, ResolvedSwitch, Schedule, SharedValues, Threshold, WatchdogAction,
};
use crate::source::Position;

/// All names and texts, each stored once; switches and links refer to them by number.
#[derive(Clone, Debug, Default)]
pub(super) struct Names {
    /// Only looked up, never iterated over.
    numbers: FnvHashMap<Rc<str>, u32>,
    all: Vec<Rc<str>>,
}

impl Names {
    pub(super) fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number): (Rc<str>, u32) = (name.into(), self.all.len() as u32);
        self.numbers.insert(name.clone(), number);
        self.all.push(name);
        number
    }

    pub(super) fn known(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    pub(super) fn of(&self, number: u32) -> &str {
        self.all.get(number as usize).map_or("", |name| name)
    }
}

/// The switches that should have equal values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Scope {
    /// All switches of a role.
    Role,
    /// Those with the same ASIC.
    Asic,
    /// Those with the same SKU: the value depends on the ports.
    Sku,
}

/// A compared property: its name in messages, the table that it comes from, and its scope.
pub(super) type Property = (&'static str, &'static str, Scope);

pub(super) const PROPERTIES: [Property; 12] = [
    ("DSCP map", "DSCP_TO_TC_MAP", Scope::Role),
    ("priority groups", "TC_TO_PRIORITY_GROUP_MAP", Scope::Role),
    ("queues", "TC_TO_QUEUE_MAP", Scope::Role),
    ("paused queues", "MAP_PFC_PRIORITY_TO_QUEUE", Scope::Role),
    ("PFC priorities", "PORT_QOS_MAP", Scope::Role),
    ("watchdog", "PFC_WD", Scope::Asic),
    ("Kmin/Kmax/Pmax", "WRED_PROFILE", Scope::Asic),
    ("schedulers", "SCHEDULER", Scope::Asic),
    ("lossless pool", "BUFFER_POOL", Scope::Sku),
    ("egress lossless pool", "BUFFER_POOL", Scope::Sku),
    ("threshold of lossless queues", "BUFFER_PROFILE", Scope::Sku),
    ("poll interval", "PFC_WD", Scope::Asic),
];

/// Separates the values of ports that differ.
pub(super) const BETWEEN_PORTS: &str = " / ";

/// The index of the PFC priorities in [`PROPERTIES`].
pub(super) const PFC_PRIORITIES: usize = 4;

/// The lossless threshold of a switch that one congested priority group reaches first.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pause {
    pub(super) exponent: i8,
    /// Bytes at which the group pauses.
    pub(super) xoff_bytes: u64,
    pub(super) pool_bytes: u64,
}

#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) file: Box<str>,
    /// The operating system; `None` for SONiC.
    pub(super) system: Option<System>,
    /// The name of the switch.
    pub(super) name: u32,
    /// The name of the chip in a switch with several; empty otherwise.
    pub(super) chip: u32,
    pub(super) role: Box<str>,
    /// The role without that of the chip; empty if the file does not state it.
    pub(super) kind: u32,
    /// The roles that the file states for neighbours, by name.
    pub(super) neighbour_roles: Box<[(u32, u32)]>,
    pub(super) shared: Shared,
    pub(super) asic: &'static str,
    pub(super) sku: u32,
    pub(super) pause: Option<Pause>,
    /// The value of each of [`PROPERTIES`], as text; `None` if the switch does not have it.
    pub(super) values: [Option<u32>; PROPERTIES.len()],
    /// The headroom of lossless ports: speed and cable length, and headroom with its XON offset, as texts.
    pub(super) headroom: Box<[(u32, u32)]>,
    /// Names and aliases of all ports, sorted.
    pub(super) ports: Box<[u32]>,
    /// All ports that may be the end of a link.
    pub(super) links: Box<[Link]>,
    /// Positions of the values of each link, by [`Link::place`]; empty for SONiC, where a finding names the table.
    pub(super) places: Box<[Places]>,
}

/// Values of the whole switch that agree with those of another one, or are its own, as numbers in [`Names`].
#[derive(Clone, Debug, Default)]
pub(super) struct Shared {
    /// The MAC address; `None` if the file does not state it.
    pub(super) mac: Option<u32>,
    /// Name and address of the second switch of a dual ToR.
    pub(super) peer: Option<(u32, u32)>,
    pub(super) loopbacks: Box<[u32]>,
    /// Servers with a cable to two switches, and the type of the cable.
    pub(super) cables: Box<[(u32, u32)]>,
    /// System ports of a chassis and their values.
    pub(super) system_ports: Box<[(u32, u32)]>,
    /// Settings of the tunnel to the second switch of a dual ToR, and their values.
    pub(super) tunnel: Box<[(u32, u32)]>,
    /// Ports with MACsec.
    pub(super) macsec: Box<[(u32, Keys)]>,
    /// Ports with an unusual VLAN tag type.
    pub(super) tag_types: Box<[(u32, u32)]>,
}

/// What both ends of a link with MACsec have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Keys {
    pub(super) bits: u32,
    pub(super) names: Box<[u32]>,
}

impl Shared {
    fn of(values: &SharedValues, names: &mut Names) -> Self {
        let mut pairs = |all: &[(String, String)]| -> Box<[(u32, u32)]> {
            all.iter().map(|(one, other)| (names.number(one), names.number(other))).collect()
        };
        let (cables, system_ports) = (pairs(&values.cables), pairs(&values.system_ports));
        let (tunnel, tag_types) = (pairs(&values.tunnel), pairs(&values.tag_types));
        let mut keys = |(port, keys): &(String, MacsecKeys)| {
            let all = keys.names.iter().map(|name| names.number(name)).collect();
            (names.number(port), Keys { bits: keys.bits, names: all })
        };
        let macsec = values.macsec.iter().map(&mut keys).collect();
        Self {
            mac: (!values.mac.is_empty()).then(|| names.number(&values.mac)),
            peer: values.peer.as_ref().map(|(name, address)| (names.number(name), names.number(address))),
            loopbacks: values.loopbacks.iter().map(|address| names.number(address)).collect(),
            cables,
            system_ports,
            tunnel,
            macsec,
            tag_types,
        }
    }
}

/// Positions of the values of a port in a file that is not SONiC's.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub(super) port: Position,
    pub(super) pfc: Position,
    pub(super) speed: Position,
    pub(super) mtu: Position,
    pub(super) fec: Position,
    pub(super) autoneg: Position,
    pub(super) port_channel: Position,
    pub(super) cable: Position,
    pub(super) state: Position,
    pub(super) classes: Position,
    pub(super) marking: Position,
    pub(super) watchdog: Position,
}

/// The mark of a DSCP in a lossy class ([`Link::classes`]).
pub(super) const LOSSY: char = '-';
/// The mark of a DSCP that the file does not map.
pub(super) const UNKNOWN: char = '?';
/// The text of a watchdog or marking that is off.
pub(super) const NONE: &str = "none";

/// One end of a link, with names and texts as numbers in [`Names`]. `None` and empty texts are unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Link {
    pub(super) port: u32,
    /// Other names that the peer may use for the port: its alias, or its name inside the switch.
    pub(super) also: u32,
    pub(super) speed_mbps: Option<u32>,
    pub(super) mtu_bytes: Option<u32>,
    pub(super) cable_m: Option<u32>,
    pub(super) pfc: Option<u8>,
    pub(super) is_up: Option<bool>,
    /// The forward error correction; empty if the file does not specify it.
    pub(super) fec: u32,
    /// Auto-negotiation and link training.
    pub(super) autoneg: Option<bool>,
    pub(super) link_training: Option<bool>,
    /// The port channel that the port is a member of; empty if none. `None` is unknown.
    pub(super) port_channel: Option<u32>,
    /// Whether the port channel uses LACP.
    pub(super) has_lacp: bool,
    /// The neighbour and its port; empty if this end names none.
    pub(super) peer: u32,
    pub(super) peer_port: u32,
    /// A character for each DSCP: its PFC priority, [`LOSSY`] or [`UNKNOWN`].
    pub(super) classes: u32,
    /// Kmin, Kmax and Pmax of the first lossless priority, `on` or [`NONE`].
    pub(super) marking: u32,
    /// Detection time of the watchdog in milliseconds, `on` or [`NONE`].
    pub(super) watchdog: u32,
    /// The index of its positions in [`Kept::places`].
    pub(super) place: u32,
}

impl Kept {
    pub(super) fn of(file: &str, switch: &ResolvedSwitch, names: &mut Names) -> Self {
        let role = match switch.chip_role.as_str() {
            "" => switch.role.clone(),
            part => format!("{} ({part})", switch.role),
        };
        let mut ports: Vec<u32> = Vec::new();
        for port in &switch.ports {
            let own = [&port.name, &port.alias, &port.chip_port];
            ports.extend(own.into_iter().filter(|name| !name.is_empty()).map(|name| names.number(name)));
        }
        ports.sort_unstable();
        ports.dedup();
        let links = links(switch, names);
        let values = PROPERTIES.map(|(name, ..)| value(name, switch).map(|text| names.number(&text)));
        Self {
            file: file.into(),
            system: None,
            name: names.number(&switch.hostname),
            chip: names.number(&switch.chip.to_ascii_uppercase()),
            role: role.into(),
            kind: names.number(&switch.role),
            neighbour_roles: switch
                .neighbour_roles
                .iter()
                .map(|(name, role)| (names.number(name), names.number(role)))
                .collect(),
            shared: Shared::of(&switch.shared, names),
            asic: switch.asic.unwrap_or(""),
            sku: names.number(&switch.hwsku),
            pause: pause(switch),
            values,
            headroom: headroom(switch, names),
            ports: ports.into(),
            links,
            places: Box::default(),
        }
    }
}

fn links(switch: &ResolvedSwitch, names: &mut Names) -> Box<[Link]> {
    let link = |port: &ResolvedPort| {
        // A port without a neighbour may be the one that another switch names.
        let (peer, peer_port) = port.neighbour.as_ref().map_or(("", ""), |(peer, port)| (peer, port));
        // The chips of a switch use separate names for each other's ports.
        let also = if is_chip(peer) { &port.chip_port } else { &port.alias };
        Link {
            port: names.number(&port.name),
            also: names.number(also),
            speed_mbps: Some(port.speed_mbps),
            mtu_bytes: Some(port.mtu_bytes),
            cable_m: port.cable_m,
            pfc: Some(port.pfc_priorities),
            is_up: Some(port.is_up),
            // The chip chooses the error correction.
            fec: names.number(if port.fec == "auto" { "" } else { &port.fec }),
            autoneg: port.autoneg,
            link_training: port.link_training,
            port_channel: Some(names.number(&port.port_channel)),
            // teamd has no other mode.
            has_lacp: !port.port_channel.is_empty(),
            peer: names.number(peer),
            peer_port: names.number(peer_port),
            classes: names.number(&classes(port)),
            marking: names.number(&end_marking(switch, port)),
            watchdog: names.number(&end_watchdog(port)),
            place: u32::MAX,
        }
    };
    switch.ports.iter().map(link).collect()
}

/// The PFC priority of each DSCP; empty if the file maps no class to a priority group.
fn classes(port: &ResolvedPort) -> String {
    if port.pfc_priorities == 0 || port.tc_to_group.iter().all(|group| *group == 0) {
        return String::new();
    }
    let of = |class: &u8| {
        let priority = port.tc_to_group.get(usize::from(*class)).copied().unwrap_or(0) & 7;
        if port.pfc_priorities >> priority & 1 == 1 { char::from(b'0' + priority) } else { LOSSY }
    };
    port.dscp_to_tc.0.iter().map(of).collect()
}

fn end_marking(switch: &ResolvedSwitch, port: &ResolvedPort) -> String {
    match port.pfc_priorities {
        0 => String::new(),
        _ => marking(switch, port).unwrap_or(NONE.to_string()),
    }
}

fn end_watchdog(port: &ResolvedPort) -> String {
    match (port.pfc_priorities, port.watchdog) {
        (0, _) => String::new(),
        (_, None) => NONE.to_string(),
        (_, Some(watchdog)) => watchdog.detection_ms.to_string(),
    }
}

/// The headroom of each speed and cable length of lossless ports, as the file states it: the dynamic model computes it.
fn headroom(switch: &ResolvedSwitch, names: &mut Names) -> Box<[(u32, u32)]> {
    let mut all: BTreeMap<String, String> = BTreeMap::new();
    for port in switch.ports.iter().filter(|port| port.pfc_priorities != 0) {
        let mut profiles = port.priority_groups.iter().flatten().filter_map(|at| switch.profiles.get(*at));
        let stated = profiles.find(|profile| profile.is_lossless() && !profile.is_generated);
        let (Some(profile), Some(cable_m)) = (stated, port.cable_m) else { continue };
        let offset =
            profile.xon_offset_bytes.map_or(String::new(), |bytes| format!(", xon_offset {bytes} B"));
        let text = format!("{} B{offset}", profile.headroom_bytes.unwrap_or(0));
        all.entry(format!("{} Mb/s over {cable_m} m", port.speed_mbps)).or_insert(text);
    }
    all.iter().map(|(link, text)| (names.number(link), names.number(text))).collect()
}

/// The lowest dynamic threshold of the lossless profiles in use.
fn pause(switch: &ResolvedSwitch) -> Option<Pause> {
    let is_used = |i: usize| switch.ports.iter().any(|p| p.priority_groups.contains(&Some(i)));
    let lossless = switch.profiles.iter().enumerate().filter(|(i, p)| p.is_lossless() && is_used(*i));
    let of = |profile: &crate::resolved::ResolvedProfile| {
        let threshold = profile.threshold?;
        let Threshold::Dynamic { exponent } = threshold else { return None };
        let pool_bytes = switch.pools.get(profile.pool)?.size_bytes.filter(|size| *size > 0)?;
        Some(Pause { exponent, xoff_bytes: threshold.trip_bytes(pool_bytes, 1), pool_bytes })
    };
    lossless.filter_map(|(_, profile)| of(profile)).min_by_key(|pause| pause.xoff_bytes)
}

/// The value of a property as text: that of all ports with PFC, joined if they differ.
fn value(property: &str, switch: &ResolvedSwitch) -> Option<String> {
    let of_ports = |text: &dyn Fn(&ResolvedPort) -> Option<String>| {
        let mut last: Option<&ResolvedPort> = None;
        let mut all = BTreeSet::new();
        for port in switch.ports.iter().filter(|port| port.pfc_priorities != 0) {
            // Most ports are like the one before.
            if last.is_none_or(|last| !last.is_like(port)) {
                all.extend(text(port));
            }
            last = Some(port);
        }
        let all: Vec<String> = all.into_iter().collect();
        (!all.is_empty()).then(|| all.join(BETWEEN_PORTS))
    };
    match property {
        "DSCP map" => of_ports(&|port| Some(pairs(&port.dscp_to_tc.0))),
        "priority groups" => of_ports(&|port| Some(pairs(port.tc_to_group.get(..8)?))),
        "queues" => of_ports(&|port| Some(pairs(port.tc_to_queue.get(..8)?))),
        "paused queues" => of_ports(&|port| Some(pairs(&port.pause_to_queue))),
        "PFC priorities" => of_ports(&|port| Some(crate::rules::list(port.pfc_priorities))),
        "watchdog" => of_ports(&watchdog),
        "Kmin/Kmax/Pmax" => of_ports(&|port| marking(switch, port)),
        "schedulers" => of_ports(&|port| Some(schedulers(port))),
        "threshold of lossless queues" => of_ports(&|port| queue_threshold(switch, port)),
        "poll interval" => {
            let is_watched = switch.ports.iter().any(|port| port.watchdog.is_some());
            is_watched.then(|| format!("{} ms", switch.watchdog_poll_ms))
        }
        "egress lossless pool" => Some(format!("{} B", pool(switch, "egress_lossless_pool")?.size_bytes?)),
        _ => {
            let pool = pool(switch, crate::LOSSLESS_POOL)?;
            Some(format!("{} B + {} B", pool.size_bytes?, pool.shared_headroom_bytes))
        }
    }
}

/// A pool whose size the file states: a computed one differs between switches with another number of ports that are up.
fn pool<'s>(switch: &'s ResolvedSwitch, name: &str) -> Option<&'s ResolvedPool> {
    switch.pools.iter().find(|pool| pool.name == name && !pool.is_computed)
}

/// The threshold of the queue of the first lossless priority.
fn queue_threshold(switch: &ResolvedSwitch, port: &ResolvedPort) -> Option<String> {
    let queue = port.tc_to_queue.get(port.pfc_priorities.trailing_zeros() as usize)?;
    let profile = port.queues.get(usize::from(*queue)).copied().flatten()?;
    Some(match switch.profiles.get(profile)?.threshold? {
        Threshold::Dynamic { exponent } => format!("dynamic_th {exponent}"),
        Threshold::Static { bytes } => format!("{bytes} B"),
    })
}

/// A map as `from=to`, separated by blanks.
fn pairs(map: &[u8]) -> String {
    let mut text = String::with_capacity(map.len() * 5);
    for (from, to) in map.iter().enumerate() {
        // Writing to a String cannot fail.
        let _ = write!(text, "{}{from}={to}", if from > 0 { " " } else { "" });
    }
    text
}

fn watchdog(port: &ResolvedPort) -> Option<String> {
    let watchdog = port.watchdog?;
    let action = match watchdog.action {
        WatchdogAction::Drop => "drop",
        WatchdogAction::Forward => "forward",
        WatchdogAction::Alert => "alert",
    };
    let restoration = watchdog.restoration_ms.map_or("never".to_string(), |ms| format!("{ms} ms"));
    Some(format!("detection {} ms, restoration {restoration}, action {action}", watchdog.detection_ms))
}

fn marking(switch: &ResolvedSwitch, port: &ResolvedPort) -> Option<String> {
    let queue = port.tc_to_queue.get(port.pfc_priorities.trailing_zeros() as usize)?;
    let wred = switch.wred.get(port.queue_wred.get(usize::from(*queue)).copied().flatten()?)?;
    wred.green.map(|c| format!("{}/{}/{}", c.min_bytes, c.max_bytes, c.max_percent))
}

fn schedulers(port: &ResolvedPort) -> String {
    let text = |schedule: &Schedule| match schedule {
        Schedule::Strict => "strict".to_string(),
        Schedule::Weighted { weight } => weight.to_string(),
    };
    let queues = port.queue_schedule.iter().enumerate();
    let all: Vec<String> = queues.filter_map(|(i, s)| Some(format!("{i}={}", text(s.as_ref()?)))).collect();
    if all.is_empty() { "none".to_string() } else { all.join(" ") }
}
