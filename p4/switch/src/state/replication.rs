//! Multicast groups and clone sessions.

use std::collections::BTreeMap;

use crate::control::{CloneSession, Replica};

/// All groups and sessions of a switch.
#[derive(Clone, Debug, Default)]
pub(crate) struct Replication {
    pub(crate) groups: BTreeMap<u32, Vec<Replica>>,
    pub(crate) sessions: BTreeMap<u32, CloneSession>,
}

impl Replication {
    /// The copies that multicast to a group makes.
    pub(crate) fn group(&self, group: u32) -> &[Replica] {
        self.groups.get(&group).map_or(&[], Vec::as_slice)
    }

    /// Number of copies that a clone to a session makes.
    pub(crate) fn session_copies(&self, session: &CloneSession) -> usize {
        session.replicas.len() + session.multicast_group.map_or(0, |group| self.group(group).len())
    }

    /// The copy number `index` of a session.
    pub(crate) fn session_copy(&self, session: &CloneSession, index: usize) -> Option<Replica> {
        let own = session.replicas.len();
        match index.checked_sub(own) {
            None => session.replicas.get(index).copied(),
            Some(rest) => session.multicast_group.and_then(|group| self.group(group).get(rest).copied()),
        }
    }
}
