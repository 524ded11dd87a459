//! # PFC004 lossy-in-lossless-group
//!
//! Severity: error.
//!
//! A traffic class without PFC maps to a lossless priority group.
//!
//! ## Why it matters
//!
//! Lossy traffic uses the group's headroom and pauses lossless senders.
//!
//! ## Example
//!
//! ```json
//! {"TC_TO_PRIORITY_GROUP_MAP": {"AZURE": {"0": "3", "3": "3", "4": "4"}}}
//! ```
//!
//! ## Fix
//!
//! Map the lossy classes to another priority group.
//!
//! ## Source
//!
//! sonic-buildimage issue 28832, PR 2511, PR 11157.

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC004",
    name: "lossy-in-lossless-group",
    severity: Severity::Error,
    effect: effect::MIXED_CLASSES,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let used = |tc: u8| port.dscp_to_tc.0.contains(&tc);
        let mixed = (0..8u8).find(|tc| {
            let group = usize::from(port.tc_to_group[usize::from(*tc)]);
            let lossless = cx
                .profile(port.priority_groups.get(group).copied().flatten())
                .is_some_and(|p| p.is_lossless());
            let shared = priorities(port.pfc_priorities).any(|t| usize::from(port.tc_to_group[t]) == group);
            lossless && shared && port.pfc_priorities >> tc & 1 == 0 && used(*tc)
        })?;
        let group = port.tc_to_group[usize::from(mixed)];
        hit(
            "PORT_QOS_MAP",
            &port.name,
            "tc_to_pg_map",
            format!("lossy traffic class {mixed} maps to lossless group {group}"),
        )
    });
}
