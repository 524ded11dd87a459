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
//! Correct the name, or remove the field. A name that resembles a known one is corrected by `--fix`.
//!
//! ## Source
//!
//! sonic-swss bufferorch.cpp, qosorch.cpp, pfcwdorch.cpp; YANG models.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::{PatchOp, Severity};
use crate::schema::{Violation, meant};

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC005", name: "unknown-field", severity: Severity::Error, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    // One finding for all entries of a table with the same field.
    let mut fields: BTreeMap<(&str, &str), Vec<&Violation>> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let name = violation.field.as_deref().unwrap_or_default();
        // BIG_RED_SWITCH and the others have their own rules.
        if name == "BIG_RED_SWITCH"
            || name == "max_headroom_size"
            || (violation.table == "BUFFER_PROFILE" && name == "mode")
        {
            continue;
        }
        fields.entry((violation.table, name)).or_default().push(violation);
    }
    for ((table, name), all) in fields {
        let rows = cx.db.rows(table);
        let mut keys: Vec<&str> =
            all.iter().filter_map(|violation| Some(rows.get(violation.entry)?.key.as_ref())).collect();
        keys.dedup();
        let (Some(first), Some((key, others))) = (all.first(), keys.split_first()) else { continue };
        let more = if others.is_empty() { String::new() } else { format!(" ({} entries)", keys.len()) };
        let mut reported = cx.report(out, &META, field(table, key, name), format!("{}{more}", first.message));
        // The schemas of tables outside buffers and QoS are incomplete.
        if matches!(table, "PORT" | "DEVICE_METADATA" | "FLEX_COUNTER_TABLE") {
            reported = reported.severity(Severity::Info);
        }
        reported = reported.also(others.iter().copied());
        for key in keys {
            reported = reported.operations(corrected(cx, table, key, name));
        }
    }
}

/// Renames a field to the one that it probably means, and keeps its value. Without such a field, or if the entry has it
/// already, removes the unknown one.
fn corrected(cx: &Context<'_, '_>, table: &str, key: &str, name: &str) -> Vec<PatchOp> {
    let Some(entry) = cx.db.row(table, key) else { return Vec::new() };
    let right = meant(table, name).filter(|right| cx.db.field(entry, right).is_none());
    right.map_or_else(
        || vec![PatchOp::new("remove", cx.db.pointer(table, entry, Some(name)), None)],
        |right| cx.renamed(table, entry, name, right),
    )
}
