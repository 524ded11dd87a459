//! Members and groups of action profiles and selectors.

use std::collections::BTreeMap;

use p4_lang::ir::{self, HashAlgorithm};

use crate::control::{ActionCall, ProfileGroup, ProfileMember};
use crate::error::ControlError;
use crate::ports::{self, DownPorts};
use crate::table::ResolvedCall;
use crate::table::entries::pack_args;

/// A member with its resolved action. The table position of the call is unused.
#[derive(Clone, Debug)]
pub(crate) struct Member {
    pub(crate) shown: ProfileMember,
    pub(crate) call: ResolvedCall,
}

/// One of several weighted alternatives.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Share<T> {
    /// Sum of the weights up to and including this one.
    sum: u64,
    /// The alternative can be chosen only while this port is up.
    watch: Option<u16>,
    what: T,
}

/// Weighted alternatives; a number selects one of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Shares<T>(Vec<Share<T>>);

impl<T> Default for Shares<T> {
    fn default() -> Shares<T> {
        Shares(Vec::new())
    }
}

impl<T> Shares<T> {
    pub(crate) fn push(&mut self, weight: u32, watch: &[u8], what: T) {
        let sum = self.total() + u64::from(weight);
        self.0.push(Share { sum, watch: ports::watched(watch), what });
    }

    fn total(&self) -> u64 {
        self.0.last().map_or(0, |share| share.sum)
    }

    /// Selects an alternative whose watch port is up by a hash or random number; `None` if there is none.
    pub(crate) fn choose(&self, number: u64, down: &DownPorts) -> Option<&T> {
        if down.none() {
            let wanted = number.checked_rem(self.total())?;
            let at = self.0.partition_point(|share| share.sum <= wanted);
            return self.0.get(at).map(|share| &share.what);
        }
        let live = || {
            let before = std::iter::once(0).chain(self.0.iter().map(|share| share.sum));
            let weighted = self.0.iter().zip(before).map(|(share, before)| (share, share.sum - before));
            weighted.filter(|(share, _)| down.allows(share.watch))
        };
        let mut left = number.checked_rem(live().map(|(_, weight)| weight).sum())?;
        for (share, weight) in live() {
            match left.checked_sub(weight) {
                None => return Some(&share.what),
                Some(rest) => left = rest,
            }
        }
        None
    }
}

/// A group with the cumulative weights of its members.
#[derive(Clone, Debug)]
pub(crate) struct Group {
    pub(crate) shown: ProfileGroup,
    /// Its size: the number of its members, or the sum of their weights.
    pub(crate) size: u64,
    shares: Shares<u32>,
}

/// State of an action profile or selector.
#[derive(Clone, Debug)]
pub(crate) struct Profile {
    pub(crate) name: String,
    /// The maximum number of members, and of groups.
    pub(crate) limit: u64,
    /// The maximum size of all groups together; `None` if the program sets no limit.
    total_size: Option<u64>,
    pub(crate) max_group_size: u32,
    /// Whether the size of a group is its number of members; otherwise it is the sum of their weights.
    by_members: bool,
    pub(crate) selector: Option<(HashAlgorithm, u32)>,
    pub(crate) members: BTreeMap<u32, Member>,
    pub(crate) groups: BTreeMap<u32, Group>,
    /// The sum of the sizes of all groups.
    pub(crate) groups_size: u64,
}

impl Profile {
    pub(crate) fn new(profile: &ir::ActionProfile, limit: u64) -> Profile {
        let is_selector = profile.selector.is_some();
        Profile {
            name: profile.preamble.name.clone(),
            // The size of a selector is that of its groups (P4Info, `SumOfWeights` and `SumOfMembers`).
            limit: if profile.size == 0 || is_selector { limit } else { profile.size.min(limit) },
            total_size: (is_selector && profile.size > 0).then_some(profile.size),
            max_group_size: profile.selector.map_or(0, |s| s.max_group_size),
            by_members: profile.sizes_by_members(),
            selector: profile.selector.map(|s| (s.algorithm, s.output_width)),
            members: BTreeMap::new(),
            groups: BTreeMap::new(),
            groups_size: 0,
        }
    }

    /// Returns the member of a group that a hash selects; `None` if the group does not exist or has no live member.
    pub(crate) fn choose(&self, group: u32, hash: u64, down: &DownPorts) -> Option<u32> {
        self.groups.get(&group)?.shares.choose(hash, down).copied()
    }

    /// Checks a group and computes its cumulative weights.
    pub(crate) fn group(&self, group: &ProfileGroup) -> Result<Group, ControlError> {
        if self.selector.is_none() {
            return Err(ControlError::invalid("group", format!("{} is not a selector", self.name)));
        }
        let mut shares = Shares::default();
        for member in &group.members {
            if member.weight == 0 {
                return Err(ControlError::invalid("group member weight", "must be at least 1"));
            }
            if !self.members.contains_key(&member.member) {
                return Err(ControlError::not_found(format!("member {} of {}", member.member, self.name)));
            }
            shares.push(member.weight, &member.watch, member.member);
        }
        let size = if self.by_members { group.members.len() as u64 } else { shares.total() };
        if let Some(limit) = self.total_size {
            let before = self.groups.get(&group.id).map_or(0, |known| known.size);
            let total = (self.groups_size - before).saturating_add(size);
            if total > limit || u64::from(group.max_size) > limit {
                return Err(ControlError::Full { what: format!("the groups of {}", self.name), limit });
            }
        }
        if self.max_group_size > 0 && group.max_size > self.max_group_size {
            let reason = format!("{} exceeds {}", group.max_size, self.max_group_size);
            return Err(ControlError::invalid("group max_size", reason));
        }
        let most = if group.max_size > 0 { group.max_size } else { self.max_group_size };
        if most > 0 && size > u64::from(most) {
            let what = format!("group {} of {}", group.id, self.name);
            return Err(ControlError::Full { what, limit: u64::from(most) });
        }
        Ok(Group { shown: group.clone(), size, shares })
    }
}

/// Resolves the action of a member.
pub(crate) fn resolve(program: &ir::Program, call: &ActionCall) -> Result<ResolvedCall, ControlError> {
    let Some(action) = program.actions.get(call.action.index()) else {
        return Err(ControlError::invalid("action", "does not exist"));
    };
    let params = action.params.iter().map(|p| (p.name.as_str(), p.kind.width()));
    let args = pack_args(&action.preamble.name, params, &call.args)?;
    Ok(ResolvedCall { action: call.action, position: 0, args })
}
