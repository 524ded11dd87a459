//! # MAP004 missing-map
//!
//! Severity: error. Rows: REF-05.
//!
//! Every map that a port names exists.
//!
//! ## Why it matters
//!
//! orchagent retries PORT_QOS_MAP for ever: `pfc_enable` of that port is never applied, and an INFO line is all
//! that says so.
//!
//! ## Example
//!
//! ```json
//! {"PORT_QOS_MAP": {"Ethernet0": {"dscp_to_tc_map": "AZUR"}}}
//! ```
//!
//! ## Fix
//!
//! Add the map, or name one that exists.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use std::collections::BTreeMap;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "MAP004", name: "missing-map", severity: Severity::Error, ids: &["REF-05"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut first: BTreeMap<String, (usize, &str, &str)> = BTreeMap::new();
    for violation in cx.violations.iter().filter(|v| v.code == META.code) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        first.entry(format!("{name} {}", violation.message)).or_insert((0, entry.key.as_ref(), name)).0 += 1;
    }
    for (message, (count, key, name)) in first {
        cx.report(out, &META, field("PORT_QOS_MAP", key, name), format!("{message}: PFC is never applied on {count} ports"));
    }
}
