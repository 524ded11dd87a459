//! # PG010 no-lookup-row
//!
//! Severity: error.
//!
//! The lookup table has no row for the speed and cable length of a port that enables PFC. Cable lengths are
//! compared as text.
//!
//! ## Why it matters
//!
//! buffermgrd logs an error and drops the entry: the port runs PFC without headroom.
//!
//! ## Example
//!
//! ```text
//! # speed cable size xon xoff threshold xon_offset
//! 100000 5m 1248 2288 60000 -2 2288
//! ```
//!
//! ## Fix
//!
//! Add the row.
//!
//! ## Source
//!
//! buffermgr.cpp; sonic-buildimage issue 5837, PR 23059.

use super::super::context::{Context, Findings, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;
use std::cell::LazyCell;
use std::collections::BTreeMap;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PG010", name: "no-lookup-row", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let rows = || cx.db.rows("CABLE_LENGTH").iter().rev().flat_map(|t| cx.db.fields_of(t));
    let cables = LazyCell::new(|| -> BTreeMap<&str, &str> { rows().map(|f| (f.name, f.value)).collect() });
    let known_profile =
        |speed: u32, cable: &str| cx.profile_named(&format!("pg_lossless_{speed}_{cable}_profile")).is_some();
    let lossless = cx.sw.profiles.iter().any(|p| p.name.starts_with("pg_lossless_"));
    cx.by_port_entry(out, &META, |port, _| {
        if !port.is_up || port.pfc_priorities == 0 || cx.is_dynamic {
            return None;
        }
        let has_none = || cx.lossless_of(port).is_none();
        if cx.lookup.is_none() && !(lossless && has_none()) {
            return None;
        }
        // Compared as text, as in `buffermgrd`.
        let cable = cables.get(port.name.as_str()).copied().filter(|c| *c != "0m")?;
        let speed = port.speed_mbps;
        match cx.lookup {
            Some(lookup) if lookup.find(speed, cable).is_none() => {
                hit("PORT", &port.name, "speed", format!("no row for {speed} Mb/s and {cable} in the lookup table: no headroom"))
            }
            Some(_) => None,
            // Without a table, the missing profile shows that `buffermgrd` found no row.
            None => {
                if known_profile(speed, cable) {
                    return None;
                }
                let message = format!("there is no pg_lossless_{speed}_{cable}_profile: the lookup table has no row for {speed} Mb/s and {cable}");
                hit("PORT", &port.name, "speed", message)
            }
        }
    });
}
