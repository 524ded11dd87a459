//! # ECN004 inert-thresholds
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: ECN-04.
//!
//! A colour with thresholds is enabled.
//!
//! ## Why it matters
//!
//! The numbers have no effect: nothing is marked, and PFC is the only brake. On several releases a colour that ECN
//! names is not marked without its WRED switch.
//!
//! ## Fix
//!
//! Set `wred_<colour>_enable` to true, or remove the numbers.
//!
//! ## Source
//!
//! sonic-buildimage issue 4545; sonic-mgmt issue 26163.

use super::super::Meta;
use super::super::context::{Context, Findings, field, names};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "ECN004", name: "inert-thresholds", severity: Severity::Warning, ids: &["ECN-04"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    for entry in cx.db.rows("WRED_PROFILE") {
        let inert = |colour: &&str| {
            let on = cx.db.field(entry, &format!("wred_{colour}_enable")).is_some_and(|f| f.value == "true");
            !on && cx.db.field(entry, &format!("{colour}_max_threshold")).is_some()
        };
        let colours: Vec<&str> = ["green", "yellow", "red"].into_iter().filter(inert).collect();
        let used = cx.sw.wred.iter().position(|w| w.name == entry.key).is_some_and(|i| {
            cx.sw.ports.iter().any(|p| p.queue_wred.contains(&Some(i)))
        });
        if let Some(first) = colours.first() {
            let message = format!("{}: {} has thresholds but is not enabled", entry.key, names(&colours));
            let switch = format!("wred_{first}_enable");
            let at = field("WRED_PROFILE", &entry.key, &switch);
            // An enabled green is all that plain traffic needs.
            let severity = if used && colours.contains(&"green") { Severity::Warning } else { Severity::Info };
            cx.report(out, &META, at, message).severity(severity);
        }
    }
}
