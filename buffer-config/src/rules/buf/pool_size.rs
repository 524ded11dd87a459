//! # BUF003 pool-size
//!
//! Severity: error (a warning for a small share on NVUE).
//!
//! A pool has no valid `size` in bytes. Only the dynamic buffer model may omit it. On NVUE: a traffic pool for
//! lossless traffic has no memory, or less than a tenth.
//!
//! ## Why it matters
//!
//! In the traditional model, SAI receives a create call without a mandatory attribute and orchagent exits: no port
//! comes up.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_POOL": {"p": {"type": "ingress", "mode": "dynamic"}}}
//! ```
//!
//! ## Fix
//!
//! Set `size`, or set `buffer_model` to dynamic where the platform supports it.
//!
//! ## Source
//!
//! swss PR 1975.

use super::super::context::{Context, Findings, row};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF003", name: "pool-size", severity: Severity::Error, effect: effect::NOT_PORT_SPECIFIC };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    if cx.is_dynamic {
        return;
    }
    for pool in cx.db.rows("BUFFER_POOL") {
        if cx.db.field(pool, "size").is_none() {
            let message = format!(
                "pool {} has no size, and the buffer model is traditional: orchagent exits",
                pool.key
            );
            cx.report(out, &META, row("BUFFER_POOL", &pool.key), message);
        }
    }
}
