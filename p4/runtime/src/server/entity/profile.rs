//! Members and groups of action profiles, and one-shot action sets.
//!
//! Source: P4Runtime specification, "ActionProfileMember & ActionProfileGroup", "One Shot Action Selector
//! Programming".

use super::action::{self, Use};
use super::{Target, wrap};
use crate::bytestring;
use crate::error::Refusal;
use crate::proto::p4::config::v1::action_profile::SelectorSizeSemantics;
use crate::proto::p4::v1::{
    self, action_profile_action_set as set, entity::Entity as Kind, table_action, update::Type,
};
use crate::server::as_written::EntryNotes;
use crate::server::pipeline::Pipeline;
use crate::server::read::Output;
use p4_lang::ir;
use p4_switch::control::{EntryAction, GroupMember, ProfileGroup, ProfileMember, WeightedAction};

/// The tables that a profile implements.
fn users(pipeline: &Pipeline, index: usize) -> impl Iterator<Item = &ir::Table> {
    let uses = move |table: &&ir::Table| table.implementation.is_some_and(|id| id.index() == index);
    pipeline.program.tables.iter().filter(uses)
}

pub(crate) fn write_member(
    target: &mut Target<'_>,
    kind: Type,
    member: &v1::ActionProfileMember,
) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let (index, profile) = pipeline.profile(member.action_profile_id)?;
    if member.member_id == 0 {
        return Err(Refusal::invalid("the member id is not set"));
    }
    if kind == Type::Delete {
        return Ok(target.control.member_delete(member.action_profile_id, member.member_id)?);
    }
    let Some(wire) = member.action.as_ref() else {
        return Err(Refusal::invalid("the action is not set; a member needs one"));
    };
    let Some(table) = users(pipeline, index).next() else {
        let name = &profile.preamble.name;
        return Err(Refusal::invalid(format!("no table uses action profile {name}; it has no actions")));
    };
    let call = action::decode(pipeline, table, wire, Use::Entry)?;
    let decoded = ProfileMember { id: member.member_id, call };
    match kind {
        Type::Insert => target.control.member_insert(member.action_profile_id, &decoded)?,
        _ => target.control.member_modify(member.action_profile_id, &decoded)?,
    }
    Ok(())
}

pub(crate) fn write_group(
    target: &mut Target<'_>,
    kind: Type,
    group: &v1::ActionProfileGroup,
) -> Result<(), Refusal> {
    let (_, profile) = target.pipeline.profile(group.action_profile_id)?;
    if profile.selector.is_none() {
        let name = &profile.preamble.name;
        return Err(Refusal::invalid(format!("action profile {name} has no selector and no groups")));
    }
    if group.group_id == 0 {
        return Err(Refusal::invalid("the group id is not set"));
    }
    if kind == Type::Delete {
        return Ok(target.control.group_delete(group.action_profile_id, group.group_id)?);
    }
    let decoded = decode_group(target, profile, group)?;
    if kind == Type::Insert {
        return Ok(target.control.group_insert(group.action_profile_id, &decoded)?);
    }
    let existing = target.control.groups(group.action_profile_id)?.find(|known| known.id == group.group_id);
    match existing.map(|known| known.max_size) {
        None => return Err(Refusal::not_found(format!("group {} does not exist", group.group_id))),
        Some(size) if size != decoded.max_size => {
            return Err(Refusal::invalid(format!(
                "max_size of group {} is {size} and cannot change",
                group.group_id
            )));
        }
        Some(_) => {}
    }
    Ok(target.control.group_modify(group.action_profile_id, &decoded)?)
}

fn decode_group(
    target: &Target<'_>,
    profile: &ir::ActionProfile,
    group: &v1::ActionProfileGroup,
) -> Result<ProfileGroup, Refusal> {
    let Ok(max_size) = u32::try_from(group.max_size) else {
        return Err(Refusal::invalid("max_size is negative"));
    };
    let most = profile.selector.map_or(0, |selector| selector.max_group_size);
    if most > 0 && (max_size == 0 || max_size > most) {
        return Err(Refusal::invalid(format!("max_size must be from 1 to {most}")));
    }
    let mut members: Vec<GroupMember> = Vec::with_capacity(group.members.len());
    for member in &group.members {
        use v1::action_profile_group::member::WatchKind;
        if members.iter().any(|known| known.member == member.member_id) {
            return Err(Refusal::invalid(format!("member {} is given twice", member.member_id)));
        }
        let watch = match &member.watch_kind {
            #[allow(deprecated, reason = "older clients number ports")]
            Some(WatchKind::Watch(port)) => watch(target, Some(*port), None)?,
            Some(WatchKind::WatchPort(port)) => watch(target, None, Some(port))?,
            None => Vec::new(),
        };
        members.push(GroupMember { member: member.member_id, weight: weight(member.weight)?, watch });
    }
    let declared = target.pipeline.size_semantics(profile.preamble.id);
    check_heaviest(declared, members.iter().map(|member| member.weight))?;
    Ok(ProfileGroup { id: group.group_id, max_size, members })
}

