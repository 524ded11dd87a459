//! # PG003 group-direction
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: DIR-01.
//!
//! A priority group's profile sits in an ingress pool, or in one for both directions.
//!
//! ## Why it matters
//!
//! SAI refuses it or counts the group against the wrong pool. Teralynx templates put the lossy profile into an
//! egress pool on purpose.
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

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use crate::asic::Vendor;
use crate::resolved::Direction;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG003", name: "group-direction", severity: Severity::Error, ids: &["DIR-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if uses[0] > 0 && cx.pool_of(profile).is_some_and(|p| p.direction == Direction::Egress) {
            let severity = if cx.is(Vendor::Teralynx) { Severity::Warning } else { Severity::Error };
            let message = format!("{} priority groups use profile {}, which is in an egress pool", uses[0], profile.name);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "pool"), message).severity(severity);
        }
    }
}
