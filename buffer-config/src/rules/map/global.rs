//! # MAP005 global-map
//!
//! Severity: error. Rows: PFC-15.
//!
//! PORT_QOS_MAP|global carries `dscp_to_tc_map` only.
//!
//! ## Why it matters
//!
//! orchagent ignores or refuses anything else there.
//!
//! ## Example
//!
//! ```json
//! {"PORT_QOS_MAP": {"global": {"dscp_to_tc_map": "AZURE", "pfc_enable": "3,4"}}}
//! ```
//!
//! ## Fix
//!
//! Move the fields to the ports.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "MAP005", name: "global-map", severity: Severity::Error, ids: &["PFC-15"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(entry) = cx.db.row("PORT_QOS_MAP", "global") else { return };
    for f in cx.db.fields_of(entry).filter(|f| !matches!(f.name, "dscp_to_tc_map")) {
        let message = format!("`{}` has no effect on global", f.name);
        cx.report(out, &META, field("PORT_QOS_MAP", "global", f.name), message);
    }
}
