//! # BUF014 profile-pool
//!
//! Severity: error. Rows: REF-01.
//!
//! The pool that a profile names exists.
//!
//! ## Why it matters
//!
//! orchagent retries for ever, with an INFO line only: the profile and everything that uses it is silently absent.
//!
//! ## Example
//!
//! ```json
//! {"BUFFER_PROFILE": {"p": {"pool": "none", "size": "0", "dynamic_th": "0"}}}
//! ```
//!
//! ## Fix
//!
//! Name a pool of this file.
//!
//! ## Source
//!
//! bufferorch, task_need_retry.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "BUF014", name: "profile-pool", severity: Severity::Error, ids: &["REF-01"] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    cx.schema(out, &META);
}
