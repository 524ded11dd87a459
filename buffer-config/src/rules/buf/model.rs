//! # BUF047 buffer-model
//!
//! Severity: error.
//!
//! `buffer_model` is neither dynamic nor traditional, or the contents of the file belong to the other model.
//!
//! ## Why it matters
//!
//! A file of the dynamic model crashes orchagent if the traditional model is active, and a change of the model
//! requires a restart of swss. A file without `DEVICE_METADATA` (the output of the buffer template alone) does not
//! state its model.
//!
//! ## Example
//!
//! ```json
//! {
//!   "DEVICE_METADATA": {
//!     "localhost": {"platform": "x86_64-dell_s6000_s1220-r0", "buffer_model": "traditional"}
//!   },
//!   "BUFFER_PG": {"Ethernet0|3-4": {"profile": "NULL"}}
//! }
//! ```
//!
//! ## Fix
//!
//! Set `buffer_model` to the model that the file was written for.
//!
//! ## Source
//!
//! swss PR 1975.

use super::super::context::{Context, Findings, field, row};
use super::super::{Meta, effect};
use crate::finding::Severity;
use crate::resolve::BufferModel;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "BUF047", name: "buffer-model", severity: Severity::Error, effect: effect::NOT_LOSSLESS };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    if cx.model == BufferModel::DynamicByContent {
        let at = cx.db.rows("BUFFER_POOL").first().map_or("", |pool| pool.key.as_ref());
        let message =
            "the file names neither a buffer model nor a platform; its contents are those of the dynamic model, which is assumed"
                .to_string();
        cx.report(out, &META, row("BUFFER_POOL", at), message).severity(Severity::Warning);
    }
    let mut nulls = cx
        .db
        .rows("BUFFER_PG")
        .iter()
        .filter(|e| cx.db.field(e, "profile").is_some_and(|f| f.value == "NULL"));
    let null = nulls.next();
    if let (Some(entry), false) = (null, cx.is_dynamic) {
        let message =
            "priority groups with profile NULL require the dynamic model, but buffer_model is not dynamic"
                .to_string();
        cx.report(out, &META, field("BUFFER_PG", &entry.key, "profile"), message)
            .also(nulls.map(|entry| entry.key.as_ref()));
    }
    let computes = ["DEFAULT_LOSSLESS_BUFFER_PARAMETER", "LOSSLESS_TRAFFIC_PATTERN"];
    let has_parameters = computes.iter().any(|table| !cx.db.rows(table).is_empty());
    let fixed = cx.lossless_in_use().find(|p| !p.is_generated && p.name.starts_with("pg_lossless_"));
    if let (BufferModel::Dynamic, Some(profile), false, None) = (cx.model, fixed, has_parameters, null) {
        let message = format!(
            "buffer_model is dynamic, but the file belongs to the traditional model: its lossless profiles, such as {}, are fixed, and it has no parameters to compute them",
            profile.name
        );
        cx.report(out, &META, field("DEVICE_METADATA", "localhost", "buffer_model"), message);
    }
}
