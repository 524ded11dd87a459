//! # WD014 watchdog-port
//!
//! Severity: error. Rows: WD-14.
//!
//! A PFC_WD entry names a physical port of the file.
//!
//! ## Why it matters
//!
//! LAGs and VLANs are refused.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"PortChannel1": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Name the member ports.
//!
//! ## Source
//!
//! pfcwdorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD014", name: "watchdog-port", severity: Severity::Error, ids: &["WD-14"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code && !cx.sw.ports.is_empty()) {
        let Some(entry) = cx.db.rows("PFC_WD").get(violation.entry) else { continue };
        cx.report(out, &META, row("PFC_WD", &entry.key), violation.message.clone());
    }
}
