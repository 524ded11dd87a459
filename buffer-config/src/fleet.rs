//! Fleet checks: compares switches of one role with each other, and both ends of every link.
//!
//! Only the compared values of each switch are kept, and every name once, so that a fleet of thousands of switches
//! needs little memory: about 32 bytes per link. The chips of one switch (files with one hostname, each with an
//! `asic_name`) are one neighbour to other switches, and neighbours of each other by the names of the chips.

use std::collections::BTreeMap;
use std::rc::Rc;

use model::config_finding::Deviation;

use crate::finding::{Finding, Severity};
use crate::resolved::{ResolvedSwitch, Threshold};
use crate::rules::finding;

/// The compared values of all switches.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    switches: Vec<Kept>,
    names: Names,
}

/// All names, each stored once; links refer to them by number.
#[derive(Clone, Debug, Default)]
struct Names {
    numbers: BTreeMap<Rc<str>, u32>,
    all: Vec<Rc<str>>,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        if let Some(number) = self.numbers.get(name) {
            return *number;
        }
        let (name, number): (Rc<str>, u32) = (name.into(), self.all.len() as u32);
        self.numbers.insert(name.clone(), number);
        self.all.push(name);
        number
    }

    fn of(&self, number: u32) -> &str {
        self.all.get(number as usize).map_or("", |name| name)
    }
}

#[derive(Clone, Debug)]
struct Kept {
    file: Box<str>,
    /// The name of the switch.
    name: u32,
    /// The name of the chip in a switch with several; empty otherwise.
    chip: u32,
    role: Box<str>,
    asic: &'static str,
    alpha: Option<i8>,
    marking: Option<(u64, u64, u8)>,
    watchdog: Option<(u32, Option<u32>)>,
    pfc: u8,
    links: Box<[Link]>,
}

/// One end of a link, with names as numbers in [`Names`].
#[derive(Clone, Copy, Debug)]
struct Link {
    port: u32,
    /// Other names that the peer may use for the port: its alias, or its name inside the switch.
    also: u32,
    speed_mbps: u32,
    mtu_bytes: u32,
    cable_m: Option<u32>,
    pfc: u8,
    peer: u32,
    peer_port: u32,
}

/// The most common value, if there are at least three values and half of them or more are equal to it.
fn usual<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<T> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    let mut all = 0;
    for value in values {
        *counts.entry(value).or_default() += 1;
        all += 1;
    }
    let (value, count) = counts.into_iter().max_by_key(|(_, count)| *count)?;
    (all >= 2 && count * 2 >= all && count < all || all >= 2 && count * 2 > all).then_some(value)
}

impl Fleet {
    /// Adds a switch.
    pub fn add(&mut self, file: &str, switch: &ResolvedSwitch) {
        let used = |i: usize| switch.ports.iter().any(|p| p.priority_groups.contains(&Some(i)));
        let lossless = switch.profiles.iter().enumerate().find(|(i, p)| p.is_lossless() && used(*i));
        let alpha = lossless.and_then(|(_, p)| match p.threshold {
            Some(Threshold::Dynamic { exponent }) => Some(exponent),
            _ => None,
        });
        let pfc_port = switch.ports.iter().find(|p| p.pfc_priorities != 0);
        let marking = pfc_port.and_then(|port| {
            let queue = port.tc_to_queue.get(port.pfc_priorities.trailing_zeros() as usize)?;
            let wred = switch.wred.get(port.queue_wred.get(usize::from(*queue)).copied().flatten()?)?;
            wred.green.map(|c| (c.min_bytes, c.max_bytes, c.max_percent))
        });
        let watchdog =
            switch.ports.iter().find_map(|p| p.watchdog).map(|w| (w.detection_ms, w.restoration_ms));
        let names = &mut self.names;
        let links = switch.ports.iter().filter_map(|p| {
            let (peer, peer_port) = p.neighbour.as_ref()?;
            let (speed_mbps, mtu_bytes, cable_m, pfc) =
                (p.speed_mbps, p.mtu_bytes, p.cable_m, p.pfc_priorities);
            // The chips of a switch use separate names for each other's ports.
            let also = if is_chip(peer) { &p.chip_port } else { &p.alias };
            let (port, also) = (names.number(&p.name), names.number(also));
            let (peer, peer_port) = (names.number(peer), names.number(peer_port));
            Some(Link { port, also, speed_mbps, mtu_bytes, cable_m, pfc, peer, peer_port })
        });
        let links = links.collect();
        let role = match switch.chip_role.as_str() {
            "" => switch.role.clone(),
            part => format!("{} ({part})", switch.role),
        };
        self.switches.push(Kept {
            file: file.into(),
            name: names.number(&switch.hostname),
            chip: names.number(&switch.chip.to_ascii_uppercase()),
            role: role.into(),
            asic: switch.asic.unwrap_or(""),
            alpha,
            marking,
            watchdog,
            pfc: pfc_port.map_or(0, |p| p.pfc_priorities),
            links,
        });
    }

