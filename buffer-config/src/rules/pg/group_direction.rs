//! # PG003 group-direction
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A priority group's profile belongs to an egress pool.
//!
//! ## Why it matters
//!
//! SAI rejects the profile or accounts the group to the wrong pool. Teralynx templates place the lossy profile in
//! an egress pool on purpose.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PG": {"Ethernet0|0": {"profile": "egress_lossy_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use a profile of an ingress pool.
//!
//! ## Source
//!
//! buffermgrdyn.cpp; sonic-utilities.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::asic::Vendor;
use crate::finding::Severity;
use crate::resolved::Direction;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "PG003", name: "group-direction", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if uses[0] > 0 && cx.pool_of(profile).is_some_and(|p| p.direction == Direction::Egress) {
            let severity = if cx.is(Vendor::Teralynx) { Severity::Warning } else { Severity::Error };
            let message = format!(
                "profile {} of {} is in an egress pool",
                profile.name,
                counted(u64::from(uses[0]), "priority group")
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "pool"), message).severity(severity);
        }
    }
    computed(cx, out);
}

/// Reports profiles whose headroom the dynamic model computes: the profiles that it generates from them replace them.
fn computed(cx: &Context<'_, '_>, out: &mut Findings) {
    for (name, groups) in cx.names_in_groups() {
        let Some(profile) = cx.profile_named(name).filter(|_| cx.is_computed_from(name)) else { continue };
        if cx.pool_of(profile).is_some_and(|pool| pool.direction == Direction::Egress) {
            let count = counted(groups, "priority group key");
            let message = format!("profile {name} of {count} is in an egress pool: buffermgrd refuses it");
            cx.report(out, &META, field("BUFFER_PROFILE", name, "pool"), message);
        }
    }
}
