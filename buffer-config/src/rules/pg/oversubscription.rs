//! # PG027 oversubscription
//!
//! Severity: info (less where the ASIC makes it an idiom). Rows: POOL-10, HR-22.
//!
//! Reports how often the shared headroom is promised: the sum of all groups' headroom over the pool's.
//!
//! ## Why it matters
//!
//! Sharing is intended, since not all ports pause at once; the shipped median is 2.2, the worst 28.6. With
//! `--oversubscription-limit` more than that is an error.
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
//! Raise the shared headroom, or accept the ratio.
//!
//! ## Source
//!
//! Azure 7.1.

use super::super::Meta;
use super::super::context::{Context, Findings, bytes, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG027", name: "oversubscription", severity: Severity::Info, ids: &["POOL-10", "HR-22"] };

/// Runs the rule.
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
        let message = format!("{groups} lossless groups may ask for {}, {:.2} times the shared headroom of {}", bytes(sum), ratio, bytes(pool.shared_headroom_bytes));
        cx.report(out, &META, field("BUFFER_POOL", &pool.name, "xoff"), message).severity(severity);
    }
}
