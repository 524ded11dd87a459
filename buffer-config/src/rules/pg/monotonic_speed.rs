//! # PG008 less-for-faster
//!
//! Severity: warning.
//!
//! A faster port has less headroom than a slower one with the same cable length.
//!
//! ## Why it matters
//!
//! At a higher speed, more bytes are in flight on the same cable, so one of the rows is wrong.
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
//! A shipped table has 514,553 B at 400G and 244,000 B at 800G: NH-5010,
//! [pg_profile_lookup.ini](https://github.com/sonic-net/sonic-buildimage/blob/master/device/nexthop/x86_64-nexthop_5010-r0/NH-5010-F-O64/pg_profile_lookup.ini).

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG008",
    name: "less-for-faster",
    severity: Severity::Warning,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = super::profile_rows(cx);
    for (speed, cable, xoff, name) in &rows {
        let faster =
            rows.iter().filter(|(s, c, x, _)| c == cable && s > speed && x < xoff).min_by_key(|r| r.0);
        if let Some((fast, _, less, other)) = faster {
            let message = format!(
                "{cable} m: {} at {speed} Mb/s, but only {} at {fast} Mb/s ({other})",
                bytes(*xoff),
                bytes(*less)
            );
            cx.report(out, &META, field("BUFFER_PROFILE", name, "xoff"), message).also([*other]);
        }
    }
}
