//! # PFC007 pause-from-other-group
//!
//! Severity: error.
//!
//! `pfc_to_pg_map` and `tc_to_pg_map` disagree (on ASICs that use both: Spectrum, Tofino).
//!
//! ## Why it matters
//!
//! The switch pauses a priority other than the one whose group is full.
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

use super::super::context::{Context, Findings, hit, priorities};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC007",
    name: "pause-from-other-group",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
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
        hit(
            "PORT_QOS_MAP",
            &port.name,
            "pfc_to_pg_map",
            format!("priority {wrong} and its traffic class map to different priority groups"),
        )
    });
}
