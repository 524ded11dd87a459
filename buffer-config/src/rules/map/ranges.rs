//! # MAP001 map-range
//!
//! Severity: error. Rows: SCH-24.
//!
//! The numbers of a QoS map are in range: DSCP 0..63, traffic class 0..15, 802.1p, priority group and PFC priority
//! 0..7, queue 0..9.
//!
//! ## Why it matters
//!
//! orchagent drops the map; every port that uses it is left without maps and without PFC.
//!
//! ## Example
//!
//! ```json
//! {"DSCP_TO_TC_MAP": {"AZURE": {"64": "1"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the number.
//!
//! ## Source
//!
//! YANG; qosorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "MAP001", name: "map-range", severity: Severity::Error, ids: &["SCH-24"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
