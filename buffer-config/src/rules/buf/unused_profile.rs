//! # BUF018 unused-profile
//!
//! Severity: info. Rows: REF-08.
//!
//! A profile that nothing refers to.
//!
//! ## Why it matters
//!
//! It costs nothing, but is often a sign that the reference is misspelt or that the wrong profile is in use.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"spare_profile": {"pool": "egress_lossy_pool", "size": "0", "dynamic_th": "3"}}}
//! ```
//!
//! ## Fix
//!
//! Refer to it or remove it. `pg_lossless_*` profiles are buffermgrd's cache and are exempt.
//!
//! ## Source
//!
//! bufferorch.cpp: groups, queues and profile lists are all that refers to a profile.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF018", name: "unused-profile", severity: Severity::Info, ids: &["REF-08"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if *uses == [0; 3] && !profile.name.starts_with("pg_lossless_") && !cx.sw.ports.is_empty() {
            cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), format!("profile {} is used by nothing", profile.name));
        }
    }
}
