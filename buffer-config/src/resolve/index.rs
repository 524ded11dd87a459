//! Ports, owners of keys and maps by name, as a resolution needs them again and again.

use std::cell::Cell;

use crate::db::{ConfigDb, Entry};

use super::range;

/// Ports by name. Tables name them one after the other, so the neighbour of the last one is tried first.
pub(super) struct PortIndex<'n> {
    names: &'n [String],
    sorted: Vec<u32>,
    hint: Cell<usize>,
}

impl<'n> PortIndex<'n> {
    pub(super) fn new(names: &'n [String]) -> Self {
        let mut sorted: Vec<u32> = (0..names.len() as u32).collect();
        sorted.sort_by(|a, b| names[*a as usize].cmp(&names[*b as usize]));
        Self { names, sorted, hint: Cell::new(0) }
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        let hint = self.hint.get();
        for at in [hint, hint + 1] {
            if self.names.get(at).is_some_and(|n| n == name) {
                self.hint.set(at);
                return Some(at);
            }
        }
        let at = self.sorted.binary_search_by(|i| self.names[*i as usize].as_str().cmp(name)).ok()?;
        let found = self.sorted[at] as usize;
        self.hint.set(found);
        Some(found)
    }
}

/// Owner and queue numbers of a key.
pub(super) fn queue_key<'e>(entry: &'e Entry<'_>) -> Option<(&'e str, (usize, usize))> {
    let (owner, numbers) = entry.owner_and_numbers()?;
    Some((owner, range(numbers).filter(|(low, high)| low <= high)?))
}

/// The ports that keys begin with: entries of one owner mostly follow each other, so the last one is kept.
#[derive(Default)]
pub(super) struct Owner<'d> {
    name: &'d str,
    ports: Vec<usize>,
}

impl<'d> Owner<'d> {
    /// Indices of the ports of an owner, `port[,port]` or `host|asic|port`; those of another host or ASIC have none.
    pub(super) fn ports(
        &mut self,
        owner: &'d str,
        here: (Option<&str>, Option<&str>),
        index: &PortIndex<'_>,
    ) -> &[usize] {
        if self.name != owner {
            self.name = owner;
            self.ports.clear();
            let names = match owner.rsplit_once('|') {
                None => Some(owner),
                Some((chip, port)) => chip.split_once('|').and_then(|(host, asic)| {
                    (here.0 == Some(host) && here.1.is_none_or(|a| a == asic)).then_some(port)
                }),
            };
            self.ports.extend(names.into_iter().flat_map(|n| n.split(',')).filter_map(|n| index.find(n)));
        }
        &self.ports
    }
}

/// All maps of one table as arrays.
pub(super) struct Maps<'d, const N: usize>(Vec<(&'d str, [u8; N])>);

impl<'d, const N: usize> Maps<'d, N> {
    /// Default of a map in which every number stands for itself.
    pub(super) const SAME: u8 = u8::MAX;

    pub(super) fn read<'a>(db: &'d ConfigDb<'a>, table: &str, default: u8) -> Self {
        let one = |entry: &'d Entry<'a>| {
            let mut map = [default; N];
            if default == Self::SAME {
                map.iter_mut().enumerate().for_each(|(i, v)| *v = i as u8);
            }
            for field in db.fields_of(entry) {
                let slot = field.name.parse::<usize>().ok().and_then(|i| map.get_mut(i));
                if let (Some(slot), Ok(value)) = (slot, field.value.trim().parse::<u8>()) {
                    // Traffic classes end at 15: larger ones are reported and would break look-ups.
                    *slot = value.min(15);
                }
            }
            (entry.key.as_ref(), map)
        };
        Self(db.rows(table).iter().map(one).collect())
    }

    pub(super) fn get(&self, name: &str) -> Option<[u8; N]> {
        let name = match name.strip_prefix('[') {
            Some(inner) => inner.trim_end_matches(']').split_once('|').map_or(name, |(_, n)| n),
            None => name,
        };
        self.0.iter().find(|(n, _)| *n == name).map(|(_, map)| *map)
    }
}

/// The profile that the entry before named: most entries of a table name the same one.
#[derive(Debug, Default)]
pub(super) struct LastProfile<'v>(Option<(&'v str, Option<usize>)>);

impl<'v> LastProfile<'v> {
    /// Index of the profile that `value` names, by `find` when the entry before named another.
    pub(super) fn get(
        &mut self,
        value: &'v str,
        find: impl FnOnce(&'v str) -> Option<usize>,
    ) -> Option<usize> {
        if let Some((_, profile)) = self.0.filter(|(name, _)| *name == value) {
            return profile;
        }
        let profile = find(value);
        self.0 = Some((value, profile));
        profile
    }
}
