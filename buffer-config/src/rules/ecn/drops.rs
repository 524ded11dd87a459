//! # ECN008 wred-drops-lossless
//!
//! Severity: error.
//!
//! WRED of a lossless queue drops packets instead of marking them.
//!
//! ## Why it matters
//!
//! With ecn_none and WRED enabled, packets of a lossless class are dropped early, and so are packets that are not
//! ECN-capable.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_none", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `ecn` to ecn_all.
//!
//! ## Source
//!
//! sonic-mgmt issue 17149.

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN008",
    name: "wred-drops-lossless",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let dropping = priorities(port.pfc_priorities).find_map(|t| {
            let queue = usize::from(port.tc_to_queue[t]);
            let wred = port.queue_wred.get(queue).copied().flatten().and_then(|w| cx.sw.wred.get(w))?;
            let drops = (wred.green.is_some() && !wred.marks_green)
                || (wred.yellow.is_some() && !wred.marks_yellow)
                || (wred.red.is_some() && !wred.marks_red);
            drops.then_some((t, wred.name.as_str()))
        });
        let (priority, name) = dropping?;
        hit(
            "WRED_PROFILE",
            name,
            "ecn",
            format!("profile {name} drops packets of lossless priority {priority} early"),
        )
    });
}
