//! The times of readings whose files do not say them.
//!
//! The time at which a file was last changed is that of the reading if the file was written when the counters were read.
//! Copies and checkouts change it: then the readings of a switch have about the same time, or one that contradicts words
//! such as `before` and `after`, and only their order is used.

use std::collections::BTreeMap;

use counters::Reading;
use counters::sonic::compare_names;

use super::identity::Identity;

/// Shorter distances of two files are those of copies, not of two readings: the shortest useful interval is 100 ms.
const SHORTEST_NS: u64 = 50_000_000;

/// A reading and what is known about its time.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) reading: Reading,
    /// Whether its time is that of the reading, not that of the file.
    pub(super) has_time: bool,
    /// The order by words in the names.
    pub(super) rank: u8,
    /// Where it was found.
    pub(super) place: String,
    /// What tells its switch from others of the same name.
    pub(super) identity: Identity,
}

/// Returns the readings with times that are in order.
pub(super) fn settle(mut found: Vec<Found>, problems: &mut Vec<String>) -> Vec<Reading> {
    found.sort_by(|a, b| a.rank.cmp(&b.rank).then_with(|| compare_names(&a.place, &b.place)));
    let mut by_switch: BTreeMap<String, Vec<&mut Found>> = BTreeMap::new();
    for one in &mut found {
        by_switch.entry(one.reading.switch.clone()).or_default().push(one);
    }
    let mut ordered = Vec::new();
    for (switch, own) in &mut by_switch {
        if own.len() < 2 || own.iter().all(|one| one.has_time) {
            continue;
        }
        let times: Vec<u64> = own.iter().map(|one| one.reading.time_ns).collect();
        let is_plausible = times.windows(2).all(|pair| pair[1] >= pair[0].saturating_add(SHORTEST_NS));
        if is_plausible && own.iter().all(|one| one.has_time || !one.reading.time_is_assumed) {
            continue;
        }
        ordered.push(switch.clone());
        let first = times.first().copied().unwrap_or(0);
        for (number, one) in own.iter_mut().enumerate() {
            one.reading.time_ns = first.saturating_add(number as u64);
            one.reading.time_is_assumed = true;
        }
    }
    if !ordered.is_empty() {
        problems.push(format!(
            "{}: the times of the readings are unknown, their order is that of the files and of the paste; name the \
             files after the times, add `date` to the paste, or use --time",
            ordered.join(", ")
        ));
    }
    found.into_iter().map(|one| one.reading).collect()
}
