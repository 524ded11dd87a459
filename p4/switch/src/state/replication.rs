//! Multicast groups and clone sessions.

use std::collections::BTreeMap;

use crate::control::{CloneSession, Replica};
use crate::ports::DownPorts;

/// All groups and sessions of a switch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replication {
    pub(crate) groups: BTreeMap<u32, Vec<Replica>>,
    pub(crate) sessions: BTreeMap<u32, CloneSession>,
    /// Backup replicas of a group: one list per replica, in order; missing lists are empty.
    pub(crate) group_backups: BTreeMap<u32, Vec<Vec<Replica>>>,
    /// Backup replicas of a session.
    pub(crate) session_backups: BTreeMap<u32, Vec<Vec<Replica>>>,
}

/// Returns the replica or its first backup whose port is up.
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
    /// Returns the replicas of a multicast group.
    pub(crate) fn group(&self, group: u32) -> &[Replica] {
        self.groups.get(&group).map_or(&[], Vec::as_slice)
    }

    /// Returns copy number `index` of a group; `None` while the ports of the replica and its backups are down.
    pub(crate) fn group_copy(&self, group: u32, index: usize, down: &DownPorts) -> Option<Replica> {
        live(*self.group(group).get(index)?, self.group_backups.get(&group), index, down)
    }

    /// Returns the number of copies that a clone to a session makes.
    pub(crate) fn session_copies(&self, session: &CloneSession) -> usize {
        session.replicas.len() + session.multicast_group.map_or(0, |group| self.group(group).len())
    }

    /// Returns copy number `index` of a session; `None` while the ports of the replica and its backups are down.
    pub(crate) fn session_copy(&self, session: u32, index: usize, down: &DownPorts) -> Option<Replica> {
        let found = self.sessions.get(&session)?;
        match index.checked_sub(found.replicas.len()) {
            None => live(*found.replicas.get(index)?, self.session_backups.get(&session), index, down),
            Some(rest) => self.group_copy(found.multicast_group?, rest, down),
        }
    }
}
