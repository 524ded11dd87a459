//! # PFC001 pfc-syntax
//!
//! Severity: error. Rows: PFC-01.
//!
//! `pfc_enable` and `pfcwd_sw_enable` are priorities 0 to 7, separated by commas, or empty.
//!
//! ## Why it matters
//!
//! orchagent shifts a bit into eight: priority 8 silently vanishes.
//!
//! ## Example
//!
//! ```json
//! {"PORT_QOS_MAP": {"Ethernet0": {"pfc_enable": "3,8"}}}
//! ```
//!
//! ## Fix
//!
//! List priorities 0 to 7.
//!
//! ## Source
//!
//! qosorch.cpp; YANG port-qos-map.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "PFC001", name: "pfc-syntax", severity: Severity::Error, ids: &["PFC-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
