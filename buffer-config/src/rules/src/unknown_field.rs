//! # SRC005 unknown-field
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A table entry has a field that its model does not define.
//!
//! ## Why it matters
//!
//! In BUFFER_POOL and BUFFER_PROFILE, a misspelt field is ignored and its default applies. In BUFFER_PG,
//! WRED_PROFILE, SCHEDULER and PFC_WD, orchagent drops the whole entry.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"p": {"xof": "9000"}}}
//! ```
//!
//! ## Fix
//!
//! Correct the name, or remove the field.
//!
//! ## Source
//!
//! sonic-swss bufferorch.cpp, qosorch.cpp, pfcwdorch.cpp; YANG models.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC005", name: "unknown-field", severity: Severity::Error, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        // The schemas of tables outside buffers and QoS are incomplete; BIG_RED_SWITCH has its own rule.
        let harmless = matches!(violation.table, "PORT" | "DEVICE_METADATA" | "FLEX_COUNTER_TABLE");
        if name == "BIG_RED_SWITCH"
            || name == "max_headroom_size"
            || (violation.table == "BUFFER_PROFILE" && name == "mode")
        {
            continue;
        }
        let severity = if harmless { Severity::Info } else { Severity::Error };
        cx.report(out, &META, field(violation.table, &entry.key, name), violation.message.clone())
            .severity(severity)
            .remove();
    }
}
