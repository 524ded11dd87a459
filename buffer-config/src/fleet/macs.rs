//! Addresses that several switches have: MAC addresses, and those of Loopback0.

use std::collections::{BTreeMap, BTreeSet};

use super::kept::{Kept, Shared};
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

/// The addresses of a switch that no other one has: what they are, where they are, and how they are read.
type Own = (&'static str, &'static str, fn(&Shared) -> Vec<u32>);

const OWN: [Own; 2] = [
    ("MAC address", "/DEVICE_METADATA/localhost/mac", |shared| shared.mac.into_iter().collect()),
    ("address of Loopback0", "/LOOPBACK_INTERFACE", |shared| shared.loopbacks.to_vec()),
];

impl Fleet {
    /// Reports addresses that switches with different names have. The cards of a chassis may share one, and files with one
    /// hostname have their own rule.
    pub(super) fn macs(&self, found: &mut Vec<Finding>) {
        for (what, pointer, of) in OWN {
            let mut owners: BTreeMap<u32, BTreeMap<u32, &Kept>> = BTreeMap::new();
            for switch in self.switches.iter().filter(|switch| switch.shared.system_ports.is_empty()) {
                if self.names.of(switch.name).is_empty() {
                    continue;
                }
                for address in of(&switch.shared) {
                    owners.entry(address).or_default().entry(switch.name).or_insert(switch);
                }
            }
            for (address, switches) in owners.iter().filter(|(_, switches)| switches.len() > 1) {
                found.push(self.shared_address(what, pointer, *address, switches));
            }
        }
    }

    fn shared_address(
        &self,
        what: &str,
        pointer: &str,
        address: u32,
        switches: &BTreeMap<u32, &Kept>,
    ) -> Finding {
        let names: BTreeSet<&str> = switches.values().map(|switch| self.names.of(switch.name)).collect();
        let names: Vec<&str> = names.into_iter().collect();
        let message = format!(
            "{} switches have the {what} {}: {}",
            names.len(),
            self.names.of(address),
            crate::rules::names(&names)
        );
        let last = names.last().and_then(|name| self.names.known(name)).and_then(|name| switches.get(&name));
        let file = last.map_or("", |switch| &switch.file);
        finding("FLEET015", Severity::Warning, file, pointer, message)
    }
}
