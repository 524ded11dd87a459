//! # PFC002 pfc-without-headroom
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! PFC is enabled for a priority, but the priority group of its traffic class has no headroom.
//!
//! ## Why it matters
//!
//! The port announces PFC, but the group drops packets when it is full: the class is not lossless. 68 SKUs ship
//! with this, mostly lossy models with the default QoS template.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|3-4": {"profile": "ingress_lossy_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use a lossless profile for the group, or remove the priority from `pfc_enable`.
//!
//! ## Source
//!
//! Azure 6.2; qos_config.j2 enables 3,4 unconditionally; sonic-buildimage PR 22616.

use super::super::context::{Context, Findings, hit_as, list, priorities};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PFC002",
    name: "pfc-without-headroom",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let lossy_only = cx.sw.profiles.iter().all(|p| !p.is_lossless());
    cx.by_port(out, &META, |port| {
        if cx.sw.pools.is_empty() || !port.is_up {
            return None;
        }
        let bare = |t: usize| {
            let group = usize::from(port.tc_to_group[t]);
            let profile = port.priority_groups.get(group).copied().flatten();
            cx.profile(profile).is_none_or(|p| !p.is_lossless())
        };
        let without = priorities(port.pfc_priorities).filter(|t| bare(*t)).fold(0u8, |m, t| m | 1 << t);
        if without == 0 {
            return None;
        }
        // The dynamic model computes the groups of the file, here too if the ASIC is known.
        let has_group = |t: usize| !cx.group_key("BUFFER_PG", &port.name, usize::from(port.tc_to_group[t])).is_empty();
        let computed = cx.is_dynamic
            && cx.asic.is_none_or(|a| a.headroom.is_none())
            && priorities(without).all(has_group);
        // So does the traditional model if the lookup table is given.
        let looked_up = lossy_only && !cx.is_dynamic && cx.lookup.is_none() && cx.pool(crate::LOSSLESS_POOL).is_some_and(|p| p.size_bytes != Some(0)) && port.cable_m.is_some_and(|m| m > 0);
        // The output of the minigraph parser, before it is loaded: `config load_minigraph` adds the platform, and
        // buffermgrd the groups.
        let of_device = |field| cx.value("DEVICE_METADATA", "localhost", field).is_some();
        let is_loaded = of_device("platform") || of_device("buffer_model") || cx.db.row("DEVICE_METADATA", "localhost").is_none();
        let severity = match looked_up && !is_loaded {
            _ if computed => Severity::Info,
            true if cx.asic.is_some() => Severity::Info,
            true => Severity::Warning,
            false => Severity::Error,
        };
        let why = match (lossy_only, looked_up) {
            (_, true) => ": the file has no lossless profile; if buffermgrd creates them, specify its pg_profile_lookup.ini (--lookup)",
            (true, _) => ": the switch has no lossless profile",
            _ => "",
        };
        let message = format!("PFC on {}, but these priorities have no headroom{why}", list(without));
        hit_as(severity, "PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
