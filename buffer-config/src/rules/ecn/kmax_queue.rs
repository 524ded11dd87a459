//! # ECN014 kmax-above-queue
//!
//! Severity: warning.
//!
//! Kmax is above the limit of the queue's buffer profile.
//!
//! ## Why it matters
//!
//! The queue drops packets before the marking probability reaches its maximum.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": "1000000",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   },
//!   "BUFFER_PROFILE": {
//!     "egress_lossless_profile": {"pool": "egress_lossless_pool", "size": "0", "static_th": "1000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Reduce Kmax or increase the queue's threshold.
//!
//! ## Source
//!
//! A threshold of a buffer profile limits the occupancy of its queue
//! ([saibuffer.h](https://github.com/opencomputeproject/SAI/blob/master/inc/saibuffer.h)), so the average depth that
//! WRED compares cannot exceed it.

use super::super::context::{Context, Findings, bytes, hit};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "ECN014",
    name: "kmax-above-queue",
    severity: Severity::Warning,
    effect: effect::ECN_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let (queue, wred, limit, profile) = (0..16usize).find_map(|q| {
            let wred = cx.sw.wred.get(port.queue_wred[q]?)?;
            let profile = cx.profile(port.queues[q])?;
            let size = cx.pool_of(profile)?.size_bytes.filter(|s| *s > 0)?;
            let limit = profile.threshold?.trip_bytes(size, 1);
            (wred.marks_green && wred.green?.max_bytes > limit && !profile.name.contains("zero"))
                .then_some((q, wred, limit, profile))
        })?;
        let message = format!(
            "Kmax {} of {} is above {}, the limit of queue {queue} ({})",
            bytes(wred.green?.max_bytes),
            wred.name,
            bytes(limit),
            profile.name
        );
        hit("WRED_PROFILE", &wred.name, "green_max_threshold", message)
    });
}
