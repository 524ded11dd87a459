//! # PG009 same-for-all-lengths
//!
//! Severity: info.
//!
//! Cable lengths that differ by more than 50 m have the same headroom.
//!
//! ## Why it matters
//!
//! This is correct only if the headroom is sized for the longest cable, and then it wastes memory on shorter ones.
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
//! Check that the headroom is sufficient for the longest cable.
//!
//! ## Source
//!
//! Tables that vendors ship have 58 such pairs; some are in
//! [pg_profile_lookup.ini](https://github.com/sonic-net/sonic-buildimage/blob/master/device/nexthop/x86_64-nexthop_4010-r0/NH-4010-128x400G-2x25G/pg_profile_lookup.ini)
//! of the NH-4010.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG009",
    name: "same-for-all-lengths",
    severity: Severity::Info,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = super::profile_rows(cx);
    for (speed, cable, xoff, name) in &rows {
        if let Some((_, far, ..)) =
            rows.iter().find(|(s, c, x, _)| s == speed && *c > cable.saturating_add(50) && x == xoff)
        {
            let message = format!("{speed} Mb/s: {cable} m and {far} m both have headroom {}", bytes(*xoff));
            cx.report(out, &META, field("BUFFER_PROFILE", name, "xoff"), message);
        }
    }
}
