//! # WD014 watchdog-port
//!
//! Severity: error.
//!
//! A PFC_WD entry names something else than a physical port of the file.
//!
//! ## Why it matters
//!
//! orchagent rejects LAGs and VLANs.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"PortChannel1": {"action": "drop", "detection_time": "400", "restoration_time": "800"}}}
//! ```
//!
//! ## Fix
//!
//! Use the member ports.
//!
//! ## Source
//!
//! pfcwdorch.cpp.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD014", name: "watchdog-port", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code && !cx.sw.ports.is_empty()) {
        let Some(entry) = cx.db.rows("PFC_WD").get(violation.entry) else { continue };
        cx.report(out, &META, row("PFC_WD", &entry.key), violation.message.clone());
    }
}
