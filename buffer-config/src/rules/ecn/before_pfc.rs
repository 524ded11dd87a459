//! # ECN009 ecn-before-pfc
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! PFC pauses before ECN marks: Kmin is above the buffer occupancy at which one congested lossless priority group
//! pauses. Otherwise reports the number of equally congested groups above which PFC comes first.
//!
//! ## Why it matters
//!
//! Senders are paused before they receive a congestion notification, so every congestion causes pauses.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "2500000",
//!       "green_max_threshold": "3000000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce Kmin, or first increase the lossless alpha or the pool (never in the opposite order).
//!
//! ## Source
//!
//! Azure 7.3: n* = S/Kmin - 1/alpha.

use super::super::context::{Context, Findings, alpha, bytes, field, priorities, smallest_trip};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Threshold;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN009",
    name: "ecn-before-pfc",
    severity: Severity::Error,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some((trip, kind, profile)) = smallest_trip(cx, 1) else { return };
    let Some(size) = cx.lossless_pool().and_then(|p| p.size_bytes) else { return };
    for (i, wred) in cx.sw.wred.iter().enumerate() {
        let Some(curve) = wred.green.filter(|_| wred.marks_green) else { continue };
        let on_lossless = cx.sw.ports.iter().any(|port| {
            priorities(port.pfc_priorities)
                .any(|t| port.queue_wred.get(usize::from(port.tc_to_queue[t])) == Some(&Some(i)))
        });
        if !on_lossless || curve.min_bytes == 0 {
            continue;
        }
        let at = field("WRED_PROFILE", &wred.name, "green_min_threshold");
        if curve.min_bytes > trip {
            let message = format!(
                "{}: Kmin {} is above {}, where one group of {profile} pauses: PFC pauses before ECN marks",
                wred.name,
                bytes(curve.min_bytes),
                bytes(trip)
            );
            cx.report(out, &META, at, message);
        } else if kind == "dynamic" {
            let exponent = cx.profile_named(&profile).and_then(|p| p.threshold);
            let Some(Threshold::Dynamic { exponent }) = exponent else { continue };
            let groups =
                (size as f64 / curve.min_bytes as f64 - 2f64.powi(-i32::from(exponent))).max(1.0).floor();
            let message = format!(
                "{}: with more than {} (alpha {}, pool {}), PFC pauses before ECN marks at Kmin {}",
                wred.name,
                counted(groups as u64, "equally congested group"),
                alpha(exponent),
                bytes(size),
                bytes(curve.min_bytes)
            );
            let few = cx.sw.ports.iter().map(|p| p.pfc_priorities.count_ones()).max().unwrap_or(0);
            let severity = if groups < f64::from(few) { Severity::Warning } else { Severity::Info };
            cx.report(out, &META, at, message).severity(severity);
        }
    }
}
