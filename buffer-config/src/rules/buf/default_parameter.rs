//! # BUF039 default-lossless-parameter
//!
//! Severity: error (lower where it is the ASIC vendor's convention).
//!
//! DEFAULT_LOSSLESS_BUFFER_PARAMETER does not have exactly one entry with a `default_dynamic_th` from -8 to 7.
//!
//! ## Why it matters
//!
//! The entry sets the alpha of every computed lossless profile. The YANG models do not define `max_headroom_size`,
//! which some templates contain.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEFAULT_LOSSLESS_BUFFER_PARAMETER": {
//!     "AZURE": {"default_dynamic_th": "0", "max_headroom_size": "1"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Keep one entry.
//!
//! ## Source
//!
//! YANG; buffers_config.j2; `m_defaultThreshold` in
//! [buffermgrdyn.cpp](https://github.com/sonic-net/sonic-swss/blob/master/cfgmgr/buffermgrdyn.cpp).

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta = Meta {
    code: "BUF039",
    name: "default-lossless-parameter",
    severity: Severity::Error,
    effect: effect::ALPHA_NOT_AS_INTENDED,
};

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    let rows = cx.db.rows("DEFAULT_LOSSLESS_BUFFER_PARAMETER");
    let null = |e: &&crate::db::Entry<'_>| cx.db.field(e, "profile").is_some_and(|f| f.value == "NULL");
    if let (true, true, Some(group)) =
        (rows.is_empty(), cx.is_dynamic, cx.db.rows("BUFFER_PG").iter().find(null))
    {
        let message =
            "the table is missing: buffermgrd waits for it before it configures any lossless priority group"
                .to_string();
        cx.report(out, &META, row("BUFFER_PG", &group.key), message);
    }
    if let [_, second, ..] = rows {
        let message = format!("{} entries; SONiC uses the first one that it reads", rows.len());
        cx.report(out, &META, row("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &second.key), message);
    }
    for entry in rows.iter().filter(|e| cx.db.field(e, "max_headroom_size").is_some()) {
        let at = field("DEFAULT_LOSSLESS_BUFFER_PARAMETER", &entry.key, "max_headroom_size");
        let message = "the YANG model does not define `max_headroom_size` and rejects the file".to_string();
        cx.report(out, &META, at, message).severity(Severity::Warning).remove();
    }
}
