//! # BUF050 memory-not-provable
//!
//! Severity: warning (a note where the ASIC is known but not its memory, or where the file names no platform). Rows: POOL-01.
//!
//! The size of the packet memory is known.
//!
//! ## Why it matters
//!
//! Whether pools and shared headroom fit is told by the chip's memory. Without it they are held against
//! `egress_lossless_pool`, which by convention spans the memory, or against nothing.
//!
//! A finding of an unknown ASIC is no pass: it makes the exit status 1 whatever the threshold is. A note does not.
//!
//! ## Example
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"platform": "x86_64-new_vendor-r0", "hwsku": "New-1"}}}
//! ```
//!
//! ## Fix
//!
//! Name the ASIC (`--asic`) or the bytes of its memory (`--memory`).
//!
//! ## Source
//!
//! sonic-buildimage issue 28657: nothing in SONiC compares the pools with the memory.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF050", name: "memory-not-provable", severity: Severity::Warning, ids: &["POOL-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool() else { return };
    let (what, severity) = match (cx.options.memory_bytes, cx.asic) {
        (Some(_), _) => return,
        (None, Some(asic)) if asic.memory_bytes.is_some() => return,
        (None, Some(asic)) => (format!("the memory of {} is not known", asic.name), Severity::Info),
        (None, None) => cx.unknown_asic(),
    };
    let instead = match cx.memory() {
        Some(memory) => format!("pools are held against what egress_lossless_pool spans ({})", super::super::context::bytes(memory.bytes)),
        None => "pools are held against nothing".to_string(),
    };
    let message = format!("{what}: {instead}; that they fit is not provable");
    cx.report(out, &META, row("BUFFER_POOL", &pool.name), message).severity(severity);
}
