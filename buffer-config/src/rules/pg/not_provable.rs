//! # PG031 headroom-not-provable
//!
//! Severity: warning (a note where the ASIC is known but has no arithmetic, or where the file names no platform). Rows: HR-01, HR-02.
//!
//! The ASIC is known, and with it how much headroom a link needs.
//!
//! ## Why it matters
//!
//! What a chip takes between its decision to pause and the pause frame on the wire differs between chips. Without it
//! headroom is held against what no chip can do without (PG005, PG006): to be above that is no proof.
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
//! Name the ASIC (`--asic`), and ask the vendor for the chip's delays.
//!
//! ## Source
//!
//! SONiC computes headroom for Spectrum and Tofino 2 only (buffer_headroom_mellanox.lua, buffer_headroom_barefoot.lua).

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG031", name: "headroom-not-provable", severity: Severity::Warning, ids: &["HR-01", "HR-02"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(profile) = cx.lossless_in_use().next() else { return };
    let (what, severity) = match cx.asic {
        Some(asic) if asic.headroom.is_some() => return,
        Some(asic) => (format!("no arithmetic is known for {}", asic.name), Severity::Info),
        None => cx.unknown_asic(),
    };
    let message = format!("{what}: headroom is held against the declared floors only; that it suffices is not provable");
    cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message).severity(severity);
}
