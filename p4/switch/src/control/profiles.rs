//! Members and groups of action profiles.

use std::collections::BTreeMap;

use super::{ControlPlane, EntryAction, ObjectRef, ProfileGroup, ProfileMember, Result};
use crate::error::ControlError;
use crate::state::profile::{self, Member, Profile};

impl ControlPlane<'_> {
    fn profile_index(&self, reference: ObjectRef<'_>) -> Result<usize> {
        self.find("action profile", |p| p.action_profiles.iter().map(|a| &a.preamble).collect(), reference)
    }

    fn profile(&self, at: usize) -> Result<&Profile> {
        self.loaded()?.state.profiles.get(at).ok_or_else(|| ControlError::not_found("action profile"))
    }

    fn profile_mut(&mut self, at: usize) -> Result<&mut Profile> {
        self.state()?.profiles.get_mut(at).ok_or_else(|| ControlError::not_found("action profile"))
    }

    fn member(&self, at: usize, member: &ProfileMember) -> Result<Member> {
        let loaded = self.loaded()?;
        let call = profile::resolve(loaded.program, &member.call)?;
        let mut users = loaded.state.tables.iter().filter(|t| t.implementation == Some(at));
        if !users.all(|t| t.position(member.call.action).is_some()) {
            return Err(ControlError::invalid("action", "is not an action of a table that uses the profile"));
        }
        Ok(Member { shown: member.clone(), call })
    }

    /// Adds a member.
    pub fn member_insert<'r>(
        &mut self,
        profile: impl Into<ObjectRef<'r>>,
        member: &ProfileMember,
    ) -> Result<()> {
        let at = self.profile_index(profile.into())?;
        let resolved = self.member(at, member)?;
        let profile = self.profile_mut(at)?;
        let what = format!("member {} of {}", member.id, profile.name);
        add(&mut profile.members, member.id, resolved, what, (&profile.name, profile.limit))
    }

    /// Replaces a member's action.
    pub fn member_modify<'r>(
        &mut self,
        profile: impl Into<ObjectRef<'r>>,
        member: &ProfileMember,
    ) -> Result<()> {
        let at = self.profile_index(profile.into())?;
        let resolved = self.member(at, member)?;
        let profile = self.profile_mut(at)?;
        let what = format!("member {} of {}", member.id, profile.name);
        replace(&mut profile.members, member.id, resolved, what)
    }

    /// Removes a member that no group and no entry uses.
    pub fn member_delete<'r>(&mut self, profile: impl Into<ObjectRef<'r>>, id: u32) -> Result<()> {
        let at = self.profile_index(profile.into())?;
        let what = format!("member {id} of {}", self.profile(at)?.name);
        let mut groups = self.profile(at)?.groups.values();
        let in_group = groups.find(|g| g.shown.members.iter().any(|m| m.member == id));
        let user = in_group.map(|g| format!("group {}", g.shown.id));
        if let Some(user) = user.or_else(|| self.user(at, &EntryAction::Member(id))) {
            return Err(ControlError::InUse { what, user });
        }
        let removed = self.profile_mut(at)?.members.remove(&id);
        removed.map(drop).ok_or_else(|| ControlError::not_found(what))
    }

    /// Returns all members by ascending id.
    pub fn members<'r>(
        &self,
        profile: impl Into<ObjectRef<'r>>,
    ) -> Result<impl Iterator<Item = &ProfileMember>> {
        let at = self.profile_index(profile.into())?;
        Ok(self.profile(at)?.members.values().map(|m| &m.shown))
    }

    /// Adds a group.
    pub fn group_insert<'r>(
        &mut self,
        profile: impl Into<ObjectRef<'r>>,
        group: &ProfileGroup,
    ) -> Result<()> {
        let at = self.profile_index(profile.into())?;
        let resolved = self.profile(at)?.group(group)?;
        let profile = self.profile_mut(at)?;
        let what = format!("group {} of {}", group.id, profile.name);
        let size = resolved.size;
        add(&mut profile.groups, group.id, resolved, what, (&profile.name, profile.limit))?;
        profile.groups_size += size;
        Ok(())
    }

    /// Replaces a group.
    pub fn group_modify<'r>(
        &mut self,
        profile: impl Into<ObjectRef<'r>>,
        group: &ProfileGroup,
    ) -> Result<()> {
        let at = self.profile_index(profile.into())?;
        let resolved = self.profile(at)?.group(group)?;
        let profile = self.profile_mut(at)?;
        let what = format!("group {} of {}", group.id, profile.name);
        let (before, size) = (profile.groups.get(&group.id).map_or(0, |known| known.size), resolved.size);
        replace(&mut profile.groups, group.id, resolved, what)?;
        profile.groups_size = profile.groups_size - before + size;
        Ok(())
    }

    /// Removes a group that no entry uses.
    pub fn group_delete<'r>(&mut self, profile: impl Into<ObjectRef<'r>>, id: u32) -> Result<()> {
        let at = self.profile_index(profile.into())?;
        let what = format!("group {id} of {}", self.profile(at)?.name);
        if let Some(user) = self.user(at, &EntryAction::Group(id)) {
            return Err(ControlError::InUse { what, user });
        }
        let profile = self.profile_mut(at)?;
        let removed = profile.groups.remove(&id).ok_or_else(|| ControlError::not_found(what))?;
        profile.groups_size -= removed.size;
        Ok(())
    }

    /// Returns all groups by ascending id.
    pub fn groups<'r>(
        &self,
        profile: impl Into<ObjectRef<'r>>,
    ) -> Result<impl Iterator<Item = &ProfileGroup>> {
        let at = self.profile_index(profile.into())?;
        Ok(self.profile(at)?.groups.values().map(|g| &g.shown))
    }

    /// Returns the name of a table with an entry that runs `action`.
    fn user(&self, profile: usize, action: &EntryAction) -> Option<String> {
        let state = &self.loaded.as_ref()?.state;
        let mut users = state.tables.iter().filter(|t| t.implementation == Some(profile));
        let table = users.find(|t| t.iter().any(|e| e.shown.action == *action))?;
        Some(format!("table {}", table.name))
    }
}

/// Adds a member or group to a profile, given by its name and its limit.
fn add<T>(
    items: &mut BTreeMap<u32, T>,
    id: u32,
    item: T,
    what: String,
    (profile, limit): (&str, u64),
) -> Result<()> {
    if items.contains_key(&id) {
        return Err(ControlError::AlreadyExists { what });
    }
    if items.len() as u64 >= limit {
        return Err(ControlError::Full { what: profile.to_owned(), limit });
    }
    items.insert(id, item);
    Ok(())
}

/// Replaces a member or group.
fn replace<T>(items: &mut BTreeMap<u32, T>, id: u32, item: T, what: String) -> Result<()> {
    *items.get_mut(&id).ok_or_else(|| ControlError::not_found(what))? = item;
    Ok(())
}
