//! # SRC001 broken-text
//!
//! Severity: error. Rows: none.
//!
//! The text is no valid JSON, or does not have the form of a configuration; every problem in it is listed.
//!
//! ## Why it matters
//!
//! sonic-cfggen stops at the first problem, or reads something else than was meant. What could be understood is
//! checked all the same.
//!
//! ## Example
//!
//! ```text
//! {"BUFFER_POOL": {"p": {"type": "ingress",}}}
//! ```
//!
//! ## Fix
//!
//! Repair the text at the place shown.
//!
//! ## Source
//!
//! RFC 8259; TPL-01: several shipped templates render to such text.

use super::super::Meta;
use super::super::context::{Context, Findings};
use crate::finding::Severity;

/// What identifies the rule.
pub(super) const META: Meta =
    Meta { code: "SRC001", name: "broken-text", severity: Severity::Error, ids: &[] };

/// Runs the rule.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for problem in &cx.db.problems {
        out_text(cx, out, problem);
    }
    if let Some(lookup) = cx.lookup {
        let count = lookup.problems.len();
        if count > 0 {
            let first = lookup.problems.first().map(|p| p.message.clone()).unwrap_or_default();
            let span = crate::source::Span::default();
            cx.report_text(out, &META, span, format!("the look-up table has {count} bad lines; the first: {first}"));
        }
    }
}

fn out_text(cx: &Context<'_, '_>, out: &mut Findings, problem: &crate::json::Problem) {
    cx.report_text(out, &META, problem.span, problem.message.clone());
}
