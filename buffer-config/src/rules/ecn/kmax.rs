//! # ECN011 kmax-above-pause
//!
//! Severity: warning.
//!
//! Kmax is above the buffer occupancy at which one lossless priority group pauses.
//!
//! ## Why it matters
//!
//! The sender is paused before the marking probability reaches Pmax, so DCQCN reacts too weakly.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "3000000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce Kmax, or increase the lossless threshold.
//!
//! ## Source
//!
//! Azure 7.3.

use super::super::context::{Context, Findings, bytes, field, priorities, smallest_trip};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN011",
    name: "kmax-above-pause",
    severity: Severity::Warning,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some((trip, ..)) = smallest_trip(cx, 1) else { return };
    for (i, wred) in cx.sw.wred.iter().enumerate() {
        let Some(curve) =
            wred.green.filter(|c| wred.marks_green && c.min_bytes <= trip && c.max_bytes > trip)
        else {
            continue;
        };
        let on_lossless = cx.sw.ports.iter().any(|port| {
            priorities(port.pfc_priorities)
                .any(|t| port.queue_wred.get(usize::from(port.tc_to_queue[t])) == Some(&Some(i)))
        });
        if on_lossless {
            let message = format!(
                "{}: Kmax {} is above {}, where one group pauses: marking never reaches {} %",
                wred.name,
                bytes(curve.max_bytes),
                bytes(trip),
                curve.max_percent
            );
            cx.report(out, &META, field("WRED_PROFILE", &wred.name, "green_max_threshold"), message);
        }
    }
}
