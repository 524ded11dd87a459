//! Compares both ends of every link, and the neighbours that the switches name.

use std::collections::BTreeMap;

use model::config_finding::Deviation;

use super::kept::{Kept, Link};
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

/// The switches by name and chip; `None` where several files have both.
type ByName<'f> = BTreeMap<(u32, u32), Option<&'f Kept>>;

impl Fleet {
    pub(super) fn links(&self, found: &mut Vec<Finding>) {
        // A hostname that two files share identifies no switch.
        let mut by_name = ByName::new();
        for switch in self.switches.iter().filter(|s| !self.names.of(s.name).is_empty()) {
            by_name.entry((switch.name, switch.chip)).and_modify(|e| *e = None).or_insert(Some(switch));
        }
        self.shared_names(&by_name, found);
        let none = self.names.known("").unwrap_or(u32::MAX);
        for switch in by_name.values().flatten() {
            for link in &switch.links {
                // Another chip of the same switch, or any chip of another switch.
                let chips = match by_name.get(&(switch.name, link.peer)) {
                    Some(_) if link.peer != none => (switch.name, link.peer)..=(switch.name, link.peer),
                    _ => (link.peer, 0)..=(link.peer, u32::MAX),
                };
                let peers: Vec<&Kept> = by_name.range(chips.clone()).filter_map(|(_, kept)| *kept).collect();
                let is_complete = peers.len() == by_name.range(chips).count();
                let is_end = |l: &&Link| {
                    l.port == link.peer_port || link.peer_port != none && l.also == link.peer_port
                };
                let other =
                    peers.iter().find_map(|kept| kept.links.iter().find(is_end).map(|other| (*kept, other)));
                let Some((peer, other)) = other else {
                    if is_complete {
                        self.unknown_port(switch, link, &peers, found);
                    }
                    continue;
                };
                let name = |k: &Kept, l: &Link| [k.name, k.chip, l.port].map(|n| self.names.of(n));
                let is_first = name(peer, other) > name(switch, link);
                if !self.is_end(other, peer, switch, link) {
                    // A contradiction is reported for each end that another end does not confirm.
                    self.contradiction((switch, link), (peer, other), found);
                } else if is_first {
                    self.ends(switch, link, peer, other, found);
                }
            }
        }
    }

    /// Whether an end names this port as its neighbour.
    fn is_end(&self, end: &Link, of: &Kept, switch: &Kept, link: &Link) -> bool {
        let none = self.names.known("").unwrap_or(u32::MAX);
        let is_switch = end.peer == switch.name || (of.name == switch.name && end.peer == switch.chip);
        is_switch && (end.peer_port == link.port || end.peer_port != none && end.peer_port == link.also)
    }

    /// Reports a name that several files have.
    fn shared_names(&self, by_name: &ByName<'_>, found: &mut Vec<Finding>) {
        for (name, chip) in by_name.iter().filter(|(_, kept)| kept.is_none()).map(|(name, _)| *name) {
            let files: Vec<&str> =
                self.switches.iter().filter(|s| (s.name, s.chip) == (name, chip)).map(|s| &*s.file).collect();
            let message = format!(
                "{} files have the hostname {}: {}; their links are not compared",
                files.len(),
                self.names.of(name),
                crate::rules::names(&files)
            );
            let pointer = "/DEVICE_METADATA/localhost/hostname";
            let file = files.get(1).copied().unwrap_or_default();
            found.push(finding("FLEET008", Severity::Warning, file, pointer, message));
        }
    }

    /// Reports a neighbour port that the neighbour does not have.
    fn unknown_port(&self, switch: &Kept, link: &Link, peers: &[&Kept], found: &mut Vec<Finding>) {
        let has = |peer: &&Kept| peer.ports.binary_search(&link.peer_port).is_ok();
        // A switch without ports is a template.
        if peers.is_empty() || peers.iter().any(has) || peers.iter().all(|peer| peer.ports.is_empty()) {
            return;
        }
        let [peer, port] = [link.peer, link.peer_port].map(|n| self.names.of(n));
        let message = format!(
            "{} has neighbour {peer}, port {port}, but {peer} has no such port",
            self.end(switch, link)
        );
        found.push(self.at(switch, link, ("FLEET006", Severity::Error, "DEVICE_NEIGHBOR"), message));
    }

    /// Reports that the port that one end names as its neighbour names another one.
    fn contradiction(&self, one: (&Kept, &Link), other: (&Kept, &Link), found: &mut Vec<Finding>) {
        let [peer, port] = [other.1.peer, other.1.peer_port].map(|n| self.names.of(n));
        let (this, that) = (self.end(one.0, one.1), self.end(other.0, other.1));
        let message = format!("{this} has neighbour {that}, but {that} has neighbour {peer}:{port}");
        found.push(self.at(one.0, one.1, ("FLEET007", Severity::Error, "DEVICE_NEIGHBOR"), message));
    }

    /// Compares both ends of a link. A finding is reported for the end that has to change.
    fn ends(&self, a: &Kept, x: &Link, b: &Kept, y: &Link, found: &mut Vec<Finding>) {
        let (one, other) = (self.end(a, x), self.end(b, y));
        let names = format!("{one} and {other}");
        let mut add = |(switch, link): (&Kept, &Link), code, table: &str, deviation, message: &str| {
            let base = self.at(switch, link, (code, Severity::Error, table), message.to_string());
            found.push(Finding { deviation, ..base });
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
        let [p, q] = [x.fec, y.fec].map(|n| self.names.of(n));
        if p != q && !p.is_empty() && !q.is_empty() {
            add(
                (a, x),
                "FLEET005",
                "PORT",
                None,
                &format!("{names} have FEC {p} and {q}: the link stays down"),
            );
        }
        if x.is_up != y.is_up {
            let (down, end) = if x.is_up { (&other, (b, y)) } else { (&one, (a, x)) };
            let message = format!("{names} are the ends of a link, but {down} is down");
            found.push(self.at(end.0, end.1, ("FLEET005", Severity::Warning, "PORT"), message));
        }
    }

    /// The name of an end for messages.
    fn end(&self, switch: &Kept, link: &Link) -> String {
        let [name, chip, port] = [switch.name, switch.chip, link.port].map(|n| self.names.of(n));
        if chip.is_empty() { format!("{name}:{port}") } else { format!("{name}/{chip}:{port}") }
    }

    /// A finding at a port.
    fn at(
        &self,
        switch: &Kept,
        link: &Link,
        (code, severity, table): (&'static str, Severity, &str),
        message: String,
    ) -> Finding {
        let port = self.names.of(link.port);
        let base = finding(code, severity, &switch.file, &format!("/{table}/{port}"), message);
        Finding { ports: vec![port.to_string()], ..base }
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
