//! # BUF021 list-direction
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! An ingress profile list contains an egress profile, or an egress list an ingress profile.
//!
//! ## Why it matters
//!
//! The list is rejected and the port keeps the chip's defaults.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PORT_INGRESS_PROFILE_LIST": {"Ethernet0": {"profile_list": "egress_lossy_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Move the profile to the other list.
//!
//! ## Source
//!
//! buffermgrdyn.cpp.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::Direction;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF021",
    name: "list-direction",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (table, wrong) in [
        ("BUFFER_PORT_INGRESS_PROFILE_LIST", Direction::Egress),
        ("BUFFER_PORT_EGRESS_PROFILE_LIST", Direction::Ingress),
    ] {
        let mut seen: Vec<&str> = Vec::new();
        let mut last = "";
        for entry in cx.db.rows(table) {
            let list = cx.db.field(entry, "profile_list").map_or("", |f| f.value);
            // Most ports have the same list as the previous one.
            if std::mem::replace(&mut last, list) == list {
                continue;
            }
            for name in list.split(',').map(|n| crate::schema::reference("BUFFER_PROFILE", n)) {
                let pool = cx.profile_named(name).and_then(|p| cx.pool_of(p));
                if pool.is_some_and(|p| p.direction == wrong) && !seen.contains(&name) {
                    seen.push(name);
                    let severity = if cx.is(Vendor::Teralynx) { Severity::Info } else { Severity::Error };
                    let message =
                        format!("{table} contains profile {name}, whose pool has the other direction");
                    cx.report(out, &META, field(table, &entry.key, "profile_list"), message)
                        .severity(severity);
                }
            }
        }
    }
}
