//! # PG011 pfc-without-cable
//!
//! Severity: error.
//!
//! A port enables PFC but its cable length is `0m`.
//!
//! ## Why it matters
//!
//! With `0m`, buffermgrd creates no lossless priority group: the port sends no pauses and drops packets.
//!
//! ## Example
//!
//! ```json
//! {
//!   "CABLE_LENGTH": {"AZURE": {"Ethernet0": "0m", "Ethernet4": "40m"}},
//!   "BUFFER_PG": {"Ethernet0|3-4": {"profile": "ingress_lossy_profile"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Set the cable length, or disable PFC.
//!
//! ## Source
//!
//! buffermgr.cpp; swss PR 1830, 3548.

use super::super::context::{Context, Findings, hit, list};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "PG011",
    name: "pfc-without-cable",
    severity: Severity::Error,
    effect: effect::NOT_LOSSLESS,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let bare = port.cable_m == Some(0) && port.is_up && port.pfc_priorities != 0;
        if !bare || cx.lossless_of(port).is_some() {
            return None;
        }
        let message = format!("PFC on {}, but cable length 0m: no headroom", list(port.pfc_priorities));
        hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
