//! # WD013 unwatched-port
//!
//! Severity: error (lower where no port has a watchdog and nothing shows that the switch should have one).
//!
//! A port that is up and enables PFC has no watchdog.
//!
//! ## Why it matters
//!
//! One faulty NIC that sends pauses continuously can block a whole fabric. The watchdog limits the damage.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT": {"Ethernet8": {"lanes": "9", "speed": "100000", "mtu": "9100", "admin_status": "up"}},
//!   "CABLE_LENGTH": {"AZURE": {"Ethernet0": "40m", "Ethernet4": "40m", "Ethernet8": "40m"}},
//!   "BUFFER_PG": {"Ethernet8|3-4": {"profile": "pg_lossless_100000_40m_profile"}},
//!   "BUFFER_QUEUE": {"Ethernet8|3-4": {"profile": "egress_lossless_profile"}},
//!   "QUEUE": {
//!     "Ethernet8|3": {"scheduler": "s1", "wred_profile": "W"},
//!     "Ethernet8|4": {"scheduler": "s1", "wred_profile": "W"}
//!   },
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

use super::super::context::{Context, Findings, hit_as, list};
use super::super::{Meta, effect};
use crate::db::Entry;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD013", name: "unwatched-port", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let watched = cx.sw.ports.iter().any(|port| port.watchdog.is_some());
    let is_computed = |entry: &Entry<'_>| cx.db.field(entry, "profile").is_some_and(|f| f.value == "NULL");
    let has_groups = cx.lossless_in_use().any(|profile| !profile.is_generated)
        || cx.is_dynamic && cx.db.rows("BUFFER_PG").iter().any(is_computed);
    cx.by_port(out, &META, |port| {
        let in_use = port.is_up && port.pfc_priorities != 0 && port.watchdog.is_none();
        if !in_use {
            return None;
        }
        // Without the table, the daemon's defaults may still start the watchdog.
        let default = cx.value("DEVICE_METADATA", "localhost", "default_pfcwd_status") == Some("enable");
        // A switch with lossless groups has been started, and the defaults would be in its configuration.
        let severity = match (watched, default) {
            (true, _) => Severity::Error,
            (false, true) if has_groups => Severity::Error,
            (false, true) => Severity::Info,
            (false, false) => Severity::Warning,
        };
        hit_as(
            severity,
            "PORT_QOS_MAP",
            &port.name,
            "pfc_enable",
            format!("PFC on {} without a watchdog", list(port.pfc_priorities)),
        )
    });
}
