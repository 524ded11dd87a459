//! # MAP008 incomplete-dscp-map
//!
//! Severity: info.
//!
//! A DSCP map does not contain all 64 values.
//!
//! ## Why it matters
//!
//! A DSCP that is not in the map keeps the chip's default class, which differs between vendors.
//!
//! ## Example
//!
//! ```json
//! {"DSCP_TO_TC_MAP": {"AZURE": {"0": "0", "3": "3", "4": "4"}}}
//! ```
//!
//! ## Fix
//!
//! Add the missing values.
//!
//! ## Source
//!
//! RFC 2474 (64 code points); qosorch.cpp sets only the values that the map names.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP008",
    name: "incomplete-dscp-map",
    severity: Severity::Info,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("DSCP_TO_TC_MAP") {
        let count = cx.db.fields_of(entry).len();
        if count < 64 {
            let message = format!("{} maps {count} of 64 DSCPs", entry.key);
            cx.report(out, &META, row("DSCP_TO_TC_MAP", &entry.key), message);
        }
    }
}
