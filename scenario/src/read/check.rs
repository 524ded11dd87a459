//! Checks across the values of a scenario: settings that contradict each other or do not fit the network, and traffic
//! that can never be sent.

use std::collections::BTreeMap;
use std::ops::Range;

use model::topology::NodeKind;
use model::{PortRef, Time, Topology};

use super::table::{Reader, Section};
use crate::settings::{SwitchPort, SwitchSettings};
use crate::{Scenario, sonic};

/// Reports a start after the end of the run.
pub(super) fn check_start(reader: &mut Reader<'_>, section: &Section<'_>, start: Time, stop: Time) {
    if start >= stop {
        let message = format!("a start at {start} has no effect: the run ends at {stop} (`stop`)");
        reader.problem(&section.place("start"), message);
    }
}

/// Keys that a SONiC configuration overrides.
const OVERRIDDEN: [&str; 13] = [
    "memory",
    "lossless",
    "reserved",
    "threshold",
    "alpha_exponent",
    "xon_offset",
    "headroom",
    "headroom_links",
    "ecn",
    "mark_congestion",
    "cell",
    "shared_headroom",
    "weights",
];

/// Positions of the settings of a switch that are checked against the network.
#[derive(Clone, Debug, Default)]
pub(super) struct SettingPlaces {
    memory: Option<Range<usize>>,
    headroom: Option<Range<usize>>,
    sonic: Option<Range<usize>>,
}

impl SettingPlaces {
    pub(super) fn of(section: &Section<'_>) -> SettingPlaces {
        let headroom = ["headroom", "headroom_links", "shared_headroom", "reserved"];
        SettingPlaces {
            memory: section.given("memory"),
            headroom: headroom.iter().find_map(|key| section.given(key)),
            sonic: section.given("sonic"),
        }
    }

    /// Reports the keys that have no effect on a switch with a SONiC configuration.
    pub(super) fn report_overridden(&self, reader: &mut Reader<'_>, section: &Section<'_>) {
        for key in OVERRIDDEN.iter().chain(&["watchdog"]) {
            if let Some(place) = section.given(key) {
                let message = format!(
                    "`{key}` has no effect: the SONiC configuration of the switch overrides it; change it there, or remove it"
                );
                reader.problem(&place, message);
            }
        }
    }
}

/// Positions of the settings that are checked against the network.
#[derive(Debug)]
pub(super) struct DeviceCheck {
    base: SettingPlaces,
    /// Of `[switches.NAME]`.
    pub(super) switches: BTreeMap<String, SettingPlaces>,
    /// Of the lowest rate of every host.
    pub(super) min_rate: Option<Range<usize>>,
    /// Of the lowest rates in `[hosts.NAME]`.
    pub(super) hosts: BTreeMap<String, Range<usize>>,
}

/// Problems of several devices at one position, with the message for the first device and their number.
type Found = BTreeMap<(usize, usize, u8), (String, usize)>;

fn add(found: &mut Found, place: Range<usize>, kind: u8, message: impl FnOnce() -> String) {
    let entry = found.entry((place.start, place.end, kind)).or_insert_with(|| (message(), 0));
    entry.1 += 1;
}

impl DeviceCheck {
    pub(super) fn new(base: SettingPlaces) -> DeviceCheck {
        DeviceCheck { base, switches: BTreeMap::new(), min_rate: None, hosts: BTreeMap::new() }
    }

    /// Reports the problems. A problem that several devices share is reported once.
    pub(super) fn report(self, reader: &mut Reader<'_>, scenario: &Scenario) {
        let mut found = Found::new();
        for node in &scenario.topology.nodes {
            match node.kind {
                NodeKind::Switch => self.switch(scenario, &node.name, &mut found),
                NodeKind::Host => self.host(scenario, &node.name, &mut found),
            }
        }
        for ((start, end, _), (message, devices)) in found {
            let more = if devices > 1 { format!(" (and {} more)", devices - 1) } else { String::new() };
            reader.problem(&(start..end), format!("{message}{more}"));
        }
    }

