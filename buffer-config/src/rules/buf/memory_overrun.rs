//! # BUF023 memory-overrun
//!
//! Severity: error (a warning where the size of the memory is only assumed, up to half more than that size).
//!
//! The lossless pool and the shared headroom together exceed the packet memory.
//!
//! ## Why it matters
//!
//! One switch shipped with 808,546 of 636,183 cells allocated: after a cold boot the lossless profiles are silently
//! missing, and a warm boot does not complete.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-nexthop_4210-r0"}},
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "258035400", "xoff": "81553920"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce `size` until `size` + `xoff` (+ reserved bytes) fits the packet memory.
//!
//! ## Source
//!
//! sonic-buildimage issue 28657, PR 28658.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF023",
    name: "memory-overrun",
    severity: Severity::Error,
    effect: effect::OVERSUBSCRIBED_MEMORY,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(memory) = cx.memory() else { return };
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes > 0) else { return };
    let Some(size) = pool.size_bytes else { return };
    let sum = size.saturating_add(pool.shared_headroom_bytes);
    if sum > memory.bytes {
        let severity = memory.severity(sum);
        let cells = cx.asic.map(|a| u64::from(a.cell_bytes)).map_or(String::new(), |cell| {
            format!(" ({} of {} cells)", sum.div_ceil(cell), memory.bytes / cell)
        });
        let message = format!(
            "pool {}: size {} + shared headroom {} = {}, but the packet memory is {} ({}){cells}",
            pool.name,
            bytes(size),
            bytes(pool.shared_headroom_bytes),
            bytes(sum),
            bytes(memory.bytes),
            memory.from
        );
        // A multiple of the cell size, without the SAI's reservation.
        let (cell, reserve) = cx.asic.map_or((1, 0), |a| (u64::from(a.cell_bytes), a.sai_reserve_bytes()));
        let taken = pool.shared_headroom_bytes.saturating_add(reserve);
        let fitting = memory.bytes.saturating_sub(taken) / cell * cell;
        let reported = cx
            .report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message)
            .severity(severity)
            .replace(fitting.to_string());
        // Pools that must not exceed the ingress pool shrink with it.
        let lossy = cx.pool("egress_lossy_pool").filter(|p| p.size_bytes.is_some_and(|s| s > fitting));
        if let Some(pointer) = lossy.and_then(|p| cx.pointer_of("BUFFER_POOL", &p.name, "size")) {
            reported.with(pointer, fitting.to_string());
        }
    }
}
