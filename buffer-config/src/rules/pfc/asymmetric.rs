//! # PFC012 asymmetric-pfc
//!
//! Severity: warning. Rows: PFC-12.
//!
//! `pfc_asym` is off.
//!
//! ## Why it matters
//!
//! With it on, the port reacts to pauses of all priorities and sends only some: `pfc_enable` of the port no longer
//! says what happens.
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
//! Set it to off unless it is meant.
//!
//! ## Source
//!
//! portsorch.cpp.

use super::super::Meta;
use super::super::context::{Context, Findings, hit};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC012", name: "asymmetric-pfc", severity: Severity::Warning, ids: &["PFC-12"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    cx.by_port_entry(out, &META, |port, entry| {
        let on = cx.db.field(entry, "pfc_asym").is_some_and(|f| f.value == "on");
        on.then(|| hit("PORT", &port.name, "pfc_asym", "asymmetric PFC is on".to_string())).flatten()
    });
}
