//! # PG031 headroom-not-provable
//!
//! Severity: warning (a note where the ASIC is known but has no arithmetic, or where the file names no platform).
//!
//! The ASIC or its headroom arithmetic is unknown, so Harrier cannot verify that the headroom is sufficient.
//!
//! ## Why it matters
//!
//! The time between the decision to pause and the pause frame on the wire depends on the chip. If it is unknown,
//! headroom is compared only with lower bounds that hold for every chip (PG005, PG006); a value above them proves
//! nothing. On an unknown ASIC this is a warning and the exit status is 1 at any threshold. The note on a known
//! ASIC does not change the exit status.
//!
//! ## Example
//!
//! ```json
//! {"DEVICE_METADATA": {"localhost": {"platform": "x86_64-new_vendor-r0", "hwsku": "New-1"}}}
//! ```
//!
//! ## Fix
//!
//! Specify the ASIC (`--asic`), and ask the vendor for the chip's delays.
//!
//! ## Source
//!
//! SONiC computes headroom for Spectrum and Tofino 2 only (buffer_headroom_mellanox.lua,
//! buffer_headroom_barefoot.lua).

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG031",
    name: "headroom-not-provable",
    severity: Severity::Warning,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(profile) = cx.lossless_in_use().next() else { return };
    let (what, severity) = match cx.asic {
        Some(asic) if asic.headroom.is_some() => return,
        Some(asic) => (format!("no headroom arithmetic is known for {}", asic.name), Severity::Info),
        None => cx.unknown_asic(),
    };
    let message = format!(
        "{what}: headroom is only compared with the declared floors; not provable that it is sufficient"
    );
    cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message).severity(severity);
}
