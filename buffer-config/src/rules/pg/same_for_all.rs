//! # PG009 same-for-all-lengths
//!
//! Severity: info. Rows: HR-06.
//!
//! Cables that differ by more than 50 m have the same headroom.
//!
//! ## Why it matters
//!
//! Right only when it was sized for the longest: then the short ones waste memory.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 10000 40m 1248 2288 160000 0 2288
//! 10000 300m 1248 2288 160000 0 2288
//! ```
//!
//! ## Fix
//!
//! Check that it fits the longest cable.
//!
//! ## Source
//!
//! tables that vendors ship: 58 such pairs.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG009", name: "same-for-all-lengths", severity: Severity::Info, ids: &["HR-06"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = super::profile_rows(cx);
    for (speed, cable, xoff, name) in &rows {
        if let Some((_, far, ..)) = rows.iter().find(|(s, c, x, _)| s == speed && *c > cable.saturating_add(50) && x == xoff) {
            let message = format!("{speed} Mb/s: {cable} m and {far} m both have headroom {}", bytes(*xoff));
            cx.report(out, &META, field("BUFFER_PROFILE", name, "xoff"), message);
        }
    }
}
