//! Applies a table: looks up the key, updates direct counters and meters, passes the arguments to the action.

use rand_core::Rng;

use super::code::{Apply, Code, MeterUnit, Pc};
use super::context::Context;
use super::sites;
use crate::state::State;
use crate::state::profile::Profile;
use crate::table::{EntryTarget, ResolvedCall, Table};

/// Applies a table; returns where the code of its action starts, or `None` if there is nothing to run.
pub(crate) fn apply(
    code: &Code,
    site: &Apply,
    frame: &mut [u64],
    cx: &mut Context,
    state: &mut State,
) -> Option<Pc> {
    let State { tables, profiles, .. } = state;
    let table = tables.get_mut(site.table as usize)?;
    let key = &frame[site.key_at as usize..(site.key_at + site.key_limbs) as usize];
    let found = table.matcher.lookup(&table.shape, key);
    if let Some(hit) = site.hit {
        frame[hit as usize] = u64::from(found.is_some());
    }
    settle_direct(site, table, found, frame, cx);
    let target = found.and_then(|id| table.target_of(id));
    let profile = table.implementation.and_then(|p| profiles.get(p));
    let Some(call) = (match target {
        None => Some(&table.default),
        Some(EntryTarget::Call(call)) => Some(call),
        Some(target) => chosen(target, profile, site, frame, cx),
    }) else {
        // For an empty group nothing runs, and `action_run` equals no action of the list.
        set_action_run(site, frame, u32::MAX);
        return None;
    };
    if site.action_run.is_some() {
        let from_profile = matches!(target, Some(EntryTarget::Member(_) | EntryTarget::Group(_)));
        let position =
            if from_profile { table.position(call.action).unwrap_or(u32::MAX) } else { call.position };
        set_action_run(site, frame, position);
    }
    enter(code, call, frame)
}

/// Passes the arguments; returns where the code of the action starts, unless it is empty.
fn enter(code: &Code, call: &ResolvedCall, frame: &mut [u64]) -> Option<Pc> {
    let action = code.actions.get(call.action.index())?;
    if action.empty {
        return None;
    }
    match action.contiguous {
        Some((at, limbs)) => {
            frame[at as usize..(at + limbs) as usize].copy_from_slice(&call.args);
        }
        None => {
            let mut args = call.args.iter();
            for param in &action.params {
                for limb in &mut frame[param.at as usize..(param.at + param.limbs()) as usize] {
                    *limb = args.next().copied().unwrap_or(0);
                }
            }
        }
    }
    Some(action.entry)
}

fn set_action_run(site: &Apply, frame: &mut [u64], position: u32) {
    if let Some(at) = site.action_run {
        frame[at as usize] = u64::from(position);
    }
}

/// Returns the action of a member, of the group member that the hash selects, or of a one-shot set.
fn chosen<'s>(
    target: &'s EntryTarget,
    profile: Option<&'s Profile>,
    site: &Apply,
    frame: &[u64],
    cx: &mut Context,
) -> Option<&'s ResolvedCall> {
    let hash = |cx: &mut Context| -> Option<u64> {
        let (algorithm, width) = profile?.selector?;
        let hash = sites::hash_fields(algorithm, &site.selector_data, frame, cx, false);
        Some(hash & crate::limbs::low_mask(width.min(64)))
    };
    let member = match target {
        EntryTarget::Call(call) => return Some(call),
        EntryTarget::Member(id) => *id,
        EntryTarget::Group(id) => {
            let hash = hash(cx)?;
            profile?.choose(*id, hash, &cx.down)?
        }
        EntryTarget::OneShot { actions, random } => {
            let number = if *random { cx.random.next_u64() } else { hash(cx)? };
            return actions.choose(number, &cx.down);
        }
    };
    profile?.members.get(&member).map(|m| &m.call)
}

/// Updates direct counters and meters, which run with every match and with the default action, and the hit time of
/// entries that may time out.
fn settle_direct(site: &Apply, table: &mut Table, found: Option<u32>, frame: &mut [u64], cx: &mut Context) {
    let direct = &site.direct;
    if !(direct.counter || direct.meter.is_some() || site.keeps_time) {
        return;
    }
    let entry = found.and_then(|id| table.entries.get_mut(id as usize)?.as_mut());
    let (counter, meter) = match entry {
        Some(entry) => {
            entry.last_hit = cx.now;
            (&mut entry.counter, &mut entry.meter)
        }
        None => (&mut table.default_counter, &mut table.default_meter),
    };
    if direct.counter {
        counter.count(cx.packet_bytes);
    }
    if let Some(unit) = direct.meter {
        let amount = if unit == MeterUnit::Bytes { cx.packet_bytes } else { 1 };
        cx.colour = meter.execute(cx.now, amount, cx.packet_bytes) as u64;
        if let Some(target) = direct.meter_result {
            sites::store(frame, target, cx.colour);
        }
    }
}
