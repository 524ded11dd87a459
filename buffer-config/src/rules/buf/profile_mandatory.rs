//! # BUF007 profile-size
//!
//! Severity: error.
//!
//! A profile has no `size`, the bytes reserved for each of its users (0 for none).
//!
//! ## Why it matters
//!
//! SAI requires the attribute and the entry is rejected without it. SONiC computes it only for profiles with
//! `headroom_type` dynamic.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "dynamic_th": "3"}}}
//! ```
//!
//! ## Fix
//!
//! Set `size`.
//!
//! ## Source
//!
//! YANG buffer-profile.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF007",
    name: "profile-size",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let computed =
            cx.is_dynamic && cx.db.field(entry, "headroom_type").is_some_and(|f| f.value == "dynamic");
        if !computed {
            cx.report(out, &META, field(violation.table, &entry.key, "size"), violation.message.clone());
        }
    }
}
