//! # PG021 eight-lanes
//!
//! Severity: warning. Rows: HR-19.
//!
//! Ports of eight lanes do not share a lossless profile with ports of fewer (Spectrum).
//!
//! ## Why it matters
//!
//! Their pipeline takes twice as long to react: xon is double.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4,5,6,7,8", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Give them the `_8lane` profile.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;
use crate::asic::Vendor;
use crate::resolved::ResolvedPort;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG021", name: "eight-lanes", severity: Severity::Warning, ids: &["HR-19"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.is(Vendor::Nvidia) {
        return;
    }
    for (i, profile) in cx.sw.profiles.iter().enumerate().filter(|(_, p)| p.is_lossless()) {
        let uses = |p: &&ResolvedPort| p.priority_groups.contains(&Some(i));
        let eight = cx.sw.ports.iter().filter(uses).filter(|p| p.lanes == 8).count();
        let fewer = cx.sw.ports.iter().filter(uses).filter(|p| p.lanes < 8).count();
        if eight > 0 && fewer > 0 {
            let message = format!("profile {} serves {eight} ports of eight lanes and {fewer} of fewer", profile.name);
            cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message);
        }
    }
}
