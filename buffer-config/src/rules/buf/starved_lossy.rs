//! # BUF055 starved-lossy
//!
//! Severity: error (a warning for an alpha of 1/256).
//!
//! The profile of lossy priority groups, queues or ports, or its pool, admits less than one frame, or the profile has
//! an alpha of 1/256.
//!
//! ## Why it matters
//!
//! The lossy classes carry acknowledgements, congestion notifications (CNP) and routing protocols. Their packets are
//! dropped although memory is free: senders repeat what arrived, and do not learn of congestion.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {"ingress_lossy_profile": {"pool": "ingress_lossless_pool", "size": "0", "static_th": "0"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Use the threshold of the platform's template.
//!
//! ## Source
//!
//! [saibuffer.h](https://github.com/opencomputeproject/SAI/blob/master/inc/saibuffer.h): `static_th` and `dynamic_th`
//! limit what a group or queue uses beyond its reservation; templates use `dynamic_th` -8 for ports that are down
//! ([buffers_defaults_objects.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/device/mellanox/x86_64-mlnx_msn2700-r0/ACS-MSN2700/buffers_defaults_objects.j2)).

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF055",
    name: "starved-lossy",
    severity: Severity::Error,
    effect: effect::NOT_PORT_SPECIFIC,
};

/// The largest frame of a network without jumbo frames, bytes.
const FRAME_BYTES: u64 = 1518;

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for (index, profile) in cx.sw.profiles.iter().enumerate() {
        if profile.is_lossless() || profile.name.contains("zero") || profile.name.contains("lossless") {
            continue;
        }
        let is_used = || {
            let is_in_list = cx.uses.get(index).is_some_and(|uses| uses[2] > 0);
            is_in_list
                || cx.port_kinds().filter(|(port, _)| port.is_up && port.pfc_priorities != 0).any(
                    |(port, _)| {
                        port.priority_groups.contains(&Some(index)) || port.queues.contains(&Some(index))
                    },
                )
        };
        let name = &profile.name;
        let pool =
            cx.pool_of(profile).filter(|pool| pool.size_bytes.is_some_and(|n| (1..FRAME_BYTES).contains(&n)));
        if let Some(pool) = pool.filter(|_| is_used()) {
            let admitted = bytes(pool.size_bytes.unwrap_or(0));
            let message = format!("pool {} of {name} has {admitted}, less than one frame", pool.name);
            cx.report(out, &META, field("BUFFER_POOL", &pool.name, "size"), message);
            continue;
        }
        match profile.threshold {
            Some(Threshold::Static { bytes: limit })
                if limit.saturating_add(profile.reserved_bytes) < FRAME_BYTES && is_used() =>
            {
                let admitted = bytes(limit.saturating_add(profile.reserved_bytes));
                let message = format!("{name} admits {admitted} of lossy traffic, less than one frame");
                cx.report(out, &META, field("BUFFER_PROFILE", name, "static_th"), message);
            }
            Some(Threshold::Dynamic { exponent: -8 }) if is_used() => {
                let message =
                    format!("{name} of lossy traffic has alpha 1/256, which is for ports that are down");
                cx.report(out, &META, field("BUFFER_PROFILE", name, "dynamic_th"), message)
                    .severity(Severity::Warning);
            }
            _ => {}
        }
    }
}
