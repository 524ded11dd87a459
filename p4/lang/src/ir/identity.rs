//! Ids and aliases of objects that the control plane sees.
//!
//! Ids are those of p4c: the object type in the upper byte, and 24 bits of a hash of the name. On a collision, the next
//! free id is used; names are processed in alphabetical order.

use std::collections::{BTreeMap, BTreeSet};

use super::{ActionId, Preamble, Program};

/// The upper bytes of ids (`P4Ids` of the P4Runtime specification).
mod prefix {
    pub(super) const ACTION: u32 = 0x01;
    pub(super) const TABLE: u32 = 0x02;
    pub(super) const VALUE_SET: u32 = 0x03;
    pub(super) const CONTROLLER_HEADER: u32 = 0x04;
    pub(super) const ACTION_PROFILE: u32 = 0x11;
    pub(super) const COUNTER: u32 = 0x12;
    pub(super) const DIRECT_COUNTER: u32 = 0x13;
    pub(super) const METER: u32 = 0x14;
    pub(super) const DIRECT_METER: u32 = 0x15;
    pub(super) const REGISTER: u32 = 0x16;
    pub(super) const DIGEST: u32 = 0x17;
}

/// Two objects with the same given id.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdClash {
    /// The id.
    pub id: u32,
    /// The name of the object that has it first.
    pub first: String,
    /// The name of the other object.
    pub second: String,
}

/// Assigns ids and aliases to all objects. Objects with an id keep it; the type prefix is added if it is missing.
/// Actions that are not in `listed` have no id of their own.
///
/// Returns the objects that were given the same id.
pub fn assign(program: &mut Program, listed: &BTreeSet<ActionId>) -> Vec<IdClash> {
    let mut all: Vec<(u32, String, &mut Preamble)> = Vec::new();
    let named = |prefix: u32| {
        move |preamble| {
            let preamble: &mut Preamble = preamble;
            (prefix, preamble.name.clone(), preamble)
        }
    };
    let actions = program.actions.iter_mut().zip(0..).filter(|(_, i)| listed.contains(&ActionId(*i)));
    all.extend(actions.map(|(a, _)| &mut a.preamble).map(named(prefix::ACTION)));
    all.extend(program.tables.iter_mut().map(|t| &mut t.preamble).map(named(prefix::TABLE)));
    all.extend(program.value_sets.iter_mut().map(|v| &mut v.preamble).map(named(prefix::VALUE_SET)));
    // The id is that of the header type; the name is that of its annotation.
    let headers = program.controller_headers.iter_mut();
    all.extend(headers.map(|c| (prefix::CONTROLLER_HEADER, c.type_name.clone(), &mut c.preamble)));
    let profiles = program.action_profiles.iter_mut().map(|a| &mut a.preamble);
    all.extend(profiles.map(named(prefix::ACTION_PROFILE)));
    for counter in &mut program.counters {
        let prefix = if counter.direct { prefix::DIRECT_COUNTER } else { prefix::COUNTER };
        all.push(named(prefix)(&mut counter.preamble));
    }
    for meter in &mut program.meters {
        let prefix = if meter.direct { prefix::DIRECT_METER } else { prefix::METER };
        all.push(named(prefix)(&mut meter.preamble));
    }
    all.extend(program.registers.iter_mut().map(|r| &mut r.preamble).map(named(prefix::REGISTER)));
    all.extend(program.digests.iter_mut().map(|d| &mut d.preamble).map(named(prefix::DIGEST)));
    let names: BTreeSet<String> = all.iter().map(|(_, _, p)| p.name.clone()).collect();
    let aliases = aliases(&names);
    let ids = identifiers(&all);
    let clashes = clashes(&all);
    for (prefix, key, preamble) in all {
        preamble.alias = aliases.get(&preamble.name).cloned().unwrap_or_default();
        preamble.id = if is_hidden(preamble) { 0 } else { ids.get(&(prefix, key)).copied().unwrap_or(0) };
    }
    clashes
}

