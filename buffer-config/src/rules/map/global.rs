//! # MAP005 global-map
//!
//! Severity: error.
//!
//! PORT_QOS_MAP|global has fields other than `dscp_to_tc_map`.
//!
//! ## Why it matters
//!
//! orchagent ignores or rejects other fields there.
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

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "MAP005",
    name: "global-map",
    severity: Severity::Error,
    effect: effect::DSCP_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(entry) = cx.db.row("PORT_QOS_MAP", "global") else { return };
    for f in cx.db.fields_of(entry).filter(|f| !matches!(f.name, "dscp_to_tc_map")) {
        let message = format!("`{}` has no effect on global", f.name);
        cx.report(out, &META, field("PORT_QOS_MAP", "global", f.name), message);
    }
}
