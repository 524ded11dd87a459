//! # PG027 oversubscription
//!
//! Severity: info (lower where it is the ASIC vendor's convention).
//!
//! Reports the oversubscription of the shared headroom: the headroom of all priority groups divided by the size of
//! the shared headroom pool.
//!
//! ## Why it matters
//!
//! Oversubscription is intended, because not all ports pause at the same time; the median of shipped configurations
//! is 2.2, the maximum 28.6. With `--oversubscription-limit`, a larger ratio is an error.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_POOL": {
//!     "ingress_lossless_pool": {"type": "ingress", "mode": "dynamic", "size": "10000000", "xoff": "2000000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Increase the shared headroom, or accept the ratio.
//!
//! ## Source
//!
//! Azure 7.1.

use super::super::context::{Context, Findings, bytes, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG027",
    name: "oversubscription",
    severity: Severity::Info,
    effect: effect::OVERSUBSCRIBED_MEMORY,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let Some(pool) = cx.lossless_pool().filter(|p| p.shared_headroom_bytes > 0) else { return };
    let mut sum = 0u64;
    let mut groups = 0u64;
    for (profile, uses) in cx.sw.profiles.iter().zip(&cx.uses).filter(|(p, _)| p.is_lossless()) {
        groups += u64::from(uses[0]);
        sum = sum.saturating_add(profile.headroom_bytes.unwrap_or(0).saturating_mul(u64::from(uses[0])));
    }
    let ratio = sum as f64 / pool.shared_headroom_bytes as f64;
    if groups > 0 {
        let severity = match cx.options.oversubscription_limit {
            Some(limit) if ratio > limit => Severity::Error,
            None if ratio > 8.0 => Severity::Warning,
            _ => Severity::Info,
        };
        let message = format!(
            "the headroom of {} is {}, {:.2} times the shared headroom of {}",
            counted(groups, "lossless group"),
            bytes(sum),
            ratio,
            bytes(pool.shared_headroom_bytes)
        );
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message).severity(severity);
    }
}
