//! # WD017 default-status
//!
//! Severity: warning.
//!
//! `default_pfcwd_status` is not enable, although ports use PFC.
//!
//! ## Why it matters
//!
//! `pfcwd start_default` then does nothing and prints no message. After a reload the switch is unprotected.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "default_pfcwd_status": "disable"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set it to enable.
//!
//! ## Source
//!
//! sonic-buildimage issues 14458 and 20589.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD017", name: "default-status", severity: Severity::Warning, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let uses_pfc = cx.sw.ports.iter().any(|p| p.pfc_priorities != 0);
    if uses_pfc && cx.value("DEVICE_METADATA", "localhost", "default_pfcwd_status") == Some("disable") {
        let at = field("DEVICE_METADATA", "localhost", "default_pfcwd_status");
        cx.report(
            out,
            &META,
            at,
            "`default_pfcwd_status` is `disable`: `pfcwd start_default` starts no watchdog".into(),
        )
        .replace("enable");
    }
}
