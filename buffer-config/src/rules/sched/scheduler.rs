//! # SCHED001 scheduler-value
//!
//! Severity: error. Rows: SCH-26.
//!
//! A scheduler has a known type, a weight of 1..=100 and a known meter.
//!
//! ## Why it matters
//!
//! orchagent cuts the weight to eight bits (256 becomes 0); an unknown meter throws out of range: orchagent exits.
//!
//! ## Example
//!
//! ```json
//! {"SCHEDULER": {"s": {"type": "DWRR", "weight": "256"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the value.
//!
//! ## Source
//!
//! qosorch.cpp; YANG scheduler.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SCHED001", name: "scheduler-value", severity: Severity::Error, ids: &["SCH-26"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
