//! # PG017 port-shared-headroom
//!
//! Severity: error.
//!
//! The lossless priority groups of a port need more shared headroom than the port's limit (Spectrum: port_max_shp +
//! port_reserved_shp cells).
//!
//! ## Why it matters
//!
//! SONiC's check script rejects the last group, so the port has one lossless priority less than configured.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-2",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "900000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use fewer lossless priorities or shorter cables on the port.
//!
//! ## Source
//!
//! buffer_check_headroom_mellanox.lua.

use super::super::context::{Context, Findings, bytes, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::ResolvedProfile;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG017",
    name: "port-shared-headroom",
    severity: Severity::Error,
    effect: effect::HEADROOM_TOO_SMALL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some((cell, constants)) = cx.asic.and_then(|a| Some((u64::from(a.cell_bytes), a.headroom?))) else {
        return;
    };
    if constants.port_max_shp_cells == 0 || cx.lossless_pool().is_none_or(|p| p.shared_headroom_bytes == 0) {
        return;
    }
    cx.by_port(out, &META, |port| {
        let of = |p: &ResolvedProfile| {
            p.xon_bytes.saturating_add(p.headroom_bytes.unwrap_or(0)).saturating_sub(p.reserved_bytes)
        };
        let groups = port.priority_groups.iter().filter_map(|g| cx.profile(*g)).filter(|p| p.is_lossless());
        let sum = groups.map(of).fold(0, u64::saturating_add);
        let reserved = constants.port_reserved_shp_cells * if port.lanes == 8 { 2 } else { 1 };
        let limit = (constants.port_max_shp_cells + reserved) * cell;
        if sum <= limit {
            return None;
        }
        hit(
            "PORT",
            &port.name,
            "speed",
            format!(
                "its priority groups need {} of shared headroom, but the port's limit is {}",
                bytes(sum),
                bytes(limit)
            ),
        )
    });
}
