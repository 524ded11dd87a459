//! # BUF042 lossless-alpha-low
//!
//! Severity: info (a warning where two lossless profiles of the switch differ by a factor of 4 or more).
//!
//! Reports the alpha of each lossless profile and compares it with the alpha of lossy traffic in the same pool.
//!
//! ## Why it matters
//!
//! In one fleet, a new switch model came with 1/64 instead of 1/16; PFC storms and a higher 99.9th percentile
//! latency followed. If lossy traffic has the larger alpha, its bursts starve lossless priority groups and pause
//! their senders.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-6",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Compare with the rest of the fleet.
//!
//! ## Source
//!
//! RDMA over Commodity Ethernet at Scale 6.2; Azure 6.2. Shipped lossless profiles have 0, 1, -6, -3, -2, 7, -5, -4
//! or -1.

use super::super::context::{Context, Findings, alpha, field, names};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::Threshold;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF042",
    name: "lossless-alpha-low",
    severity: Severity::Info,
    effect: effect::INFORMATIONAL,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let mut seen: Vec<(i8, Vec<&str>)> = Vec::new();
    for profile in cx.lossless_in_use() {
        let Some(Threshold::Dynamic { exponent }) = profile.threshold else { continue };
        match seen.iter_mut().find(|(e, _)| *e == exponent) {
            Some((_, profiles)) => profiles.push(&profile.name),
            None => seen.push((exponent, vec![&profile.name])),
        }
    }
    let lossy = cx.profile_named("ingress_lossy_profile").and_then(|p| match (p.threshold, cx.pool_of(p)) {
        (Some(Threshold::Dynamic { exponent }), Some(pool)) if pool.name == crate::LOSSLESS_POOL => {
            Some(exponent)
        }
        _ => None,
    });
    let highest = seen.iter().map(|(exponent, _)| *exponent).max().unwrap_or(0);
    for (exponent, profiles) in seen {
        let lossy_alpha = match lossy {
            Some(other) if other > exponent => {
                format!("; lossy traffic in the same pool has {}", alpha(other))
            }
            _ => String::new(),
        };
        // The ports with the smaller alpha pause much earlier than the others.
        let is_apart = i32::from(highest) - i32::from(exponent) >= 2;
        let other_alpha = if is_apart {
            format!("; other lossless profiles have {}", alpha(highest))
        } else {
            String::new()
        };
        let severity = if is_apart { Severity::Warning } else { Severity::Info };
        let message = format!(
            "alpha {} (dynamic_th {exponent}) for {}{other_alpha}{lossy_alpha}",
            alpha(exponent),
            names(&profiles)
        );
        cx.report(
            out,
            &META,
            field("BUFFER_PROFILE", profiles.first().unwrap_or(&""), "dynamic_th"),
            message,
        )
        .severity(severity);
    }
}
