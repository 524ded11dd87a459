//! # SCHED003 scheduler-rates
//!
//! Severity: error. Rows: SCH-26.
//!
//! `pir` is at least `cir`, `cir` is above 0, `pbs` is at least `cbs`, and burst sizes have their rates.
//!
//! ## Why it matters
//!
//! The models refuse the file; the SAI rejects the scheduler and the queue is unshaped.
//!
//! ## Example
//!
//! ```json
//! {"SCHEDULER": {"s1": {"type": "DWRR", "weight": "15", "cir": "2000", "pir": "1000"}}}
//! ```
//!
//! ## Fix
//!
//! Give the rates in order.
//!
//! ## Source
//!
//! YANG scheduler.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SCHED003", name: "scheduler-rates", severity: Severity::Error, ids: &["SCH-26"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
