//! # BUF003 pool-size
//!
//! Severity: error. Rows: SCH-03.
//!
//! A pool has a size, a whole number of bytes. Only the dynamic buffer model may leave it out.
//!
//! ## Why it matters
//!
//! In the traditional model SAI gets a create call without a mandatory attribute and orchagent exits: no port comes
//! up.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"p": {"type": "ingress", "mode": "dynamic"}}}
//! ```
//!
//! ## Fix
//!
//! Set `size`, or `buffer_model` to dynamic where the platform supports it.
//!
//! ## Source
//!
//! swss PR 1975.

use super::super::Meta;
use super::super::context::{Context, Findings, row};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF003", name: "pool-size", severity: Severity::Error, ids: &["SCH-03"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    if cx.is_dynamic {
        return;
    }
    for pool in cx.db.rows("BUFFER_POOL") {
        if cx.db.field(pool, "size").is_none() {
            let message = format!("pool {} has no size, and the buffer model is traditional: orchagent exits", pool.key);
            cx.report(out, &META, row("BUFFER_POOL", &pool.key), message);
        }
    }
}
