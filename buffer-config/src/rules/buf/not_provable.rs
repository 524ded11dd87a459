//! # BUF050 memory-not-provable
//!
//! Severity: warning (a note where the ASIC is known but not its memory, or where the file names no platform).
//!
//! The size of the packet memory is unknown, so Harrier cannot verify that the pools fit.
//!
//! ## Why it matters
//!
//! Whether pools and shared headroom fit depends on the chip's packet memory. If its size is unknown, the pools are
//! compared with `egress_lossless_pool`, which by convention spans the memory, or not compared at all. On an
//! unknown ASIC this is a warning and the exit status is 1 at any threshold. The note on a known ASIC does not
//! change the exit status.
//!
//! ## Example
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"platform": "x86_64-new_vendor-r0", "hwsku": "New-1"}}}
//! ```
//!
//! ## Fix
//!
//! Specify the ASIC (`--asic`) or the bytes of its packet memory (`--memory`).
//!
//! ## Source
//!
//! sonic-buildimage issue 28657: nothing in SONiC compares the pools with the memory.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF050",
    name: "memory-not-provable",
    severity: Severity::Warning,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool() else { return };
    let (what, severity) = match (cx.options.memory_bytes, cx.asic) {
        (Some(_), _) => return,
        (None, Some(asic)) if asic.memory_bytes.is_some() => return,
        (None, Some(asic)) => (format!("the packet memory of {} is unknown", asic.name), Severity::Info),
        (None, None) => cx.unknown_asic(),
    };
    let instead = match cx.memory() {
        Some(memory) => format!(
            "pools are compared with the size of egress_lossless_pool ({})",
            super::super::context::bytes(memory.bytes)
        ),
        None => "pools are not compared with any size".to_string(),
    };
    let message = format!("{what}: {instead}; not provable that they fit");
    cx.report(out, &META, row("BUFFER_POOL", &pool.name), message).severity(severity);
}
