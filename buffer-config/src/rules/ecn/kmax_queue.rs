//! # ECN014 kmax-above-queue
//!
//! Severity: warning. Rows: ECN-14.
//!
//! Kmax is below what the queue's own profile lets it hold.
//!
//! ## Why it matters
//!
//! The queue drops before marking is at its strongest.
//!
//! ## Fix
//!
//! Lower Kmax or raise the queue's threshold.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, hit};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "ECN014", name: "kmax-above-queue", severity: Severity::Warning, ids: &["ECN-14"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let (queue, wred, limit, profile) = (0..16usize).find_map(|q| {
            let wred = cx.sw.wred.get(port.queue_wred[q]?)?;
            let profile = cx.profile(port.queues[q])?;
            let size = cx.pool_of(profile)?.size_bytes.filter(|s| *s > 0)?;
            let limit = profile.threshold?.trip_bytes(size, 1);
            (wred.marks_green && wred.green?.max_bytes > limit && !profile.name.contains("zero")).then_some((q, wred, limit, profile))
        })?;
        let message = format!("Kmax {} of {} is above {}, where queue {queue} ({}) ends", bytes(wred.green?.max_bytes), wred.name, bytes(limit), profile.name);
        hit("WRED_PROFILE", &wred.name, "green_max_threshold", message)
    });
}