fn is_hidden(preamble: &Preamble) -> bool {
    preamble.annotations.iter().any(|a| a == "@hidden")
}

/// Returns the whole id that `@id` gives.
fn given_id(prefix: u32, preamble: &Preamble) -> Option<u32> {
    match preamble.id {
        0 => None,
        id if id >> 24 == 0 => Some(prefix << 24 | id),
        id => Some(id),
    }
}

/// Returns the objects whose id another object before them has. Objects of one kind with the same name are reported
/// separately.
fn clashes(all: &[(u32, String, &mut Preamble)]) -> Vec<IdClash> {
    let mut owners: BTreeMap<u32, (u32, &str)> = BTreeMap::new();
    let mut found = Vec::new();
    for (prefix, _, preamble) in all {
        let Some(id) = given_id(*prefix, preamble).filter(|_| !is_hidden(preamble)) else { continue };
        let owner = *owners.entry(id).or_insert((*prefix, &preamble.name));
        if owner != (*prefix, &*preamble.name) {
            found.push(IdClash { id, first: owner.1.to_owned(), second: preamble.name.clone() });
        }
    }
    found
}

fn identifiers(all: &[(u32, String, &mut Preamble)]) -> BTreeMap<(u32, String), u32> {
    let mut ids: BTreeMap<(u32, String), u32> = BTreeMap::new();
    let mut taken: BTreeSet<u32> = BTreeSet::new();
    for (prefix, key, preamble) in all {
        if let Some(id) = given_id(*prefix, preamble) {
            taken.insert(id);
            ids.insert((*prefix, key.clone()), id);
        }
    }
    let names: BTreeSet<(u32, String)> = all.iter().map(|(p, key, _)| (*p, key.clone())).collect();
    for key in names {
        if ids.contains_key(&key) {
            continue;
        }
        let mut hash = one_at_a_time(key.1.as_bytes());
        let id = loop {
            let id = key.0 << 24 | (hash & 0x00ff_ffff);
            if id & 0x00ff_ffff != 0 && taken.insert(id) {
                break id;
            }
            hash = hash.wrapping_add(1);
        };
        ids.insert(key, id);
    }
    ids
}

/// Jenkins's one-at-a-time hash.
fn one_at_a_time(key: &[u8]) -> u32 {
    let mut hash = 0u32;
    for byte in key {
        hash = hash.wrapping_add(u32::from(*byte));
        hash = hash.wrapping_add(hash << 10);
        hash ^= hash >> 6;
    }
    hash = hash.wrapping_add(hash << 3);
    hash ^= hash >> 11;
    hash.wrapping_add(hash << 15)
}

/// Returns the shortest suffix of each name, in whole components, that no other name ends with.
fn aliases(names: &BTreeSet<String>) -> BTreeMap<String, String> {
    let mut endings: BTreeMap<Vec<&str>, usize> = BTreeMap::new();
    for name in names {
        let parts: Vec<&str> = name.split('.').rev().collect();
        for length in 1..=parts.len() {
            *endings.entry(parts[..length].to_vec()).or_insert(0) += 1;
        }
    }
    names
        .iter()
        .map(|name| {
            let parts: Vec<&str> = name.split('.').rev().collect();
            let unique = (1..=parts.len())
                .find(|length| endings.get(&parts[..*length]) == Some(&1))
                .unwrap_or(parts.len());
            let alias: Vec<&str> = parts[..unique].iter().rev().copied().collect();
            (name.clone(), alias.join("."))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_the_shortest_unique_suffixes() {
        let names = ["d.a.c", "e.b.c", "x"].map(str::to_owned).into();
        let aliases = aliases(&names);
        assert_eq!(aliases["d.a.c"], "a.c");
        assert_eq!(aliases["e.b.c"], "b.c");
        assert_eq!(aliases["x"], "x");
    }

    #[test]
    fn identifiers_of_p4c() {
        // NoAction has this identifier in every P4Info of p4c.
        assert_eq!(prefix::ACTION << 24 | (one_at_a_time(b"NoAction") & 0x00ff_ffff), 21_257_015);
    }
}
