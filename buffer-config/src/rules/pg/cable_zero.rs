//! # PG011 pfc-without-cable
//!
//! Severity: error. Rows: HR-09.
//!
//! A port that enables PFC does not have the cable length `0m`.
//!
//! ## Why it matters
//!
//! `0m` tells buffermgrd to make no lossless group: the port pauses nobody and drops.
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
//! Set the length of the cable, or disable PFC.
//!
//! ## Source
//!
//! buffermgr.cpp; swss PR 1830, 3548.

use super::super::Meta;
use super::super::context::{Context, Findings, hit, list};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PG011", name: "pfc-without-cable", severity: Severity::Error, ids: &["HR-09"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.by_port(out, &META, |port| {
        let bare = port.cable_m == Some(0) && port.is_up && port.pfc_priorities != 0;
        if !bare || cx.lossless_of(port).is_some() {
            return None;
        }
        let message = format!("PFC on {} with cable length 0m: no headroom", list(port.pfc_priorities));
        hit("PORT_QOS_MAP", &port.name, "pfc_enable", message)
    });
}
