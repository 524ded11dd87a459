//! # WD011 other-watchdog-mask
//!
//! Severity: warning.
//!
//! `pfcwd_sw_enable` and `pfc_enable` differ. Ports that carry remapped tunnel traffic are exempt: they use 3,4 of
//! 2,3,4,6.
//!
//! ## Why it matters
//!
//! A priority with PFC that is not monitored stays paused for as long as its peer storms.
//!
//! ## Example
//!
//! ```json
//! {
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE",
//!       "pfc_to_queue_map": "AZURE", "pfc_enable": "3,4", "pfcwd_sw_enable": "3"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Make the two lists equal.
//!
//! ## Source
//!
//! qos_config.j2.

use super::super::context::{Context, Findings, hit, list};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "WD011",
    name: "other-watchdog-mask",
    severity: Severity::Warning,
    effect: effect::WATCHDOG,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let mask = port.watchdog?.priorities;
        let remap = port.pfc_priorities == 0b0101_1100 && mask == 0b0001_1000;
        if mask == port.pfc_priorities || mask == 0 || remap {
            return None;
        }
        let message =
            format!("PFC on {}, but the watchdog monitors {}", list(port.pfc_priorities), list(mask));
        hit("PORT_QOS_MAP", &port.name, "pfcwd_sw_enable", message)
    });
}