fn weight(weight: i32) -> Result<u32, Refusal> {
    match u32::try_from(weight) {
        Ok(weight) if weight > 0 => Ok(weight),
        _ => Err(Refusal::invalid("a weight must be at least 1")),
    }
}

/// Decodes the watch port, which must be a port of the switch.
fn watch(target: &Target<'_>, number: Option<i32>, port: Option<&Vec<u8>>) -> Result<Vec<u8>, Refusal> {
    let bytes = match (number, port) {
        (Some(0), _) => return Ok(Vec::new()),
        (Some(number), _) => bytestring::encode_u64(number as u32 as u64),
        (None, Some(port)) if port.is_empty() => return Ok(Vec::new()),
        (None, Some(port)) => bytestring::canonical(port).to_vec(),
        (None, None) => return Ok(Vec::new()),
    };
    let number = bytestring::decode(&bytes, 32).ok().and_then(|bits| bits.to_u128()).unwrap_or(u128::MAX);
    match u32::try_from(number).ok().and_then(|number| target.ports.resolve(number)) {
        Some(_) => Ok(bytes),
        None => Err(Refusal::invalid(format!("watch port {number} is not a port of the switch"))),
    }
}

pub(crate) fn read_members(
    target: &mut Target<'_>,
    filter: &v1::ActionProfileMember,
    out: &mut Output,
) -> Result<(), Refusal> {
    for id in profile_ids(target.pipeline, filter.action_profile_id)? {
        let members = target.control.members(id)?;
        for member in members.filter(|member| filter.member_id == 0 || member.id == filter.member_id) {
            out.push(wrap(Kind::ActionProfileMember(Box::new(v1::ActionProfileMember {
                action_profile_id: id,
                member_id: member.id,
                action: Some(action::encode(target.pipeline, &member.call)),
            }))));
        }
    }
    Ok(())
}

pub(crate) fn read_groups(
    target: &mut Target<'_>,
    filter: &v1::ActionProfileGroup,
    out: &mut Output,
) -> Result<(), Refusal> {
    for id in profile_ids(target.pipeline, filter.action_profile_id)? {
        let groups = target.control.groups(id)?;
        for group in groups.filter(|group| filter.group_id == 0 || group.id == filter.group_id) {
            out.push(wrap(Kind::ActionProfileGroup(Box::new(encode_group(id, group)))));
        }
    }
    Ok(())
}

fn encode_group(profile: u32, group: &ProfileGroup) -> v1::ActionProfileGroup {
    use v1::action_profile_group::{Member, member::WatchKind};
    let members = group
        .members
        .iter()
        .map(|member| Member {
            member_id: member.member,
            weight: member.weight as i32,
            watch_kind: (!member.watch.is_empty()).then(|| WatchKind::WatchPort(member.watch.clone())),
        })
        .collect();
    v1::ActionProfileGroup {
        action_profile_id: profile,
        group_id: group.id,
        members,
        max_size: group.max_size as i32,
    }
}

fn profile_ids(pipeline: &Pipeline, id: u32) -> Result<Vec<u32>, Refusal> {
    if id != 0 {
        pipeline.profile(id)?;
        return Ok(vec![id]);
    }
    Ok(pipeline.program.action_profiles.iter().map(|p| p.preamble.id).filter(|id| *id != 0).collect())
}

/// Decodes a one-shot action set.
pub(crate) fn decode_set(
    target: &Target<'_>,
    table: &ir::Table,
    profile: &ir::ActionProfile,
    group: &v1::ActionProfileActionSet,
) -> Result<(EntryAction, EntryNotes), Refusal> {
    check_modes(profile, group)?;
    let mut actions = Vec::with_capacity(group.action_profile_actions.len());
    for member in &group.action_profile_actions {
        use v1::action_profile_action::WatchKind;
        let Some(wire) = member.action.as_ref() else {
            return Err(Refusal::invalid("an action of the set is not set"));
        };
        let call = action::decode(target.pipeline, table, wire, Use::Entry)?;
        let watch = match &member.watch_kind {
            #[allow(deprecated, reason = "older clients number ports")]
            Some(WatchKind::Watch(port)) => watch(target, Some(*port), None)?,
            Some(WatchKind::WatchPort(port)) => watch(target, None, Some(port))?,
            None => Vec::new(),
        };
        actions.push(WeightedAction { call, weight: weight(member.weight)?, watch });
    }
    check_size(target.pipeline, profile, group.size_semantics, &actions)?;
    let notes = EntryNotes {
        selection_mode: group.action_selection_mode,
        size_semantics: group.size_semantics,
        ..EntryNotes::default()
    };
    let random = group.action_selection_mode == set::ActionSelectionMode::Random as i32;
    let action = if random { EntryAction::OneShotRandom(actions) } else { EntryAction::OneShot(actions) };
    Ok((action, notes))
}

