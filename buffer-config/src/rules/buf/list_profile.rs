//! # BUF015 list-profile
//!
//! Severity: error. Rows: REF-04.
//!
//! Every profile of a port's profile list exists.
//!
//! ## Why it matters
//!
//! orchagent retries for ever; the port keeps the chip's default limits.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PORT_EGRESS_PROFILE_LIST": {
//!     "Ethernet0": {"profile_list": "egress_lossy_profile,egress_lossles_profile"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Name profiles of this file, in the order of their pools.
//!
//! ## Source
//!
//! YANG buffer-port-*-profile-list.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF015", name: "list-profile", severity: Severity::Error, ids: &["REF-04"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
