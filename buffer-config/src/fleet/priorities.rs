//! PFC priorities of both ends of the links: one finding for each switch that has to change, and the findings of other
//! rules that follow from it.

use std::collections::{BTreeMap, BTreeSet};

use model::config_finding::Deviation;

use super::ends::{End, What};
use super::kept::Kept;
use super::{Finding, Fleet};
use crate::device::Repair;
use crate::finding::{Cause, Severity};

/// A switch: the numbers of its name and of its chip.
pub(super) type Id = (u32, u32);

pub(super) fn id(switch: &Kept) -> Id {
    (switch.name, switch.chip)
}

/// The findings about PFC priorities, and where they are.
#[derive(Default)]
pub(super) struct Reported {
    pub(super) findings: Vec<Finding>,
    /// The pointers of the findings of each switch that has to change.
    of_switch: BTreeMap<Id, Vec<String>>,
    /// The pointer of the finding about each link, by the switch and port that has to change.
    of_end: BTreeMap<(Id, u32), String>,
}

impl Reported {
    /// The findings that explain why a switch differs from its role.
    pub(super) fn causes_of(&self, switch: &Kept) -> Vec<Cause> {
        self.of_switch.get(&id(switch)).into_iter().flatten().map(|pointer| cause(pointer)).collect()
    }

    /// The finding about a link.
    pub(super) fn cause_at(&self, one: End<'_>, other: End<'_>) -> Option<Cause> {
        let ends = [one, other].map(|(switch, link)| (id(switch), link.port));
        ends.iter().find_map(|end| self.of_end.get(end)).map(|pointer| cause(pointer))
    }
}

fn cause(pointer: &str) -> Cause {
    Cause { code: "FLEET003", pointer: pointer.to_string(), ports: Vec::new() }
}

impl Fleet {
    /// Reports links whose ends differ. `odd` are the switches whose priorities differ from those of their role.
    pub(super) fn priorities(&self, links: &[(End<'_>, End<'_>)], odd: &BTreeSet<Id>) -> Reported {
        let is_different =
            |one: End<'_>, other: End<'_>| one.1.pfc.zip(other.1.pfc).is_some_and(|(x, y)| x != y);
        let differ: Vec<_> =
            links.iter().copied().filter(|(one, other)| is_different(*one, *other)).collect();
        // An end that differs from its role, or lacks a priority.
        let rank = |end: End<'_>, peer: End<'_>| {
            2 * u8::from(odd.contains(&id(end.0))) + u8::from(mask(peer) & !mask(end) != 0)
        };
        let mut reported = Reported::default();
        for group in by_wrong_end(&differ, rank, |end, peer| (mask(end), mask(peer))) {
            let Some((finding, first)) = self.of_group(&group).zip(group.first()) else { continue };
            reported.of_switch.entry(id(first.0.0)).or_default().push(finding.pointer.clone());
            for (end, _) in &group {
                reported.of_end.insert((id(end.0), end.1.port), finding.pointer.clone());
            }
            reported.findings.push(finding);
        }
        reported
    }

    fn of_group(&self, group: &[(End<'_>, End<'_>)]) -> Option<Finding> {
        let (end, peer) = *group.first()?;
        let ports: Vec<&str> = group.iter().map(|((_, link), _)| self.names.of(link.port)).collect();
        let (own, expected) = (mask(end), mask(peer));
        let message = match ports.as_slice() {
            [_] => {
                let [x, y] = [own, expected].map(priorities);
                format!("{} enables PFC for {x}, {} for {y}", self.end(end), self.end(peer))
            }
            _ => format!(
                "{}: {} enable PFC for {}, their neighbours for {}",
                self.name_of(end.0),
                crate::rules::names(&ports),
                priorities(own),
                priorities(expected)
            ),
        };
        let base = self.at(end, ("FLEET003", Severity::Error, What::Pfc), message);
        let all = |mask: u8| (0..8).filter(|p| mask >> p & 1 == 1).collect();
        let repair = Repair::UsePfc { priorities: all(expected), not: all(own & !expected) };
        let commands = end.0.system.map(|system| repair.commands(system, &ports)).unwrap_or_default();
        let deviation = if expected & !own != 0 { Deviation::Less } else { Deviation::More };
        let ports = ports.into_iter().map(str::to_string).collect();
        Some(Finding { ports, commands, deviation: Some(deviation), ..base })
    }
}

fn mask(end: End<'_>) -> u8 {
    end.1.pfc.unwrap_or(0)
}

/// Links that differ, by the switch that has to change: each with that end first. Its links with the same `values` are
/// one group, in the order of the links.
///
/// The end that has to change is the one with the higher `rank`, whose switch differs on more links, or which does not
/// run SONiC, because its repair is a command.
pub(super) fn by_wrong_end<'f, V: Ord>(
    links: &[(End<'f>, End<'f>)],
    rank: impl Fn(End<'_>, End<'_>) -> u8,
    values: impl Fn(End<'_>, End<'_>) -> V,
) -> Vec<Vec<(End<'f>, End<'f>)>> {
    let mut counts: BTreeMap<Id, usize> = BTreeMap::new();
    for (switch, _) in links.iter().flat_map(|(one, other)| [*one, *other]) {
        *counts.entry(id(switch)).or_default() += 1;
    }
    let order = |end: End<'_>, peer: End<'_>| {
        let differences = counts.get(&id(end.0)).copied().unwrap_or(0);
        (rank(end, peer) >> 1, differences, rank(end, peer), end.0.system.is_some())
    };
    let mut groups: Vec<Vec<(End<'f>, End<'f>)>> = Vec::new();
    let mut known: BTreeMap<(Id, V), usize> = BTreeMap::new();
    for (one, other) in links.iter().copied() {
        let is_other = order(other, one) > order(one, other);
        let (end, peer) = if is_other { (other, one) } else { (one, other) };
        let at = *known.entry((id(end.0), values(end, peer))).or_insert(groups.len());
        match groups.get_mut(at) {
            Some(group) => group.push((end, peer)),
            None => groups.push(vec![(end, peer)]),
        }
    }
    groups
}

/// Returns the priorities of a mask as text: `no priority`, `priority 3`, `priorities 3, 4`.
fn priorities(mask: u8) -> String {
    match mask.count_ones() {
        0 => "no priority".to_string(),
        1 => format!("priority {}", crate::rules::list(mask)),
        _ => format!("priorities {}", crate::rules::list(mask)),
    }
}
