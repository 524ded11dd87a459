//! # BUF047 buffer-model
//!
//! Severity: error. Rows: TPL-04.
//!
//! `buffer_model` is dynamic or traditional, and the file is of that model.
//!
//! ## Why it matters
//!
//! A file of the dynamic model loaded in the traditional one crashes orchagent; a switch of models needs a restart
//! of swss. A file without `DEVICE_METADATA` (rendered by the buffer template alone) does not say its model.
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
//! Set the model that the file is made for.
//!
//! ## Source
//!
//! swss PR 1975.

use super::super::Meta;
use super::super::context::{Context, Findings, field, row};
use crate::finding::Severity;
use crate::resolve::BufferModel;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF047", name: "buffer-model", severity: Severity::Error, ids: &["TPL-04"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
    if cx.model == BufferModel::DynamicByContent {
        let at = cx.db.rows("BUFFER_POOL").first().map_or("", |pool| pool.key.as_ref());
        let message = "the file has no DEVICE_METADATA; by its content it is of the dynamic model, and is judged so".to_string();
        cx.report(out, &META, row("BUFFER_POOL", at), message).severity(Severity::Warning);
    }
    let null = cx.db.rows("BUFFER_PG").iter().find(|e| cx.db.field(e, "profile").is_some_and(|f| f.value == "NULL"));
    if let (Some(entry), false) = (null, cx.is_dynamic) {
        let message = "priority groups with profile NULL are of the dynamic model, buffer_model is not dynamic".to_string();
        cx.report(out, &META, field("BUFFER_PG", &entry.key, "profile"), message);
    }
}
