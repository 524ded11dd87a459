//! # SRC001 broken-text
//!
//! Severity: error.
//!
//! The file is not valid JSON, or its structure is not that of a configuration. Every syntax error is listed.
//!
//! ## Why it matters
//!
//! sonic-cfggen stops at the first error, or reads something else than was intended. Harrier still checks the parts
//! that it can parse.
//!
//! ## Example
//!
//! ```text
//! {"BUFFER_POOL": {"p": {"type": "ingress",}}}
//! ```
//!
//! ## Fix
//!
//! Correct the text at the reported position.
//!
//! ## Source
//!
//! RFC 8259; several shipped templates render to such text.

use super::super::context::{Context, Findings};
use super::super::{Meta, effect};
use crate::finding::Severity;
use model::units::counted;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC001", name: "broken-text", severity: Severity::Error, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    for problem in &cx.db.problems {
        out_text(cx, out, problem);
    }
    if let Some(lookup) = cx.lookup {
        let count = lookup.problems.len();
        if count > 0 {
            let first = lookup.problems.first().map(|p| p.message.clone()).unwrap_or_default();
            let span = crate::source::Span::default();
            cx.report_text(
                out,
                &META,
                span,
                format!("the lookup table has {}; the first: {first}", counted(count as u64, "invalid line")),
            );
        }
    }
}

fn out_text(cx: &Context<'_, '_>, out: &mut Findings, problem: &crate::json::Problem) {
    cx.report_text(out, &META, problem.span, problem.message.clone());
}
