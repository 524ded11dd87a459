//! The roles that switches state for their neighbours, against those that the neighbours state themselves.

use std::collections::BTreeMap;

use super::kept::Kept;
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

impl Fleet {
    /// Reports roles that differ: once for the neighbour if several switches agree on another role than its own, and for
    /// each switch otherwise.
    pub(super) fn neighbour_roles(&self, found: &mut Vec<Finding>) {
        let none = self.names.known("").unwrap_or(u32::MAX);
        let mut own: BTreeMap<u32, Option<&Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|switch| switch.name != none && switch.kind != none) {
            // Several files with one name: the chips of a switch have the same role.
            let is_same = |known: &Kept| known.kind == switch.kind;
            own.entry(switch.name)
                .and_modify(|known| *known = known.filter(|known| is_same(known)))
                .or_insert(Some(switch));
        }
        let mut stated: BTreeMap<u32, Vec<(&Kept, u32)>> = BTreeMap::new();
        for switch in &self.switches {
            for (name, role) in switch.neighbour_roles.iter().filter(|(name, _)| *name != switch.name) {
                stated.entry(*name).or_default().push((switch, *role));
            }
        }
        for (name, all) in stated {
            let Some(peer) = own.get(&name).copied().flatten() else { continue };
            let differing: Vec<(&Kept, u32)> =
                all.iter().copied().filter(|(_, role)| *role != peer.kind).collect();
            let first = differing.first().map(|(_, role)| *role);
            let agree = differing.iter().all(|(_, role)| Some(*role) == first);
            match differing.as_slice() {
                [_, _, ..] if agree && differing.len() == all.len() => {
                    self.wrong_role(peer, &differing, found)
                }
                each => each.iter().for_each(|(switch, role)| self.wrong_entry(switch, peer, *role, found)),
            }
        }
    }

    /// The neighbour differs from what all switches state.
    fn wrong_role(&self, peer: &Kept, stated: &[(&Kept, u32)], found: &mut Vec<Finding>) {
        let names: Vec<String> = stated.iter().map(|(switch, _)| self.name_of(switch)).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let role = stated.first().map_or("", |(_, role)| self.names.of(*role));
        let message = format!(
            "{} is a {}, but a {role} for its neighbours {}",
            self.name_of(peer),
            self.names.of(peer.kind),
            crate::rules::names(&names)
        );
        let pointer = "/DEVICE_METADATA/localhost/type";
        found.push(finding("FLEET014", Severity::Warning, &peer.file, pointer, message));
    }

    /// One switch states another role than the neighbour.
    fn wrong_entry(&self, switch: &Kept, peer: &Kept, role: u32, found: &mut Vec<Finding>) {
        let name = self.names.of(peer.name);
        let message = format!(
            "{} states that its neighbour {name} is a {}, but {name} is a {}",
            self.name_of(switch),
            self.names.of(role),
            self.names.of(peer.kind)
        );
        let pointer = format!("/DEVICE_NEIGHBOR_METADATA/{}", crate::db::escape(name));
        found.push(finding("FLEET014", Severity::Warning, &switch.file, &pointer, message));
    }
}
