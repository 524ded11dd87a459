//! # PG013 no-hysteresis
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! A lossless profile has neither `xon` nor `xon_offset` above zero.
//!
//! ## Why it matters
//!
//! Without hysteresis, the group resumes as soon as it is one cell below XOFF, and pause and resume frames
//! alternate at a high rate.
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
//! Set `xon_offset` to a few frames, or on Spectrum `xon` to the pipeline latency.
//!
//! ## Source
//!
//! Tables that vendors ship: on Spectrum, `xon` is what the pipeline holds (buffer_headroom_mellanox.lua); Broadcom
//! uses `xon_offset`.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG013",
    name: "no-hysteresis",
    severity: Severity::Warning,
    effect: effect::XON_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for profile in cx.lossless_in_use() {
        if profile.xon_bytes == 0 && profile.xon_offset_bytes.unwrap_or(0) == 0 {
            let severity = if cx.is(Vendor::BroadcomDnx) { Severity::Info } else { Severity::Warning };
            let message = format!("profile {} has neither xon nor xon_offset: no hysteresis", profile.name);
            cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message).severity(severity);
        }
    }
}
