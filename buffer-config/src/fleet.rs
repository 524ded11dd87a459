//! A fleet: switches of one role against each other, and both ends of every link.
//!
//! Of each switch only what is compared is kept, so that a fleet of thousands takes little memory.

use std::collections::BTreeMap;

use crate::finding::{Finding, Severity};
use crate::resolved::{ResolvedSwitch, Threshold};
use crate::rules::finding;

/// What is kept of a fleet.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    switches: Vec<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    file: String,
    name: String,
    role: String,
    asic: &'static str,
    alpha: Option<i8>,
    marking: Option<(u64, u64, u8)>,
    watchdog: Option<(u32, Option<u32>)>,
    pfc: u8,
    /// Port, speed, MTU, cable, priorities, neighbour and its port.
    links: Vec<Link>,
}

#[derive(Clone, Debug)]
struct Link {
    port: String,
    speed_mbps: u32,
    mtu_bytes: u32,
    cable_m: Option<u32>,
    pfc: u8,
    peer: String,
    peer_port: String,
}

/// The value that most have, when at least half of three or more do.
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
        let links = switch.ports.iter().filter_map(|p| {
            let (peer, peer_port) = p.neighbour.clone()?;
            let (speed_mbps, mtu_bytes, cable_m, pfc) =
                (p.speed_mbps, p.mtu_bytes, p.cable_m, p.pfc_priorities);
            Some(Link { port: p.name.clone(), speed_mbps, mtu_bytes, cable_m, pfc, peer, peer_port })
        });
        self.switches.push(Kept {
            file: file.to_string(),
            name: switch.hostname.clone(),
            role: switch.role.clone(),
            asic: switch.asic.unwrap_or(""),
            alpha,
            marking,
            watchdog,
            pfc: pfc_port.map_or(0, |p| p.pfc_priorities),
            links: links.collect(),
        });
    }

    /// Adds the switches of another.
    pub fn merge(&mut self, other: Self) {
        self.switches.extend(other.switches);
    }

    /// What differs where it should not, and links whose ends disagree.
    pub fn check(&self) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut roles: BTreeMap<&str, Vec<&Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|s| !s.role.is_empty()) {
            roles.entry(&switch.role).or_default().push(switch);
        }
        for (role, switches) in roles {
            alphas(role, &switches, &mut found);
            siblings(role, &switches, &mut found);
        }
        self.links(&mut found);
        found
    }

    fn links(&self, found: &mut Vec<Finding>) {
        // A name that two files share is no name: rendered samples are all called alike.
        let mut by_name: BTreeMap<&str, Option<&Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|s| !s.name.is_empty()) {
            by_name.entry(&switch.name).and_modify(|e| *e = None).or_insert(Some(switch));
        }
        for switch in by_name.values().flatten() {
            for link in &switch.links {
                let Some(peer) = by_name.get(link.peer.as_str()).copied().flatten() else { continue };
                let Some(other) = peer.links.iter().find(|l| l.port == link.peer_port) else { continue };
                // Each link once, from the end that comes first.
                if (peer.name.as_str(), other.port.as_str()) > (switch.name.as_str(), link.port.as_str()) {
                    ends(switch, link, peer, other, found);
                }
            }
        }
    }
}

fn alphas(role: &str, switches: &[&Kept], found: &mut Vec<Finding>) {
    let Some(common) = usual(switches.iter().filter_map(|s| s.alpha)) else { return };
    for switch in switches {
        if let Some(alpha) = switch.alpha.filter(|a| *a != common) {
            // Another ASIC may need another alpha; a smaller one than the fleet's is the incident.
            let severity = if alpha < common { Severity::Error } else { Severity::Warning };
            let times = 2f64.powi(i32::from(common) - i32::from(alpha));
            let message = format!(
                "lossless alpha is 2^{alpha}, other switches of role {role} have 2^{common}: it pauses {times} times as early"
            );
            found.push(finding("FLEET001", severity, &switch.file, "/BUFFER_PROFILE", message));
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

fn ends(a: &Kept, x: &Link, b: &Kept, y: &Link, found: &mut Vec<Finding>) {
    let names = format!("{}:{} and {}:{}", a.name, x.port, b.name, y.port);
    let mut add = |code, table: &str, message: String| {
        let pointer = format!("/{table}/{}", x.port);
        found.push(finding(code, Severity::Error, &a.file, &pointer, message));
    };
    if x.pfc != y.pfc {
        let (p, q) = (crate::rules::list(x.pfc), crate::rules::list(y.pfc));
        add("FLEET003", "PORT_QOS_MAP", format!("{names} enable PFC for {p} and for {q}"));
    }
    if let (Some(p), Some(q)) = (x.cable_m, y.cable_m)
        && p != q
    {
        add("FLEET004", "PORT", format!("{names} are configured with {p} m and {q} m of one cable"));
    }
    if (x.speed_mbps, x.mtu_bytes) != (y.speed_mbps, y.mtu_bytes) {
        let message = format!(
            "{names} run at {} and {} Mb/s with MTU {} and {}",
            x.speed_mbps, y.speed_mbps, x.mtu_bytes, y.mtu_bytes
        );
        add("FLEET005", "PORT", message);
    }
}
