//! # BUF045 lookup-alpha
//!
//! Severity: warning.
//!
//! The threshold of a lossless profile differs from the row of the lookup table.
//!
//! ## Why it matters
//!
//! Alpha can be set in three places: the lookup table (traditional model), `default_dynamic_th` (dynamic model) and
//! the profile. A profile in the database takes precedence and remains after an image upgrade.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 100000 40m 1248 2288 100000 0 2288
//! ```
//!
//! ## Fix
//!
//! Change the table and the profile together.
//!
//! ## Source
//!
//! buffermgr.cpp, buffermgrdyn.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF045",
    name: "lookup-alpha",
    severity: Severity::Warning,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(lookup) = cx.lookup else { return };
    for lookup_row in &lookup.rows {
        let name = format!("pg_lossless_{}_{}_profile", lookup_row.speed_mbps, lookup_row.cable);
        let Some(profile) = cx.profile_named(&name).filter(|p| !p.is_generated) else { continue };
        let (found, key) = match profile.threshold {
            Some(Threshold::Dynamic { exponent }) => (i64::from(exponent), "dynamic_th"),
            Some(Threshold::Static { bytes }) => (bytes as i64, "static_th"),
            None => continue,
        };
        if found != lookup_row.threshold {
            let message = format!(
                "profile {name} has {key} {found}, but the lookup table has {}",
                lookup_row.threshold
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &name, key), message)
                .deviates(found.cmp(&lookup_row.threshold));
        }
    }
}
