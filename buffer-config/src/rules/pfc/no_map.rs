//! # PFC010 no-port-map
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! An active port has no PORT_QOS_MAP entry, although other ports have one.
//!
//! ## Why it matters
//!
//! The port has no maps and no PFC: all its traffic is in traffic class 0.
//!
//! ## Example
//!
//! ```json
//! {"PORT": {"Ethernet8": {"lanes": "9", "speed": "100000", "mtu": "9100", "admin_status": "up"}}}
//! ```
//!
//! ## Fix
//!
//! Add the entry.
//!
//! ## Source
//!
//! qosorch.cpp.

use super::super::context::{Context, Findings, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;
use std::collections::BTreeSet;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PFC010", name: "no-port-map", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.rows("PORT_QOS_MAP").iter().all(|e| e.key == "global") {
        return;
    }
    let joined: BTreeSet<&str> = cx
        .db
        .rows("PORT_QOS_MAP")
        .iter()
        .filter(|e| e.key.contains(','))
        .flat_map(|e| e.key.split(','))
        .collect();
    let mapped = |port: &str| cx.db.row("PORT_QOS_MAP", port).is_some() || joined.contains(port);
    cx.by_port_entry(out, &META, |port, entry| {
        let external = |e| cx.db.field(e, "role").is_none_or(|f| f.value == "Ext");
        if !port.is_up || mapped(&port.name) || !external(entry) {
            return None;
        }
        // Ports without a neighbour are up but unused.
        let severity = if port.neighbour.is_some() { Severity::Error } else { Severity::Info };
        hit_as(
            severity,
            "PORT",
            &port.name,
            "admin_status",
            "is up, but has no PORT_QOS_MAP entry".to_string(),
        )
    });
}
