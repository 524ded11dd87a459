//! Finds the two ends of every link by the neighbours that the switches name, and reports neighbours that contradict each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use super::ends::{End, What};
use super::kept::{Kept, Link};
use super::priorities::{Id, id};
use super::{Finding, Fleet, finding};
use crate::finding::{Cause, Severity};

/// The switches by name and chip; `None` where several files have both.
type ByName<'f> = BTreeMap<(u32, u32), Option<&'f Kept>>;

impl Fleet {
    /// The two ends of every link. Reports names that identify no switch, and neighbours that do not exist or contradict
    /// each other.
    pub(super) fn links(&self, found: &mut Vec<Finding>) -> Vec<(End<'_>, End<'_>)> {
        let (mut links, mut contradictions) = (Vec::new(), Vec::new());
        // A hostname that two files share identifies no switch.
        let mut by_name = ByName::new();
        for switch in self.switches.iter().filter(|s| !self.names.of(s.name).is_empty()) {
            by_name.entry((switch.name, switch.chip)).and_modify(|e| *e = None).or_insert(Some(switch));
        }
        self.shared_names(&by_name, found);
        let none = self.names.known("").unwrap_or(u32::MAX);
        for switch in by_name.values().copied().flatten() {
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
                    links.push(((switch, link), (peer, other)));
                } else if !self.is_end(other, peer, switch, link) {
                    contradictions.push(((switch, link), (peer, other)));
                } else if is_first {
                    links.push(((switch, link), (peer, other)));
                }
            }
        }
        self.contradictions(&contradictions, found);
        links
    }

    /// Reports ends that the port that they name does not confirm. Where that port itself is reported, because the port
    /// that it names does not confirm it either, or does not exist, one wrong entry is the reason for both.
    fn contradictions(&self, all: &[(End<'_>, End<'_>)], found: &mut Vec<Finding>) {
        let key = |(switch, link): End<'_>| (id(switch), link.port);
        let unconfirmed: BTreeSet<(Id, u32)> = all.iter().map(|(one, _)| key(*one)).collect();
        let (certain, doubtful): (Vec<_>, Vec<_>) =
            all.iter().copied().partition(|(_, other)| !unconfirmed.contains(&key(*other)));
        let mut reported: BTreeSet<(Id, u32)> = BTreeSet::new();
        for (one, other) in certain.into_iter().chain(doubtful) {
            if !reported.contains(&key(other)) {
                reported.insert(key(one));
                self.contradiction(one, other, found);
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
        let base = self.at(one, ("FLEET007", certainty(one.0), What::Neighbour), message);
        // The other end names a port of this switch that does not exist.
        let is_unknown = other.1.peer == one.0.name && one.0.ports.binary_search(&other.1.peer_port).is_err();
        let cause = is_unknown.then(|| {
            let pointer =
                self.at(other, ("FLEET006", Severity::Error, What::Neighbour), String::new()).pointer;
            Cause { code: "FLEET006", pointer, ports: Vec::new() }
        });
        found.push(Finding { causes: cause.into_iter().collect(), ..base });
    }
}

/// The severity of a wrong neighbour: descriptions are free text.
fn certainty(switch: &Kept) -> Severity {
    if switch.system.is_some() { Severity::Warning } else { Severity::Error }
}
