//! # WD012 watchdog-without-pfc
//!
//! Severity: warning (lower where it is the ASIC vendor's convention).
//!
//! A port has a watchdog but does not enable PFC.
//!
//! ## Why it matters
//!
//! The command line skips such ports. A loaded entry causes unnecessary polling.
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

use super::super::context::{Context, Findings, hit_as};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "WD012",
    name: "watchdog-without-pfc",
    severity: Severity::Warning,
    effect: effect::WATCHDOG,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let some = cx.sw.ports.iter().any(|p| p.pfc_priorities != 0);
    cx.by_port(out, &META, |port| {
        let idle = port.watchdog.is_some() && port.pfc_priorities == 0;
        let severity = if some { Severity::Warning } else { Severity::Info };
        idle.then(|| {
            hit_as(severity, "PFC_WD", &port.name, "detection_time", "has a watchdog but no PFC".to_string())
        })
        .flatten()
    });
}
