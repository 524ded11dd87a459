//! Configuration findings of a scenario's switches, from their settings and the network's links only: the expected
//! outcome of the scenario is not used.
//!
//! There are three kinds of findings:
//! - those of `harrier check` in SONiC configurations ([`crate::config_findings`]);
//! - a switch that differs from the majority in a setting that a network usually has in common (thresholds, lossless
//!   priorities, DSCP maps, marking); without a majority there is no finding;
//! - headroom that cannot hold the packets that arrive after a pause was sent, and routes that are on no shortest path.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use model::config_finding::Deviation;
use model::topology::NodeKind;
use model::{ConfigFinding, PortRef, Rate, Setting, Time};
use p4_switch::tm::Threshold;

use crate::Scenario;
use crate::settings::{Headroom, SwitchSettings};
use crate::sonic::{self, Configured, config_findings, dscp_classes, view};

impl Scenario {
    /// The findings that held at any time from `from` to `to`, by switch and setting. Findings that a rule of
    /// `harrier check` already covers are omitted.
    pub fn audit(&self, from: Time, to: Time) -> Vec<ConfigFinding> {
        let switches = self.all_switches();
        let mut findings = Vec::new();
        for common in &COMMON {
            differing(&switches, common, &mut findings);
        }
        for (name, settings) in &switches {
            findings.extend(self.short_headroom(name, settings));
        }
        let by_rules = self.sonic_findings();
        findings.retain(|own| !by_rules.iter().any(|rule| covers(rule, own)));
        findings.extend(by_rules);
        findings.extend(self.wrong_routes(from, to));
        findings.sort_by(|a, b| (&a.switch, a.setting, &a.id).cmp(&(&b.switch, b.setting, &b.id)));
        findings.dedup_by(|a, b| a.id == b.id);
        findings
    }

    /// The findings of the rules in the SONiC configurations.
    fn sonic_findings(&self) -> Vec<ConfigFinding> {
        let switches = self.all_switches();
        let configured = switches.iter().filter_map(|(switch, settings)| {
            let (resolved, findings) = (settings.sonic.as_deref()?, settings.sonic_findings.as_slice());
            Some(Configured { switch, resolved, findings })
        });
        config_findings(&self.topology, &configured.collect::<Vec<_>>())
    }

    /// Every switch with its settings.
    fn all_switches(&self) -> Vec<(&str, &SwitchSettings)> {
        let switches = self.topology.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
        switches.map(|node| (node.name.as_str(), self.switch_settings(&node.name))).collect()
    }

    /// The settings of a switch that agrees with the majority in this setting; absent without a majority.
    pub(crate) fn usual(&self, setting: Setting) -> Option<&SwitchSettings> {
        let common = COMMON.iter().find(|common| common.setting == setting)?;
        majority(&self.all_switches(), common)
    }

