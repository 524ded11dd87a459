//! # BUF030 cell-multiple
//!
//! Severity: info.
//!
//! A pool's size is not a multiple of the cell size.
//!
//! ## Why it matters
//!
//! The Spectrum SDK rejects other sizes and syncd fails. Other chips round down.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "7000001"}}}
//! ```
//!
//! ## Fix
//!
//! Round down to a multiple of the cell size.
//!
//! ## Source
//!
//! buffer_pool_mellanox.lua.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF030",
    name: "cell-multiple",
    severity: Severity::Info,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(cell) = cx.asic.filter(|a| a.vendor != Vendor::Virtual).map(|a| u64::from(a.cell_bytes)) else {
        return;
    };
    for pool in &cx.sw.pools {
        let Some(size) = pool.size_bytes.filter(|s| s % cell != 0 && !cx.is_dynamic) else { continue };
        let message = format!("pool {}: {} is not a multiple of the {cell} B cell", pool.name, bytes(size));
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message)
            .replace((size / cell * cell).to_string());
    }
}
