//! The settings of a scenario that correspond to a SONiC configuration: one value for the whole switch, so that
//! switches with and without such a configuration can be compared; and corrections of a configuration.

use std::collections::BTreeSet;

use buffer_config::resolved::{ResolvedPort, ResolvedProfile, ResolvedSwitch, Threshold};
use model::Rate;
use p4_switch::tm;

use crate::settings::{Headroom, SwitchSettings};
use crate::sonic;

/// Derives the settings that the configuration overrides. Where ports differ, the smallest value applies: a priority is
/// lossless if it is at every port in use.
pub(crate) fn project(switch: &ResolvedSwitch, settings: &mut SwitchSettings) {
    let up: Vec<&ResolvedPort> = switch.ports.iter().filter(|port| port.is_up).collect();
    settings.memory_bytes = switch.memory_bytes.unwrap_or(settings.memory_bytes);
    settings.cell_bytes = switch.cell_bytes.unwrap_or(1);
    settings.lossless = up.iter().map(|port| lossless(switch, port)).reduce(|a, b| a & b).unwrap_or(0);
    let groups = || up.iter().flat_map(|port| lossless_groups(switch, port)).map(|(_, profile)| profile);
    let exponent = |profile: &ResolvedProfile| match profile.threshold? {
        Threshold::Dynamic { exponent } => Some(exponent),
        Threshold::Static { .. } => None,
    };
    let bytes = |profile: &ResolvedProfile| match profile.threshold? {
        Threshold::Static { bytes } => Some(bytes),
        Threshold::Dynamic { .. } => None,
    };
    let fixed = groups().filter_map(bytes).min().map(tm::Threshold::Static);
    let dynamic = groups().filter_map(exponent).min();
    let dynamic = dynamic.map(|alpha_exponent| tm::Threshold::Dynamic { alpha_exponent });
    settings.threshold = dynamic.or(fixed).unwrap_or(tm::Threshold::Static(0));
    settings.thresholds.clear();
    let of_port = |port: &&ResolvedPort| headroom_bytes(switch, port).unwrap_or(0);
    let headrooms: BTreeSet<u64> = up.iter().map(of_port).collect();
    settings.headroom = Headroom::Ports(headrooms.into_iter().collect());
    let offsets = groups().filter_map(|profile| profile.xon_offset_bytes);
    settings.xon_offset_bytes = offsets.min().unwrap_or(settings.xon_offset_bytes);
    settings.ecn.clear();
    for port in &up {
        let rate = Rate(u64::from(port.speed_mbps) * 1_000_000);
        let lossless = lossless_groups(switch, port).next().map_or(0, |(group, _)| group);
        let class = (0..8).find(|class| usize::from(port.tc_to_group[*class] & 7) == lossless);
        let queue = class.map(|class| usize::from(port.tc_to_queue[class] & 7));
        let wred = queue.and_then(|queue| switch.wred.get(port.queue_wred.get(queue).copied().flatten()?));
        if let Some(curve) = wred.filter(|wred| wred.marks_green).and_then(|wred| wred.green)
            && settings.ecn.iter().all(|(of, _)| *of != rate)
        {
            settings.ecn.push((rate, sonic::curve(curve)));
        }
    }
    settings.ecn.sort_by_key(|(rate, _)| *rate);
}

/// The smallest headroom of a port's lossless groups; absent when it has none.
pub(crate) fn headroom_bytes(switch: &ResolvedSwitch, port: &ResolvedPort) -> Option<u64> {
    lossless_groups(switch, port).filter_map(|(_, profile)| profile.headroom_bytes).min()
}

/// Gives a port's lossless groups at least this headroom, in a new profile.
pub(crate) fn raise_headroom(switch: &mut ResolvedSwitch, port: &str, needed_bytes: u64) {
    let Some(at) = switch.ports.iter().position(|known| known.name == port) else { return };
    let groups: Vec<(usize, ResolvedProfile)> =
        lossless_groups(switch, &switch.ports[at]).map(|(group, profile)| (group, profile.clone())).collect();
    for (group, mut profile) in groups {
        let more = needed_bytes.saturating_sub(profile.headroom_bytes.unwrap_or(0));
        if more == 0 {
            continue;
        }
        profile.headroom_bytes = Some(needed_bytes);
        profile.name = format!("{}_{port}_{group}", profile.name);
        match switch.pools.get_mut(profile.pool).filter(|pool| pool.shared_headroom_bytes > 0) {
            Some(pool) => pool.shared_headroom_bytes = pool.shared_headroom_bytes.saturating_add(more),
            // Headroom of a single group is part of its reserved size.
            None => profile.reserved_bytes = profile.reserved_bytes.saturating_add(more),
        }
        switch.ports[at].priority_groups[group] = Some(switch.profiles.len());
        switch.profiles.push(profile);
    }
}

/// Priorities of a port with PFC whose group has headroom.
pub(crate) fn lossless(switch: &ResolvedSwitch, port: &ResolvedPort) -> u8 {
    lossless_classes(switch, port).fold(0, |mask, (class, _)| mask | 1 << class)
}

fn lossless_classes<'s>(
    switch: &'s ResolvedSwitch,
    port: &'s ResolvedPort,
) -> impl Iterator<Item = (usize, usize)> + 's {
    let enabled = (0..8).filter(|class| port.pfc_priorities >> class & 1 == 1);
    let groups = enabled.map(|class| (class, usize::from(port.tc_to_group[class] & 7)));
    groups.filter(|(_, group)| profile_of(switch, port, *group).is_some_and(ResolvedProfile::is_lossless))
}

/// Groups with headroom, regardless of PFC.
fn lossless_groups<'s>(
    switch: &'s ResolvedSwitch,
    port: &'s ResolvedPort,
) -> impl Iterator<Item = (usize, &'s ResolvedProfile)> + 's {
    let profiles = (0..8).filter_map(|group| Some((group, profile_of(switch, port, group)?)));
    profiles.filter(|(_, profile)| profile.is_lossless())
}

fn profile_of<'s>(
    switch: &'s ResolvedSwitch,
    port: &ResolvedPort,
    group: usize,
) -> Option<&'s ResolvedProfile> {
    switch.profiles.get(port.priority_groups.get(group).copied().flatten()?)
}
