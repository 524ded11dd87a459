//! Indices of ports, key owners and maps by name, for the resolution of a configuration.

use std::cell::Cell;

use crate::db::{ConfigDb, Entry, Table};
use crate::resolved::ResolvedPort;

use super::range;

/// Ports by name. Resolved ports are in the order of the table `PORT`, and other tables mostly list them in the same
/// order, so the port after the last one found is tried first.
pub(super) struct PortIndex<'d, 'a> {
    db: &'d ConfigDb<'a>,
    table: Option<&'d Table<'a>>,
    ports: &'d [Entry<'a>],
    hint: Cell<usize>,
}

impl<'d, 'a> PortIndex<'d, 'a> {
    pub(super) fn new(db: &'d ConfigDb<'a>) -> Self {
        let table = db.table("PORT");
        let ports = table.map(|table| db.entries_of(table)).unwrap_or_default();
        Self { db, table, ports, hint: Cell::new(0) }
    }

    /// The port found last or the one after it, if it has this name.
    #[inline]
    fn find_next(&self, name: &str) -> Option<usize> {
        let hint = self.hint.get();
        let found = [hint, hint + 1]
            .into_iter()
            .find(|at| self.ports.get(*at).is_some_and(|port| port.key == name))?;
        self.hint.set(found);
        Some(found)
    }

    pub(super) fn find(&self, name: &str) -> Option<usize> {
        if let Some(at) = self.find_next(name) {
            return Some(at);
        }
        let found = self.db.index_of(self.table?, name)?;
        self.hint.set(found);
        Some(found)
    }
}

/// Owner and queue numbers of a key.
pub(super) fn queue_key<'e>(entry: &'e Entry<'_>) -> Option<(&'e str, (usize, usize))> {
    let (owner, numbers) = entry.owner_and_numbers()?;
    Some((owner, range(numbers).filter(|(low, high)| low <= high)?))
}

/// The ports of key owners. Entries of one owner are mostly adjacent, so the last owner is cached.
#[derive(Default)]
pub(super) struct Owner<'d> {
    name: &'d str,
    ports: Vec<usize>,
}

impl<'d> Owner<'d> {
    /// Indices of the ports of an owner, `port[,port]` or `host|asic|port`; an owner of another host or ASIC has none.
    pub(super) fn ports(
        &mut self,
        owner: &'d str,
        here: (Option<&str>, Option<&str>),
        index: &PortIndex<'_, '_>,
    ) -> &[usize] {
        if self.name != owner {
            self.name = owner;
            self.ports.clear();
            // The common case: the owner is one port.
            if let Some(port) = index.find_next(owner) {
                self.ports.push(port);
                return &self.ports;
            }
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
    /// Reads the maps of a table. A number that a map lacks maps to 0; a port without a map has SAI's default, which
    /// is the identity for queues and priority groups.
    pub(super) fn read<'a>(db: &'d ConfigDb<'a>, table: &str) -> Self {
        let one = |entry: &'d Entry<'a>| {
            let mut map = [0; N];
            for field in db.fields_of(entry) {
                let slot = field.name.parse::<usize>().ok().and_then(|i| map.get_mut(i));
                if let (Some(slot), Ok(value)) = (slot, field.value.trim().parse::<u8>()) {
                    // Traffic classes above 15 are reported by a rule and would be out of bounds here.
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

/// The maps of a port's `PORT_QOS_MAP` entry; `None` if the entry has no such map or the map does not exist.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PortMaps {
    pub(super) dscp: Option<[u8; 64]>,
    pub(super) group: Option<[u8; 16]>,
    pub(super) queue: Option<[u8; 16]>,
    pub(super) pause: Option<[u8; 8]>,
    pub(super) pfc_priorities: Option<u8>,
}

impl PortMaps {
    pub(super) fn apply(&self, port: &mut ResolvedPort) {
        port.dscp_to_tc.0 = self.dscp.unwrap_or(port.dscp_to_tc.0);
        port.tc_to_group = self.group.unwrap_or(port.tc_to_group);
        port.tc_to_queue = self.queue.unwrap_or(port.tc_to_queue);
        port.pause_to_queue = self.pause.unwrap_or(port.pause_to_queue);
        port.pfc_priorities = self.pfc_priorities.unwrap_or(port.pfc_priorities);
    }
}
