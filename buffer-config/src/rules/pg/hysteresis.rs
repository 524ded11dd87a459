//! # PG013 no-hysteresis
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: HR-11.
//!
//! A lossless profile has `xon` or `xon_offset` above zero.
//!
//! ## Why it matters
//!
//! Without either, the group resumes the moment it is one cell below the pause point: pause frames flap at a high
//! rate.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "0", "xon_offset": "0", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `xon_offset` to a few frames, or `xon` to the pipeline's latency on Spectrum.
//!
//! ## Source
//!
//! tables that vendors ship: Spectrum has xon of the pipeline's latency, Broadcom an offset.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;
use crate::asic::Vendor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG013", name: "no-hysteresis", severity: Severity::Warning, ids: &["HR-11"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in cx.lossless_in_use() {
        if profile.xon_bytes == 0 && profile.xon_offset_bytes.unwrap_or(0) == 0 {
            let severity = if cx.is(Vendor::BroadcomDnx) { Severity::Info } else { Severity::Warning };
            let message = format!("profile {}: neither xon nor xon_offset, pausing has no hysteresis", profile.name);
            cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message).severity(severity);
        }
    }
}
