//! # PG020 stale-profile
//!
//! Severity: error.
//!
//! A port uses a `pg_lossless_<speed>_<cable>_profile` of another speed or cable length, or the profile's contents
//! differ from the row of the lookup table.
//!
//! ## Why it matters
//!
//! After a change of speed or cable, or a breakout, the priority group kept its old profile. The headroom is sized
//! for another link.
//!
//! ## Example
//!
//! ```json
//! {"CABLE_LENGTH": {"AZURE": {"Ethernet0": "300m", "Ethernet4": "40m"}}}
//! ```
//!
//! ## Fix
//!
//! Refer to the profile of the port's speed and cable length.
//!
//! ## Source
//!
//! swss PR 4004; sonic-mgmt issue 19653.

use super::super::context::{Context, Findings, bytes, field, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG020",
    name: "stale-profile",
    severity: Severity::Error,
    effect: effect::HEADROOM_FOR_ANOTHER_LINK,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let cable = port.cable_m?;
        let is_stale = |name: &str| {
            let mut words = name.strip_prefix("pg_lossless_")?.split('_');
            let speed = words.next()?.parse::<u32>().ok()?;
            let length = words.next()?.strip_suffix('m')?.parse::<u32>().ok()?;
            Some(speed != port.speed_mbps || length != cable)
        };
        // Each lossless group may have a profile of its own.
        let (group, profile) = (0..8).find_map(|group| {
            let profile = cx.profile(port.priority_groups[group])?;
            is_stale(&profile.name)?.then_some((group, profile))
        })?;
        let key = cx.group_key("BUFFER_PG", &port.name, group);
        hit(
            "BUFFER_PG",
            key,
            "profile",
            format!("uses {}, but runs at {} Mb/s over {cable} m", profile.name, port.speed_mbps),
        )
    });
    let Some(lookup) = cx.lookup else { return };
    for profile in cx.sw.profiles.iter().filter(|p| !p.is_generated) {
        let Some((speed, cable)) = profile
            .name
            .strip_prefix("pg_lossless_")
            .and_then(|n| n.strip_suffix("_profile")?.split_once('_'))
        else {
            continue;
        };
        let Some(row) = speed.parse().ok().and_then(|s| lookup.find(s, cable)) else { continue };
        if profile.headroom_bytes != Some(row.xoff_bytes) || profile.reserved_bytes != row.size_bytes {
            let message = format!(
                "profile {} has headroom {}, but its row of the lookup table has {}",
                profile.name,
                bytes(profile.headroom_bytes.unwrap_or(0)),
                bytes(row.xoff_bytes)
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "xoff"), message);
        }
    }
}
