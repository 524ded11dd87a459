//! Fleet checks: compares switches of one role with each other, and both ends of every link.
//!
//! Only the compared values of each switch are kept, and every text once, so that a fleet of thousands of switches needs
//! little memory: about 40 bytes per link. The chips of one switch (files with one hostname, each with an `asic_name`)
//! are one neighbour to other switches, and neighbours of each other by the names of the chips.

mod kept;
mod links;
mod roles;

use std::collections::BTreeMap;

use kept::{Kept, Names};

use crate::finding::Finding;
use crate::resolved::ResolvedSwitch;
use crate::rules::finding;

/// The compared values of all switches.
#[derive(Clone, Debug, Default)]
pub struct Fleet {
    switches: Vec<Kept>,
    names: Names,
}

impl Fleet {
    /// Adds a switch.
    pub fn add(&mut self, file: &str, switch: &ResolvedSwitch) {
        self.switches.push(Kept::of(file, switch, &mut self.names));
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
        for (role, switches) in roles {
            self.thresholds(role, &switches, is_grouped, &mut found);
            self.siblings(role, &switches, is_grouped, &mut found);
        }
        self.links(&mut found);
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