    /// A finding about headroom that is smaller than what arrives after a pause was sent: the bytes on the cable in
    /// both directions, what the peer sends before it reacts, and a frame in transmission at either end (IEEE 802.1Qbb
    /// annex O).
    fn short_headroom<'s>(&'s self, name: &'s str, settings: &SwitchSettings) -> Option<ConfigFinding> {
        let own = self.sonic_headroom(name, settings);
        if settings.lossless == 0 && settings.sonic.is_none() {
            return None;
        }
        let short = |(port, peer, needed): (u16, &'s PortRef, u64)| {
            let link = self.topology.link_of(&PortRef::new(name, port))?;
            let set = match &own {
                Some(ports) => *ports.get(&port)?,
                None => settings.headroom_of(link.rate, link.delay),
            };
            (set < needed).then_some((port, &peer.switch, set, needed))
        };
        let short: Vec<_> = self.headroom_needs(name).filter_map(short).collect();
        let (port, peer, set, needed) = short.iter().copied().max_by_key(|(.., set, needed)| needed - set)?;
        let shown = match settings.headroom {
            Headroom::Bytes(_) | Headroom::Ports(_) => String::new(),
            Headroom::LinkCapacities(times) => format!(" ({times} times the link capacity)"),
        };
        let mut finding = ConfigFinding::new(
            name,
            Setting::Headroom,
            format!(
                "{name}:{port} to {} has {set} bytes of headroom{shown}; {needed} bytes may still arrive after a pause was sent",
                peer
            ),
            format!("give {name}:{port} at least {needed} bytes of headroom"),
        );
        // The port with the largest deficit represents the others.
        finding.port = (short.len() == 1).then_some(port);
        finding.deviation = Deviation::Less;
        Some(finding)
    }

    /// The headroom of the ports with lossless priorities of a switch with a SONiC configuration.
    fn sonic_headroom(&self, name: &str, settings: &SwitchSettings) -> Option<BTreeMap<u16, u64>> {
        let resolved = settings.sonic.as_deref()?;
        let ports = self.switch_ports(name);
        let chosen = sonic::choose(resolved, &ports, &mut Vec::new());
        let lossless = chosen.into_iter().filter(|(_, port)| view::lossless(resolved, port) != 0);
        Some(
            lossless
                .filter_map(|(link, port)| Some((link.number, view::headroom_bytes(resolved, port)?)))
                .collect(),
        )
    }

    /// Every port of a switch with its peer and the headroom in bytes that a lossless priority needs there.
    pub(crate) fn headroom_needs<'s>(
        &'s self,
        name: &'s str,
    ) -> impl Iterator<Item = (u16, &'s PortRef, u64)> {
        let frame = u64::from(self.host.payload_bytes) + u64::from(self.host.header_bytes);
        self.topology.ports_of(name).into_iter().filter_map(move |(port, peer)| {
            let link = self.topology.link_of(&PortRef::new(name, port))?;
            let reaction = match self.topology.is_host(&peer.switch) {
                true => self.host_settings(&peer.switch).pfc_reaction,
                false => self.switch_settings(&peer.switch).pfc_reaction,
            };
            let in_flight = Time(2 * link.delay.0 + reaction.time(link.rate).0);
            Some((port, peer, bytes_in(link.rate, in_flight) + 2 * frame))
        })
    }

    /// Active routes that are on no shortest path.
    fn wrong_routes(&self, from: Time, to: Time) -> Vec<ConfigFinding> {
        let active = self.routing.routes.iter().filter(|route| route.start <= to && from < route.end);
        let mut shortest: BTreeMap<&str, BTreeMap<&str, Vec<u16>>> = BTreeMap::new();
        let mut off: BTreeMap<&str, (BTreeSet<&str>, BTreeSet<u16>)> = BTreeMap::new();
        for timed in active {
            let route = &timed.route;
            let usual = shortest.entry(&route.host).or_insert_with(|| self.topology.next_hops(&route.host));
            let usual = usual.get(route.switch.as_str()).map_or(&[][..], Vec::as_slice);
            let wrong: Vec<u16> = route.ports.iter().copied().filter(|port| !usual.contains(port)).collect();
            if !wrong.is_empty() {
                let found = off.entry(&route.switch).or_default();
                found.0.insert(&route.host);
                found.1.extend(wrong);
            }
        }
        let finding = |(switch, (hosts, ports)): (&str, (BTreeSet<&str>, BTreeSet<u16>))| {
            let hosts: Vec<&str> = hosts.into_iter().collect();
            let numbers: Vec<String> = ports.iter().map(u16::to_string).collect();
            let ports_are = match numbers.as_slice() {
                [one] => format!("port {one}, which is"),
                many => format!("ports {}, which are", many.join(", ")),
            };
            let mut finding = ConfigFinding::new(
                switch,
                Setting::Route,
                format!(
                    "{switch} forwards packets for {} to {ports_are} on no shortest path",
                    hosts.join(", ")
                ),
                format!("remove the route of {switch} to {}", hosts.join(", ")),
            );
            // A finding about several ports of an equal-cost route is one about the switch.
            finding.port = ports.first().copied().filter(|_| ports.len() == 1);
            finding
        };
        off.into_iter().map(finding).collect()
    }
}

/// Whether a finding of a rule covers one of the audit's own findings.
fn covers(rule: &ConfigFinding, own: &ConfigFinding) -> bool {
    rule.place() == own.place()
        && (rule.port.is_none() || rule.port == own.port)
        && (rule.deviation == own.deviation || own.deviation == Deviation::Different)
}

/// A setting that the switches of a network usually have in common.
struct Common {
    setting: Setting,
    what: &'static str,
    value: fn(&SwitchSettings) -> String,
    compare: fn(&SwitchSettings, &SwitchSettings) -> Deviation,
}

const COMMON: [Common; 5] = [
    Common { setting: Setting::Alpha, what: "threshold", value: threshold, compare: compare_threshold },
    Common {
        setting: Setting::Lossless,
        what: "set of lossless priorities",
        value: lossless,
        compare: other,
    },
    Common { setting: Setting::Dscp, what: "map of DSCPs to priorities", value: code_points, compare: other },
    Common {
        setting: Setting::XonOffset,
        what: "resume offset",
        value: |s| format!("{} bytes", s.xon_offset_bytes),
        compare: other,
    },
    Common { setting: Setting::Ecn, what: "marking", value: |s| format!("{:?}", s.ecn), compare: other },
];

