//! # PG030 lookup-gaps
//!
//! Severity: warning.
//!
//! The lookup table has a cable length for one speed but not for another, or contains a row twice.
//!
//! ## Why it matters
//!
//! One table had no 50 m rows for some speeds, so ports at those speeds had no headroom. Of two rows for the same
//! speed and length, the later one silently wins.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 100000 5m 1248 2288 60000 -2 2288
//! 100000 50m 1248 2288 110000 -2 2288
//! 40000 5m 1248 2288 50000 -2 2288
//! ```
//!
//! ## Fix
//!
//! Add the missing rows.
//!
//! ## Source
//!
//! sonic-buildimage PR 23059, PR 25862.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PG030", name: "lookup-gaps", severity: Severity::Warning, effect: effect::INFORMATIONAL };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(lookup) = cx.lookup else { return };
    let mut lengths: Vec<&str> = lookup.rows.iter().map(|r| r.cable.as_str()).collect();
    lengths.sort_unstable();
    lengths.dedup();
    let mut speeds: Vec<u32> = lookup.rows.iter().map(|r| r.speed_mbps).collect();
    speeds.sort_unstable();
    speeds.dedup();
    let at = row("BUFFER_POOL", crate::LOSSLESS_POOL);
    for speed in &speeds {
        let missing: Vec<&str> =
            lengths.iter().copied().filter(|l| lookup.find(*speed, l).is_none()).collect();
        if !missing.is_empty() {
            let message = format!(
                "the lookup table has no row at {speed} Mb/s for {}, but has one at other speeds",
                missing.join(", ")
            );
            cx.report(out, &META, at, message);
        }
    }
    for (i, first) in lookup.rows.iter().enumerate() {
        if lookup.rows.iter().skip(i + 1).any(|r| r.speed_mbps == first.speed_mbps && r.cable == first.cable)
        {
            let message =
                format!("the lookup table has two rows for {} Mb/s and {}", first.speed_mbps, first.cable);
            cx.report(out, &META, at, message);
        }
    }
}
