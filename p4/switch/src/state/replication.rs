//! Multicast groups and clone sessions.

use std::collections::BTreeMap;

use crate::control::{CloneSession, Replica};
use crate::ports::DownPorts;

/// All groups and sessions of a switch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replication {
    pub(crate) groups: BTreeMap<u32, Vec<Replica>>,
    pub(crate) sessions: BTreeMap<u32, CloneSession>,
    /// What stands in for a group's replicas, one list for each in order; missing lists are empty.
    pub(crate) group_backups: BTreeMap<u32, Vec<Vec<Replica>>>,
    /// The same for sessions.
    pub(crate) session_backups: BTreeMap<u32, Vec<Vec<Replica>>>,
}

/// The first of a replica and its backups whose port is up.
fn live(
    replica: Replica,
    backups: Option<&Vec<Vec<Replica>>>,
    index: usize,
    down: &DownPorts,
) -> Option<Replica> {
    if down.is_up(replica.egress_port) {
        return Some(replica);
    }
    backups?.get(index)?.iter().find(|backup| down.is_up(backup.egress_port)).copied()
}

impl Replication {
    /// The copies that multicast to a group makes.
    pub(crate) fn group(&self, group: u32) -> &[Replica] {
        self.groups.get(&group).map_or(&[], Vec::as_slice)
    }

    /// The copy number `index` of a group; none while the replica's ports are all down.
    pub(crate) fn group_copy(&self, group: u32, index: usize, down: &DownPorts) -> Option<Replica> {
        live(*self.group(group).get(index)?, self.group_backups.get(&group), index, down)
    }

    /// Number of copies that a clone to a session makes.
    pub(crate) fn session_copies(&self, session: &CloneSession) -> usize {
        session.replicas.len() + session.multicast_group.map_or(0, |group| self.group(group).len())
    }

    /// The copy number `index` of a session; none while the replica's ports are all down.
    pub(crate) fn session_copy(&self, session: u32, index: usize, down: &DownPorts) -> Option<Replica> {
        let found = self.sessions.get(&session)?;
        match index.checked_sub(found.replicas.len()) {
            None => live(*found.replicas.get(index)?, self.session_backups.get(&session), index, down),
            Some(rest) => self.group_copy(found.multicast_group?, rest, down),
        }
    }
}
