//! # BUF043 ceiling-of-a-group
//!
//! Severity: warning.
//!
//! A single lossless priority group reaches XOFF after less than four frames when all lossless groups of its port
//! are congested.
//!
//! ## Why it matters
//!
//! Every burst pauses the sender, and the link runs far below line rate.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "20000", "xoff": "2000000"}
//!   },
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-6",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase alpha or the size of the pool.
//!
//! ## Source
//!
//! alpha*S/(1+n*alpha), Azure 7.3.

use super::super::context::{Context, Findings, bytes, row, smallest_trip};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF043",
    name: "ceiling-of-a-group",
    severity: Severity::Warning,
    effect: effect::ALPHA_TOO_LOW,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let groups =
        cx.sw.ports.iter().map(|p| u64::from(p.pfc_priorities.count_ones())).max().unwrap_or(0).max(1);
    let Some((trip, _, name)) = smallest_trip(cx, groups) else { return };
    let frames = 4 * u64::from(crate::DEFAULT_MTU);
    if trip < frames {
        let message = format!(
            "profile {name}: with {}, each pauses at {}, less than four frames",
            counted(groups, "congested group"),
            bytes(trip)
        );
        cx.report(out, &META, row("BUFFER_PROFILE", &name), message);
    }
}