fn check_modes(profile: &ir::ActionProfile, group: &v1::ActionProfileActionSet) -> Result<(), Refusal> {
    if group.group_action.is_some() {
        return Err(Refusal::unimplemented(
            "group_action is not supported: a set runs one action for each packet",
        ));
    }
    match set::ActionSelectionMode::try_from(group.action_selection_mode) {
        Ok(set::ActionSelectionMode::Hash)
            if profile.selector.is_some_and(|s| s.algorithm == ir::HashAlgorithm::Random) =>
        {
            let name = &profile.preamble.name;
            return Err(Refusal::unimplemented(format!("selector {name} has no hash: it chooses at random")));
        }
        Ok(_) => {}
        Err(_) => return Err(Refusal::invalid("action_selection_mode has no such value")),
    }
    match set::SizeSemantics::try_from(group.size_semantics) {
        Ok(_) => Ok(()),
        Err(_) => Err(Refusal::invalid("size_semantics has no such value")),
    }
}

/// Checks a one-shot action set against the program's maximum group size.
fn check_size(
    pipeline: &Pipeline,
    profile: &ir::ActionProfile,
    semantics: i32,
    actions: &[WeightedAction],
) -> Result<(), Refusal> {
    let most = u64::from(profile.selector.map_or(0, |selector| selector.max_group_size));
    let declared = pipeline.size_semantics(profile.preamble.id);
    let by_members = match set::SizeSemantics::try_from(semantics) {
        Ok(set::SizeSemantics::SumOfMembers) => true,
        Ok(set::SizeSemantics::SumOfWeights) => false,
        _ => matches!(declared, Some(SelectorSizeSemantics::SumOfMembers(_))),
    };
    let size = match by_members {
        true => actions.len() as u64,
        false => actions.iter().map(|action| u64::from(action.weight)).sum(),
    };
    if most > 0 && size > most {
        return Err(Refusal::invalid(format!("the set's size is {size}, the selector's limit {most}")));
    }
    match by_members {
        true => check_heaviest(declared, actions.iter().map(|action| action.weight)),
        false => Ok(()),
    }
}

/// Checks the weights, which the program may limit if the size of a group is its number of members.
fn check_heaviest(
    declared: Option<&SelectorSizeSemantics>,
    weights: impl Iterator<Item = u32>,
) -> Result<(), Refusal> {
    let Some(SelectorSizeSemantics::SumOfMembers(sum)) = declared else { return Ok(()) };
    let heaviest = weights.max().unwrap_or(0);
    if sum.max_member_weight > 0 && i64::from(heaviest) > i64::from(sum.max_member_weight) {
        return Err(Refusal::invalid(format!("a weight is above the limit of {}", sum.max_member_weight)));
    }
    Ok(())
}

/// The tables of a selector use either one-shot action sets or members and groups. All entries have the same style, so
/// checking one entry per table is sufficient.
pub(crate) fn check_style(target: &Target<'_>, table: &ir::Table, new: &EntryAction) -> Result<(), Refusal> {
    let Some(profile) = table.implementation else { return Ok(()) };
    let one_shot =
        |action: &EntryAction| matches!(action, EntryAction::OneShot(_) | EntryAction::OneShotRandom(_));
    for user in users(target.pipeline, profile.index()) {
        let first = target.control.table_entries(user.preamble.id)?.next();
        if first.is_some_and(|entry| one_shot(&entry.action) != one_shot(new)) {
            return Err(Refusal::invalid(
                "the tables of a selector hold either one-shot sets or members and groups, not both",
            ));
        }
    }
    Ok(())
}

/// Encodes the action of an entry as a client would write it.
pub(crate) fn encode_action(
    target: &Target<'_>,
    action: &EntryAction,
    notes: &EntryNotes,
) -> v1::TableAction {
    use table_action::Type as Wire;
    use v1::action_profile_action::WatchKind;
    let wire = match action {
        EntryAction::Direct(call) => Wire::Action(action::encode(target.pipeline, call)),
        EntryAction::Member(id) => Wire::ActionProfileMemberId(*id),
        EntryAction::Group(id) => Wire::ActionProfileGroupId(*id),
        EntryAction::OneShot(actions) | EntryAction::OneShotRandom(actions) => {
            Wire::ActionProfileActionSet(v1::ActionProfileActionSet {
                action_profile_actions: actions
                    .iter()
                    .map(|action| v1::ActionProfileAction {
                        action: Some(action::encode(target.pipeline, &action.call)),
                        weight: action.weight as i32,
                        watch_kind: (!action.watch.is_empty())
                            .then(|| WatchKind::WatchPort(action.watch.clone())),
                    })
                    .collect(),
                action_selection_mode: notes.selection_mode,
                size_semantics: notes.size_semantics,
                group_action: None,
            })
        }
    };
    v1::TableAction { r#type: Some(wire) }
}
