//! # PG010 no-lookup-row
//!
//! Severity: error. Rows: HR-07.
//!
//! Every port that enables PFC finds a row for its speed and cable length in the look-up table; texts are compared.
//!
//! ## Why it matters
//!
//! buffermgrd logs an error and drops the entry: the port runs PFC without headroom.
//!
//! ## Fix
//!
//! Add the row.
//!
//! ## Source
//!
//! buffermgr.cpp; sonic-buildimage issue 5837, PR 23059.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, priorities};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG010", name: "no-lookup-row", severity: Severity::Error, ids: &["HR-07"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let cables = cx.db.rows("CABLE_LENGTH");
    cx.by_port(out, &META, |port| {
        let cable = cables.iter().find_map(|t| cx.db.field(t, &port.name)).map(|f| f.value.as_ref())?;
        let wants = port.is_up && port.pfc_priorities != 0 && cable != "0m" && !cx.is_dynamic;
        if !wants {
            return None;
        }
        let speed = port.speed_mbps;
        match cx.lookup {
            Some(lookup) if lookup.find(speed, cable).is_none() => {
                hit("PORT", &port.name, "speed", format!("no row for {speed} Mb/s and {cable} in the look-up table: no headroom"))
            }
            Some(_) => None,
            // Without the table: the profile that the daemon would have made is absent.
            None => {
                let name = format!("pg_lossless_{speed}_{cable}_profile");
                let lossless = cx.sw.profiles.iter().any(|p| p.name.starts_with("pg_lossless_"));
                let has_none = priorities(port.pfc_priorities).all(|p| cx.profile(port.priority_groups[p]).is_none_or(|f| !f.is_lossless()));
                let message = format!("there is no {name}: the look-up table has no row for {speed} Mb/s and {cable}");
                (lossless && has_none && cx.profile_named(&name).is_none())
                    .then(|| hit("PORT", &port.name, "speed", message))
                    .flatten()
            }
        }
    });
}
