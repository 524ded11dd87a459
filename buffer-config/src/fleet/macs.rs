//! MAC addresses that several switches have.

use std::collections::{BTreeMap, BTreeSet};

use super::kept::Kept;
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

impl Fleet {
    /// Reports a MAC address that switches with different names have. The cards of a chassis may share one, and files with
    /// one hostname have their own rule.
    pub(super) fn macs(&self, found: &mut Vec<Finding>) {
        let mut owners: BTreeMap<u32, BTreeMap<u32, &Kept>> = BTreeMap::new();
        for switch in self.switches.iter().filter(|switch| switch.shared.system_ports.is_empty()) {
            if let Some(mac) = switch.shared.mac.filter(|_| !self.names.of(switch.name).is_empty()) {
                owners.entry(mac).or_default().entry(switch.name).or_insert(switch);
            }
        }
        for (mac, switches) in owners.iter().filter(|(_, switches)| switches.len() > 1) {
            let names: BTreeSet<&str> = switches.values().map(|switch| self.names.of(switch.name)).collect();
            let names: Vec<&str> = names.into_iter().collect();
            let message = format!(
                "{} switches have the MAC address {}: {}",
                names.len(),
                self.names.of(*mac),
                crate::rules::names(&names)
            );
            let last =
                names.last().and_then(|name| self.names.known(name)).and_then(|name| switches.get(&name));
            let file = last.map_or("", |switch| &switch.file);
            let pointer = "/DEVICE_METADATA/localhost/mac";
            found.push(finding("FLEET015", Severity::Warning, file, pointer, message));
        }
    }
}
