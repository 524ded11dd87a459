//! # BUF018 unused-profile
//!
//! Severity: info.
//!
//! No priority group, queue or profile list uses this profile.
//!
//! ## Why it matters
//!
//! An unused profile has no effect, but often indicates a misspelt reference or that the wrong profile is in use.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"spare_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"}}}
//! ```
//!
//! ## Fix
//!
//! Add the missing reference or remove the profile. `pg_lossless_*` profiles are buffermgrd's cache and are exempt.
//!
//! ## Source
//!
//! bufferorch.cpp: only groups, queues and profile lists refer to a profile.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF018",
    name: "unused-profile",
    severity: Severity::Info,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let in_groups = cx.names_in_groups();
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        // The dynamic model replaces a profile by those that it generates from it.
        let is_replaced = in_groups.contains_key(profile.name.as_str()) && cx.is_computed_from(&profile.name);
        if *uses == [0; 3]
            && !is_replaced
            && !profile.name.starts_with("pg_lossless_")
            && !cx.sw.ports.is_empty()
        {
            cx.report(
                out,
                &META,
                row("BUFFER_PROFILE", &profile.name),
                format!("profile {} is not used", profile.name),
            );
        }
    }
}
