//! # PFC007 pause-from-other-group
//!
//! Severity: error (a warning for a `pfc_to_pg_map` of an ASIC that may not support it).
//!
//! A full priority group pauses a priority other than the one whose traffic class it holds.
//!
//! ## Why it matters
//!
//! The priority group of a traffic class follows from `tc_to_pg_map`. The priority that the switch pauses for a full
//! group follows from `pfc_to_pg_map` on Spectrum and Tofino; on other ASICs, and without that map, it is the group's
//! number. If the two disagree, the sender of the full class continues, and its packets are dropped.
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
//! `pfc_to_pg_map_supported_asics` in
//! [qos_config.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/files/build_templates/qos_config.j2).

use super::super::context::{Context, Findings, hit, hit_as, priorities};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::ResolvedPort;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC007",
    name: "pause-from-other-group",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let is_mapped = cx.is(Vendor::Nvidia) || cx.is(Vendor::Intel);
    cx.by_port_entry(out, &META, |port, _| {
        let mapped = cx
            .value("PORT_QOS_MAP", &port.name, "pfc_to_pg_map")
            .map(|name| crate::schema::reference("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name));
        if let Some(name) = mapped {
            let wrong = priorities(port.pfc_priorities).find(|t| {
                let group = cx.value("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name, &t.to_string());
                let group = group.map(|g| g.trim().parse::<u8>().unwrap_or(u8::MAX));
                // A map that does not exist has its own rule.
                let exists = cx.db.row("PFC_PRIORITY_TO_PRIORITY_GROUP_MAP", name).is_some();
                exists && group.unwrap_or(0) != port.tc_to_group[*t] && has_headroom(cx, port, *t)
            });
            if let Some(wrong) = wrong {
                let message =
                    format!("priority {wrong} and its traffic class map to different priority groups");
                let severity = if is_mapped { Severity::Error } else { Severity::Warning };
                return hit_as(severity, "PORT_QOS_MAP", &port.name, "pfc_to_pg_map", message);
            }
            if is_mapped {
                return None;
            }
        }
        let wrong = cx.lossless_classes(port).find(|t| usize::from(port.tc_to_group[*t]) != *t)?;
        let group = port.tc_to_group[wrong];
        let message = format!(
            "traffic class {wrong} uses priority group {group}, which pauses priority {group} without a pfc_to_pg_map"
        );
        hit("PORT_QOS_MAP", &port.name, "tc_to_pg_map", message)
    });
}

/// Whether either priority group that a priority may use has headroom: otherwise it pauses nothing.
fn has_headroom(cx: &Context<'_, '_>, port: &ResolvedPort, priority: usize) -> bool {
    cx.is_dynamic
        || cx.lossless_classes(port).any(|t| t == priority)
        || cx.profile(port.priority_groups[priority]).is_some_and(|p| p.is_lossless())
}
