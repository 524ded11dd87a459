//! # WD009 big-red-switch
//!
//! Severity: error. Rows: WD-09.
//!
//! BIG_RED_SWITCH is not in a configuration that is kept.
//!
//! ## Why it matters
//!
//! enable drops all lossless traffic of all ports and ignores storms. It is meant for emergencies by hand; the
//! command line writes it and the YANG model then refuses the file.
//!
//! ## Example
//!
//! ```json
//! {"PFC_WD": {"GLOBAL": {"BIG_RED_SWITCH": "enable", "POLL_INTERVAL": "200"}}}
//! ```
//!
//! ## Fix
//!
//! Remove it.
//!
//! ## Source
//!
//! pfcwdsworch.cpp; swss PR 467; sonic-buildimage PR 28495.

use super::super::Meta;
use super::super::context::{Context, Findings, field};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "WD009", name: "big-red-switch", severity: Severity::Error, ids: &["WD-09"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for entry in cx.db.rows("PFC_WD") {
        if let Some(f) = cx.db.field(entry, "BIG_RED_SWITCH") {
            let message = match f.value {
                "enable" => "BIG_RED_SWITCH drops all lossless traffic on all ports; YANG also refuses the field",
                "disable" => "BIG_RED_SWITCH is refused by the YANG model: `config load` fails",
                _ => "BIG_RED_SWITCH is neither enable nor disable and is ignored; YANG refuses it",
            };
            cx.report(out, &META, field("PFC_WD", &entry.key, "BIG_RED_SWITCH"), message.into()).remove();
        }
    }
}