    /// Reports differences within a role, and links whose ends disagree.
    pub fn check(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut roles: BTreeMap<&str, Vec<&Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|s| !s.role.is_empty()) {
            roles.entry(&*switch.role).or_default().push(switch);
        }
        for (role, switches) in roles {
            alphas(role, &switches, &mut found);
            siblings(role, &switches, &mut found);
        }
        self.links(&mut found);
        found
    }

    fn links(&self, found: &mut Vec<Finding>) {
        // A hostname that two files share identifies no switch: rendered samples all have the same one.
        let mut by_name: BTreeMap<(u32, u32), Option<&Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|s| !self.names.of(s.name).is_empty()) {
            by_name.entry((switch.name, switch.chip)).and_modify(|e| *e = None).or_insert(Some(switch));
        }
        let none = self.names.numbers.get("").copied().unwrap_or(u32::MAX);
        for switch in by_name.values().flatten() {
            for link in &switch.links {
                // Another chip of the same switch, or any chip of another switch.
                let chips = match by_name.get(&(switch.name, link.peer)) {
                    Some(_) if link.peer != none => (switch.name, link.peer)..=(switch.name, link.peer),
                    _ => (link.peer, 0)..=(link.peer, u32::MAX),
                };
                let is_end = |l: &&Link| {
                    l.port == link.peer_port || link.peer_port != none && l.also == link.peer_port
                };
                let other = by_name
                    .range(chips)
                    .filter_map(|(_, kept)| *kept)
                    .find_map(|kept| kept.links.iter().find(is_end).map(|other| (kept, other)));
                let Some((peer, other)) = other else { continue };
                // Each link once, from its first end.
                let name = |k: &Kept, l: &Link| [k.name, k.chip, l.port].map(|n| self.names.of(n));
                if name(peer, other) > name(switch, link) {
                    self.ends(switch, link, peer, other, found);
                }
            }
        }
    }

    /// Compares both ends of a link. A finding is reported for the end that has to change.
    fn ends(&self, a: &Kept, x: &Link, b: &Kept, y: &Link, found: &mut Vec<Finding>) {
        let name = |k: &Kept, l: &Link| {
            let [switch, chip, port] = [k.name, k.chip, l.port].map(|n| self.names.of(n));
            if chip.is_empty() { format!("{switch}:{port}") } else { format!("{switch}/{chip}:{port}") }
        };
        let (one, other) = (name(a, x), name(b, y));
        let names = format!("{one} and {other}");
        let mut add = |(switch, link): (&Kept, &Link), code, table: &str, deviation, message: &str| {
            let port = self.names.of(link.port);
            let pointer = format!("/{table}/{port}");
            let base = finding(code, Severity::Error, &switch.file, &pointer, message.to_string());
            found.push(Finding { ports: vec![port.to_string()], deviation, ..base });
        };
        let message =
            format!("{one} enables PFC for {}, {other} for {}", priorities(x.pfc), priorities(y.pfc));
        // Either end, or both, may lack priorities that the other enables.
        for (end, lacks) in [((a, x), y.pfc & !x.pfc), ((b, y), x.pfc & !y.pfc)] {
            if lacks != 0 {
                add(end, "FLEET003", "PORT_QOS_MAP", Some(Deviation::Less), &message);
            }
        }
        if let (Some(p), Some(q)) = (x.cable_m, y.cable_m)
            && p != q
        {
            let message = format!("{names} have cable lengths {p} m and {q} m for the same link");
            let shorter = if p < q { (a, x) } else { (b, y) };
            add(shorter, "FLEET004", "PORT", Some(Deviation::Less), &message);
        }
        if (x.speed_mbps, x.mtu_bytes) != (y.speed_mbps, y.mtu_bytes) {
            let message = format!(
                "{names} have speeds {} and {} Mb/s and MTUs {} and {}",
                x.speed_mbps, y.speed_mbps, x.mtu_bytes, y.mtu_bytes
            );
            add((a, x), "FLEET005", "PORT", None, &message);
        }
    }
}

