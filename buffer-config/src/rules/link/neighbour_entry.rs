//! # LINK016 neighbour-entry
//!
//! Severity: warning.
//!
//! An entry of DEVICE_NEIGHBOR is for a port that does not exist, is incomplete, names this switch or a neighbour that
//! is not in DEVICE_NEIGHBOR_METADATA, or names the same port of a neighbour as another entry.
//!
//! ## Why it matters
//!
//! A cable has two ends. A wrong entry hides a link from the comparison of both its ends, and SONiC takes the cable
//! length and the maps of a port from the neighbour's role.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_NEIGHBOR": {
//!     "Ethernet0": {"name": "spine1", "port": "Ethernet8"},
//!     "Ethernet4": {"name": "spine1", "port": "Ethernet8"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Name the port that the cable is connected to.
//!
//! ## Source
//!
//! [buffers_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/buffers_config.j2),
//! where cable lengths follow from DEVICE_NEIGHBOR.

use std::collections::BTreeMap;

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "LINK016", name: "neighbour-entry", severity: Severity::Warning, effect: effect::LINK };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if cx.db.rows("PORT").is_empty() {
        return;
    }
    let has_metadata = !cx.db.rows("DEVICE_NEIGHBOR_METADATA").is_empty();
    let mut ends: BTreeMap<(&str, &str), &str> = BTreeMap::new();
    for entry in cx.db.rows("DEVICE_NEIGHBOR") {
        let value = |name: &str| cx.db.field(entry, name).map_or("", |field| field.value);
        let (name, port) = (value("name"), value("port"));
        let at = row("DEVICE_NEIGHBOR", &entry.key);
        let is_incomplete = name.is_empty() || port.is_empty();
        let is_here =
            |port: &str| cx.db.row("PORT", port).is_some() || cx.sw.ports.iter().any(|p| p.alias == port);
        if !is_here(&entry.key) {
            cx.report(out, &META, at, format!("{} is not in PORT", entry.key));
        } else if !name.is_empty() && name == cx.sw.hostname && port == entry.key {
            cx.report(out, &META, at, format!("{} names itself as its neighbour", entry.key));
        } else if is_incomplete {
            let what = if name.is_empty() { "name" } else { "port" };
            cx.report(out, &META, at, format!("{} has no `{what}` of its neighbour", entry.key));
        } else if has_metadata && cx.db.row("DEVICE_NEIGHBOR_METADATA", name).is_none() {
            let message = format!("{}: neighbour {name} is not in DEVICE_NEIGHBOR_METADATA", entry.key);
            cx.report(out, &META, at, message);
        } else if !name.is_empty()
            && !port.is_empty()
            && let Some(other) = ends.insert((name, port), &entry.key)
        {
            let message = format!("{other} and {} both name {port} of {name}", entry.key);
            cx.report(out, &META, at, message);
        }
    }
}
