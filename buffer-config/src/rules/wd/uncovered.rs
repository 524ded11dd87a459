//! # WD013 unwatched-port
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: WD-13.
//!
//! Every port that is up and enables PFC has a watchdog.
//!
//! ## Why it matters
//!
//! One broken NIC that sends pauses for ever stops a whole fabric; the watchdog is what ends it.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {"Ethernet8": {"lanes": "9", "speed": "100000", "mtu": "9100", "admin_status": "up"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet8": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Start the watchdog on the port.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 4.3; Azure 3.1.

use super::super::Meta;
use super::super::context::{Context, Findings, hit_as, list};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD013", name: "unwatched-port", severity: Severity::Error, ids: &["WD-13"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let watched = !cx.db.rows("PFC_WD").is_empty();
    cx.by_port(out, &META, |port| {
        let in_use = port.is_up && port.pfc_priorities != 0 && port.watchdog.is_none();
        if !in_use {
            return None;
        }
        // A file without the table: the daemon's defaults may still start it.
        let default = cx.value("DEVICE_METADATA", "localhost", "default_pfcwd_status") == Some("enable");
        let severity = if watched { Severity::Error } else if default { Severity::Info } else { Severity::Warning };
        hit_as(severity, "PORT_QOS_MAP", &port.name, "pfc_enable", format!("PFC on {} without a watchdog", list(port.pfc_priorities)))
    });
}