    fn switch(&self, scenario: &Scenario, name: &str, found: &mut Found) {
        let own = self.switches.get(name);
        let place = |of: fn(&SettingPlaces) -> &Option<Range<usize>>| {
            own.and_then(|own| of(own).clone()).or_else(|| of(&self.base).clone())
        };
        let settings = scenario.switch_settings(name);
        let ports = scenario.switch_ports(name);
        if let Some(resolved) = &settings.sonic {
            let place = place(|places| &places.sonic).unwrap_or(0..0);
            for (number, misfit) in sonic::misfits(resolved, &ports).into_iter().enumerate() {
                let message = || format!("the configuration does not fit switch `{name}`: {misfit}");
                add(found, place.clone(), number.min(255) as u8, message);
            }
            return;
        }
        let Some(problem) = too_large(settings, &ports) else { return };
        let place = place(|places| &places.headroom).or_else(|| place(|places| &places.memory));
        add(found, place.unwrap_or(0..0), 0, || format!("switch `{name}`: {problem}"));
    }

    fn host(&self, scenario: &Scenario, name: &str, found: &mut Found) {
        let Some(place) = self.hosts.get(name).or(self.min_rate.as_ref()) else { return };
        let Some(link) = scenario.topology.link_of(&PortRef::new(name, 1)) else { return };
        let Some(dcqcn) = &scenario.host_settings(name).dcqcn else { return };
        if dcqcn.min_rate > link.rate {
            let message =
                || format!("`min_rate` of {} is above the {} of `{name}`'s link", dcqcn.min_rate, link.rate);
            add(found, place.clone(), 0, message);
        }
    }
}

/// Why a switch's memory is smaller than the guarantees of one priority group.
fn too_large(settings: &SwitchSettings, ports: &[SwitchPort]) -> Option<String> {
    let memory = settings.memory_bytes;
    if let Some(shared) = settings.shared_headroom_bytes.filter(|shared| *shared > memory) {
        return Some(format!("`shared_headroom` of {shared} B exceeds its `memory` of {memory} B"));
    }
    let headroom = |port: &SwitchPort| settings.headroom_of(port.rate, port.delay);
    let headroom = if settings.lossless == 0 { 0 } else { ports.iter().map(headroom).max().unwrap_or(0) };
    let promised = headroom.saturating_add(settings.reserved_bytes);
    let reserved = settings.reserved_bytes;
    (promised > memory).then(|| {
        format!("a priority group's headroom of {headroom} B and reservation of {reserved} B exceed its `memory` of {memory} B")
    })
}

/// The partitions of a network after permanent link failures, by time.
#[derive(Debug)]
pub(super) struct Cuts<'t> {
    /// From each time on, the partition of every node. In order of time.
    parts: Vec<(Time, BTreeMap<&'t str, usize>)>,
}

impl<'t> Cuts<'t> {
    pub(super) fn new(scenario: &'t Scenario) -> Cuts<'t> {
        let mut down: Vec<(Time, usize)> = Vec::new();
        for failure in scenario.routing.failures.iter().filter(|failure| failure.up >= scenario.stop) {
            down.push((failure.down, failure.link));
        }
        down.sort_unstable();
        let mut times: Vec<Time> = down.iter().map(|(time, _)| *time).collect();
        times.dedup();
        let is_down = |link: usize, now: Time| down.iter().any(|(since, l)| *l == link && *since <= now);
        let parts =
            times.into_iter().map(|now| (now, components(&scenario.topology, |link| is_down(link, now))));
        Cuts { parts: parts.collect() }
    }

    /// Since when two nodes are partitioned, for traffic that starts at `start`; absent when they are connected.
    pub(super) fn apart(&self, a: &str, b: &str, start: Time) -> Option<Time> {
        let separates = |(_, parts): &&(Time, BTreeMap<&str, usize>)| parts.get(a) != parts.get(b);
        self.parts.iter().take_while(|(since, _)| *since <= start).find(separates).map(|(since, _)| *since)
    }
}

/// The connected component of every node over the links that are up.
fn components(topology: &Topology, is_down: impl Fn(usize) -> bool) -> BTreeMap<&str, usize> {
    let mut neighbours: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (_, link) in topology.links.iter().enumerate().filter(|(index, _)| !is_down(*index)) {
        neighbours.entry(&link.a.switch).or_default().push(&link.b.switch);
        neighbours.entry(&link.b.switch).or_default().push(&link.a.switch);
    }
    let mut parts: BTreeMap<&str, usize> = BTreeMap::new();
    for (number, node) in topology.nodes.iter().enumerate() {
        let mut reached = vec![node.name.as_str()];
        while let Some(name) = reached.pop() {
            if parts.contains_key(name) {
                continue;
            }
            parts.insert(name, number);
            reached.extend(neighbours.get(name).into_iter().flatten());
        }
    }
    parts
}
