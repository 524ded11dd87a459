//! # LINK002 cable-form
//!
//! Severity: error. Rows: SCH-19.
//!
//! A cable length is digits and `m`, of a port that exists.
//!
//! ## Why it matters
//!
//! The script cuts the last letter and reads a number: `40.5m` works by chance, `xm` makes it fail and headroom is
//! silently not computed.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "forty"}}}
//! ```
//!
//! ## Fix
//!
//! Write whole metres, such as `40m`.
//!
//! ## Source
//!
//! YANG cable-length; buffer_headroom_mellanox.lua.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "LINK002", name: "cable-form", severity: Severity::Error, ids: &["SCH-19"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let unknown_ports = violation.kind == crate::schema::Kind::Reference && cx.sw.ports.is_empty();
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry).filter(|_| !unknown_ports) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        cx.report(out, &META, field("CABLE_LENGTH", &entry.key, name), format!("{name}: {}", violation.message));
    }
}
