//! # PG008 less-for-faster
//!
//! Severity: warning. Rows: HR-05.
//!
//! For one cable, headroom does not fall as the port gets faster.
//!
//! ## Why it matters
//!
//! A faster port has more bytes on the same cable; one of the rows is wrong.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 400000 40m 1248 2288 514553 0 2288
//! 800000 40m 1248 2288 244000 0 2288
//! ```
//!
//! ## Fix
//!
//! Correct the row that breaks the order.
//!
//! ## Source
//!
//! shipped: 514,553 B at 400G, 244,000 B at 800G.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG008", name: "less-for-faster", severity: Severity::Warning, ids: &["HR-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = super::profile_rows(cx);
    for (speed, cable, xoff, name) in &rows {
        let faster = rows.iter().filter(|(s, c, x, _)| c == cable && s > speed && x < xoff).min_by_key(|r| r.0);
        if let Some((fast, _, less, other)) = faster {
            let message = format!("{cable} m: {} at {speed} Mb/s, but only {} at {fast} Mb/s ({other})", bytes(*xoff), bytes(*less));
            cx.report(out, &META, field("BUFFER_PROFILE", name, "xoff"), message);
        }
    }
}
