//! # BUF030 cell-multiple
//!
//! Severity: info. Rows: POOL-13.
//!
//! A pool's size is a whole number of cells.
//!
//! ## Why it matters
//!
//! The SDK of Spectrum complains about other sizes and syncd fails; other chips round down.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"egress_lossy_pool": {"type": "egress", "mode": "dynamic", "size": "7000001"}}}
//! ```
//!
//! ## Fix
//!
//! Round down to a multiple of the cell.
//!
//! ## Source
//!
//! buffer_pool_mellanox.lua.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;
use crate::asic::Vendor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF030", name: "cell-multiple", severity: Severity::Info, ids: &["POOL-13"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(cell) = cx.asic.filter(|a| a.vendor != Vendor::Virtual).map(|a| u64::from(a.cell_bytes)) else { return };
    for pool in &cx.sw.pools {
        let Some(size) = pool.size_bytes.filter(|s| s % cell != 0 && !cx.is_dynamic) else { continue };
        let message = format!("pool {}: {} is no multiple of the {cell} B cell", pool.name, bytes(size));
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message).replace((size / cell * cell).to_string());
    }
}
