//! # BUF035 overlapping-ranges
//!
//! Severity: warning.
//!
//! Two ranges of one port and table overlap; in QUEUE, this is reported where they name different profiles or
//! schedulers.
//!
//! ## Why it matters
//!
//! The entry that arrives last applies, and the order can differ from boot to boot.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PG": {
//!     "Ethernet0|3-4": {"profile": "pg_lossless_100000_40m_profile"},
//!     "Ethernet0|4": {"profile": "pg_lossless_100000_40m_profile"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Split the ranges.
//!
//! ## Source
//!
//! `config` of [sonic-utilities](https://github.com/sonic-net/sonic-utilities/blob/master/config/main.py) refuses
//! overlapping ranges, but only in its own commands.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::db::Entry;
use crate::finding::Severity;
use crate::key_index;
use model::units::counted;
use std::collections::{BTreeMap, BTreeSet};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF035",
    name: "overlapping-ranges",
    severity: Severity::Warning,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    queues(cx, out);
    for table in ["BUFFER_PG", "BUFFER_QUEUE"] {
        let rows = cx.db.rows(table);
        // The ports of the table and the numbers of their entries, indexed by name.
        let mut taken: Vec<(&str, u32)> = Vec::new();
        let mut slots = vec![key_index::EMPTY; key_index::slots_for(rows.len())];
        let mut run = usize::MAX;
        let mut hits = 0;
        let mut first = None;
        for entry in rows {
            let Some((port, numbers)) = entry.owner_and_numbers() else { continue };
            let Some((low, high)) = crate::resolve::range(numbers).filter(|(l, h)| l <= h && *h < 32) else {
                continue;
            };
            let mask = (low..=high).fold(0u32, |m, n| m | 1 << n);
            // Entries of one port are mostly adjacent.
            if taken.get(run).is_none_or(|(name, _)| *name != port) {
                let is = |i: u32| taken.get(i as usize).is_some_and(|(name, _)| *name == port);
                run = match key_index::find(&slots, key_index::hash(port), is) {
                    Ok((i, _)) => i as usize,
                    Err(at) => {
                        slots[at] = taken.len() as u32;
                        taken.push((port, 0));
                        taken.len() - 1
                    }
                };
            }
            let Some((_, before)) = taken.get_mut(run) else { continue };
            if *before & mask != 0 {
                hits += 1;
                first = first.or(Some(entry.key.as_ref()));
            }
            *before |= mask;
        }
        if let Some(key) = first {
            cx.report(
                out,
                &META,
                row(table, key),
                format!(
                    "{table}: overlap with another range of the same port in {}; the first is `{key}`",
                    counted(hits, "range")
                ),
            );
        }
    }
}

/// Reports entries of QUEUE that give one queue different profiles or schedulers. Entries that only repeat or complete
/// each other are usual.
fn queues(cx: &Context<'_, '_>, out: &mut Findings) {
    let is_range =
        |entry: &&Entry<'_>| entry.owner_and_numbers().is_some_and(|(_, numbers)| numbers.contains('-'));
    let rows = cx.db.rows("QUEUE");
    // Without ranges, no two keys of a port have a common queue.
    let with_ranges: BTreeSet<&str> =
        rows.iter().filter(is_range).filter_map(|entry| Some(entry.owner_and_numbers()?.0)).collect();
    let mut stated: BTreeMap<(&str, usize, &str), (&str, &str)> = BTreeMap::new();
    let mut reported: Option<(&str, String)> = None;
    let mut hits = 0;
    for entry in rows {
        let Some((port, numbers)) = entry.owner_and_numbers().filter(|(port, _)| with_ranges.contains(port))
        else {
            continue;
        };
        let Some((low, high)) = crate::resolve::range(numbers).filter(|(l, h)| l <= h && *h < 32) else {
            continue;
        };
        let mut differs = false;
        for (name, table) in [("wred_profile", "WRED_PROFILE"), ("scheduler", "SCHEDULER")] {
            let Some(field) = cx.db.field(entry, name) else { continue };
            let value = crate::schema::reference(table, field.value);
            for queue in low..=high {
                let (other, key) = *stated.entry((port, queue, name)).or_insert((value, entry.key.as_ref()));
                if other != value {
                    differs = true;
                    let message = || {
                        (entry.key.as_ref(), format!("`{key}` has {name} {other}, `{}` {value}", entry.key))
                    };
                    reported.get_or_insert_with(message);
                }
            }
        }
        hits += u64::from(differs);
    }
    if let Some((key, message)) = reported {
        let message = format!(
            "QUEUE: overlap with another range of the same port in {}: {message}",
            counted(hits, "range")
        );
        cx.report(out, &META, row("QUEUE", key), message);
    }
}
