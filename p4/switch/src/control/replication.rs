//! Multicast groups and clone sessions.

use super::{CloneSession, ControlPlane, Replica, Result};
use crate::error::ControlError;

impl ControlPlane<'_> {
    /// Adds a multicast group. Group ids start at 1.
    pub fn multicast_insert(&mut self, group: u32, replicas: Vec<Replica>) -> Result<()> {
        let limit = self.limits.replication_groups;
        self.check_replicas(&replicas)?;
        if group == 0 {
            return Err(ControlError::invalid("multicast_group_id", "must not be 0"));
        }
        let groups = &mut self.state()?.replication.groups;
        if groups.contains_key(&group) {
            return Err(ControlError::AlreadyExists { what: format!("multicast group {group}") });
        }
        if groups.len() >= limit {
            return Err(ControlError::Full { what: "multicast groups".to_owned(), limit: limit as u64 });
        }
        groups.insert(group, replicas);
        Ok(())
    }

    /// Replaces the members of a multicast group.
    pub fn multicast_modify(&mut self, group: u32, replicas: Vec<Replica>) -> Result<()> {
        self.check_replicas(&replicas)?;
        let replication = &mut self.state()?.replication;
        let slot = replication.groups.get_mut(&group);
        *slot.ok_or_else(|| ControlError::not_found(format!("multicast group {group}")))? = replicas;
        replication.group_backups.remove(&group);
        Ok(())
    }

    /// Removes a multicast group.
    pub fn multicast_delete(&mut self, group: u32) -> Result<()> {
        let replication = &mut self.state()?.replication;
        replication.group_backups.remove(&group);
        let removed = replication.groups.remove(&group);
        removed.map(drop).ok_or_else(|| ControlError::not_found(format!("multicast group {group}")))
    }

    /// Sets the backup replicas of a multicast group. Each replica has a list of backups, in order; while its port is
    /// down, the first backup whose port is up replaces it. Inserting or modifying a group clears its backups.
    pub fn set_multicast_backups(&mut self, group: u32, backups: Vec<Vec<Replica>>) -> Result<()> {
        let Some(replicas) = self.loaded()?.state.replication.groups.get(&group) else {
            return Err(ControlError::not_found(format!("multicast group {group}")));
        };
        self.check_backups(replicas, &backups)?;
        self.state()?.replication.group_backups.insert(group, backups);
        Ok(())
    }

    /// Sets the backup replicas of a clone session, as [`ControlPlane::set_multicast_backups`] does for a group.
    pub fn set_clone_session_backups(&mut self, id: u32, backups: Vec<Vec<Replica>>) -> Result<()> {
        let Some(session) = self.loaded()?.state.replication.sessions.get(&id) else {
            return Err(ControlError::not_found(format!("clone session {id}")));
        };
        self.check_backups(&session.replicas, &backups)?;
        self.state()?.replication.session_backups.insert(id, backups);
        Ok(())
    }

    /// Checks that a list of replicas may have these backups.
    pub fn check_backups(&self, replicas: &[Replica], backups: &[Vec<Replica>]) -> Result<()> {
        if backups.len() > replicas.len() {
            return Err(ControlError::invalid("backups", "has more lists than there are replicas"));
        }
        for (replica, backups) in replicas.iter().zip(backups) {
            if backups.iter().any(|backup| backup.egress_port == replica.egress_port) {
                let reason = format!("port {} cannot be its own backup", replica.egress_port);
                return Err(ControlError::invalid("backups", reason));
            }
        }
        let all: Vec<Replica> = replicas.iter().chain(backups.iter().flatten()).copied().collect();
        self.check_replicas(&all)
    }

    /// Returns all multicast groups by ascending id.
    pub fn multicast_groups(&self) -> Result<impl Iterator<Item = (u32, &[Replica])>> {
        Ok(self.loaded()?.state.replication.groups.iter().map(|(id, r)| (*id, r.as_slice())))
    }

    /// Adds a clone session.
    pub fn clone_session_insert(&mut self, id: u32, session: CloneSession) -> Result<()> {
        let limit = self.limits.replication_groups;
        self.check_session(id, &session)?;
        let sessions = &mut self.state()?.replication.sessions;
        if sessions.contains_key(&id) {
            return Err(ControlError::AlreadyExists { what: format!("clone session {id}") });
        }
        if sessions.len() >= limit {
            return Err(ControlError::Full { what: "clone sessions".to_owned(), limit: limit as u64 });
        }
        sessions.insert(id, session);
        Ok(())
    }

    /// Replaces a clone session.
    pub fn clone_session_modify(&mut self, id: u32, session: CloneSession) -> Result<()> {
        self.check_session(id, &session)?;
        let replication = &mut self.state()?.replication;
        let slot = replication.sessions.get_mut(&id);
        *slot.ok_or_else(|| ControlError::not_found(format!("clone session {id}")))? = session;
        replication.session_backups.remove(&id);
        Ok(())
    }

    /// Removes a clone session.
    pub fn clone_session_delete(&mut self, id: u32) -> Result<()> {
        let replication = &mut self.state()?.replication;
        replication.session_backups.remove(&id);
        let removed = replication.sessions.remove(&id);
        removed.map(drop).ok_or_else(|| ControlError::not_found(format!("clone session {id}")))
    }

    /// Returns all clone sessions by ascending id.
    pub fn clone_sessions(&self) -> Result<impl Iterator<Item = (u32, &CloneSession)>> {
        Ok(self.loaded()?.state.replication.sessions.iter().map(|(id, s)| (*id, s)))
    }

    fn check_session(&self, id: u32, session: &CloneSession) -> Result<()> {
        if id > u32::from(u16::MAX) {
            return Err(ControlError::invalid("session_id", "is above 65535"));
        }
        if session.class_of_service.is_some_and(|class| class > 7) {
            return Err(ControlError::invalid("class_of_service", "is above 7"));
        }
        self.check_replicas(&session.replicas)
    }

    fn check_replicas(&self, replicas: &[Replica]) -> Result<()> {
        let limit = self.limits.replicas;
        if replicas.len() > limit {
            return Err(ControlError::Full { what: "replicas".to_owned(), limit: limit as u64 });
        }
        let mut sorted = replicas.to_vec();
        sorted.sort_unstable();
        match sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            None => Ok(()),
            Some(pair) => {
                let reason = format!(
                    "port {} with instance {} is listed twice",
                    pair[0].egress_port, pair[0].instance
                );
                Err(ControlError::invalid("replicas", reason))
            }
        }
    }
}
