//! # BUF013 trim-where-forbidden
//!
//! Severity: error. Rows: SCH-13.
//!
//! `packet_discard_action` trim is for queues only: not for profiles that a priority group or a profile list uses.
//!
//! ## Why it matters
//!
//! orchagent refuses the reference, and the group or port is left without the profile.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "3", "packet_discard_action": "trim"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Give groups and lists a profile that drops.
//!
//! ## Source
//!
//! bufferorch.cpp, buffercontainer.h.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF013", name: "trim-where-forbidden", severity: Severity::Error, ids: &["SCH-13"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if profile.trims && (uses[0] > 0 || uses[2] > 0) {
            let message = format!("profile {} trims packets, but {} priority groups and {} lists use it", profile.name, uses[0], uses[2]);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "packet_discard_action"), message);
        }
    }
}
