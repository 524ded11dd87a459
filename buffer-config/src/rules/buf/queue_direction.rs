//! # BUF019 queue-direction
//!
//! Severity: error (less where the ASIC makes it an idiom). Rows: DIR-02.
//!
//! A queue's profile sits in an egress pool, or in one for both directions.
//!
//! ## Why it matters
//!
//! SAI refuses the profile or counts the queue against the wrong pool. On Teralynx the shipped templates do this on
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

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;
use crate::asic::Vendor;
use crate::resolved::Direction;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF019", name: "queue-direction", severity: Severity::Error, ids: &["DIR-02"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses) {
        if uses[1] > 0 && cx.pool_of(profile).is_some_and(|p| p.direction == Direction::Ingress) {
            let severity = if cx.is(Vendor::Teralynx) { Severity::Info } else { Severity::Error };
            let message = format!("{} queues use profile {}, which is in an ingress pool", uses[1], profile.name);
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "pool"), message).severity(severity);
        }
    }
}
