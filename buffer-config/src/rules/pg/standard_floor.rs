//! # PG006 below-the-standard
//!
//! Severity: error. Rows: HR-03.
//!
//! Headroom holds the wire, the response of the peer that IEEE 802.3 31B.3.7 allows and one lossless frame; with
//! one frame of the port's MTU it is safe.
//!
//! ## Why it matters
//!
//! The peer may keep sending for that long after the pause arrived. The assumption can be changed (`--floor`).
//!
//! ## Fix
//!
//! Raise `xoff`.
//!
//! ## Source
//!
//! IEEE 802.3 annex 31B; vendors' white papers on PFC.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;
use crate::headroom::Floor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG006", name: "below-the-standard", severity: Severity::Error, ids: &["HR-03"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| super::wire_floor::short(cx, port, cx.options.floor, Severity::Error));
    if cx.options.floor < Floor::WithPortMtu {
        cx.by_port(out, &META, |port| super::wire_floor::short(cx, port, Floor::WithPortMtu, Severity::Warning));
    }
}
