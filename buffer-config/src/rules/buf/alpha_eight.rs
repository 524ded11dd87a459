//! # BUF041 alpha-of-nothing
//!
//! Severity: error.
//!
//! A lossless profile that priority groups or the profile list of a port use has an alpha of 1/256 (`dynamic_th` -8).
//!
//! ## Why it matters
//!
//! `dynamic_th` -8 is for ports that are down. On an active port, the priority group pauses its sender almost
//! immediately.
//!
//! ## Example
//!
//! ```json
//! {
//!   "BUFFER_PROFILE": {
//!     "pg_lossless_100000_40m_profile": {"pool": "ingress_lossless_pool", "size": "1248", "dynamic_th": "-8",
//!       "xon": "2288", "xon_offset": "2288", "xoff": "100000"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Use the fleet's alpha for lossless traffic.
//!
//! ## Source
//!
//! The zero profiles of the shipped templates, such as
//! [buffers_defaults_objects.j2](https://github.com/sonic-net/sonic-buildimage/blob/master/device/mellanox/x86_64-mlnx_msn2700-r0/ACS-MSN2700/buffers_defaults_objects.j2).

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolved::{Direction, Threshold};

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF041",
    name: "alpha-of-nothing",
    severity: Severity::Error,
    effect: effect::ALPHA_TOO_LOW,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    let in_lists = cx.sw.profiles.iter().zip(&cx.uses).filter(|(profile, uses)| {
        let of_lossless = profile.name.contains("lossless") && !profile.is_lossless();
        uses[2] > 0 && of_lossless && cx.pool_of(profile).is_some_and(|p| p.direction == Direction::Ingress)
    });
    for profile in cx.lossless_in_use().chain(in_lists.map(|(profile, _)| profile)) {
        if profile.threshold == Some(Threshold::Dynamic { exponent: -8 }) && !profile.name.contains("zero") {
            let message = format!(
                "lossless profile {} has alpha 1/256, which is for ports that are down",
                profile.name
            );
            cx.report(out, &META, field("BUFFER_PROFILE", &profile.name, "dynamic_th"), message);
        }
    }
}
