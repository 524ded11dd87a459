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
//! {
//!   "BUFFER_PROFILE": {"p": {"pool": "ingress_lossless_pool", "size": "0", "dynamic_th": "0", "xof": "9000"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Correct the name, or remove the field.
//!
//! ## Source
//!
//! sonic-swss bufferorch.cpp, qosorch.cpp, pfcwdorch.cpp; YANG models.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::schema::Violation;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC005", name: "unknown-field", severity: Severity::Error, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // One note for all entries of a table with the same field.
    let mut notes: BTreeMap<(&str, &str), (usize, &Violation)> = BTreeMap::new();
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
        if harmless {
            notes.entry((violation.table, name)).or_insert((0, violation)).0 += 1;
        } else {
            cx.report(out, &META, field(violation.table, &entry.key, name), violation.message.clone())
                .remove();
        }
    }
    for ((table, name), (count, first)) in notes {
        let Some(entry) = cx.db.rows(table).get(first.entry) else { continue };
        let more = if count > 1 { format!(" ({count} entries)") } else { String::new() };
        let message = format!("{}{more}", first.message);
        let reported =
            cx.report(out, &META, field(table, &entry.key, name), message).severity(Severity::Info);
        if count == 1 {
            reported.remove();
        }
    }
}
