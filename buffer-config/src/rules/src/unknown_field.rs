//! # SRC005 unknown-field
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: SCH-14.
//!
//! A field that the model of its table does not know.
//!
//! ## Why it matters
//!
//! A misspelt field is silently its default in BUFFER_POOL and BUFFER_PROFILE; in BUFFER_PG, WRED_PROFILE,
//! SCHEDULER and PFC_WD orchagent drops the whole entry.
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

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC005", name: "unknown-field", severity: Severity::Error, ids: &["SCH-14"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        // Tables outside buffers and QoS are only read for what matters here; BIG_RED_SWITCH has a rule of its own.
        let harmless = matches!(violation.table, "PORT" | "DEVICE_METADATA" | "FLEX_COUNTER_TABLE");
        if name == "BIG_RED_SWITCH" || name == "max_headroom_size" || (violation.table == "BUFFER_PROFILE" && name == "mode") {
            continue;
        }
        let severity = if harmless { Severity::Info } else { Severity::Error };
        cx.report(out, &META, field(violation.table, &entry.key, name), violation.message.clone()).severity(severity).remove();
    }
}
