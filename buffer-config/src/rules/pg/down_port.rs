//! # PG032 headroom-on-down-port
//!
//! Severity: info.
//!
//! On Spectrum and Tofino, a port that is down has a lossless priority group.
//!
//! ## Why it matters
//!
//! `buffermgrd` removes the lossless groups of ports that are down and gives their headroom to the shared pool. A
//! group that stays in the configuration keeps its headroom, and the pool is smaller than computed.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "down"},
//!     "Ethernet4": {"lanes": "5,6,7,8", "speed": "100000", "mtu": "9100", "admin_status": "up"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Remove the BUFFER_PG entry of the lossless groups, or set `admin_status` to up.
//!
//! ## Source
//!
//! [buffermgr.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/buffermgr.cpp), which removes the
//! groups on these ASICs.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG032",
    name: "headroom-on-down-port",
    severity: Severity::Info,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !(cx.is(Vendor::Nvidia) || cx.is(Vendor::Intel)) {
        return;
    }
    cx.by_port(out, &META, |port| {
        let is_lossless =
            |group: &usize| cx.profile(port.priority_groups[*group]).is_some_and(|p| p.is_lossless());
        let group = (0..port.priority_groups.len()).find(is_lossless).filter(|_| !port.is_up)?;
        let key = cx.group_key("BUFFER_PG", &port.name, group);
        hit("BUFFER_PG", key, "profile", format!("is down, but priority group {group} has headroom"))
    });
}
