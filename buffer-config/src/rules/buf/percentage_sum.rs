//! # BUF006 percentage-sum
//!
//! Severity: error.
//!
//! The percentages of the pools of one direction add up to more than 100, or one is above 100.
//!
//! ## Why it matters
//!
//! No daemon checks the sum: each pool receives its share of the available memory, so together the pools exceed it.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"platform": "x86_64-mlnx_msn4700-r0", "buffer_model": "dynamic"}
//!   },
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "percentage": "80"},
//!     "ingress_lossy_pool": {"type": "ingress", "mode": "dynamic", "percentage": "40"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce the percentages.
//!
//! ## Source
//!
//! buffer_pool_mellanox.lua uses each percentage without a check of the sum.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF006",
    name: "percentage-sum",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for direction in ["ingress", "egress"] {
        let share = |e: &crate::db::Entry<'_>| {
            let is = cx.db.field(e, "type").is_some_and(|f| f.value == direction);
            cx.db.field(e, "percentage").filter(|_| is)?.value.trim().parse::<u64>().ok()
        };
        let rows = cx.db.rows("BUFFER_POOL");
        let sum = rows.iter().filter_map(share).fold(0, u64::saturating_add);
        if let Some(last) = rows.iter().rfind(|e| share(e).is_some()).filter(|_| sum > 100) {
            let message = format!("the percentages of the {direction} pools add up to {sum} %");
            cx.report(out, &META, field("BUFFER_POOL", &last.key, "percentage"), message);
        }
    }
}
