//! # PFC012 asymmetric-pfc
//!
//! Severity: warning.
//!
//! `pfc_asym` is on.
//!
//! ## Why it matters
//!
//! The port reacts to pauses of all priorities but sends only some: `pfc_enable` no longer describes what the port
//! does.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {
//!     "Ethernet0": {"lanes": "1,2,3,4", "speed": "100000", "mtu": "9100", "admin_status": "up", "pfc_asym": "on"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `pfc_asym` to off unless asymmetric PFC is intended.
//!
//! ## Source
//!
//! portsorch.cpp.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC012",
    name: "asymmetric-pfc",
    severity: Severity::Warning,
    effect: effect::MIXED_CLASSES,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port_entry(out, &META, |port, entry| {
        let on = cx.db.field(entry, "pfc_asym").is_some_and(|f| f.value == "on");
        on.then(|| hit("PORT", &port.name, "pfc_asym", "asymmetric PFC is on".to_string())).flatten()
    });
}
