//! # PFC003 headroom-without-pfc
//!
//! Severity: error (a warning where the file has no QoS tables and describes no switch).
//!
//! A priority group has headroom, but PFC is not enabled for its priority.
//!
//! ## Why it matters
//!
//! The group reserves memory and still drops packets when it is full, because the switch never sends a pause for
//! it.
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
//! Enable PFC for the priority, or use a lossy profile for the group.
//!
//! ## Source
//!
//! The commands of [sonic-utilities](https://github.com/sonic-net/sonic-utilities/blob/master/config/main.py) couple
//! headroom and PFC; files do not.

use super::super::context::{Context, Findings, hit, list, priorities, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC003",
    name: "headroom-without-pfc",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.table("PORT_QOS_MAP").is_none() {
        return without_map(cx, out);
    }
    cx.by_port(out, &META, |port| {
        let idle = (0..8usize).find(|g| {
            let lossless = cx.profile(port.priority_groups[*g]).is_some_and(|p| p.is_lossless());
            lossless && !priorities(port.pfc_priorities).any(|t| usize::from(port.tc_to_group[t]) == *g)
        })?;
        let profile = cx.profile(port.priority_groups[idle])?;
        let key = cx.group_key("BUFFER_PG", &port.name, idle);
        let message = format!(
            "group {idle} has lossless profile {}, but no priority with PFC maps to it (PFC on {})",
            profile.name,
            list(port.pfc_priorities)
        );
        hit("BUFFER_PG", key, "profile", message)
    });
}

/// Reports lossless groups of a file without PORT_QOS_MAP.
fn without_map(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(profile) = cx.lossless_in_use().next() else { return };
    // A buffer template names no platform: its PFC settings are in another file.
    let is_switch =
        cx.value("DEVICE_METADATA", "localhost", "platform").is_some() && cx.sw.ports.iter().any(|p| p.is_up);
    let (why, severity) = match is_switch {
        true => ("PFC is off on every port", Severity::Error),
        false => ("not provable that its priority groups use PFC", Severity::Warning),
    };
    let message = format!("profile {} has headroom, but the file has no PORT_QOS_MAP: {why}", profile.name);
    cx.report(out, &META, row("BUFFER_PROFILE", &profile.name), message).severity(severity);
}
