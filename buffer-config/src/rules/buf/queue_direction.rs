//! # BUF019 queue-direction
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! A queue's profile belongs to an ingress pool.
//!
//! ## Why it matters
//!
//! SAI rejects the profile or accounts the queue to the wrong pool. The shipped Teralynx templates do this on
//! purpose.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_QUEUE": {"Ethernet0|0-2": {"profile": "ingress_lossy_profile"}}}
//! ```
//!
//! ## Fix
//!
//! Use a profile of an egress pool.
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
    Meta { code: "BUF019", name: "queue-direction", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if uses[1] > 0 && cx.pool_of(profile).is_some_and(|p| p.direction == Direction::Ingress) {
            let severity = if cx.is(Vendor::Teralynx) { Severity::Info } else { Severity::Error };
            let message = format!(
                "profile {} of {} is in an ingress pool",
                profile.name,
                counted(u64::from(uses[1]), "queue")
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "pool"), message).severity(severity);
        }
    }
}
