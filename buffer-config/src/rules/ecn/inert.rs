//! # ECN004 inert-thresholds
//!
//! Severity: warning (an error where queues of lossless priorities use the profile or orchagent rejects it, and a note
//! where lossy queues have it switched off by name).
//!
//! A colour has thresholds but is not enabled, or `wred_<colour>_enable` is neither true nor false. SONiC writes JSON's
//! `true` as `True`, which is neither.
//!
//! ## Why it matters
//!
//! The thresholds have no effect: no packet is marked, and only PFC limits the senders. On several releases, a
//! colour that `ecn` names is not marked without its WRED switch.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "false", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `wred_<colour>_enable` to true, or remove the thresholds.
//!
//! ## Source
//!
//! sonic-buildimage issue 4545; sonic-mgmt issue 26163.

use super::super::context::{Context, Findings, field, names, priorities};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN004",
    name: "inert-thresholds",
    severity: Severity::Warning,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    values(cx, out);
    for entry in cx.db.rows("WRED_PROFILE") {
        let inert = |colour: &&str| {
            // Another value than true and false is reported above.
            let off = cx.db.field(entry, &format!("wred_{colour}_enable")).is_none_or(|f| f.value == "false");
            off && cx.db.field(entry, &format!("{colour}_max_threshold")).is_some()
        };
        let colours: Vec<&str> = ["green", "yellow", "red"].into_iter().filter(inert).collect();
        let index = cx.sw.wred.iter().position(|w| w.name == entry.key);
        let used = |by: &dyn Fn(&ResolvedPort, usize) -> bool| {
            let by_queue =
                |p: &ResolvedPort, q: usize| p.queue_wred.get(q).copied().flatten() == index && by(p, q);
            index.is_some() && cx.sw.ports.iter().any(|p| (0..p.queue_wred.len()).any(|q| by_queue(p, q)))
        };
        let is_lossless = |p: &ResolvedPort, q: usize| {
            priorities(p.pfc_priorities).any(|t| p.tc_to_queue.get(t).is_some_and(|n| usize::from(*n) == q))
        };
        if let Some(first) = colours.first() {
            let what =
                if colours.len() == 1 { "has thresholds but is not" } else { "have thresholds but are not" };
            let message = format!("{}: {} {what} enabled", entry.key, names(&colours));
            let switch = format!("wred_{first}_enable");
            let at = field("WRED_PROFILE", &entry.key, &switch);
            // Plain traffic only needs green. Explicitly disabled, for lossy queues only: a convention of the templates
            // of Spectrum-4 to -6 and Tomahawk 5.
            let forgotten = colours.contains(&"green") && cx.db.field(entry, "wred_green_enable").is_none();
            let hurts = colours.contains(&"green") && used(&is_lossless) || forgotten && used(&|_, _| true);
            let severity = match hurts {
                true if colours.contains(&"green") && used(&is_lossless) && !cx.is(Vendor::BroadcomDnx) => {
                    Severity::Error
                }
                true => Severity::Warning,
                false => Severity::Info,
            };
            cx.report(out, &META, at, message).severity(severity);
        }
    }
}

/// Reports values of `wred_<colour>_enable` that orchagent rejects, and the whole profile with them.
fn values(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        let message = format!("{}: {}: orchagent rejects the profile", entry.key, violation.message);
        let at = field("WRED_PROFILE", &entry.key, name);
        let reported = cx.report(out, &META, at, message).severity(Severity::Error);
        let value = cx.db.field(entry, name).map_or("", |field| field.value);
        if let Some(meant) = ["true", "false"].into_iter().find(|word| value.eq_ignore_ascii_case(word)) {
            reported.replace(meant);
        }
    }
}
