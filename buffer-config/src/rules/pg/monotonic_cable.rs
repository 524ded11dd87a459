//! # PG007 less-for-longer
//!
//! Severity: error.
//!
//! A longer cable has less headroom than a shorter one at the same speed.
//!
//! ## Why it matters
//!
//! One of the rows is wrong, usually by a typing error: one shipped table had 366,592 B for 1500 m and 234,496 B
//! for 2000 m.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 100000 1500m 1248 2288 366592 0 2288
//! 100000 2000m 1248 2288 234496 0 2288
//! ```
//!
//! ## Fix
//!
//! Correct the row that breaks the order.
//!
//! ## Source
//!
//! sonic-buildimage PR 25862 is of this class; 19 shipped inversions.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG007",
    name: "less-for-longer",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = super::profile_rows(cx);
    for (speed, cable, xoff, name) in &rows {
        let longer =
            rows.iter().filter(|(s, c, x, _)| s == speed && c > cable && x < xoff).min_by_key(|r| r.1);
        if let Some((_, far, less, other)) = longer {
            let message = format!(
                "{speed} Mb/s: {} for {cable} m, but only {} for {far} m ({other})",
                bytes(*xoff),
                bytes(*less)
            );
            cx.report(out, &META, field("BUFFER_PROFILE", name, "xoff"), message).also([*other]);
        }
    }
}
