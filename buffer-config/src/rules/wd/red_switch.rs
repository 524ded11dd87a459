//! # WD009 big-red-switch
//!
//! Severity: error.
//!
//! BIG_RED_SWITCH is part of a saved configuration.
//!
//! ## Why it matters
//!
//! `enable` drops all lossless traffic of all ports and ignores storms. It is for manual use in emergencies. The
//! command line writes it, and the YANG model then rejects the file.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"GLOBAL": {"BIG_RED_SWITCH": "enable", "POLL_INTERVAL": "200"}}}
//! ```
//!
//! ## Fix
//!
//! Remove the field.
//!
//! ## Source
//!
//! pfcwdsworch.cpp; swss PR 467; sonic-buildimage PR 28495.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "WD009", name: "big-red-switch", severity: Severity::Error, effect: effect::WATCHDOG };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("PFC_WD") {
        if let Some(f) = cx.db.field(entry, "BIG_RED_SWITCH") {
            let message = match f.value {
                "enable" => {
                    "BIG_RED_SWITCH drops all lossless traffic on all ports, and the YANG model rejects the field"
                }
                "disable" => "the YANG model rejects BIG_RED_SWITCH: `config load` fails",
                _ => "BIG_RED_SWITCH is neither enable nor disable and is ignored; the YANG model rejects it",
            };
            cx.report(out, &META, field("PFC_WD", &entry.key, "BIG_RED_SWITCH"), message.into()).remove();
        }
    }
}
