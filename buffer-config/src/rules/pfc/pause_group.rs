//! # PFC007 pause-from-other-group
//!
//! Severity: error. Rows: PFC-07.
//!
//! Where the ASIC uses it (Spectrum, Tofino), `pfc_to_pg_map` agrees with `tc_to_pg_map`.
//!
//! ## Why it matters
//!
//! The switch would pause another priority than the one that is full.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {"localhost": {"platform": "x86_64-mlnx_msn4700-r0"}},
//!   "PFC_PRIORITY_TO_PRIORITY_GROUP_MAP": {"AZURE": {"3": "4", "4": "3"}},
//!   "PORT_QOS_MAP": {
//!     "Ethernet0": {"dscp_to_tc_map": "AZURE", "tc_to_pg_map": "AZURE", "tc_to_queue_map": "AZURE", "pfc_to_queue_map": "AZURE",
//!       "pfc_enable": "3,4", "pfcwd_sw_enable": "3,4", "pfc_to_pg_map": "AZURE"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Make the maps agree.
//!
//! ## Source
//!
//! qos_config.j2, pfc_to_pg_map_supported_asics.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, priorities};
use crate::finding::Severity;
use crate::asic::Vendor;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC007", name: "pause-from-other-group", severity: Severity::Error, ids: &["PFC-07"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    if !(cx.is(Vendor::Nvidia) || cx.is(Vendor::Intel)) {
        return;
    }
    cx.by_port_entry(out, &META, |port, _| {
        let name = cx.value("PORT_QOS_MAP", &port.name, "pfc_to_pg_map")?;
        let name = crate::schema::reference("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name);
        let wrong = priorities(port.pfc_priorities).find(|t| {
            let group = cx.value("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name, &t.to_string());
            group.and_then(|g| g.trim().parse::<u8>().ok()).is_some_and(|g| g != port.tc_to_group[*t])
        })?;
        hit("PORT_QOS_MAP", &port.name, "pfc_to_pg_map", format!("priority {wrong} maps to another group than its traffic class"))
    });
}
