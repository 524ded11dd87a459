//! # PG021 eight-lanes
//!
//! Severity: warning.
//!
//! A lossless profile is shared by ports with eight lanes and ports with fewer (Spectrum).
//!
//! ## Why it matters
//!
//! The pipeline of eight-lane ports takes twice as long to react, so they need twice the `xon`.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "11,12,13,14,15,16,17,18", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the `_8lane` profile for eight-lane ports.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG021",
    name: "eight-lanes",
    severity: Severity::Warning,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !cx.is(Vendor::Nvidia) {
        return;
    }
    for (i, profile) in cx.sw.profiles.iter().enumerate().filter(|(_, p)| p.is_lossless()) {
        let uses = |p: &&ResolvedPort| p.priority_groups.contains(&Some(i));
        let eight = cx.sw.ports.iter().filter(uses).filter(|p| p.lanes == 8).count();
        let fewer = cx.sw.ports.iter().filter(uses).filter(|p| p.lanes < 8).count();
        if eight > 0 && fewer > 0 {
            let message = format!(
                "profile {} is used by {} with eight lanes and {} with fewer",
                profile.name,
                counted(eight as u64, "port"),
                counted(fewer as u64, "port")
            );
            cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message);
        }
    }
}
