//! The two switches of a dual ToR: each names the other one, its address, and the same servers.

use std::collections::{BTreeMap, BTreeSet};

use super::kept::Kept;
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

/// The pointers of the compared values.
const PEER: &str = "/PEER_SWITCH";
const CABLES: &str = "/MUX_CABLE";
const TUNNEL: &str = "/TUNNEL";

impl Fleet {
    /// Reports pairs that disagree. Of switches whose peers do not confirm them, the one whose peer is right is reported.
    pub(super) fn dual_tors(&self, found: &mut Vec<Finding>) {
        let mut by_name: BTreeMap<u32, Option<&Kept>> = BTreeMap::new();
        for switch in &self.switches {
            by_name.entry(switch.name).and_modify(|known| *known = None).or_insert(Some(switch));
        }
        let peer_of = |switch: &Kept| {
            let (name, address) = switch.shared.peer?;
            by_name
                .get(&name)
                .copied()
                .flatten()
                .filter(|peer| peer.name != switch.name)
                .map(|p| (p, address))
        };
        let is_confirmed =
            |switch: &Kept, peer: &Kept| peer.shared.peer.is_some_and(|(name, _)| name == switch.name);
        let unconfirmed: BTreeSet<u32> = self
            .switches
            .iter()
            .filter(|switch| peer_of(switch).is_some_and(|(peer, _)| !is_confirmed(switch, peer)))
            .map(|switch| switch.name)
            .collect();
        let mut compared: BTreeSet<u32> = BTreeSet::new();
        for switch in &self.switches {
            let Some((peer, address)) = peer_of(switch) else { continue };
            if is_confirmed(switch, peer) {
                self.address(switch, peer, address, found);
                if compared.insert(switch.name) && !compared.contains(&peer.name) {
                    self.cables(switch, peer, found);
                    self.tunnels(switch, peer, found);
                }
            } else if !unconfirmed.contains(&peer.name) {
                self.unconfirmed(switch, peer, found);
            }
        }
    }

    /// The peer names another switch, or none.
    fn unconfirmed(&self, switch: &Kept, peer: &Kept, found: &mut Vec<Finding>) {
        let [own, other] = [switch, peer].map(|switch| self.name_of(switch));
        let message = match peer.shared.peer {
            Some((name, _)) => {
                format!("{own} has peer {other}, but the peer of {other} is {}", self.names.of(name))
            }
            None => format!("{own} has peer {other}, but {other} has no peer in PEER_SWITCH"),
        };
        found.push(finding("FLEET016", Severity::Error, &switch.file, PEER, message));
    }

    /// The address of the peer is not its loopback address.
    fn address(&self, switch: &Kept, peer: &Kept, address: u32, found: &mut Vec<Finding>) {
        let loopbacks = &peer.shared.loopbacks;
        if loopbacks.is_empty() || self.names.of(address).is_empty() || loopbacks.contains(&address) {
            return;
        }
        let all: Vec<&str> = loopbacks.iter().map(|address| self.names.of(*address)).collect();
        let [own, other] = [switch, peer].map(|switch| self.name_of(switch));
        let message = format!(
            "{own} sends packets for servers of {other} to {}, but Loopback0 of {other} is {}",
            self.names.of(address),
            crate::rules::names(&all)
        );
        found.push(finding("FLEET016", Severity::Error, &switch.file, PEER, message));
    }

    /// Tunnels with different modes or maps. What one of the switches does not state is not compared.
    fn tunnels(&self, one: &Kept, other: &Kept, found: &mut Vec<Finding>) {
        let of_other: BTreeMap<u32, u32> = other.shared.tunnel.iter().copied().collect();
        let differs = |(field, value): &&(u32, u32)| of_other.get(field).is_some_and(|peer| peer != value);
        let differing: Vec<&(u32, u32)> = one.shared.tunnel.iter().filter(differs).collect();
        let Some((field, value)) = differing.first() else { return };
        let fields: Vec<&str> = differing.iter().map(|(field, _)| self.names.of(*field)).collect();
        let [own, peer] = [one, other].map(|switch| self.name_of(switch));
        let values = [Some(value), of_other.get(field)].map(|n| n.map_or("", |n| self.names.of(*n)));
        let message = match (fields.as_slice(), values) {
            ([field], [value, of_peer]) if !value.contains('=') => {
                format!("the tunnel has {field} {value} on {own}, but {of_peer} on {peer}")
            }
            _ => format!("the tunnels of {own} and {peer} differ in {}", crate::rules::names(&fields)),
        };
        found.push(finding("FLEET016", Severity::Warning, &other.file, TUNNEL, message));
    }

    /// Servers of one switch only, and cables of two types.
    fn cables(&self, one: &Kept, other: &Kept, found: &mut Vec<Finding>) {
        let of = |switch: &Kept| -> BTreeMap<u32, u32> { switch.shared.cables.iter().copied().collect() };
        let (own, of_peer) = (of(one), of(other));
        if own.is_empty() && of_peer.is_empty() {
            return;
        }
        for (with, without, lacks) in [(one, other, (&own, &of_peer)), (other, one, (&of_peer, &own))] {
            let servers: Vec<&str> = lacks
                .0
                .keys()
                .filter(|server| !lacks.1.contains_key(server))
                .map(|s| self.names.of(*s))
                .collect();
            if !servers.is_empty() {
                let message = format!(
                    "{} has no cable to {} in MUX_CABLE, unlike its peer {}",
                    self.name_of(without),
                    crate::rules::names(&servers),
                    self.name_of(with)
                );
                found.push(finding("FLEET016", Severity::Warning, &without.file, CABLES, message));
            }
        }
        let differ = |(server, kind): (&u32, &u32)| {
            let of_peer = of_peer.get(server).filter(|of_peer| *of_peer != kind)?;
            Some([*server, *kind, *of_peer].map(|number| self.names.of(number)))
        };
        if let Some([server, kind, of_peer]) = own.iter().find_map(differ) {
            let message = format!(
                "the cable to {server} is {kind} on {}, but {of_peer} on {}",
                self.name_of(one),
                self.name_of(other)
            );
            found.push(finding("FLEET016", Severity::Warning, &other.file, CABLES, message));
        }
    }
}