/// A switch whose value more than half of all switches have.
fn majority<'s>(switches: &[(&str, &'s SwitchSettings)], common: &Common) -> Option<&'s SwitchSettings> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for (_, settings) in switches {
        *counts.entry((common.value)(settings)).or_default() += 1;
    }
    let (usual, _) = counts.iter().find(|(_, count)| **count * 2 > switches.len())?;
    switches.iter().find(|(_, s)| (common.value)(s) == *usual).map(|(_, settings)| *settings)
}

/// Adds a finding for every switch whose value differs from the majority.
fn differing(switches: &[(&str, &SwitchSettings)], common: &Common, findings: &mut Vec<ConfigFinding>) {
    let Some(reference) = majority(switches, common) else { return };
    let usual = (common.value)(reference);
    for (name, settings) in switches {
        let own = (common.value)(settings);
        if own != usual {
            let mut finding = ConfigFinding::new(
                name,
                common.setting,
                message(common, name, &own, &usual),
                format!("set the {} of {name} to {usual}", common.what),
            );
            finding.deviation = (common.compare)(settings, reference);
            findings.push(finding);
        }
    }
}

/// Says what differs.
fn message(common: &Common, name: &str, own: &str, usual: &str) -> String {
    if common.setting == Setting::Dscp && usual == DEFAULT_MAP {
        return format!("{name} maps DSCP {own}; most switches do not");
    }
    format!("the {} of {name} is {own}; most switches have {usual}", common.what)
}

/// The value of a map of DSCPs that is not changed.
const DEFAULT_MAP: &str = "the default";

fn threshold(settings: &SwitchSettings) -> String {
    let one = |threshold: &Threshold| match threshold {
        Threshold::Dynamic { alpha_exponent } if *alpha_exponent < 0 => {
            format!("alpha 1/{}", 1_u64 << alpha_exponent.unsigned_abs().min(63))
        }
        Threshold::Dynamic { alpha_exponent } => format!("alpha {}", 1_u64 << (*alpha_exponent).min(62)),
        Threshold::Static(bytes) => format!("{bytes} bytes"),
    };
    let rates = settings.thresholds.iter().map(|(rate, t)| format!(", {rate:?}: {}", one(t)));
    one(&settings.threshold) + &rates.collect::<String>()
}

/// Compares thresholds; a dynamic and a static one are different.
fn compare_threshold(own: &SwitchSettings, usual: &SwitchSettings) -> Deviation {
    let order = match (&own.threshold, &usual.threshold) {
        (Threshold::Dynamic { alpha_exponent: a }, Threshold::Dynamic { alpha_exponent: b }) => a.cmp(b),
        (Threshold::Static(a), Threshold::Static(b)) => a.cmp(b),
        _ => return Deviation::Different,
    };
    match order {
        Ordering::Less => Deviation::Less,
        Ordering::Greater => Deviation::More,
        Ordering::Equal => Deviation::Different,
    }
}

fn other(_: &SwitchSettings, _: &SwitchSettings) -> Deviation {
    Deviation::Different
}

fn lossless(settings: &SwitchSettings) -> String {
    let priorities: Vec<String> =
        (0..8).filter(|bit| settings.lossless >> bit & 1 == 1).map(|bit| bit.to_string()).collect();
    if priorities.is_empty() { "empty".to_string() } else { priorities.join(", ") }
}

fn code_points(settings: &SwitchSettings) -> String {
    let table = settings.sonic.as_deref().and_then(dscp_classes);
    let mut changed: BTreeMap<u8, u8> = BTreeMap::new();
    for (dscp, class) in table.iter().flatten().enumerate() {
        if *class != dscp as u8 >> 3 {
            changed.insert(dscp as u8, *class);
        }
    }
    changed.extend(&settings.dscp);
    if changed.is_empty() {
        return DEFAULT_MAP.to_string();
    }
    changed.iter().map(|(dscp, class)| format!("{dscp} to priority {class}")).collect::<Vec<_>>().join(", ")
}

/// Bytes that a link of `rate` carries in `time`.
fn bytes_in(rate: Rate, time: Time) -> u64 {
    (u128::from(rate.0) * u128::from(time.0) / 8_000_000_000_000) as u64
}
