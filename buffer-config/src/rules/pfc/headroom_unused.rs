//! # PFC003 headroom-without-pfc
//!
//! Severity: error (a warning where the file has no QoS tables). Rows: PFC-03.
//!
//! A priority group with headroom belongs to a priority that may pause.
//!
//! ## Why it matters
//!
//! It reserves memory and drops when full, because no pause is ever sent for it.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Enable PFC for its priority, or give the group a lossy profile.
//!
//! ## Source
//!
//! sonic-utilities couples the two in its own commands.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, list, priorities, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC003", name: "headroom-without-pfc", severity: Severity::Error, ids: &["PFC-03"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.table("PORT_QOS_MAP").is_none() {
        // A file of buffers alone: what is paused stands in another.
        if let Some(profile) = cx.lossless_in_use().next() {
            let message = format!("profile {} gives groups headroom, but the file has no PORT_QOS_MAP: whether they pause is not provable", profile.name);
            cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message).severity(Severity::Warning);
        }
        return;
    }
    cx.by_port(out, &META, |port| {
        let idle = (0..8usize).find(|g| {
            let lossless = cx.profile(port.priority_groups[*g]).is_some_and(|p| p.is_lossless());
            lossless && !priorities(port.pfc_priorities).any(|t| usize::from(port.tc_to_group[t]) == *g)
        })?;
        let profile = cx.profile(port.priority_groups[idle])?;
        let key = cx.group_key("BUFFER_PG", &port.name, idle);
        let message = format!("group {idle} has lossless profile {}, but no enabled priority maps to it (PFC on {})", profile.name, list(port.pfc_priorities));
        hit("BUFFER_PG", key, "profile", message)
    });
}
