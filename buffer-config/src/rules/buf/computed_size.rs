//! # BUF029 computed-size
//!
//! Severity: error.
//!
//! The dynamic buffer model computes a pool size of zero or less.
//!
//! ## Why it matters
//!
//! The calculation has no lower bound: with many ports and long cables the result is negative (SN4700 with 128
//! ports as T2: -22,464,528 bytes), and SONiC then parses the text as a very large number.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"platform": "x86_64-mlnx_msn4700-r0", "buffer_model": "dynamic"}
//!   },
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "xoff": "90000000"}
//!   },
//!   "LOSSLESS_TRAFFIC_PATTERN": {"AZURE": {"mtu": "1024", "small_packet_percentage": "50"}},
//!   "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {"AZURE": {"default_dynamic_th": "0"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Use shared headroom (`over_subscribe_ratio`), shorter cables, or fewer lossless priorities.
//!
//! ## Source
//!
//! buffer_pool_mellanox.lua.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::headroom;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF029", name: "computed-size", severity: Severity::Error, effect: effect::ALPHA_TOO_LOW };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let (true, Some(asic)) = (cx.is_dynamic, cx.asic.filter(|a| a.vendor == Vendor::Nvidia)) else { return };
    if cx.sw.pools.iter().all(|p| p.size_bytes.is_some_and(|b| b > 0)) {
        return;
    }
    let Ok((_, result)) = headroom::pools_of_config(cx.db, asic, None, 0.0) else { return };
    for (name, size, _) in result.pools.iter().filter(|(_, size, _)| *size <= 0) {
        let message = format!("the dynamic model computes {size} bytes for pool {name}");
        cx.report(out, &META, row("BUFFER_POOL", name), message);
    }
}
