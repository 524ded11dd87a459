//! # ECN002 mark-probability
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! The marking probability of an enabled colour is missing, 0, or not within 0 to 100.
//!
//! ## Why it matters
//!
//! A missing probability means 100 %: at Kmax, marking jumps to every packet. With 0, no packet is marked up to Kmax.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true",
//!       "green_min_threshold": "1000000", "green_max_threshold": "1500000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set the probability; 5 is common.
//!
//! ## Source
//!
//! qosorch.cpp; YANG wred-profile.

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN002",
    name: "mark-probability",
    severity: Severity::Error,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("WRED_PROFILE") {
        for colour in ["green", "yellow", "red"] {
            let on = cx.db.field(entry, &format!("wred_{colour}_enable")).is_some_and(|f| f.value == "true");
            let name = format!("{colour}_drop_probability");
            let value = cx.db.field(entry, &name);
            if on && value.is_some_and(|f| f.value.trim().parse() == Ok(0)) {
                let message =
                    format!("{}: {colour} has probability 0: no packet is marked up to Kmax", entry.key);
                cx.report(out, &META, field("WRED_PROFILE", &entry.key, &name), message)
                    .severity(Severity::Warning)
                    .replace("5");
            }
            if on && value.is_none() {
                let message = format!("{}: {colour} has no probability, which means 100 %", entry.key);
                cx.report(out, &META, row("WRED_PROFILE", &entry.key), message)
                    .severity(Severity::Warning)
                    .add(&name, "5");
            }
        }
    }
}
