//! # WD010 no-watchdog-mask
//!
//! Severity: error.
//!
//! A port has a watchdog but no `pfcwd_sw_enable`, the list of priorities that the watchdog monitors.
//!
//! ## Why it matters
//!
//! The watchdog reads this mask, not `pfc_enable`. If it is missing or empty, the watchdog fails to start and
//! orchagent retries indefinitely: the port is unprotected.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PFC_WD": {"Ethernet0": {"action": "drop", "detection_time": "400", "restoration_time": "800"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Set `pfcwd_sw_enable` to the value of `pfc_enable`.
//!
//! ## Source
//!
//! pfcwdorch.cpp, getLosslessTcsForPort; swss issue 842, PR 876.

use super::super::context::{Context, Findings, hit, list};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD010", name: "no-watchdog-mask", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = cx.db.rows("PORT_QOS_MAP");
    let mask_known = rows.iter().any(|e| cx.db.field(e, "pfcwd_sw_enable").is_some());
    cx.by_port(out, &META, |port| {
        let watchdog = port.watchdog.filter(|w| w.priorities == 0 && port.pfc_priorities != 0)?;
        let because = if mask_known { "its pfcwd_sw_enable is empty" } else { "no port has pfcwd_sw_enable" };
        let message = format!(
            "watchdog with detection time {} ms monitors no priority: {because} (PFC on {})",
            watchdog.detection_ms,
            list(port.pfc_priorities)
        );
        hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
