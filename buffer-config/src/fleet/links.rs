//! Finds the two ends of every link by the neighbours that the switches name, and reports neighbours that contradict each
//! other.

use std::collections::BTreeMap;

use super::ends::What;
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
            for link in switch.links.iter().filter(|link| link.peer != none) {
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
                if other.peer == none {
                    // Only this end names the other one.
                    self.ends((switch, link), (peer, other), found);
                } else if !self.is_end(other, peer, switch, link) {
                    // A contradiction is reported for each end that another end does not confirm.
                    self.contradiction((switch, link), (peer, other), found);
                } else if is_first {
                    self.ends((switch, link), (peer, other), found);
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
            self.end((switch, link))
        );
        found.push(self.at((switch, link), ("FLEET006", certainty(switch), What::Neighbour), message));
    }

    /// Reports that the port that one end names as its neighbour names another one.
    fn contradiction(&self, one: (&Kept, &Link), other: (&Kept, &Link), found: &mut Vec<Finding>) {
        let [peer, port] = [other.1.peer, other.1.peer_port].map(|n| self.names.of(n));
        let (this, that) = (self.end(one), self.end(other));
        let message = format!("{this} has neighbour {that}, but {that} has neighbour {peer}:{port}");
        found.push(self.at(one, ("FLEET007", certainty(one.0), What::Neighbour), message));
    }
}

/// The severity of a wrong neighbour: descriptions are free text.
fn certainty(switch: &Kept) -> Severity {
    if switch.system.is_some() { Severity::Warning } else { Severity::Error }
}
