//! # PG014 odd-xon-offset
//!
//! Severity: warning.
//!
//! The `xon_offset` of a lossless profile differs from that of all other lossless profiles of the switch, or only one
//! profile has none.
//!
//! ## Why it matters
//!
//! A single different value is usually a typing error: one table shipped with 3356 instead of 3556.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 100000 5m 1248 0 60000 0 2288
//! 100000 40m 1248 0 100000 0 2288
//! 50000 5m 1248 0 60000 0 2088
//! 50000 40m 1248 0 70000 0 2288
//! ```
//!
//! ## Fix
//!
//! Use the same value as the other profiles.
//!
//! ## Source
//!
//! sonic-buildimage PR 25862.

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{Direction, ResolvedProfile};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG014",
    name: "odd-xon-offset",
    severity: Severity::Warning,
    effect: effect::XON_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut offsets: Vec<(u64, u32, &str)> = Vec::new();
    let mut without: Vec<&str> = Vec::new();
    for row in cx.lookup.iter().flat_map(|l| &l.rows) {
        if let Some(offset) = row.xon_offset_bytes {
            match offsets.iter_mut().find(|(o, ..)| *o == offset) {
                Some(entry) => entry.1 += 1,
                None => offsets.push((offset, 1, "the lookup table")),
            }
        }
    }
    // Headroom at egress has its own rule.
    let is_egress =
        |p: &ResolvedProfile| cx.pool_of(p).is_some_and(|pool| pool.direction == Direction::Egress);
    let stated = cx.sw.profiles.iter().filter(|p| p.is_lossless() && !p.is_generated && !is_egress(p));
    for profile in stated {
        let Some(offset) = profile.xon_offset_bytes else {
            without.push(&profile.name);
            continue;
        };
        match offsets.iter_mut().find(|(o, ..)| *o == offset) {
            Some(entry) => entry.1 += 1,
            None => offsets.push((offset, 1, &profile.name)),
        }
    }
    let Some((usual, most, _)) = offsets.iter().max_by_key(|(_, count, _)| *count).copied() else { return };
    if let [name] = without.as_slice() {
        let others = if most == 1 { "the other has".to_string() } else { format!("{most} others have") };
        let message = format!("{name}: there is no xon_offset, but {others} {usual}");
        cx.report(out, &META, row("BUFFER_PROFILE", name), message).add("xon_offset", usual.to_string());
    }
    for (offset, count, name) in &offsets {
        // With two profiles, only their difference is known.
        let is_pair = offsets.len() == 2 && most == 1 && *offset != usual;
        // Of three profiles, one may have another value on purpose, but hardly half or twice the value.
        let is_far = most == 2 && (*offset < usual / 2 || *offset / 2 > usual);
        if *count == 1 && (most >= 3 || is_pair || is_far) {
            let others = if is_pair { "the other has".to_string() } else { format!("{most} others have") };
            let message = format!("{name}: xon_offset is {offset}, but {others} {usual}");
            cx.report(out, &META, field("BUFFER_PROFILE", name, "xon_offset"), message)
                .replace(usual.to_string());
        }
    }
}
