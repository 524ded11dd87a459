//! # WD012 watchdog-without-pfc
//!
//! Severity: warning (less where the ASIC makes it an idiom). Rows: WD-12.
//!
//! A port with a watchdog enables PFC.
//!
//! ## Why it matters
//!
//! The command line skips such ports; a loaded entry only costs polls.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Remove the entry.
//!
//! ## Source
//!
//! sonic-utilities PR 1508.

use super::super::Meta;
use super::super::context::{Context, Findings, hit_as};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD012", name: "watchdog-without-pfc", severity: Severity::Warning, ids: &["WD-12"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let some = cx.sw.ports.iter().any(|p| p.pfc_priorities != 0);
    cx.by_port(out, &META, |port| {
        let idle = port.watchdog.is_some() && port.pfc_priorities == 0;
        let severity = if some { Severity::Warning } else { Severity::Info };
        idle.then(|| hit_as(severity, "PFC_WD", &port.name, "detection_time", "has a watchdog but no PFC".to_string())).flatten()
    });
}
