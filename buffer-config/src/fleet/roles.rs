//! Compares the switches of one role: maps, watchdog, marking, schedulers, pools, and where lossless groups pause.

use std::collections::BTreeMap;

use model::config_finding::Deviation;

use super::kept::{BETWEEN_PORTS, Kept, PFC_PRIORITIES, PROPERTIES, Pause, Scope};
use super::priorities::{Id, Reported, id};
use super::{Finding, Fleet, finding};
use crate::finding::Severity;

/// The smallest quotient of two XOFF thresholds that is reported: one step of `dynamic_th` changes the threshold by a
/// factor between 1 (large alpha) and 2 (small alpha), and by 1.5 between alpha 1 and 1/2.
const THRESHOLD_RATIO: f64 = 1.4;

/// The most common value, if there are at least two, half of them or more are equal to it, and no other is as common.
fn usual<T: Ord + Copy>(values: impl Iterator<Item = T>) -> Option<(T, usize)> {
    let mut counts: BTreeMap<T, usize> = BTreeMap::new();
    let mut all = 0;
    for value in values {
        *counts.entry(value).or_default() += 1;
        all += 1;
    }
    let (value, count) =
        counts.iter().map(|(value, count)| (*value, *count)).max_by_key(|(_, count)| *count)?;
    let is_alone = counts.values().filter(|other| **other == count).count() == 1;
    (all >= 2 && count * 2 >= all && is_alone).then_some((value, count))
}

impl Fleet {
    /// Reports switches whose lossless groups pause at another occupancy than those of the other switches of their role
    /// and ASIC.
    pub(super) fn thresholds(
        &self,
        role: &str,
        switches: &[&Kept],
        is_grouped: bool,
        found: &mut Vec<Finding>,
    ) {
        let mut groups: BTreeMap<&str, Vec<(&Kept, Pause)>> = BTreeMap::new();
        for switch in switches {
            if let Some(pause) = switch.pause {
                groups.entry(self.chip_of(switch)).or_default().push((switch, pause));
            }
        }
        for (asic, mut group) in groups {
            group.sort_by_key(|(_, pause)| pause.xoff_bytes);
            let Some((_, usual)) = group.get(group.len() / 2).copied() else { continue };
            let mut deviating: BTreeMap<(i8, u64), Vec<&Kept>> = BTreeMap::new();
            for (switch, pause) in &group {
                // With the same alpha, only the pools differ.
                let ratio = pause.xoff_bytes as f64 / usual.xoff_bytes.max(1) as f64;
                if pause.exponent != usual.exponent
                    && !(1.0 / THRESHOLD_RATIO..THRESHOLD_RATIO).contains(&ratio)
                {
                    deviating.entry((pause.exponent, pause.xoff_bytes)).or_default().push(switch);
                }
            }
            let equal = group.iter().filter(|(_, pause)| pause.exponent == usual.exponent).count();
            for (_, pause) in group {
                let Some(same) = deviating.remove(&(pause.exponent, pause.xoff_bytes)) else { continue };
                let is_lower = pause.xoff_bytes < usual.xoff_bytes;
                let text = format!(
                    "one lossless group pauses at {} (dynamic_th {} of {}), on {} of role {role} at {} (dynamic_th {})",
                    bytes(pause.xoff_bytes),
                    pause.exponent,
                    bytes(pause.pool_bytes),
                    if equal == 1 {
                        format!("another {asic}")
                    } else {
                        format!("{equal} other {asic} switches")
                    },
                    bytes(usual.xoff_bytes),
                    usual.exponent,
                );
                let severity = if is_lower { Severity::Error } else { Severity::Warning };
                let deviation = if is_lower { Deviation::Less } else { Deviation::More };
                self.report(&same, is_grouped, found, |file, who| {
                    let base = finding("FLEET001", severity, file, "/BUFFER_PROFILE", format!("{who}{text}"));
                    Finding { deviation: Some(deviation), ..base }
                });
            }
        }
    }

