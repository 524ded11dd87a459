//! # BUF011 one-threshold
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: SCH-11.
//!
//! A profile has exactly one of `dynamic_th` and `static_th`.
//!
//! ## Why it matters
//!
//! With both, the field that orchagent meets last wins; with none, SAI's default applies.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3", "static_th": "12766208"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Keep the one that fits the pool's mode.
//!
//! ## Source
//!
//! bufferorch field loop; buffermgrdyn.cpp; swss issue 2438.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF011", name: "one-threshold", severity: Severity::Error, ids: &["SCH-11"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("BUFFER_PROFILE") {
        let has = |name| cx.db.field(entry, name).is_some();
        let message = match (has("dynamic_th"), has("static_th")) {
            (true, true) => "has both dynamic_th and static_th; the one that orchagent meets last wins",
            (false, false) => "has neither dynamic_th nor static_th",
            _ => continue,
        };
        let severity = if has("dynamic_th") { Severity::Error } else { Severity::Warning };
        let at = row("BUFFER_PROFILE", &entry.key);
        cx.report(out, &META, at, format!("profile {} {message}", entry.key)).severity(severity);
    }
}
