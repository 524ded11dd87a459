//! # ECN018 placeholder-thresholds
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! The ECN thresholds of a lossless queue are placeholders as large as the memory.
//!
//! ## Why it matters
//!
//! With Kmin as large as a pool, no packet is ever marked. One template shipped with such placeholders.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "9000000",
//!       "green_max_threshold": "9000000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set Kmin and Kmax for the port's speed; the defaults are 1 and 2 MiB with 5 %.
//!
//! ## Source
//!
//! sonic-buildimage PR 25626.

use super::super::context::{Context, Findings, bytes, field, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN018",
    name: "placeholder-thresholds",
    severity: Severity::Warning,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(size) = cx.lossless_pool().and_then(|p| p.size_bytes) else { return };
    for (i, wred) in cx.sw.wred.iter().enumerate() {
        let Some(curve) = wred.green.filter(|c| c.min_bytes > size / 2) else { continue };
        let lossless = cx.sw.ports.iter().any(|port| {
            priorities(port.pfc_priorities)
                .any(|t| port.queue_wred.get(usize::from(port.tc_to_queue[t])) == Some(&Some(i)))
        });
        let severity = if lossless { Severity::Warning } else { Severity::Info };
        let message = format!(
            "{}: Kmin is {} in a pool of {}: no packet is ever marked",
            wred.name,
            bytes(curve.min_bytes),
            bytes(size)
        );
        cx.report(out, &META, field("WRED_PROFILE", &wred.name, "green_min_threshold"), message)
            .severity(severity);
    }
}