    /// Reports switches that differ from the others of their role in one of the compared properties.
    pub(super) fn siblings(
        &self,
        role: &str,
        switches: &[&Kept],
        is_grouped: bool,
        priorities: &Reported,
        found: &mut Vec<Finding>,
    ) {
        for (index, (name, table, scope)) in PROPERTIES.into_iter().enumerate() {
            let mut groups: BTreeMap<(&str, u32), Vec<(&Kept, u32)>> = BTreeMap::new();
            for switch in switches {
                let key = match scope {
                    Scope::Role => ("", 0),
                    Scope::Asic => (self.chip_of(switch), 0),
                    Scope::Sku => (self.chip_of(switch), switch.sku),
                };
                if let Some(value) = switch.values.get(index).copied().flatten() {
                    groups.entry(key).or_default().push((switch, value));
                }
            }
            for ((asic, _), group) in groups {
                let Some((common, count)) = usual(group.iter().map(|(_, value)| *value)) else {
                    self.no_majority(role, (name, table), (asic, &group), priorities, found);
                    continue;
                };
                let mut deviating: BTreeMap<u32, Vec<&Kept>> = BTreeMap::new();
                for (switch, value) in group.iter().filter(|(_, value)| *value != common) {
                    deviating.entry(*value).or_default().push(switch);
                }
                let of = if asic.is_empty() { String::new() } else { format!("{asic} ") };
                // The links of some switches may explain their priorities, those of others not.
                let is_explained =
                    |switch: &Kept| index == PFC_PRIORITIES && !priorities.causes_of(switch).is_empty();
                let parts = deviating.into_iter().flat_map(|(value, same)| {
                    let (explained, rest): (Vec<&Kept>, Vec<&Kept>) =
                        same.into_iter().partition(|switch| is_explained(switch));
                    [(value, explained), (value, rest)]
                });
                for (value, same) in parts {
                    let differs = difference(self.names.of(value), self.names.of(common));
                    let all = group.len();
                    let text = format!("{name} {differs} on {count} of {all} {of}switches of role {role}");
                    self.report(&same, is_grouped, found, |file, who| {
                        let pointer = format!("/{table}");
                        let base =
                            finding("FLEET002", Severity::Warning, file, &pointer, format!("{who}{text}"));
                        let explained = same.iter().filter(|switch| is_explained(switch));
                        let own = explained.filter(|switch| is_grouped || *switch.file == *file);
                        Finding {
                            causes: own.flat_map(|switch| priorities.causes_of(switch)).collect(),
                            ..base
                        }
                    });
                }
            }
        }
    }

    /// Reports two values that equally many switches have, without a judgement of which one is right.
    fn no_majority(
        &self,
        role: &str,
        (name, table): (&str, &str),
        (asic, group): (&str, &[(&Kept, u32)]),
        priorities: &Reported,
        found: &mut Vec<Finding>,
    ) {
        let mut with: BTreeMap<u32, Vec<&Kept>> = BTreeMap::new();
        group.iter().for_each(|(switch, value)| with.entry(*value).or_default().push(switch));
        let [(one, first), (other, second)] = with.iter().collect::<Vec<_>>()[..] else { return };
        let switches = |all: &[&Kept]| {
            let names: Vec<String> =
                all.iter().map(|switch| format!("{} ({})", self.name_of(switch), switch.file)).collect();
            crate::rules::names(&names.iter().map(String::as_str).collect::<Vec<_>>())
        };
        let [one, other] = two_values(self.names.of(*one), self.names.of(*other));
        let of = if asic.is_empty() { String::new() } else { format!("{asic} ") };
        let message = format!(
            "{name} {one} on {}, but {other} on {}: {} {of}switches of role {role} have no majority",
            switches(first),
            switches(second),
            group.len()
        );
        let Some(file) = first.first().map(|switch| &*switch.file) else { return };
        let base = finding("FLEET002", Severity::Warning, file, &format!("/{table}"), message);
        let causes = match name == PROPERTIES[PFC_PRIORITIES].0 {
            true => group.iter().flat_map(|(switch, _)| priorities.causes_of(switch)).collect(),
            false => Vec::new(),
        };
        found.push(Finding { causes, ..base });
    }

    /// Reports switches whose lossless ports have another headroom than those of the same role, ASIC, speed and cable length.
    pub(super) fn headroom(
        &self,
        role: &str,
        switches: &[&Kept],
        is_grouped: bool,
        found: &mut Vec<Finding>,
    ) {
        let mut groups: BTreeMap<(&str, u32), Vec<(&Kept, u32)>> = BTreeMap::new();
        for switch in switches {
            for (link, value) in &switch.headroom {
                groups.entry((self.chip_of(switch), *link)).or_default().push((switch, *value));
            }
        }
        for ((asic, link), group) in groups {
            // Of two switches, either may be right; the rules about headroom judge each.
            let usual = usual(group.iter().map(|(_, value)| *value)).filter(|(_, count)| *count > 1);
            let Some((common, count)) = usual else { continue };
            let mut deviating: BTreeMap<u32, Vec<&Kept>> = BTreeMap::new();
            for (switch, value) in group.iter().filter(|(_, value)| *value != common) {
                deviating.entry(*value).or_default().push(switch);
            }
            for (value, same) in deviating {
                let [link, own, other] = [link, value, common].map(|n| self.names.of(n));
                let all = group.len();
                let text = format!(
                    "headroom for {link} is {own}, but {other} on {count} of {all} {asic} switches of role {role}"
                );
                self.report(&same, is_grouped, found, |file, who| {
                    finding("FLEET002", Severity::Warning, file, "/BUFFER_PROFILE", format!("{who}{text}"))
                });
            }
        }
    }

