//! Readings of switches that have the same host name: `sonic` is the default of SONiC.
//!
//! The counters of two switches make no interval. Readings are of different switches if their MAC addresses differ, or, where
//! these are unknown, their neighbours; if neighbours are unknown as well, and the name is the default one, if their folders or
//! files have names of their own.

use std::collections::{BTreeMap, BTreeSet};

use counters::Reading;

use super::timing::Found;

/// The host name of a switch without a configured one.
const DEFAULT_NAME: &str = "sonic";

/// What a reading is known by besides the host name.
#[derive(Clone, Debug, Default)]
pub(super) struct Identity {
    /// The name of its folder or file.
    pub(super) origin: Option<String>,
    /// The MAC address of the switch, in lower case.
    pub(super) mac: Option<String>,
}

/// Gives different switches with the same name names of their own, and reports that.
pub(super) fn keep_apart(found: &mut [Found], problems: &mut Vec<String>) {
    let mut by_name: BTreeMap<String, Vec<&mut Found>> = BTreeMap::new();
    for one in found {
        by_name.entry(one.reading.switch.clone()).or_default().push(one);
    }
    let mut taken: BTreeSet<String> = by_name.keys().cloned().collect();
    for (name, own) in by_name {
        // The first reading of each switch.
        let mut switches: Vec<(Identity, Reading)> = Vec::new();
        let mut numbers = Vec::new();
        for one in &own {
            let is_same = |(identity, reading): &(Identity, Reading)| {
                is_same(&name, (identity, reading), (&one.identity, &one.reading))
            };
            let number = switches.iter().position(is_same).unwrap_or(switches.len());
            if number == switches.len() {
                switches.push((one.identity.clone(), one.reading.clone()));
            }
            numbers.push(number);
        }
        if switches.len() < 2 {
            continue;
        }
        let names: Vec<String> =
            switches.iter().map(|(identity, _)| free_name(&name, identity, &mut taken)).collect();
        for (one, number) in own.into_iter().zip(numbers) {
            one.reading.switch.clone_from(&names[number]);
        }
        problems.push(format!(
            "{}: different switches, all with the host name `{name}`; they are kept apart under these names; neighbours that \
             LLDP calls `{name}` may be any of them",
            names.join(", ")
        ));
    }
}

/// A name that no other switch has.
fn free_name(name: &str, identity: &Identity, taken: &mut BTreeSet<String>) -> String {
    let wanted = identity.origin.clone().or_else(|| Some(format!("{name}-{}", identity.mac.as_ref()?)));
    let wanted = wanted.unwrap_or_else(|| format!("{name}-1"));
    let numbered = (2..).map(|number: usize| format!("{wanted}-{number}"));
    let free = std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken.contains(name));
    let free = free.unwrap_or(wanted);
    taken.insert(free.clone());
    free
}

/// Whether two readings of switches with this name are of the same one.
fn is_same(name: &str, first: (&Identity, &Reading), second: (&Identity, &Reading)) -> bool {
    if let (Some(first), Some(second)) = (&first.0.mac, &second.0.mac) {
        return first == second;
    }
    let systems = |reading: &Reading| {
        let mut systems: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
        for neighbour in &reading.neighbours {
            systems.entry(neighbour.port.clone()).or_default().insert(neighbour.system.to_ascii_lowercase());
        }
        systems
    };
    let (one, other) = (systems(first.1), systems(second.1));
    let common: Vec<bool> =
        one.iter().filter_map(|(port, systems)| Some(!systems.is_disjoint(other.get(port)?))).collect();
    if common.is_empty() {
        return first.0.origin == second.0.origin || !name.eq_ignore_ascii_case(DEFAULT_NAME);
    }
    // A cable may have been moved in between; all of them were not.
    common.contains(&true)
}
