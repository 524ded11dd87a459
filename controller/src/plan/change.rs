//! The difference of two plans of a switch, for changes of the network at run time: only what differs is written.

use std::collections::BTreeMap;

use super::{MatchValue, MulticastGroup, RegisterWrite, SwitchPlan, TableEntry};

const MEMBERS: &str = "ecmp_members";
const SET_GROUP: &str = "set_group";

/// What to write to a switch that has one plan so that it has another. In this order, no packet is forwarded by a
/// mixture of two groups: [`keep_group_numbers`] gives a new group a new number.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlanChange {
    /// New entries, members of groups first.
    pub inserts: Vec<TableEntry>,
    /// Entries with another action or other parameters.
    pub modifies: Vec<TableEntry>,
    /// Entries that the new plan lacks, members of groups last.
    pub deletes: Vec<TableEntry>,
    /// Changed groups.
    pub groups: Vec<MulticastGroup>,
    /// Changed registers.
    pub registers: Vec<RegisterWrite>,
}

impl PlanChange {
    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        *self == PlanChange::default()
    }
}

/// Returns what differs between two plans of a switch. Both have the same groups and registers by number; value sets do not
/// change at run time.
pub fn change(old: &SwitchPlan, new: &SwitchPlan) -> PlanChange {
    let (before, after) = (by_key(old), by_key(new));
    let mut change = PlanChange::default();
    for entry in &new.entries {
        match before.get(&key(entry)) {
            None => change.inserts.push(entry.clone()),
            Some(known) if *known != entry => change.modifies.push(entry.clone()),
            Some(_) => {}
        }
    }
    let gone = old.entries.iter().filter(|entry| !after.contains_key(&key(entry)));
    // A member must not disappear before the route that refers to its group.
    change.deletes = gone.rev().cloned().collect();
    change.groups = new.groups.iter().filter(|group| !old.groups.contains(group)).cloned().collect();
    change.registers = new.registers.iter().filter(|write| !old.registers.contains(write)).cloned().collect();
    change
}

fn key(entry: &TableEntry) -> (&'static str, Vec<Vec<u8>>) {
    let part = |(_, value): &(&'static str, MatchValue)| match value {
        MatchValue::Exact(value) => value.clone(),
        MatchValue::Lpm { value, prefix_length } => [value.as_slice(), &prefix_length.to_be_bytes()].concat(),
    };
    (entry.table, entry.key.iter().map(part).collect())
}

fn by_key(plan: &SwitchPlan) -> BTreeMap<(&'static str, Vec<Vec<u8>>), &TableEntry> {
    plan.entries.iter().map(|entry| (key(entry), entry)).collect()
}

/// Returns the new plan with the numbers that the old one gives to groups with the same members; other groups get
/// numbers that the old plan does not use.
pub fn keep_group_numbers(old: &SwitchPlan, mut new: SwitchPlan) -> SwitchPlan {
    let known: BTreeMap<Vec<Vec<u8>>, u16> =
        members(old).into_iter().map(|(group, members)| (members, group)).collect();
    // The lowest free ones, so that a network that changes between two plans for days does not run out of numbers.
    let used = members(old);
    let mut free = (1..=u16::MAX).filter(|number| !used.contains_key(number));
    let mut numbers: BTreeMap<u16, u16> = BTreeMap::new();
    for (group, members) in members(&new) {
        let number = known.get(&members).copied().or_else(|| free.next()).unwrap_or(group);
        numbers.insert(group, number);
    }
    for entry in &mut new.entries {
        let value = match entry.action {
            SET_GROUP => {
                entry.params.iter_mut().find(|(name, _)| *name == "group_id").map(|(_, value)| value)
            }
            _ if entry.table == MEMBERS => match entry.key.first_mut() {
                Some((_, MatchValue::Exact(value))) => Some(value),
                _ => None,
            },
            _ => None,
        };
        if let Some(value) = value
            && let Some(number) = number(value).and_then(|number| numbers.get(&number))
        {
            *value = number.to_be_bytes().to_vec();
        }
    }
    new
}

fn number(bytes: &[u8]) -> Option<u16> {
    bytes.try_into().ok().map(u16::from_be_bytes)
}

/// The ports of each group, in the order of its members.
fn members(plan: &SwitchPlan) -> BTreeMap<u16, Vec<Vec<u8>>> {
    let mut groups: BTreeMap<u16, Vec<Vec<u8>>> = BTreeMap::new();
    for entry in plan.entries.iter().filter(|entry| entry.table == MEMBERS) {
        let group = match entry.key.first() {
            Some((_, MatchValue::Exact(value))) => number(value),
            _ => None,
        };
        let port = entry.params.first().map(|(_, port)| port.clone());
        if let (Some(group), Some(port)) = (group, port) {
            groups.entry(group).or_default().push(port);
        }
    }
    groups
}
