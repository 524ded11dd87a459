//! # SRC004 blanks-in-number
//!
//! Severity: warning (an error where orchagent skips the port).
//!
//! A number or an alias has blanks before or after it, or a lane has blanks after it.
//!
//! ## Why it matters
//!
//! orchagent's `stoi` skips the blanks, but the YANG models and strict parsers do not: one release loads the file and
//! the next one rejects it. Two shipped SKUs contain `" 166912"`. In PORT, orchagent refuses a number with a blank
//! after it, and skips the port. An alias with blanks is another name for neighbours and tools.
//!
//! ## Example
//!
//! ```json
//! {
//!   "WRED_PROFILE": {
//!     "W": {"ecn": "ecn_all", "wred_green_enable": "true", "green_min_threshold": " 166912",
//!       "green_max_threshold": "1500000", "green_drop_probability": "5"}
//!   }
//! }
//! ```
//!
//! ## Fix
//!
//! Remove the blanks.
//!
//! ## Source
//!
//! sonic-buildimage PR 25626; `to_uint` in
//! [converter.h](https://github.com/sonic-net/sonic-swss-common/blob/master/common/converter.h), which reads the
//! numbers of PORT.

use super::super::context::{Context, Findings, field};
use super::super::{Meta, effect};
use crate::finding::Severity;

/// The metadata of the rule.
pub(super) const META: Meta =
    Meta { code: "SRC004", name: "blanks-in-number", severity: Severity::Warning, effect: effect::FILE };

/// Reports violations.
pub(super) fn check(cx: &Context<'_, '_>, out: &mut Findings) {
    use crate::schema::Kind;
    for violation in cx.violations.iter().filter(|v| v.kind == Kind::Blanks) {
        let Some(entry) = cx.db.rows(violation.table).get(violation.entry) else { continue };
        let name = violation.field.as_deref().unwrap_or_default();
        let value = cx.db.field(entry, name).map_or("", |f| f.value);
        let clean: String = match name {
            "lanes" => value.chars().filter(|c| !c.is_whitespace()).collect(),
            _ => value.trim().to_string(),
        };
        let is_refused = violation.table == "PORT" && name != "alias" && has_blank_after_number(value);
        let (severity, effect) = match is_refused {
            true => (Severity::Error, ": orchagent skips the port"),
            false => (Severity::Warning, ""),
        };
        let message = format!("{}: {}{effect}", entry.key, violation.message);
        let reported =
            cx.report(out, &META, field(violation.table, &entry.key, name), message).severity(severity);
        match name == name.trim() || !crate::schema::is_map(violation.table) {
            true => reported.replace(clean),
            // The number is the name of the field. Where it exists without blanks, one of two values is wrong.
            false => match cx.db.field(entry, name.trim()) {
                None => reported.operations(cx.renamed(violation.table, entry, name, name.trim())),
                Some(_) => reported,
            },
        };
    }
}

/// Whether a number of a list has a blank after it.
fn has_blank_after_number(list: &str) -> bool {
    list.split(',').any(|number| number.ends_with(char::is_whitespace))
}