    /// The switches whose PFC priorities differ from those of most switches of their role.
    pub(super) fn odd_priorities(&self, switches: &[&Kept]) -> Vec<Id> {
        let value = |switch: &Kept| switch.values.get(PFC_PRIORITIES).copied().flatten();
        let values: Vec<(Id, u32)> =
            switches.iter().filter_map(|switch| Some((id(switch), value(switch)?))).collect();
        let Some((common, _)) = usual(values.iter().map(|(_, value)| *value)) else { return Vec::new() };
        values.into_iter().filter(|(_, value)| *value != common).map(|(id, _)| id).collect()
    }

    /// The ASIC of a switch, or its SKU if the ASIC is unknown: the same SKU has the same ASIC.
    fn chip_of(&self, switch: &Kept) -> &str {
        if switch.asic.is_empty() { self.names.of(switch.sku) } else { switch.asic }
    }

    /// Reports the same deviation of several switches: once, with their names, or for each.
    fn report(
        &self,
        same: &[&Kept],
        is_grouped: bool,
        found: &mut Vec<Finding>,
        make: impl Fn(&str, &str) -> Finding,
    ) {
        match same {
            [first, _, ..] if is_grouped => {
                let names: Vec<String> = same.iter().map(|switch| self.name_of(switch)).collect();
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                found.push(make(&first.file, &format!("{}: ", crate::rules::names(&names))));
            }
            [] => {}
            all => found.extend(all.iter().map(|switch| make(&switch.file, ""))),
        }
    }
}

/// `2000 B` for messages, with thousands separated.
fn bytes(count: u64) -> String {
    crate::rules::bytes(count)
}

/// The difference between a value and the usual one.
fn difference(value: &str, common: &str) -> String {
    let is_map = |text: &str| text.contains('=');
    if (is_map(value) || is_map(common)) && !(is_simple(value) && is_simple(common)) {
        return "differ between ports, unlike those".to_string();
    }
    let [value, common] = two_values(value, common);
    format!("{value}, but {common}")
}

/// Whether all ports have one map, not several.
fn is_simple(map: &str) -> bool {
    map.contains('=') && !map.contains(BETWEEN_PORTS)
}

/// Two values for messages: of maps, the first few entries that differ.
fn two_values(value: &str, common: &str) -> [String; 2] {
    /// The number of entries that are named.
    const NAMED: usize = 3;
    if !is_simple(value) || !is_simple(common) {
        return [value, common].map(|text| match (text.contains('='), text.contains(BETWEEN_PORTS)) {
            (true, _) => "several values".to_string(),
            (false, true) => format!("{} (by port)", text.replace(BETWEEN_PORTS, " and ")),
            (false, false) => text.to_string(),
        });
    }
    let other: BTreeMap<&str, &str> = common.split(' ').filter_map(|pair| pair.split_once('=')).collect();
    let own: BTreeMap<&str, &str> = value.split(' ').filter_map(|pair| pair.split_once('=')).collect();
    let mut keys: Vec<&str> = own.keys().chain(other.keys()).copied().collect();
    keys.sort_unstable_by_key(|key| key.parse::<u32>().unwrap_or(u32::MAX));
    keys.dedup();
    let of =
        |map: &BTreeMap<&str, &str>, key: &str| map.get(key).map_or("none".to_string(), ToString::to_string);
    let differing: Vec<&str> = keys.into_iter().filter(|key| own.get(key) != other.get(key)).collect();
    let named: Vec<String> =
        differing.iter().take(NAMED).map(|key| format!("{key} → {}", of(&own, key))).collect();
    let usual: Vec<String> =
        differing.iter().take(NAMED).map(|key| format!("{key} → {}", of(&other, key))).collect();
    let more = match differing.len().saturating_sub(NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    [format!("{}{more}", named.join(", ")), usual.join(", ")]
}
