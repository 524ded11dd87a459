//! # PFC003 headroom-without-pfc
//!
//! Severity: error. Rows: PFC-03.
//!
//! A priority group with headroom belongs to a priority that may pause.
//!
//! ## Why it matters
//!
//! It reserves memory and drops when full, because no pause is ever sent for it.
//!
//! ## Fix
//!
//! Enable PFC for its priority, or give the group a lossy profile.
//!
//! ## Source
//!
//! sonic-utilities couples the two in its own commands.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, list, priorities};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC003", name: "headroom-without-pfc", severity: Severity::Error, ids: &["PFC-03"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
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