/// Whether a neighbour's name is the name of a chip of the same switch.
fn is_chip(name: &str) -> bool {
    let digits = name.strip_prefix("ASIC").or_else(|| name.strip_prefix("asic")).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}

fn alphas(role: &str, switches: &[&Kept], found: &mut Vec<Finding>) {
    let Some(common) = usual(switches.iter().filter_map(|s| s.alpha)) else { return };
    for switch in switches {
        if let Some(alpha) = switch.alpha.filter(|a| *a != common) {
            // Another ASIC may need another alpha; one below the fleet's caused the known incident.
            let severity = if alpha < common { Severity::Error } else { Severity::Warning };
            let ratio = 2f64.powi(i32::from(alpha) - i32::from(common));
            let message = format!(
                "lossless alpha is 2^{alpha}, but other switches of role {role} have 2^{common}: its XOFF threshold is {ratio} times theirs"
            );
            let deviation = if alpha < common { Deviation::Less } else { Deviation::More };
            let base = finding("FLEET001", severity, &switch.file, "/BUFFER_PROFILE", message);
            found.push(Finding { deviation: Some(deviation), ..base });
        }
    }
}

fn siblings(role: &str, switches: &[&Kept], found: &mut Vec<Finding>) {
    let mut groups: BTreeMap<&str, Vec<&Kept>> = BTreeMap::new();
    for switch in switches.iter().filter(|s| !s.asic.is_empty()) {
        groups.entry(switch.asic).or_default().push(switch);
    }
    for (asic, group) in groups {
        let marking = usual(group.iter().filter_map(|s| s.marking));
        let watchdog = usual(group.iter().filter_map(|s| s.watchdog));
        let pfc = usual(group.iter().map(|s| s.pfc));
        for switch in group {
            let mut differs: Vec<String> = Vec::new();
            if let (Some(a), Some(b)) =
                (switch.marking, marking.filter(|m| switch.marking.is_some_and(|s| s != *m)))
            {
                differs
                    .push(format!("Kmin/Kmax/Pmax {}/{}/{} (others {}/{}/{})", a.0, a.1, a.2, b.0, b.1, b.2));
            }
            if let (Some(a), Some(b)) =
                (switch.watchdog, watchdog.filter(|w| switch.watchdog.is_some_and(|s| s != *w)))
            {
                differs.push(format!("watchdog detection {} ms (others {} ms)", a.0, b.0));
            }
            if let Some(b) = pfc.filter(|p| *p != switch.pfc) {
                differs.push(format!("PFC priorities {:#010b} (others {b:#010b})", switch.pfc));
            }
            if !differs.is_empty() {
                let message =
                    format!("differs from other {asic} switches of role {role}: {}", differs.join("; "));
                found.push(finding("FLEET002", Severity::Warning, &switch.file, "", message));
            }
        }
    }
}

/// Returns the priorities of a mask as text: `no priority`, `priority 3`, `priorities 3, 4`.
fn priorities(mask: u8) -> String {
    match mask.count_ones() {
        0 => "no priority".to_string(),
        1 => format!("priority {}", crate::rules::list(mask)),
        _ => format!("priorities {}", crate::rules::list(mask)),
    }
}
