//! Fleet checks: compares switches of one role with each other, and both ends of every link, also between SONiC and other
//! systems.
//!
//! Only the compared values of each switch are kept, and every text once, so that a fleet of thousands of switches needs
//! little memory: about 100 bytes per link. The chips of one switch (files with one hostname, each with an `asic_name`)
//! are one neighbour to other switches, and neighbours of each other by the names of the chips.

mod channels;
mod chassis;
mod classes;
mod dual_tor;
mod ends;
mod framing;
mod kept;
mod links;
mod macs;
mod neighbour_roles;
mod of_device;
mod priorities;
mod roles;

use std::collections::BTreeMap;

use kept::{Kept, Link, Names};

use crate::device::Device;
use crate::finding::Finding;
use crate::resolved::ResolvedSwitch;
use crate::rules::finding;
use crate::settings::PortName;
use crate::source::SourceText;

/// The compared values of all switches.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    switches: Vec<Kept>,
    names: Names,
}

impl Fleet {
    /// Adds a switch. A file that is given twice counts once.
    pub fn add(&mut self, file: &str, switch: &ResolvedSwitch) {
        let kept = Kept::of(file, switch, &mut self.names);
        self.keep(kept);
    }

    fn keep(&mut self, switch: Kept) {
        let path = |kept: &Kept| kept.file.trim_start_matches("./").to_string();
        let is_same = |other: &Kept| {
            (other.name, other.chip) == (switch.name, switch.chip)
                && !switch.file.is_empty()
                && path(other) == path(&switch)
        };
        if !self.switches.iter().any(is_same) {
            self.switches.push(switch);
        }
    }

    /// Adds a switch that does not run SONiC.
    pub fn add_device(&mut self, source: SourceText<'_>, device: &Device) {
        let kept = Kept::of_device(source, device, &mut self.names);
        self.keep(kept);
    }

    /// Sets the neighbours of both ends of a cable that the configurations do not name, or name otherwise. Has no effect
    /// on switches that were not added.
    pub fn connect(&mut self, ends: &[PortName; 2]) {
        let [one, other] = ends;
        for (own, peer) in [(one, other), (other, one)] {
            let [name, port] = [&own.switch, &own.port].map(|text| self.names.known(text));
            let [peer, peer_port] = [&peer.switch, &peer.port].map(|text| self.names.number(text));
            for switch in self.switches.iter_mut().filter(|switch| Some(switch.name) == name) {
                let is_end = |link: &&mut Link| Some(link.port) == port || Some(link.also) == port;
                if let Some(link) = switch.links.iter_mut().find(is_end) {
                    (link.peer, link.peer_port) = (peer, peer_port);
                }
            }
        }
    }

    /// Reports differences within a role, links whose ends disagree, and neighbours that contradict each other. Switches
    /// with the same deviation are one finding, of the first of them.
    pub fn check(&self) -> Vec<Finding> {
        self.findings(true)
    }

    /// Like [`Self::check`], with one finding for each deviating switch.
    pub fn check_each(&self) -> Vec<Finding> {
        self.findings(false)
    }

    fn findings(&self, is_grouped: bool) -> Vec<Finding> {
        let mut found = Vec::new();
        let mut roles: BTreeMap<&str, Vec<&Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|s| !s.role.is_empty()) {
            roles.entry(&*switch.role).or_default().push(switch);
        }
        let mut of_links = Vec::new();
        let links = self.links(&mut of_links);
        let odd = roles.values().flat_map(|switches| self.odd_priorities(switches)).collect();
        let priorities = self.priorities(&links, &odd);
        for (role, switches) in roles {
            self.thresholds(role, &switches, is_grouped, &mut found);
            self.siblings(role, &switches, is_grouped, &priorities, &mut found);
            self.headroom(role, &switches, is_grouped, &mut found);
        }
        self.neighbour_roles(&mut of_links);
        self.macs(&mut of_links);
        self.dual_tors(&mut of_links);
        self.chassis(&mut of_links);
        self.classes(&links, &priorities, &mut of_links);
        self.port_channels(&links, &mut of_links);
        self.ends(&links, &mut of_links);
        found.extend(priorities.findings);
        found.append(&mut of_links);
        found
    }

    /// The name of a switch for messages: its hostname and chip, or its file.
    fn name_of(&self, switch: &Kept) -> String {
        match [switch.name, switch.chip].map(|number| self.names.of(number)) {
            ["", _] => switch.file.to_string(),
            [name, ""] => name.to_string(),
            [name, chip] => format!("{name}/{chip}"),
        }
    }
}

/// Whether a neighbour's name is the name of a chip of the same switch.
fn is_chip(name: &str) -> bool {
    let digits = name.strip_prefix("ASIC").or_else(|| name.strip_prefix("asic")).unwrap_or_default();
    !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit())
}
