//! # LINK003 port-value
//!
//! Severity: error. Rows: SCH-23.
//!
//! A port has lanes, a speed of 1..=1,600,000 Mb/s and an MTU of 68..=9216; without `admin_status` it is down.
//!
//! ## Why it matters
//!
//! Every headroom formula uses them.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "65536", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Correct the value.
//!
//! ## Source
//!
//! YANG port.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "LINK003", name: "port-value", severity: Severity::Error, ids: &["SCH-23"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
