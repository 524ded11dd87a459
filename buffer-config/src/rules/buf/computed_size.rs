//! # BUF029 computed-size
//!
//! Severity: error. Rows: POOL-12.
//!
//! The pool sizes that the dynamic model will compute are above zero.
//!
//! ## Why it matters
//!
//! The calculation has no lower bound: with many ports and long cables it comes out negative (SN4700 with 128 ports
//! as T2: -22,464,528 bytes), and the text is then read as an enormous number.
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
//! Share headroom (`over_subscribe_ratio`), shorten cables, or use fewer lossless priorities.
//!
//! ## Source
//!
//! buffer_pool_mellanox.lua.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;
use crate::asic::Vendor;
use crate::headroom;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF029", name: "computed-size", severity: Severity::Error, ids: &["POOL-12"] };

/// Runs the rule.
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
